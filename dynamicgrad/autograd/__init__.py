"""Gradients as functions, operations of one's own, what is made of them, and how to check them."""

from .. import function, graph
from ..anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from ..backward import backward
from ..function import Function, once_differentiable
from . import forward_ad, functional
from .batched import grad
from .checking import gradcheck, gradgradcheck
from .checkpointing import checkpoint, checkpoint_sequential

__all__ = [
    "Function", "backward", "checkpoint", "checkpoint_sequential", "detect_anomaly", "forward_ad",
    "function", "functional", "grad", "gradcheck", "gradgradcheck", "graph", "is_anomaly_enabled",
    "once_differentiable", "set_detect_anomaly",
]  # fmt: skip
