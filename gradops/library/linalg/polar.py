"""The unitary factor of the polar decomposition: the nearest matrix with orthonormal columns."""

from typing import Any

import numpy as np

from ...core import flops
from ...core.errors import LinAlgError, ShapeError
from ...core.op import ErrorSample
from ...core.samples import cases
from ...core.types import ArrayType
from ...kernels.linalg import factors
from ...typing import AnyArray
from .matrices import (
    adjoint,
    adjoint_rule,
    common_dtype,
    hermitian,
    matrix_op,
    no_matrix,
    require_matrix,
    times,
    zero_if_unused,
)
from .solve import inv, regular, regular_complex
from .sylvester import unchecked

__all__: list[str] = []


def polar_infer(x: ArrayType) -> ArrayType:
    require_matrix("polar", x)
    m, n = x.shape[-2:]
    if isinstance(m, int) and isinstance(n, int) and m < n:
        raise ShapeError("polar", [x], f"there are fewer rows, {m}, than columns, {n}")
    return ArrayType(x.shape, common_dtype("polar", x))


def polar_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> Any:
    """U w + (t - U U^H t) P^-1, where P w + w P is U^H t - t^H U."""
    p, k = hermitian(times(adjoint(y), x)), times(adjoint(y), t)
    turn = unchecked(p, p, k - adjoint(k))
    return times(y, turn) + times(t - times(y, k), inv(p, checked=False))


def polar_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> Any:
    """The adjoint of the tangent."""
    p, k = hermitian(times(adjoint(y), x)), times(adjoint(y), g)
    turn = unchecked(p, p, k - adjoint(k))
    return zero_if_unused(g, times(y, turn) + times(g - times(y, k), inv(p, checked=False)))


polar_op = matrix_op(
    "polar", factors.polar, infer=polar_infer,
    flops=flops.per_matrix(14, 8, 3),
    vjp=[adjoint_rule(polar_cotangent)], jvp=[polar_tangent],
    samples=cases(regular((3, 3)), regular((2, 3, 2)), regular_complex((3, 2))),
    error_samples=[
        *no_matrix,
        ErrorSample([np.ones((2, 3))], {}, ShapeError, "fewer rows, 2, than columns, 3"),
        ErrorSample([np.full((2, 2), np.nan)], {}, LinAlgError, "infinite or no numbers"),
    ],
    doc="The nearest matrix with orthonormal columns, the unitary factor of the polar form.",
)  # fmt: skip
