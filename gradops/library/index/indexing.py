"""Indexing (gather) and its transpose (scatter-add).

Note [Batched index]. The batch rules put the axis of examples into the index and then move it to
the front: as a full slice where the index arrays are shared, as an index array 0, 1, 2, ... where
they differ between examples.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Dim, Shape, Size, product
from ...core.errors import IndexingError, MissingRuleError, OptionError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.samples import beside, cases, exactly, reals
from ...core.traits import Trait
from ...core.types import ArrayType, normalize_axis, shape_of, type_of
from ...kernels.index.indexing import FULL, Index, Placement, pick, placement, view
from ...kernels.index.update import put
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike
from ..elementwise.comparison import clip
from ..elementwise.rounding import remainder
from ..families import batch_along_axis, invalid, linear
from ..shape.broadcasting import broadcast_to, repeat_shared
from ..shape.movement import VIEW, flatten_without_axis, inverse, reshape, transpose
from .index_keys import index_array, index_form

__all__ = ["getitem", "index", "scatter", "take"]

ROWS = np.array([2, 0, -1, 2])
GRID = np.array([[0, 2], [1, 1]])


def slice_transpose(g: AnyArray, y: AnyArray, x: AnyArray, index: Index) -> AnyArray:
    """The cotangent in its place among zeros, or in another shape if that fills all places."""
    shape = shape_of(x)
    if takes_all(shape, shape_of(y), index):
        return reshape(g, shape=shape)
    return scatter(g, index=index, shape=shape)


@lru_cache(maxsize=4096)
def takes_all(whole: Shape, part: Shape, index: Index) -> bool:
    """True if a slice certainly has all entries of an array, in their order: as x[:, 0] may."""
    if all(e is None or e in (FULL, "...") for e in index):
        return True
    if not all(isinstance(n, int) for n in (*whole, *part)) or product(whole) != product(part):
        return False
    return all(type(e) is not tuple or e == FULL for e in index)


def slice_source(x: ArrayType, index: Index) -> str:
    """Python's own indexing, of which the result is a view unless it is a single entry."""
    parts = [n for e in index for n in (e if type(e) is tuple else (e,))]
    is_entry = not placement("slice", index, x, ()).shape
    if is_entry or any(isinstance(n, Dim) for n in parts):
        return "slice({0}, index={index})"
    return f"{{0}}[{', '.join(map(entry_text, index)) or '...'}]"


def entry_text(e: Any) -> str:
    """One entry of an index as it is written in brackets."""
    if type(e) is not tuple:
        return "..." if e == "..." else str(e)
    start, stop, step = ("" if n is None else str(n) for n in e[1:])
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


slice_ = linear(
    "slice", view,
    infer=lambda x, index: ArrayType(placement("slice", index, x, ()).shape, x.dtype),
    transpose=slice_transpose, source=slice_source,
    batch=lambda op, xs, batched, attrs: slice_(xs[0], index=(FULL, *attrs["index"])), traits=VIEW,
    samples=cases(
        reals((3, 4), index=(1,)), reals((3, 4), index=(-1, 2)),
        reals((3, 4), index=(("slice", None, None, -1), None, ("slice", 1, 3, None))),
        reals((2, 3, 4), index=("...", ("slice", 3, None, -2))),
        reals((3,), index=(("slice", 2, 1, None),)), reals((), index=(None,)),
        reals((2, 0), index=(1,)),
    ),
    error_samples=[
        invalid((3,), index=(5,), error=IndexingError,
                says="index 5 is out of range for axis 0 with size 3"),
        invalid((3,), index=(0, 0), error=IndexingError, says="too many indices: 2 for 1"),
        invalid((3,), index=(("slice", 0, 2, 0),), error=IndexingError, says="is zero"),
    ],
    doc="Basic indexing, by integers and slices: a view.",
)


def getitem_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    types = [type_of(x).example if b else type_of(x) for x, b in zip(xs, batched)]
    place = placement("getitem", attrs["index"], types[0], types[1:])
    index, arrays, order = batched_index(place, attrs["index"], xs, batched)
    return permute_axes(getitem(xs[0], *arrays, index=index), order)


