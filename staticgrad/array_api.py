"""The Python array API 2025.12 on expressions. A size that depends on data is one without a name.

>>> from staticgrad import array_api as xp
>>> x = sg.placeholder("float32", ["n"], name="x")
>>> xp.sum(xp.exp(x) * xp.ones_like(x))
<sum sum: float32[]>
"""

from typing import Any

import numpy as np

from gradops.array_api import Making, namespace

from .build.inputs import as_expression, constant, default_dtype
from .ir.expr import Expr
from .ops import creation


def full(shape: Any, value: Any, dtype: Any) -> Expr:
    """An array of a shape, which may have unknown sizes in it."""
    return creation.fill(shape, np.asarray(value, dtype))


def arange(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    """Numbers up to before a size, which need not be known."""
    return creation.arange(start, stop, step, dtype)


MAKING = Making(
    kind=Expr,
    new=constant,
    shared=as_expression,
    filled=full,
    counted=arange,
    default_dtype=default_dtype,
)
FUNCTIONS = namespace(MAKING, __name__)
globals().update(FUNCTIONS)
__all__ = sorted(name for name in FUNCTIONS if not name.startswith("_"))
