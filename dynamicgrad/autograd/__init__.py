"""PyTorch's `autograd`: gradients, custom functions, checkpoints and gradient checks."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from gradops.core.lazy_import import lazily as _lazily

from ..custom_function import function
from ..custom_function.function import Function, once_differentiable
from ..engine.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from ..engine.backward import backward
from . import graph
from .batched_grad import grad

if _TYPE_CHECKING:
    from ..checking.gradcheck import gradcheck, gradgradcheck
    from . import forward_ad, functional
    from .checkpointing import checkpoint, checkpoint_sequential

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "forward_ad": "forward_ad", "functional": "functional",
        ".checking.gradcheck": "gradcheck gradgradcheck",
        "checkpointing": "checkpoint checkpoint_sequential",
    },
)  # fmt: skip

__all__ = [
    "Function", "backward", "checkpoint", "checkpoint_sequential", "detect_anomaly", "forward_ad",
    "function", "functional", "grad", "gradcheck", "gradgradcheck", "graph", "is_anomaly_enabled",
    "once_differentiable", "set_detect_anomaly",
]  # fmt: skip
