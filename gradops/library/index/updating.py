"""Ops that return a copy of an operand with entries at an index set, added to, or maximized.

For an entry indexed more than once, `set_at` uses the last value; the other ops use all.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Shape
from ...core.errors import DTypeError, ShapeError
from ...core.op import ErrorSample, Op, Samples
from ...core.samples import beside, cases, complexes, distinct, exactly, reals
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of, type_of
from ...kernels.index import update as kernels
from ...kernels.index.indexing import FULL, Index, placement
from ...typing import AnyArray, Arrays, Attrs, Flags
from ..elementwise.comparison import equal, masked, where
from ..elementwise.logic import isnan
from ..families import Kernel, invalid, zeros_like
from ..shape.broadcasting import repeat_shared
from ..shape.movement import astype, inverse, reshape
from .indexing import GRID, ROWS, at, batched_index, permute_axes, scatter, scatter_type

__all__ = ["add_at", "maximum_at", "minimum_at", "product_at", "set_at"]

NO_RULE = (None,) * 64  # of the arrays that index


def update_infer(op: str, x: ArrayType, v: ArrayType, arrays: Any, index: Index) -> ArrayType:
    place = ArrayType(placement(op, index, x, arrays).shape, v.dtype)
    types = [x, v, *arrays]
    if v.ndim > place.ndim or conflict(broadcast_shapes(op, [v, place]), place.shape):
        raise ShapeError(op, types, f"the values do not broadcast to the places, of type {place}")
    if not np.can_cast(v.dtype, x.dtype, "same_kind"):
        raise DTypeError(
            op, types, f"{v.dtype} values do not fit among {x.dtype} entries",
            hint="give the operand another dtype with astype",
        )
    return x


def update_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch as in Note [Batched index]; values get the axes that broadcasting would add."""
    x, v = xs[0] if batched[0] else repeat_first(xs, batched), xs[1]
    types = [type_of(a).example if b else type_of(a) for a, b in zip(xs, batched)]
    place = placement(op.name, attrs["index"], types[0], types[2:])
    index, arrays, order = batched_index(place, attrs["index"], [x, *xs[2:]], [True, *batched[2:]])
    if batched[1]:
        n, *rest = shape_of(v)
        v = reshape(v, shape=(n, *(1,) * (len(place.shape) - len(rest)), *rest))
    elif shape_of(v):
        v = reshape(v, shape=(1,) * (len(place.shape) + 1 - len(shape_of(v))) + tuple(shape_of(v)))
    return op(x, permute_axes(v, inverse(order)) if shape_of(v) else v, *arrays, index=index)


def repeat_first(xs: Arrays, batched: Flags) -> AnyArray:
    """The first operand, shared by all examples, repeated for each."""
    i = list(batched).index(True)
    return repeat_shared([xs[0], xs[i]], [False, True])[0]


def update(name: str, kernel: Kernel, **facets: Any) -> Op:
    """An op that changes its first operand at an index by its second."""
    vjp, jvp = facets.pop("vjp"), facets.pop("jvp")
    return Op(
        name=name, kernel=kernel, arity=None,
        infer=lambda x, v, *arrays, index: update_infer(name, x, v, arrays, index),
        vjp=[*vjp, *NO_RULE], jvp=[*jvp, *NO_RULE],
        batch=update_batch, family="updating",
        error_samples=[
            invalid((3, 2), (3,), index=(0,), says="3 against 2"),
            invalid((3,), (2, 1), index=(FULL,),
                    says="do not broadcast to the places, of type float64[3]"),
            ErrorSample([np.ones(3, int), np.ones(())], {"index": (0,)}, DTypeError,
                        "float64 values do not fit among int64 entries"),
        ],
        **facets,
    )  # fmt: skip


