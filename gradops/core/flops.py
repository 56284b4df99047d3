"""Formulas for the floating-point operations of an op.

A formula takes the type of the result, the types of the operands, and the attributes; it gives a
number, or a dimension for sizes that are not known. One entry of an elementwise result, of whatever
function, counts as one operation; a multiplication with an addition counts as two. Factorizations
count as in Golub and Van Loan, "Matrix Computations", leading terms only. An operation on complex
numbers counts as one.
"""

from collections.abc import Callable
from typing import Any

from ..typing import Attrs
from .dims import product
from .traits import Trait
from .types import ArrayType

Formula = Callable[..., Any]
BUFFER = 8192  # entries that NumPy's ufuncs take at a time where operands are broadcast

MOVES = frozenset({Trait.VIEW, Trait.RETYPING, Trait.OF_TYPE})


def flops_of(op: Any, result: ArrayType, types: list[ArrayType], attrs: Attrs) -> Any:
    """The floating-point operations of an op on operands of these types.

    >>> a, b = gradops.ArrayType((3, 4), "float64"), gradops.ArrayType((4, 5), "float64")
    >>> y = gradops.ArrayType((3, 5), "float64")
    >>> flops_of(gradops.OPS["matmul"], y, [a, b], {})
    120
    """
    return op.flops(result, *types, **attrs)


def default(traits: frozenset[Trait]) -> Formula:
    """The formula of an op that declares none, by its traits."""
    if Trait.ELEMENTWISE in traits and not traits & MOVES:
        return per_result(1)
    return per_operand(1) if Trait.REDUCTION in traits else nothing


def nothing(*types: ArrayType, **attrs: object) -> int:
    """No operation: an op that moves entries, or counts and compares integers."""
    return 0


def per_result(count: int) -> Formula:
    """So many operations per entry of the result."""
    return lambda y, *types, **attrs: count * product(y.shape)


def bytes_of_results(count: int) -> Formula:
    """The bytes of so many arrays like the result, and of a ufunc's buffer, as a workspace."""
    return lambda y, *types, **attrs: with_buffer(y, count)


def bytes_of_operands(count: int) -> Formula:
    """The bytes of so many arrays like the first operand, and of a ufunc's buffer, likewise."""
    return lambda y, x, *types, **attrs: with_buffer(x, count)


def with_buffer(type: ArrayType, count: int) -> Any:
    """The bytes of so many arrays of a type whose sizes are known, and of a ufunc's buffer."""
    size: Any = product(type.shape)
    return (count * size + min(BUFFER, size)) * type.dtype.itemsize


def per_operand(count: int) -> Formula:
    """So many operations per entry of the first operand."""
    return lambda y, x, *types, **attrs: count * product(x.shape)


def per_update(y: ArrayType, x: ArrayType, values: ArrayType, *types: Any, **attrs: object) -> Any:
    """One operation per entry that is written."""
    return product(values.shape)


def matmul(y: ArrayType, a: ArrayType, b: ArrayType) -> Any:
    """2 m k n."""
    return 2 * product(y.shape) * a.shape[-1]


def linear(y: ArrayType, x: ArrayType, w: ArrayType, b: ArrayType) -> Any:
    """A matrix product and a bias."""
    return (2 * w.shape[1] + 1) * product(y.shape)


def einsum(y: ArrayType, *types: ArrayType, subscripts: str) -> Any:
    """A multiplication per operand but the first, and an addition, for each set of indices."""
    terms = subscripts.split("->")[0].split(",")
    sizes = {c: n for term, t in zip(terms, types, strict=True) for c, n in zip(term, t.shape)}
    is_sum = len(sizes) > y.ndim
    return (len(types) - 1 + is_sum) * product(tuple(sizes.values()))


def conv(y: ArrayType, x: ArrayType, w: ArrayType, **attrs: object) -> Any:
    """A product of each window with each filter."""
    return 2 * product(y.shape) * product(w.shape[1:])


def conv_bias(y: ArrayType, x: ArrayType, w: ArrayType, b: ArrayType, **attrs: object) -> Any:
    """`conv` and a bias."""
    return conv(y, x, w) + product(y.shape)


def conv_operand(y: ArrayType, g: ArrayType, w: ArrayType, **attrs: object) -> Any:
    """The operations of the convolution that it is a cotangent of."""
    return conv(g, y, w)


def conv_filters(y: ArrayType, x: ArrayType, g: ArrayType, **attrs: object) -> Any:
    """The operations of the convolution that it is a cotangent of."""
    return conv(g, x, y)


def sum_pool(y: ArrayType, x: ArrayType, window: tuple[Any, ...], **attrs: object) -> Any:
    """An addition per entry of each window."""
    return product(y.shape) * product(window)


def sum_unpool(y: ArrayType, g: ArrayType, window: tuple[Any, ...], **attrs: object) -> Any:
    """An addition per entry of each window."""
    return product(g.shape) * product(window)


def fft(y: ArrayType, x: ArrayType, axes: tuple[int, ...], **attrs: object) -> Any:
    """5 n log2 n for each axis of n entries."""
    return sum((transform(y, x.shape[axis]) for axis in axes), 0)


def rfft(y: ArrayType, x: ArrayType, axis: int, **attrs: object) -> Any:
    """Half the operations of a complex transform."""
    return transform(x, x.shape[axis]) // 2


def irfft(y: ArrayType, x: ArrayType, axis: int, **attrs: object) -> Any:
    """Half the operations of a complex transform."""
    return transform(y, y.shape[axis]) // 2


def transform(y: ArrayType, n: Any) -> Any:
    """The operations of a complex transform of rows of n entries, log2 rounded up."""
    steps = max(n - 1, 0).bit_length() if isinstance(n, int) else 1
    return 5 * product(y.shape) * steps


def per_square(share: tuple[int, int]) -> Formula:
    """A fraction of n ** 3 for each square matrix of the first operand."""
    times, over = share
    return lambda y, x, *types, **attrs: times * product(x.shape) * x.shape[-1] // over


def per_matrix(long: int, short: int, over: int = 1) -> Formula:
    """(long m n ** 2 + short n ** 3) / over for each matrix, with n the smaller size."""

    def count(y: ArrayType, x: ArrayType, *types: ArrayType, **attrs: object) -> Any:
        m, n = x.shape[-2:]
        small = min(m, n) if isinstance(m, int) and isinstance(n, int) else n
        cubes = product(x.shape[:-2]) * small * small * small
        return (long * product(x.shape) * small + short * cubes) // over

    return count


def solve(y: ArrayType, a: ArrayType, b: ArrayType) -> Any:
    """An LU factorization, and two triangular solves."""
    return 2 * product(a.shape) * a.shape[-1] // 3 + 2 * product(y.shape) * a.shape[-1]


def solve_triangular(y: ArrayType, a: ArrayType, b: ArrayType, **attrs: object) -> Any:
    """n ** 2 for each column."""
    return product(y.shape) * a.shape[-1]
