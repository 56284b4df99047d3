"""A gradient compared with finite differences: `check`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gradops.testing.gradient_check import OfVector, check_gradient

from ..engine.array import Array
from ..engine.handle import hold, make_leaf
from ..func.scipy_solvers import bare, jacobian, value
from .blame import blame
from .comparisons import Tolerance


def check(f: Callable[..., Any], x: Any, *args: Any) -> float:
    """Print the largest relative error of the gradient of `f` at `x`, and return it.

    `f` takes (x, *args), and may return several numbers; x is an array of real numbers, or a
    structure of such. The gradient is compared with numerical derivatives, for which a plain NumPy
    function is called on arrays. Where the error is too large for rounding, the operation whose
    own derivative is wrong is named, with its line.

    >>> error = dg.check(lambda x: np.sum(np.sin(x) ** 2), np.array([1.0, 2.0, 3.0]))
    gradient of <lambda>: largest relative error ...e-1..., at x[...], against the complex step
    >>> error < 1e-13
    True
    """
    jacobian_at = lambda flat, v: bare(jacobian(flat)(v))
    return check_gradient(f, x, args, plain_value, jacobian_at, blame_at)


def plain_value(f: OfVector, v: np.ndarray) -> np.ndarray:
    """The value of `f` on arrays; on tensors, if it needs these."""
    try:
        return bare(f(v))
    except (AttributeError, TypeError):
        return value(f)(v)


def blame_at(f: OfVector, v: np.ndarray) -> str:
    """Describe the operation of `f` at `v` that is wrong."""
    return blame(f, (make_leaf(hold(Array, v)),), "vjp", Tolerance(1e-6, 1e-5, 1e-3))
