"""Ops whose kernels are functions of `scipy.special`."""

from collections.abc import Callable
from typing import Any

from ....core.errors import BY_HAND, MissingRuleError
from ....core.op import Op
from ....core.types import ArrayType, broadcast_shapes
from ....kernels.elementwise.scipy_kernels import complex_dtype, complex_of_scipy, of_scipy
from ....kernels.elementwise.tables import float_dtype
from ....typing import AnyArray
from ...families import elementwise, singular


def float_infer(name: str) -> Callable[..., ArrayType]:
    """Type inference of an elementwise op that returns floats, float64 for integers."""

    def infer(*types: ArrayType, **attrs: object) -> ArrayType:
        return ArrayType(broadcast_shapes(name, types), float_dtype(*(t.dtype for t in types)))

    return infer


def scipy_op(
    name: str, kernel: Callable[..., Any] | None = None, orders: int = 0, **facets: Any
) -> Op:
    """An op whose kernel is SciPy's, with type inference that does not import SciPy.

    The first operands, `orders`, have no derivative. The others may be infinite somewhere.
    """
    missing = [no_partial(name, "order") for _ in range(orders)]
    facets["d"] = [*missing, *map(as_singular, facets["d"])]
    kernel = of_scipy(name, orders) if kernel is None else kernel
    return elementwise(name, kernel, infer=float_infer(name), **facets)


def as_singular(partial: Any) -> Any:
    """A partial derivative that may be infinite or NaN."""
    return singular(partial) if callable(partial) else partial


def complex_op(name: str, kernel: Callable[..., Any] | None = None, **facets: Any) -> Op:
    """An analytic op of one operand whose kernel is SciPy's on complex numbers."""

    def infer(x: ArrayType, **attrs: object) -> ArrayType:
        return ArrayType(x.shape, complex_dtype(x.dtype))

    kernel = kernel or complex_of_scipy(name.removeprefix("complex_"))
    return elementwise(name, kernel, infer=infer, **facets)


def real_op(name: str, function: str, part: int | None = None, **facets: Any) -> Op:
    """An op of one operand: a function of SciPy under another name, or a part of its results."""
    return scipy_op(name, of_scipy(function, part=part), **facets)


def no_partial(name: str, operand: str) -> singular:
    """A partial derivative that raises, for an operand without a closed formula."""

    def refuse(*args: Any, **attrs: object) -> AnyArray:
        raise MissingRuleError(name, f"d/d{operand}", hint=f"no formula is known for it: {BY_HAND}")

    return singular(refuse)
