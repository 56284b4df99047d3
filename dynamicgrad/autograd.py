"""Gradients as functions, operations of one's own, and what there is to see of the graph."""

from . import function, graph
from .anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from .backward import backward, grad
from .function import Function, once_differentiable

__all__ = [
    "Function", "backward", "detect_anomaly", "function", "grad", "graph", "is_anomaly_enabled",
    "once_differentiable", "set_detect_anomaly",
]  # fmt: skip
