"""TensorFlow's `nn`: activations, losses and statistics for neural networks.

>>> x = sg.placeholder("float32", [None, 3], name="x")
>>> sg.nn.softmax(sg.nn.relu(x), name="y")
<softmax y: float32[x.0, 3]>
"""

from typing import Any as _Any

from .missing_names import missing as _missing
from .ops.spelling import NAMESPACES as _NAMESPACES

globals().update(_NAMESPACES["nn"])


def __getattr__(name: str) -> _Any:
    raise _missing(name, "nn")


__all__ = sorted(_NAMESPACES["nn"])
