"""Linear layers with a bias, added in the memory of the product, and embeddings."""

import math
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import product
from ...core.errors import OptionError, ShapeError
from ...core.op import Op
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, result_dtype, shape_of, type_of
from ...kernels.linalg.matmul import multiply
from ...kernels.native_kernels import native
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike, Out
from ..elementwise.arithmetic import add
from ..elementwise.comparison import equal, where
from ..families import batch_elementwise, invalid
from ..index.indexing import take
from ..linalg.contraction import matmul, matmul_batch
from ..shape.broadcasting import sum_to
from ..shape.creation import stop_gradient
from ..shape.movement import expand_dims, reshape, swapaxes, transpose
from .layer_product import is_ours, layer_product

__all__ = ["embedding"]


@native("products", "linear", "np.ascontiguousarray(x), w, b, out", when="takes_rows(x, w)")
def product_and_bias(x: np.ndarray, w: np.ndarray, b: np.ndarray, out: Out = None) -> np.ndarray:
    """x @ w.T + b, in an array in the order of C if one is given."""
    if x.ndim < 1 or w.ndim != 2 or x.shape[-1] != w.shape[1] or b.shape != w.shape[:1]:
        raise ValueError  # type inference says why
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    into = None
    if out is not None and out.dtype == np.result_type(x, w):
        into = out.reshape(len(rows), len(w))
    y = multiply(rows, w.T, into).reshape(*x.shape[:-1], len(w))
    if out is None:
        out = y if y.dtype == np.result_type(y, b) else None
    return np.add(y, b, out=out)


def takes_rows(x: Any, w: Any) -> bool:
    """True for rows and a weight that machine code may take."""
    return x.ndim > 0 and w.ndim == 2 and is_ours(math.prod(x.shape[:-1]), w)


def linear_kernel(x: np.ndarray, w: np.ndarray, b: np.ndarray, out: Out = None) -> np.ndarray:
    if out is None or out.flags.c_contiguous:
        return product_and_bias(x, w, b, out)
    np.copyto(out, product_and_bias(x, w, b))
    return out


def flatten_hint(x: ArrayType, w: ArrayType) -> str | None:
    """A hint for a convolution's result that was not flattened to one row per example, or None."""
    if x.ndim < 3 or not all(isinstance(n, int) for n in x.shape[1:]):
        return None
    entries = math.prod(map(int, x.shape[1:]))
    if x.ndim < 4 and entries != w.shape[1]:
        return None
    return f"flatten(x, 1), or a layer Flatten, makes rows of {entries} entries, one per example"


def linear_infer(x: ArrayType, w: ArrayType, b: ArrayType) -> ArrayType:
    if not x.ndim or w.ndim != 2:
        raise ShapeError("linear", [x, w, b], "the weight is a matrix, with a row per output")
    if conflict(x.shape[-1:], w.shape[1:]):
        raise ShapeError(
            "linear", [x, w, b],
            f"the last axis has {x.shape[-1]} entries, and the weight takes {w.shape[1]}",
            hint=flatten_hint(x, w),
        )
    if b.ndim != 1 or conflict(b.shape, w.shape[:1]):
        raise ShapeError("linear", [x, w, b], "the bias does not have one entry per output")
    dtype = result_dtype(np.multiply, (x.dtype, w.dtype))
    return ArrayType((*x.shape[:-1], w.shape[0]), result_dtype(np.add, (dtype, b.dtype)))


def to_weight(g: AnyArray, y: AnyArray, x: AnyArray, w: AnyArray, b: AnyArray) -> AnyArray:
    """The cotangent of the weight: g.T @ x, all rows of both."""
    return layer_product(transpose(rows_of(g)), rows_of(x))


def to_rows(g: AnyArray, y: AnyArray, x: AnyArray, w: AnyArray, b: AnyArray) -> AnyArray:
    """The cotangent of the operand: g @ w, all rows as one matrix."""
    found = layer_product(rows_of(g), w)
    return found if len(shape_of(g)) == 2 else reshape(found, shape=shape_of(x))


def rows_of(x: AnyArray) -> Operand:
    """`x` as a matrix of all its rows."""
    shape = shape_of(x)
    return x if len(shape) == 2 else reshape(x, shape=(product(shape[:-1]), shape[-1]))


def linear_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch as more rows if only the operand is a stack; else as a product and a sum."""
    x, w, b = xs
    if not batched[1] and not batched[2]:
        return op(x, w, b)
    pair = (x, swapaxes(w, -1, -2))
    product_is_stack = batched[0] or batched[1]
    y = matmul_batch(matmul, pair, batched[:2], attrs) if product_is_stack else matmul(*pair)
    return batch_elementwise(add, (y, b), (product_is_stack, batched[2]), attrs)


linear = Op(
    "linear", linear_kernel, arity=3, infer=linear_infer,
    flops=flops.linear,
    vjp=[
        to_rows,
        to_weight,
        lambda g, y, x, w, b: sum_to(g, shape=shape_of(b)),
    ],
    jvp=[
        lambda t, y, x, w, b: matmul(t, transpose(w)),
        lambda t, y, x, w, b: matmul(x, transpose(t)),
        lambda t, y, x, w, b: t,
    ],
    batch=linear_batch, traits=[Trait.C_CONTIGUOUS],
    samples=cases(
        reals((3, 4), (2, 4), (2,)), reals((4,), (2, 4), (2,)), reals((2, 3, 4), (5, 4), (5,)),
        reals((0, 4), (2, 4), (2,)), reals((3, 0), (2, 0), (2,)),
    ),
    error_samples=[
        invalid((3, 4), (4, 2), (4,), says="the last axis has 4 entries, and the weight takes 2"),
        invalid((3, 4), (2, 4), (3,), says="not have one entry per output"),
        invalid((), (2, 4), (2,), says="a row per output"),
    ],
    doc="x @ w.T + b, for a weight with a row per output.",
    formula=lambda x, w, b: matmul(x, transpose(w)) + b,
)


def embedding(labels: OperandLike, table: OperandLike, padding: int | None = None) -> Any:
    """The rows of a table (rows, features) at labels (...), as (..., features).

    The row `padding`, counted from the end if negative, gets no gradient. Raises IndexingError for
    a label out of range.

    >>> embedding(np.array([1, 0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[3., 4.],
           [1., 2.]])
    """
    if len(shape_of(table)) != 2:
        raise ShapeError("embedding", [type_of(table)], "a table has axes (rows, features)")
    rows = take(table, labels, axis=0)
    if padding is None:
        return rows
    count = shape_of(table)[0]
    if isinstance(count, int) and not -count <= padding < count:
        raise OptionError("embedding", [type_of(table)], f"there is no row {padding} for padding")
    constant = expand_dims(equal(labels, padding if padding >= 0 else count + padding), axis=-1)
    return where(constant, stop_gradient(rows), rows)
