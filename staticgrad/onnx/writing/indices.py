"""Indexing: reading and writing at places, which become numbers of the flattened array."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS, ArrayType
from gradops.core.dims import Dim, Size, product

from ...ir.expr import Expr
from ..errors import Unsupported
from .graphs import cast, inline, write_formula
from .model_writer import ModelWriter
from .nodes import in_full
from .table import formula, writer

INT64 = np.dtype(np.int64)
FULL = ("slice", None, None, None)


@writer("getitem")
def getitem(w: ModelWriter, e: Expr, x: str, *arrays: str) -> str:
    """The entries at index arrays: along one axis a node, else of the flattened array."""
    index = e.attrs["index"]
    is_axis = index and index[-1] == "array" and all(entry == FULL for entry in index[:-1])
    if is_axis and e.inputs[1].dtype.kind in "iu":
        places = cast(w, arrays[0], e.inputs[1].dtype, INT64)
        return w.add("Gather", x, places, axis=len(index) - 1, name=e.name)
    return write_formula(w, e, flat_getitem, [x, *arrays])


def flat_getitem(x: Any, *arrays: Any, index: Sequence[Any]) -> Any:
    """The entries at the numbers that an index means."""
    return ops.take(OPS["reshape"](x, shape=(-1,)), numbers(x, arrays, index), axis=0)


def numbers(x: Any, arrays: Sequence[Any], index: Sequence[Any]) -> Any:
    """The number, in the flattened array, of each entry that an index means."""
    arrays, index = without_masks(arrays, index)
    entries = in_full(index, len(x.shape))
    is_advanced = [entry == "array" or isinstance(entry, int | Dim) for entry in entries]
    given = iter(arrays)
    chosen = [chosen_along(x, axis, entry, given) for axis, entry in counted(entries)]
    shared = [c for c, advanced in zip(chosen, is_advanced, strict=True) if advanced]
    rank = max((len(c.shape) for c in shared), default=0)
    first = is_advanced.index(True) if are_side_by_side(index) else 0
    return summed(x, entries, chosen, is_advanced, first, rank)


def without_masks(arrays: Sequence[Any], index: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """An index in which arrays of truth values are the places where they hold, axis by axis."""
    given, places, entries = iter(arrays), [], []
    for entry in index:
        found = [next(given)] if entry == "array" else []
        if found and found[0].dtype.kind == "b":
            rank, rows = len(found[0].shape), OPS["argwhere"](found[0])
            found = [rows[:, k] for k in range(rank)]
        places += found
        entries += ["array"] * len(found) or [entry]
    return places, entries


def are_side_by_side(index: Sequence[Any]) -> bool:
    """Whether the arrays and numbers of an index follow each other: their axes stay in place."""
    kinds = "".join("a" if e == "array" or isinstance(e, int | Dim) else "-" for e in index)
    return "a" in kinds and "-" not in kinds.strip("-")


def counted(entries: Sequence[Any]) -> list[tuple[int, Any]]:
    """The entries with the axis each is for; a new axis has none of its own."""
    result, axis = [], 0
    for entry in entries:
        result.append((axis, entry))
        axis += entry is not None
    return result


def chosen_along(x: Any, axis: int, entry: Any, arrays: Any) -> Any:
    """The places along one axis that an entry of an index means."""
    if entry is None:
        return np.zeros(1, np.int64)
    n = x.shape[axis]
    if isinstance(entry, int | Dim):
        place = entry + n if isinstance(entry, int) and entry < 0 else entry
        return OPS["reshape"](OPS["positions"](x, axis=axis)[place], shape=())
    if entry != "array":
        return OPS["positions"](x, axis=axis)[slice(*entry[1:])]
    places = next(arrays)
    places = OPS["astype"](places, dtype=INT64)
    return ops.where(ops.less(places, np.int64(0)), places + n, places)


def summed(
    x: Any, entries: Sequence[Any], chosen: Sequence[Any], is_advanced: Sequence[bool], first: int,
    rank: int,
) -> Any:  # fmt: skip
    """The places along axes times strides, each along its own axes of the result."""
    kept = [i for i, advanced in enumerate(is_advanced) if not advanced]
    has_shared = any(is_advanced)
    before = [i for i in kept if i < first] if has_shared else kept
    total_rank = len(kept) + (rank if has_shared else 0)
    result: Any = np.zeros((1,) * total_rank, np.int64)
    strides = strides_of(x.shape)
    for (axis, entry), places, i in zip(counted(entries), chosen, range(len(entries)), strict=True):
        if is_advanced[i]:
            after = total_rank - len(before) - rank
            shape = (*places.shape, *(1,) * after)
        else:
            at = kept.index(i)
            at = at if not has_shared or i in before else at + rank
            shape = tuple(places.shape[0] if k == at else 1 for k in range(total_rank))
        placed = OPS["reshape"](places, shape=shape)
        result = result + (placed * strides[axis] if entry is not None else placed)
    return result


def strides_of(shape: Sequence[Size]) -> list[Size]:
    """How many entries of the flattened array lie between neighbours along each axis."""
    return [product(shape[i + 1 :]) for i in range(len(shape))]


def scattered(reduction: str) -> Any:
    """The writer of an op that writes at an index."""

    def write(w: ModelWriter, e: Expr, x: str, values: str, *arrays: str) -> str:
        source, given = e.inputs[0], e.inputs[1]
        places, spread = flat_places(w, e, source, arrays, e.inputs[2:], e.attrs["index"])
        values = w.add("Expand", cast(w, values, given.dtype, e.dtype), spread)
        return scatter_into(w, e, w.add("Reshape", x, w.integers(-1)), places, values, reduction)

    return write


def flat_places(
    w: ModelWriter, e: Expr, source: Expr, names: Sequence[str], arrays: Sequence[Expr],
    index: Any,
) -> tuple[str, str]:  # fmt: skip
    """The numbers of the entries at an index, flattened, and the shape that they have."""
    found = inline(
        w, lambda x, *given: numbers(x, given, index), [source, *arrays], ["", *names], INT64
    )
    shape = w.add("Shape", found)
    return w.add("Reshape", found, w.integers(-1)), shape


def scatter_into(
    w: ModelWriter, e: Expr, flat: str, places: str, values: str, reduction: str
) -> str:
    """A flattened array with values at places, in the shape of an expression."""
    values = w.add("Reshape", values, w.integers(-1))
    y = w.add("ScatterElements", flat, places, values, axis=0, reduction=reduction)
    return w.reshape(y, e.shape, e.name)


for _op, _reduction in (
    ("set_at", "none"),
    ("add_at", "add"),
    ("maximum_at", "max"),
    ("minimum_at", "min"),
):
    writer(_op)(scattered(_reduction))


@writer("scatter")
def scatter(w: ModelWriter, e: Expr, x: str, *arrays: str) -> str:
    """Zeros with the operand added at an index."""
    return added_into(w, e, x, arrays, 0, "add")


@writer("product_at")
def product_at(w: ModelWriter, e: Expr, x: str, *arrays: str) -> str:
    """Ones multiplied by the operand at an index."""
    return added_into(w, e, x, arrays, 1, "mul")


def added_into(
    w: ModelWriter, e: Expr, x: str, arrays: Sequence[str], start: int, reduction: str
) -> str:
    """An array of one number, changed at an index by the operand."""
    places, spread = flat_places(w, e, e, arrays, e.inputs[1:], e.attrs["index"])
    values = w.add("Expand", x, spread)
    flat = w.add("Expand", w.constant(np.asarray(start, e.dtype)), w.vector([product(e.shape)]))
    return scatter_into(w, e, flat, places, values, reduction)


@writer("add_along_axis")
def add_along_axis(w: ModelWriter, e: Expr, x: str, places: str) -> str:
    """Zeros with the operand added at indices along an axis, summed as broadcasting repeats."""
    axis = e.attrs["axis"] % len(e.shape)
    values, index = e.inputs
    both = OPS["add"].type_for([values.type, ArrayType(index.shape, values.dtype)], {}).shape
    wide = [n if i == axis else both[i] for i, n in enumerate(e.shape)]
    zeros = w.add("Expand", w.constant(np.zeros((), e.dtype)), w.vector(wide))
    x, places = (
        name if tuple(t.shape) == tuple(both) else w.add("Expand", name, w.vector(both))
        for name, t in ((x, values), (places, index))
    )
    places = cast(w, places, index.dtype, INT64)
    y = w.add("ScatterElements", zeros, places, x, axis=axis, reduction="add")
    repeated = [i for i, (n, m) in enumerate(zip(wide, e.shape, strict=True)) if n != m]
    if repeated:
        y = w.add("ReduceSum", y, w.integers(*repeated), keepdims=1)
    return w.add("Identity", y, name=e.name)


@formula("diagonal")
def diagonal(x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """The diagonal: every (n + 1)-th entry of flattened matrices."""
    moved = ops.moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = (known(n) for n in moved.shape[-2:])
    at = np.arange(max(min(rows + min(offset, 0), columns - max(offset, 0)), 0))
    places = (at - min(offset, 0)) * columns + at + max(offset, 0)
    flat = OPS["reshape"](moved, shape=(*moved.shape[:-2], rows * columns))
    return ops.take(flat, places, axis=-1)


def known(n: Size) -> int:
    """A size that must be known."""
    if isinstance(n, Dim):
        raise Unsupported("an axis of unknown size")
    return int(n)


@formula("place_diagonal")
def place_diagonal(x: Any, offset: int, axis1: int, axis2: int, shape: Sequence[Size]) -> Any:
    """Zeros with the operand on a diagonal: where it meets both numbers of its places."""
    rows, columns = (known(shape[a]) for a in (axis1, axis2))
    length = known(x.shape[-1])
    at = np.arange(length)
    is_row = (np.arange(rows)[:, None] == at - min(offset, 0)).astype(x.dtype)
    is_column = (at[:, None] + max(offset, 0) == np.arange(columns)).astype(x.dtype)
    matrices = OPS["matmul"](is_row * OPS["expand_dims"](x, axis=len(x.shape) - 1), is_column)
    return ops.moveaxis(matrices, (-2, -1), (axis1, axis2))