def index_samples(draw: Callable[..., Samples]) -> Samples:
    """Samples with indices of all forms, broadcasting values, and repeated entries."""
    return cases(
        draw((3, 4), (4,), index=(1,)), draw((3, 4), (), index=(("slice", None, None, -2), 1)),
        beside(draw((3, 4), (4, 1)), exactly(ROWS, index=("array",))),
        beside(draw((3, 5, 4), (2, 1, 5)), exactly(GRID, [0, 3], index=("array", FULL, "array"))),
        beside(draw((5, 3, 4), (5, 4)), exactly(ROWS, ROWS, index=(FULL, "array", "array"))),
        beside(draw((3,), ()), exactly(np.zeros(0, int), index=("array",))),
        beside(draw((2, 3, 4), (2,)), exactly([0, 1], [2, 0], [3, 1], index=("array",) * 3)),
        beside(draw((2, 2, 2, 3), ()), exactly([0], [1], [0], [2], index=("array",) * 4)),
        draw((), (), index=()), draw((0, 2), (2,), index=(FULL,)),
    )


def survivors_infer(*arrays: ArrayType, index: Index, shape: Shape) -> ArrayType:
    return ArrayType(placement("survivors", index, ArrayType(shape, bool), arrays).shape, bool)


def survivors_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    stack = xs[list(batched).index(True)]
    types = [type_of(a).example if b else type_of(a) for a, b in zip(xs, batched)]
    place = placement("survivors", attrs["index"], ArrayType(attrs["shape"], bool), types)
    index, arrays, order = batched_index(place, attrs["index"], [stack, *xs], [True, *batched])
    found = survivors(*arrays, index=index, shape=(shape_of(stack)[0], *attrs["shape"]))
    return permute_axes(found, order)


survivors = Op(
    "survivors", kernels.survivors, arity=None,
    infer=survivors_infer, vjp=NO_RULE, jvp=NO_RULE, batch=survivors_batch, family="updating",
    samples=cases(
        exactly(ROWS, index=("array",), shape=(3, 2)),
        exactly(GRID, [0, 3], index=("array", FULL, "array"), shape=(3, 2, 4)),
        exactly(np.zeros(0, int), index=("array",), shape=(3,)),
    ),
    doc="True for values at an index that no later value of the same index overwrites.",
)


def set_at_values(
    g: AnyArray, y: AnyArray, x: AnyArray, v: AnyArray, *arrays: AnyArray, index: Index
) -> AnyArray:
    """The cotangent of the values; 0 for values that a later one overwrites."""
    part = at(g, arrays, index)
    if not arrays:
        return part
    return masked(survivors(*arrays, index=index, shape=shape_of(x)), part)


def zeroed_at(
    v: AnyArray, y: AnyArray, x: AnyArray, values: AnyArray, *arrays: AnyArray, index: Index
) -> AnyArray:
    """A cotangent or tangent with zeros at the index."""
    return set_at(v, 0.0, *arrays, index=index)


set_at = update(
    "set_at", kernels.set_entries, vjp=[zeroed_at, set_at_values],
    jvp=[zeroed_at,
         lambda t, y, x, v, *arrays, index: set_at(zeros_like(y), t, *arrays, index=index)],
    samples=cases(index_samples(reals), complexes((3,), (2,), index=(("slice", 1, None, None),))),
    doc="The first operand with the second at an index.",
)
add_at = update(
    "add_at", kernels.update_kernel("add_at", np.add),
    flops=flops.per_update,
    vjp=[lambda g, y, x, v, *arrays, index: g,
         lambda g, y, x, v, *arrays, index: at(g, arrays, index)],
    jvp=[lambda t, y, x, v, *arrays, index: t,
         lambda t, y, x, v, *arrays, index: add_at(zeros_like(y), t, *arrays, index=index)],
    samples=cases(index_samples(reals), complexes((3,), (2,), index=(("slice", 1, None, None),))),
    doc="The first operand with the second added at an index.",
)


