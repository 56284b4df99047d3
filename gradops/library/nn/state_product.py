"""The product of states and a matrix, by which recurrent cells contribute their state.

Note [Products of states]. It is `matmul`, whose bits are NumPy's and so BLAS's, but that machine
code may compute it as its own product does: then a whole sequence is one call, in which rows go
through all steps by themselves, and threads share them. Both modes call this op in each step.
"""

from typing import Any

import numpy as np

from ...core import flops
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import shape_of
from ...kernels.native_kernels import native
from ...typing import AnyArray, Operand, Out
from ..families import invalid, multilinear
from ..linalg.contraction import (
    matmul,
    matmul_batch,
    matmul_infer,
    matmul_kernel,
    matmul_left,
    matmul_right,
)
from ..shape.movement import transpose

__all__: list[str] = []  # cells are offered by `gradops.nn`


def are_matrices(a: Any, b: Any) -> bool:
    """True for arrays that the functions in machine code may take."""
    return type(a) is type(b) is np.ndarray and a.ndim == b.ndim == 2 and a.dtype == b.dtype


@native(
    "sequences", "state_product", "np.ascontiguousarray(a), b, out",
    when="are_matrices(a, b) and b.flags.c_contiguous",
)
@native(
    "sequences", "state_product_turned", "np.ascontiguousarray(a), np.ascontiguousarray(b.T), out",
    when="are_matrices(a, b) and not b.flags.c_contiguous",
)
def product_of(a: Any, b: Any, out: Out = None) -> Any:
    """The product, in an array in the order of C if one is given."""
    return matmul_kernel(a, b, out)


def state_product_kernel(a: Any, b: Any, out: Out = None) -> Any:
    if out is None or out.flags.c_contiguous:
        return product_of(a, b, out)
    np.copyto(out, product_of(a, b))
    return out


def are_two(a: Operand, b: Operand) -> bool:
    """True for two matrices."""
    return len(shape_of(a)) == len(shape_of(b)) == 2


def to_state(g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray) -> Any:
    return state_product(g, transpose(b)) if are_two(a, b) else matmul_left(g, y, a, b)


def to_matrix(g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray) -> Any:
    return state_product(transpose(a), g) if are_two(a, b) else matmul_right(g, y, a, b)


state_product = multilinear(
    "state_product", state_product_kernel, infer=matmul_infer, transpose=[to_state, to_matrix],
    flops=flops.matmul, batch=matmul_batch, source="state_product({0}, {1}{out})",
    traits=[Trait.C_ORDER, Trait.PROPAGATING],
    samples=cases(
        reals((3, 4), (4, 2)), reals((4,), (4, 2)), reals((5, 3, 4), (4, 2)),
        reals((0, 4), (4, 2)), reals((3, 0), (0, 2)),
    ),
    error_samples=[invalid((3, 4), (5, 6), says="4 and 5 differ")],
    formula=lambda a, b: matmul(a, b),
    doc="The matrix product of states and a matrix, which machine code may add up in another order"
    " than `matmul`.",
)
