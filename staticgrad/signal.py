"""TensorFlow's `signal`: Fourier transforms, along as many last axes as the name says.

>>> x = sg.placeholder("float32", [None, 8], name="x")
>>> sg.signal.rfft(x, name="y")
<rfft y: complex64[x.0, 5]>
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .ops.spelling import NAMESPACES as _NAMESPACES

globals().update(_NAMESPACES["signal"])

if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


__all__ = sorted(_NAMESPACES["signal"])
