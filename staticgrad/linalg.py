"""TensorFlow's `linalg`: equations, factorisations, determinants and norms of matrices.

>>> x = sg.placeholder("float64", [2, 2], name="x")
>>> sg.linalg.inv(x, name="y")
<inv y: float64[2, 2]>
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .ops.spelling import NAMESPACES as _NAMESPACES

globals().update(_NAMESPACES["linalg"])

if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


__all__ = sorted(_NAMESPACES["linalg"])
