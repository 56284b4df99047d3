"""A gradient beside difference quotients: `check`."""

from collections.abc import Callable
from typing import Any

from gradops.scipy.solvers import Packing, on_vector, vector
from gradops.testing.gradient_check import compare

from ..engine.array import Array
from ..engine.handle import hold, make_leaf
from ..func.scipy_solvers import bare, jacobian, value
from .blame import culprit
from .comparisons import Tolerance
from .suspects import wrong_function


def check(f: Callable[..., Any], x: Any, *args: Any) -> float:
    """Print how far the gradient of `f` at `x` is from difference quotients, and return that.

    `f` takes (x, *args), and may return several numbers; x is an array of real numbers, or a
    structure of such. A plain NumPy function is called on arrays for the quotients. The error is
    relative, the largest over all entries. Where it is too large for rounding, the operation whose
    own derivative is wrong is named, with its line.

    >>> error = dg.check(lambda x: np.sum(np.sin(x) ** 2), np.array([1.0, 2.0, 3.0]))
    gradient of <lambda>: largest relative error ...e-1..., at x[...], beside the complex step
    >>> error < 1e-13
    True
    """
    packing = Packing(x)
    flat = vector(on_vector(f, packing))
    result = compare(
        lambda v: plain_value(flat, v, args), bare(jacobian(flat)(packing.vector, *args)), packing
    )
    print(f"gradient of {getattr(f, '__name__', type(f).__name__)}: {result}")
    if result.is_wrong:
        print(f"  {blame(flat, packing.vector, args)}")
    return result.error


def plain_value(f: Callable[..., Any], v: Any, args: Any) -> Any:
    """The value of `f` on arrays; on tensors, if it is written for these."""
    try:
        return bare(f(v, *args))
    except (AttributeError, TypeError):
        return value(f)(v, *args)


def blame(f: Callable[..., Any], v: Any, args: Any) -> str:
    """What to say of the operation that is to blame."""
    x = make_leaf(hold(Array, v))

    def of_tensor(t: Any) -> Any:
        return f(t, *args)

    said = wrong_function(of_tensor, (x,), Tolerance(1e-6, 1e-5, 1e-3))
    return said or culprit(of_tensor, (x,), "vjp")
