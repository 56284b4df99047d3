"""TensorFlow's `signal`: Fourier transforms, along as many last axes as the name says.

>>> x = sg.placeholder("float32", [None, 8], name="x")
>>> sg.signal.rfft(x, name="y")
<rfft y: complex64[x.0, 5]>
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .ops.tensorflow_names import SIGNAL as _SIGNAL

globals().update(_SIGNAL)  # one table says which there are

if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


__all__ = sorted(_SIGNAL)
