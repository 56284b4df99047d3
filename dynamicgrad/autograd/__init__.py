"""Gradients as functions, operations of one's own, what is made of them, and how to check them."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from gradops.lazily import lazily as _lazily

from .. import function, graph
from ..anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from ..backward import backward
from ..function import Function, once_differentiable
from .batched import grad

if _TYPE_CHECKING:
    from . import forward_ad, functional
    from .checking import gradcheck, gradgradcheck
    from .checkpointing import checkpoint, checkpoint_sequential

__getattr__ = _lazily(
    __name__,
    {
        "forward_ad": "forward_ad", "functional": "functional", "gradcheck": "checking",
        "gradgradcheck": "checking", "checkpoint": "checkpointing",
        "checkpoint_sequential": "checkpointing",
    },
)  # fmt: skip

__all__ = [
    "Function", "backward", "checkpoint", "checkpoint_sequential", "detect_anomaly", "forward_ad",
    "function", "functional", "grad", "gradcheck", "gradgradcheck", "graph", "is_anomaly_enabled",
    "once_differentiable", "set_detect_anomaly",
]  # fmt: skip