getitem = Op(
    name="getitem", kernel=pick, arity=None, traits=[Trait.MOVING],
    infer=lambda x, *arrays, index: (
        ArrayType(placement("getitem", index, x, arrays).shape, x.dtype)
    ),
    vjp=[lambda g, y, x, *arrays, index: scatter(g, *arrays, index=index, shape=shape_of(x)),
         *[None] * 64],  # NumPy has no more axes than that
    jvp=[lambda t, y, x, *arrays, index: getitem(t, *arrays, index=index), *[None] * 64],
    batch=getitem_batch,
    samples=cases(
        beside(reals((3, 4)), exactly(ROWS, index=("array",))),
        beside(reals((3, 4)), exactly(ROWS, index=("...", "array"))),
        beside(reals((3, 4, 2)), exactly(GRID, GRID, index=("array", "array"))),
        beside(reals((5, 3, 4)), exactly(ROWS, ROWS, index=(FULL, "array", "array"))),
        beside(reals((3, 5, 4)), exactly(GRID, [0, 3], index=("array", FULL, "array"))),
        beside(reals((2, 3, 4)), exactly(ROWS, index=(1, FULL, "array"))),
        beside(reals((2, 3, 4)), exactly(ROWS, index=(FULL, 1, "array"))),
        beside(reals((5, 3, 4)), exactly(ROWS, ROWS, index=(FULL, "array", "...", "array"))),
        beside(reals((3, 4)), exactly(1, index=(("slice", 1, None, None), None, "array"))),
        beside(reals((3, 4)), exactly(np.zeros(0, int), index=("array",))),
        beside(reals((3, 4)), exactly(1, index=(FULL, "array"))),
    ),
    error_samples=[
        ErrorSample([np.ones(3), np.array([0, 5])], {"index": ("array",)}, IndexingError,
                    "index 5 is out of range for axis 0 with size 3"),
        ErrorSample([np.ones(3), np.array([0.5])], {"index": ("array",)}, IndexingError,
                    "float64 is not a dtype for an index"),
        ErrorSample([np.ones((3, 3)), np.array([0, 1]), np.array([0, 1, 2])],
                    {"index": ("array", "array")}, IndexingError, "2 against 3"),
        ErrorSample([np.ones(3), np.array([True, False])], {"index": ("array",)}, IndexingError,
                    "the mask has size 2 where axis 0 has size 3"),
    ],
    doc="Advanced indexing of the first operand by index arrays, the others.",
)


def scatter_type(op: str, g: ArrayType, arrays: Any, index: Index, shape: Shape) -> ArrayType:
    """The type of an array of a shape, checked to have as many entries at `index` as `g`."""
    found = placement(op, index, ArrayType(shape, g.dtype), arrays).shape
    known = [(m, n) for m, n in zip(found, g.shape) if isinstance(m, int) and isinstance(n, int)]
    if len(found) != g.ndim or any(m != n for m, n in known):
        places = ArrayType(found, g.dtype)
        raise ShapeError(op, [g, *arrays], f"the index names places for {places}")
    return ArrayType(shape, g.dtype)


def scatter_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    g = repeat_shared(xs, batched)[0] if not batched[0] else xs[0]
    types = [type_of(x).example if b else type_of(x) for x, b in zip(xs, batched)]
    x = ArrayType(attrs["shape"], types[0].dtype)
    place = placement("scatter", attrs["index"], x, types[1:])
    index, arrays, order = batched_index(place, attrs["index"], [g, *xs[1:]], [True, *batched[1:]])
    shape = (shape_of(g)[0], *attrs["shape"])
    return op(permute_axes(g, inverse(order)), *arrays, index=index, shape=shape)


scatter = Op(
    name="scatter", kernel=put, traits=[Trait.C_CONTIGUOUS, Trait.LINEAR], arity=None,
    flops=flops.per_operand(1),
    infer=lambda g, *arrays, **attrs: scatter_type("scatter", g, arrays, **attrs),
    vjp=[lambda g, y, x, *arrays, index, shape: at(g, arrays, index), *[None] * 64],
    jvp=[lambda t, y, x, *arrays, index, shape: scatter(t, *arrays, index=index, shape=shape),
         *[None] * 64],
    batch=scatter_batch,
    samples=cases(
        reals((4,), index=(1,), shape=(3, 4)), reals((), index=(1,), shape=(3,)),
        reals((0,), index=(1,), shape=(3, 0)),
        reals((3, 2), index=(FULL, ("slice", 3, None, -2)), shape=(3, 4)),
        beside(reals((4, 2)), exactly(ROWS, index=("array",), shape=(3, 2))),
        beside(reals((4,)), exactly(ROWS, index=("array",), shape=(3,))),
        beside(reals((2, 2, 5)), exactly(GRID, [0, 3], index=("array", FULL, "array"),
                                        shape=(3, 5, 4))),
        beside(reals((5, 4)), exactly(ROWS, ROWS, index=(FULL, "array", "array"), shape=(5, 3, 4))),
        beside(reals((4, 3)), exactly(ROWS, index=(1, "...", "array"), shape=(2, 3, 4))),
    ),
    error_samples=[
        ErrorSample([np.ones(2), np.array([0, 5])], {"index": ("array",), "shape": (3,)},
                    IndexingError, "index 5 is out of range for axis 0 with size 3"),
        ErrorSample([np.ones(2), np.array([0, 1, 2])], {"index": ("array",), "shape": (3,)},
                    ShapeError, "float64[3]"),
    ],
    doc="Zeros of a shape with the first operand added at an index; repeated indices add up.",
)
positions = Op(
    name="positions", kernel=lambda x, axis: np.arange(np.shape(x)[axis]),
    infer=lambda x, axis: ArrayType((x.shape[normalize_axis("positions", x, axis)],), np.intp),
    vjp=[None], jvp=[None],
    batch=lambda op, xs, batched, attrs: broadcast_to(
        batch_along_axis(op, xs, batched, attrs),
        shape=(shape_of(xs[0])[0], type_of(xs[0]).example.shape[attrs["axis"]]),
    ),
    source="np.arange({0}.shape[{axis}])",
    samples=cases(reals((3, 4), axis=0), reals((3, 4), axis=-1), reals((0,), axis=0)),
    error_samples=[invalid((3,), axis=1, says="axis 1 is out of range"),
                   invalid((), axis=0, says="axis 0 is out of range")],
    doc="The numbers 0, 1, 2, ... of the entries along an axis.",
)


