"""The product of matrices in layers, whose order of additions is not that of `matmul`.

Note [Products of layers]. `matmul` has the bits of NumPy's, and so BLAS's. Products that no program
of NumPy's writes, as of a recurrent cell, a linear layer or a rule of another op, need not have
them. In machine code they are our own product, whose bits depend neither on threads nor on where
entries lie: so all steps of a sequence are one call, in which some rows go through all steps, a
bias is added to rows in the cache, and threads share the products of stacks. Both modes call this
op, or `linear`, so their bits are equal. Which function runs depends on sizes and dtypes alone.
"""

from functools import partial
from typing import Any

import numpy as np

from ...core import flops
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import shape_of
from ...kernels.native_kernels import native
from ...typing import AnyArray, Out
from ..families import invalid, multilinear
from ..linalg.contraction import (
    matmul,
    matmul_batch,
    matmul_kernel,
    matmul_left,
    matmul_right,
    product_type,
)
from ..shape.rearrange import matrix_transpose

__all__: list[str] = []  # layers are offered by `gradops.nn`

FEW = 4  # rows up to which our product takes longer to bring a matrix in order than to read it
LARGE = 1 << 17  # entries of such a matrix


def is_ours(rows: int, b: Any) -> bool:
    """True for products of so many rows with a matrix that machine code computes."""
    return rows >= FEW or b.size <= LARGE


@native("products", "layer_product", "a, b, out", when="a.ndim == 2 and is_ours(len(a), b)")
def product_of(a: Any, b: Any, out: Out = None) -> Any:
    """The product, in an array in the order of C if one is given."""
    return product_of_stacks(a, b, out) if a.ndim == b.ndim > 2 else matmul_kernel(a, b, out)


@native(
    "products", "stack_product", "with_two_axes(a), with_two_axes(b), with_two_axes(out)",
    when="a.ndim < 5 and a.shape[:-2] == b.shape[:-2]",
    result="found[0] if out is None and a.ndim == 3 else found if out is None else out",
)  # fmt: skip
def product_of_stacks(a: Any, b: Any, out: Out = None) -> Any:
    """The product of stacks with as many axes."""
    return matmul_kernel(a, b, out)


def with_two_axes(x: Any) -> Any:
    """A stack of matrices as one with two axes before theirs."""
    return x[None] if x is not None and x.ndim == 3 else x


def layer_product_kernel(a: Any, b: Any, out: Out = None) -> Any:
    if out is None or out.flags.c_contiguous:
        return product_of(a, b, out)
    np.copyto(out, product_of(a, b))
    return out


def are_alike(a: Any, b: Any) -> bool:
    """True for two matrices, or stacks of them with as many axes."""
    return len(shape_of(a)) == len(shape_of(b)) > 1


def to_left(g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray) -> Any:
    return layer_product(g, matrix_transpose(b)) if are_alike(a, b) else matmul_left(g, y, a, b)


def to_right(g: AnyArray, y: AnyArray, a: AnyArray, b: AnyArray) -> Any:
    return layer_product(matrix_transpose(a), g) if are_alike(a, b) else matmul_right(g, y, a, b)


layer_product = multilinear(
    "layer_product", layer_product_kernel, infer=partial(product_type, "layer_product"),
    transpose=[to_left, to_right], flops=flops.matmul, batch=matmul_batch,
    source="layer_product({0}, {1}{out})", traits=[Trait.C_ORDER, Trait.PROPAGATING],
    samples=cases(
        reals((3, 4), (4, 2)), reals((4,), (4, 2)), reals((5, 3, 4), (4, 2)),
        reals((0, 4), (4, 2)), reals((3, 0), (0, 2)),
        reals((5, 3, 4), (5, 4, 2)), reals((2, 1, 3, 4), (1, 5, 4, 2)),
    ),
    error_samples=[invalid((3, 4), (5, 6), says="4 and 5 differ")],
    formula=lambda a, b: matmul(a, b),
    doc="The matrix product of layers, which machine code may add up in another order than"
    " `matmul`.",
)
