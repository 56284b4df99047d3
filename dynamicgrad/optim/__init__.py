"""Optimizers, and schedules of their learning rates."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from gradops.core.lazy_import import lazily as _lazily

from .first_order import SGD, Adagrad, Adam, AdamW, RMSprop
from .lbfgs import LBFGS
from .optimizer import Optimizer

if _TYPE_CHECKING:
    from . import lr_scheduler

__getattr__, __dir__ = _lazily(__name__, {"lr_scheduler": "lr_scheduler"})
__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