def numbers(x: Operand, axis: int) -> Any:
    """`positions(x, axis)`, but a constant array where the size is known."""
    n = shape_of(x)[axis]
    return positions(x, axis=axis) if isinstance(n, Dim) else np.arange(n)


def along(x: Operand, axis: int) -> Operand:
    """`numbers(x, axis)`, reshaped to broadcast with `x`."""
    return reshape(numbers(x, axis), shape=(-1, *(1,) * (len(shape_of(x)) - 1 - axis)))


def at(x: Any, arrays: Arrays, index: Index) -> Any:
    """`x` at an index that may contain arrays."""
    return getitem(x, *arrays, index=index) if arrays else slice_(x, index=index)


def batched_index(
    place: Placement, index: Index, xs: Arrays, batched: Flags
) -> tuple[Index, Sequence[Any], tuple[int, ...]]:
    """The index for a stack, its arrays, and the order of axes that moves examples to the front.

    See Note [Batched index].
    """
    arrays, ndim = xs[1:], len(place.shape) + 1
    if not any(batched[1:]):
        return (FULL, *index), arrays, to_front(ndim, 0 if place.together else place.many)
    arrays = [align_indices(a, place.many) if b else a for a, b in zip(arrays, batched[1:])]
    if not batched[0]:
        return index, arrays, to_front(ndim, place.first)
    rows = reshape(numbers(xs[0], 0), shape=(-1, *(1,) * place.many))
    rest = range(1 + place.many, ndim)
    order = (0, *rest[: place.first], *range(1, 1 + place.many), *rest[place.first :])
    return ("array", *index), [rows, *arrays], order


def align_indices(stack: AnyArray, ndim: int) -> AnyArray:
    """A stack of index arrays reshaped to broadcast, per example, with others of `ndim` axes."""
    if type_of(stack).dtype.kind == "b":
        raise MissingRuleError(
            "getitem", "batch",
            hint="each example's mask would keep another number of entries; use where(mask, x, 0)",
        )
    n, *rest = shape_of(stack)
    return reshape(stack, shape=(n, *(1,) * (ndim - len(rest)), *rest))


def to_front(ndim: int, axis: int) -> tuple[int, ...]:
    """The permutation that moves `axis` to the front."""
    return (axis, *(i for i in range(ndim) if i != axis))


def permute_axes(x: AnyArray, order: tuple[int, ...]) -> AnyArray:
    """`x` with its axes permuted."""
    return x if order == tuple(range(len(order))) else transpose(x, axes=order)


def index(x: OperandLike, key: Any) -> Any:
    """`x[key]` for any key that NumPy accepts; its arrays may be operands of any kind.

    Basic indexing (integers, slices, None and ...) gives a view; index arrays and masks give a
    copy, whose gradient adds up where an entry is taken twice. Raises IndexingError for an index
    out of range.

    >>> index(np.arange(12).reshape(3, 4), (slice(None), [0, -1]))
    array([[ 0,  3],
           [ 4,  7],
           [ 8, 11]])
    """
    if type(key) is int:
        return slice_(x, index=(key,))
    form, arrays = index_form(x, key)
    return at(x, arrays, form)


def in_range(op: str, x: Operand, indices: AnyArray, n: Size, mode: str) -> AnyArray:
    """Indices into `n` entries, with those out of range handled by `mode`."""
    if mode == "wrap":
        return remainder(indices, n)
    if mode == "clip":
        return clip(indices, 0, n - 1)
    if mode != "raise":
        raise OptionError(op, [type_of(x)], f"mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    return indices


def take(x: Any, indices: OperandLike, axis: int | None = None, mode: str = "raise") -> Any:
    """The entries of `x` at `indices` along `axis`, or of the flattened array if `axis` is None.

    The axis is replaced by the shape of `indices`. `mode` handles an index out of range: "raise" an
    IndexingError, "wrap" around, or "clip" to the first or last entry.

    >>> take(np.array([[1.0, 2.0], [3.0, 4.0]]), [1, 1, 0], axis=1)
    array([[2., 2., 1.],
           [4., 4., 3.]])
    """
    x, axis = flatten_without_axis(x, axis)
    axis = normalize_axis("take", type_of(x), axis)
    found = index_array(x, indices)
    if type_of(found).dtype == np.bool:
        raise IndexingError(
            "take", [type_of(x), type_of(found)], "truth values are not indices",
            hint="x[mask] takes the entries where a mask holds",
        )  # fmt: skip
    found = in_range("take", x, found, shape_of(x)[axis], mode)
    return at(x, [found], (*(FULL,) * axis, "array"))
