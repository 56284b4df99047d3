"""Linear equations with banded matrices, of which the diagonals are stored as rows.

The entry a[i, j] is bands[upper + i - j, j]: row `upper` is the main diagonal, those above it are
moved to the right, those below it to the left. Entries that lie outside the matrix are not read.
"""

from typing import Any

import numpy as np

from ...core.dims import product
from ...core.errors import LinAlgError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, complexes, drawn, reals
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of
from ...kernels.linalg import banded
from ...typing import AnyArray, Arrays, Wanted
from ..families import invalid
from ..reduce.reduction import sum
from ..shape.joining import stack
from ..shape.padding import pad
from ..shape.rearrange import matrix_transpose
from .matrices import common_dtype, require_matrix
from .solve import equations_batch

__all__: list[str] = []


def shifted(x: AnyArray, k: int) -> AnyArray:
    """The entries k places further on along the last axis, and zeros where there are none."""
    if not k:
        return x
    *batch, n = shape_of(x)
    wide = pad(x, ((0, 0),) * len(batch) + ((max(-k, 0), max(k, 0)),))
    return wide[..., max(k, 0) : max(k, 0) + n]


def transposed(bands: Any, lower: int, upper: int) -> AnyArray:
    """The bands of the transposed matrix, which has `upper` diagonals below the main one."""
    rows = [shifted(bands[..., upper - d, :], d) for d in range(-lower, upper + 1)]
    return stack(rows, axis=-2)


def product_of_bands(bands: Any, x: AnyArray, lower: int, upper: int) -> AnyArray:
    """The product of a banded matrix with a matrix."""
    columns = matrix_transpose(x)
    y: Any = 0
    for d in range(-upper, lower + 1):
        row = bands[..., upper + d, :]
        y = y + shifted(row[..., None, :] * columns, -d)
    return matrix_transpose(y)


def bands_of_product(a: AnyArray, b: AnyArray, lower: int, upper: int) -> AnyArray:
    """The bands of a @ b.T."""
    left, right = matrix_transpose(a), matrix_transpose(b)
    rows = [sum(shifted(left, d) * right, axis=-2) for d in range(-upper, lower + 1)]
    return stack(rows, axis=-2)


def solve_banded_infer(
    bands: ArrayType, b: ArrayType, lower: int, upper: int
) -> ArrayType:
    require_matrix("solve_banded", bands, b)
    rows, n = bands.shape[-2:]
    if lower < 0 or upper < 0 or conflict((rows,), (lower + upper + 1,)):
        raise ShapeError(
            "solve_banded", [bands, b],
            f"{rows} rows are not the main diagonal, {lower} below it and {upper} above it",
        )  # fmt: skip
    if conflict((n,), b.shape[-2:-1]):
        raise ShapeError(
            "solve_banded", [bands, b],
            f"the diagonals have {n} entries, the right side {b.shape[-2]}",
        )  # fmt: skip
    stacks = [ArrayType(t.shape[:-2], t.dtype) for t in (bands, b)]
    shape = (*broadcast_shapes("solve_banded", stacks), *b.shape[-2:])
    return ArrayType(shape, common_dtype("solve_banded", bands, b))


def solve_banded_cotangents(
    wanted: Wanted, g: AnyArray, y: AnyArray, bands: AnyArray, b: AnyArray, lower: int, upper: int
) -> Arrays:
    """For b a solve with the transposed matrix; for the bands that times the solution."""
    flipped = transposed(bands, lower, upper)
    ct = solve_banded_op(flipped, g, lower=upper, upper=lower)
    return [ct if i else -bands_of_product(ct, y, lower, upper) for i in wanted]


def solve_banded_tangent(
    t: AnyArray, y: AnyArray, bands: AnyArray, b: AnyArray, lower: int, upper: int
) -> AnyArray:
    """The tangent along one of the bands."""
    right = -product_of_bands(t, y, lower, upper)
    return solve_banded_op(bands, right, lower=lower, upper=upper)


def dominant(r: "np.random.Generator", s: tuple[int, ...]) -> np.ndarray:
    """Bands of a matrix far from singular, one row above the main diagonal."""
    bands = r.uniform(-1, 1, s)
    bands[..., 1, :] += 3
    return bands


solve_banded_op = Op(
    "solve_banded", banded.solve_banded, arity=2, infer=solve_banded_infer,
    flops=lambda y, bands, b, lower, upper: (
        2 * product(y.shape) * (lower + upper + 1) + 2 * bands.shape[-1] * lower * (upper + 1)
    ),
    vjp=JointVJP(solve_banded_cotangents),
    jvp=[
        solve_banded_tangent, lambda t, y, bands, b, **attrs: solve_banded_op(bands, t, **attrs)
    ],
    batch=equations_batch,
    samples=cases(
        beside(drawn(dominant, [(3, 4)]), reals((4, 2), lower=1, upper=1)),
        beside(drawn(dominant, [(2, 4, 3)]), reals((3, 1), lower=2, upper=1)),
        beside(drawn(dominant, [(2, 3)]), complexes((3, 1), lower=0, upper=1)),
    ),
    error_samples=[
        invalid((2, 4), (4, 1), lower=1, upper=1, says="2 rows are not the main diagonal, 1 below"),
        invalid((3, 4), (3, 1), lower=1, upper=1, says="4 entries, the right side 3"),
        ErrorSample([np.zeros((1, 2)), np.ones((2, 1))], {"lower": 0, "upper": 0}, LinAlgError,
                    "singular"),
    ],
    doc="The solutions of linear equations with banded matrices, whose diagonals are rows.",
)  # fmt: skip
