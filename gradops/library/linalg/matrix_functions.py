"""The exponential and powers of square matrices."""

from typing import Any

import numpy as np

from ...core import flops
from ...core.errors import OptionError
from ...core.samples import cases, reals
from ...core.types import shape_of, type_of
from ...kernels.elementwise import exponential
from ...typing import AnyArray, Operand
from ..elementwise.arithmetic import abs
from ..elementwise.comparison import equal, masked, where
from ..reduce.reduction import sum
from ..shape.creation import ones_like, stop_gradient, zeros_like
from ..shape.joining import concatenate
from ..shape.rearrange import matrix_transpose
from .matrices import matrix_op, on_diagonal, require_square, square_infer, times
from .solve import inv, not_square, regular_complex

__all__: list[str] = []


def exp_derivative(x: AnyArray, t: AnyArray) -> AnyArray:
    """The derivative of the exponential at x in the direction t.

    It is the upper right block of the exponential of [[x, t], [0, x]]. It is linear in t, which is
    normalized first: a large t would cause too many squarings, which costs digits.
    """
    size = stop_gradient(matrix_size(t))
    n = shape_of(x)[-1]
    rows = [concatenate([x, t / size], axis=-1), concatenate([zeros_like(x), x], axis=-1)]
    return matrix_exp(concatenate(rows, axis=-2))[..., :n, n:] * size


def matrix_size(t: Operand) -> Operand:
    """The sum of the absolute values of the entries of each matrix; 1 where that is 0."""
    size = sum(abs(t), axis=(-2, -1), keepdims=True)
    return where(equal(size, 0), 1, size)


matrix_exp = matrix_op(
    "matrix_exp", exponential.matrix_exp, infer=square_infer("matrix_exp"),
    flops=flops.per_square((44, 3)),
    vjp=[lambda g, y, x: exp_derivative(matrix_transpose(x), g)],
    jvp=[lambda t, y, x: exp_derivative(x, t)],
    samples=cases(
        reals((3, 3)), reals((2, 2, 2)), reals((1, 1)), reals((2, 0, 0)), regular_complex((2, 2)),
    ),
    error_samples=not_square, doc="The exponential of each matrix, the sum of x**k / k!.",
)


def matrix_power(x: Any, n: int) -> Any:
    """Square matrices to an integer power: inverses for a negative `n`, the identity for 0.

    Raises ShapeError for matrices that are not square, LinAlgError for singular ones that are to be
    inverted, OptionError unless `n` is an integer.

    >>> matrix_power(np.array([[1, 1], [0, 1]]), 3)
    array([[1, 3],
           [0, 1]])
    """
    require_square("matrix_power", type_of(x))
    if not isinstance(n, int | np.integer):
        raise OptionError("matrix_power", [type_of(x)], f"the power is an integer, not {n!r}")
    if n == 0:
        return masked(on_diagonal(x), ones_like(x))
    if n < 0:
        x, n = inv(x), -n
    if n == 3:  # as NumPy does, which counts one product less
        return times(x, x, x)
    power, found = x, None
    while True:
        if n % 2:
            found = power if found is None else times(found, power)
        n //= 2
        if not n:
            return found
        power = times(power, power)