def extremes_and_ties(
    y: AnyArray, x: AnyArray, v: AnyArray, arrays: Any, index: Index
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Masks of the extreme entries and values, and the number of ties for each entry."""
    kept, won = equal(x, y) | isnan(x), equal(v, at(y, arrays, index)) | isnan(v)
    dtype = type_of(y).dtype
    ties = add_at(astype(kept, dtype=dtype), astype(won, dtype=dtype), *arrays, index=index)
    return kept, won, ties


def extreme_x(
    v: AnyArray, y: AnyArray, x: AnyArray, values: AnyArray, *arrays: AnyArray, index: Index
) -> AnyArray:
    """The rule of the first operand: a share of `v` where its entry is extreme."""
    kept, _, ties = extremes_and_ties(y, x, values, arrays, index)
    return masked(kept, v / ties)


def extreme_values_vjp(
    g: AnyArray, y: AnyArray, x: AnyArray, v: AnyArray, *arrays: AnyArray, index: Index
) -> AnyArray:
    _, won, ties = extremes_and_ties(y, x, v, arrays, index)
    return masked(won, at(g / ties, arrays, index))


def extreme_values_jvp(
    t: AnyArray, y: AnyArray, x: AnyArray, v: AnyArray, *arrays: AnyArray, index: Index
) -> AnyArray:
    _, won, ties = extremes_and_ties(y, x, v, arrays, index)
    return add_at(zeros_like(y), masked(won, t), *arrays, index=index) / ties


def extreme_at(name: str, ufunc: np.ufunc, doc: str) -> Op:
    """An op for the larger or smaller of entry and values; equal ones share the derivative."""
    return update(
        name, kernels.update_kernel(name, ufunc), vjp=[extreme_x, extreme_values_vjp],
        jvp=[extreme_x, extreme_values_jvp], samples=index_samples(distinct), doc=doc,
    )  # fmt: skip


maximum_at = extreme_at(
    "maximum_at", np.maximum,
    "The first operand with the larger of entry and second operand at an index.",
)
minimum_at = extreme_at(
    "minimum_at", np.minimum,
    "The first operand with the smaller of entry and second operand at an index.",
)


multiplied = kernels.update_kernel("product_at", np.multiply)


def product_at_kernel(*operands: np.ndarray, index: Index, shape: tuple[int, ...]) -> np.ndarray:
    v, *arrays = operands
    scatter_type("product_at", type_of(v), [type_of(a) for a in arrays], index, shape)
    return multiplied(np.ones(shape, v.dtype), v, *arrays, index=index)


def others_at(y: AnyArray, v: AnyArray, arrays: Any, index: Index, shape: Shape) -> AnyArray:
    """The product of all other values for the same entry.

    It is the whole product divided by the value, where no value is zero. Zero factors are handled
    apart: their product is 1 if there is none, the factor itself if there is one, else 0. So
    higher derivatives are exact, too.
    """
    zero = equal(v, 0)
    rest = where(zero, 1, v)
    whole = at(product_at(rest, *arrays, index=index, shape=shape), arrays, index)
    many, only = (
        at(scatter(part, *arrays, index=index, shape=shape), arrays, index)
        for part in (astype(zero, dtype=type_of(v).dtype), masked(zero, v))
    )
    beside_it = where(equal(many, 1), 1, where(equal(many, 2), only - v, 0))
    zeros = where(equal(many, 0), 1, where(equal(many, 1), only, 0))
    return where(zero, whole * beside_it, whole / rest * zeros)


product_at = Op(
    "product_at", product_at_kernel, arity=None,
    infer=lambda v, *arrays, **attrs: scatter_type("product_at", v, arrays, **attrs),
    vjp=[lambda g, y, v, *arrays, index, shape: (
        at(g, arrays, index) * others_at(y, v, arrays, index, shape)
    ), *NO_RULE],
    jvp=[lambda t, y, v, *arrays, index, shape: scatter(
        t * others_at(y, v, arrays, index, shape), *arrays, index=index, shape=shape
    ), *NO_RULE],
    batch=scatter.batch, family="updating",
    samples=cases(
        reals((4,), index=(1,), shape=(3, 4)),
        beside(reals((4, 2)), exactly(ROWS, index=("array",), shape=(3, 2))),
        beside(reals((2, 2, 5)), exactly(GRID, [0, 3], index=("array", FULL, "array"),
                                        shape=(3, 5, 4))),
        exactly([2.0, 0.0, 0.0, 3.0, 5.0], [0, 0, 0, 1, 1], index=("array",), shape=(3,)),
        exactly([2.0, 0.0, 7.0, 3.0, 5.0], [0, 0, 0, 1, 1], index=("array",), shape=(3,)),
        beside(complexes((4,)), exactly(ROWS, index=("array",), shape=(3,))),
    ),
    error_samples=[
        ErrorSample([np.ones(2), np.array([0, 1, 2])], {"index": ("array",), "shape": (3,)},
                    ShapeError, "float64[3]"),
    ],
    doc="Ones of a shape multiplied by the first operand at an index.",
)
