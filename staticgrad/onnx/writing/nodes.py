"""Ops that are one node or few, with attributes that ONNX spells otherwise."""

from typing import Any

import numpy as np

from gradops.core.dims import Dim

from ...ir.expr import Expr
from ..errors import Unsupported
from ..reading.tensors import NUMBERS
from .graphs import cast
from .model_writer import ModelWriter
from .table import writer

INT64 = np.dtype(np.int64)
END = 2**62  # of a slice: the end of the axis


def axes_of(e: Expr, axis: Any) -> tuple[int, ...]:
    """The axes that a reduction means; all if it names none."""
    rank = len(e.inputs[0].shape)
    if axis is None:
        return tuple(range(rank))
    return tuple(a % rank for a in ((axis,) if isinstance(axis, int) else axis))


REDUCTIONS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "max": "ReduceMax",
    "min": "ReduceMin", "logsumexp": "ReduceLogSumExp", "any": "ReduceMax", "all": "ReduceMin",
}  # fmt: skip


@writer(*REDUCTIONS)
def reduction(w: ModelWriter, e: Expr, x: str) -> str:
    """A reduction; that of truth values is one of integers."""
    assert e.op is not None
    dtype = e.inputs[0].dtype
    wide = np.dtype(np.int32) if e.op.name in ("any", "all") else e.dtype
    axes = axes_of(e, e.attrs["axis"])
    if e.op.name in ("any", "all") and dtype.kind != "b":
        x, dtype = cast(w, x, dtype, np.dtype(bool)), np.dtype(bool)
    x = cast(w, x, dtype, wide)
    if not axes:
        return cast(w, w.add("Identity", x, name=e.name), wide, e.dtype)
    y = w.add(
        REDUCTIONS[e.op.name], x, w.integers(*axes), keepdims=int(e.attrs["keepdims"]), name=e.name
    )
    return cast(w, y, wide, e.dtype)


@writer("argmax", "argmin")
def extreme(w: ModelWriter, e: Expr, x: str) -> str:
    """The index of the first extreme entry."""
    assert e.op is not None
    axis, keepdims = e.attrs["axis"], int(e.attrs["keepdims"])
    dtype = e.inputs[0].dtype
    x = cast(w, x, dtype, np.dtype(np.int32) if dtype.kind == "b" else dtype)
    if axis is None:
        x, axis = w.add("Reshape", x, w.integers(-1)), 0
        if keepdims:
            raise Unsupported("an index in all axes that keeps them")
    operator = "ArgMax" if e.op.name == "argmax" else "ArgMin"
    return w.add(operator, x, axis=axis, keepdims=keepdims, name=e.name)


@writer("softmax", "log_softmax")
def softmax(w: ModelWriter, e: Expr, x: str) -> str:
    """Softmax along one axis."""
    assert e.op is not None
    axis = e.attrs["axis"]
    if not isinstance(axis, int):
        raise Unsupported("softmax over several axes")
    return w.add("Softmax" if e.op.name == "softmax" else "LogSoftmax", x, axis=axis, name=e.name)


@writer("gelu")
def gelu(w: ModelWriter, e: Expr, x: str) -> str:
    """Gelu, exact or by tanh."""
    return w.add("Gelu", x, approximate=e.attrs["approximate"], name=e.name)


@writer("neg")
def negative(w: ModelWriter, e: Expr, x: str) -> str:
    """The negative; ONNX has none of unsigned integers."""
    if e.dtype.kind == "u":
        raise Unsupported(f"the negative of {e.dtype}")
    return w.add("Neg", x, name=e.name)


@writer("mul")
def product(w: ModelWriter, e: Expr, a: str, b: str) -> str:
    """The product; that of truth values is a conjunction."""
    operands = [cast(w, n, x.dtype, e.dtype) for n, x in zip((a, b), e.inputs, strict=True)]
    return w.add("And" if e.dtype.kind == "b" else "Mul", *operands, name=e.name)


@writer("add")
def total(w: ModelWriter, e: Expr, a: str, b: str) -> str:
    """The sum; that of truth values is a disjunction."""
    operands = [cast(w, n, x.dtype, e.dtype) for n, x in zip((a, b), e.inputs, strict=True)]
    return w.add("Or" if e.dtype.kind == "b" else "Add", *operands, name=e.name)


@writer("matmul")
def matmul(w: ModelWriter, e: Expr, a: str, b: str) -> str:
    """The product of matrices."""
    operands = [cast(w, n, x.dtype, e.dtype) for n, x in zip((a, b), e.inputs, strict=True)]
    return w.add("MatMul", *operands, name=e.name)


@writer("astype")
def astype(w: ModelWriter, e: Expr, x: str) -> str:
    """The entries in another dtype."""
    if e.dtype not in NUMBERS:
        raise Unsupported(f"the dtype {e.dtype}")
    return w.add("Cast", x, to=NUMBERS[e.dtype], name=e.name)


@writer("copy", "stop_gradient", "ensure_shape", "forget_sizes", "retyped", "stacked", "unstacked")
def identity(w: ModelWriter, e: Expr, x: str) -> str:
    """The operand; lists are arrays of one axis more."""
    return w.add("Identity", x, name=e.name)


@writer("reshape", "expand_dims", "squeeze")
def reshape(w: ModelWriter, e: Expr, x: str) -> str:
    """The entries in another shape."""
    return w.reshape(x, e.shape, e.name)


@writer("transpose")
def transpose(w: ModelWriter, e: Expr, x: str) -> str:
    """The axes in another order."""
    if not e.shape:
        return w.add("Identity", x, name=e.name)
    axes, rank = e.attrs["axes"], len(e.shape)
    order = range(rank - 1, -1, -1) if axes is None else [a % rank for a in axes]
    return w.add("Transpose", x, perm=list(order), name=e.name)


@writer("broadcast_to", "expand_to")
def broadcast(w: ModelWriter, e: Expr, x: str) -> str:
    """The operand repeated to a shape."""
    return w.add("Expand", x, w.vector(e.attrs["shape"]), name=e.name)


@writer("full_like")
def full_like(w: ModelWriter, e: Expr, x: str) -> str:
    """One value in the shape of the operand."""
    value = w.constant(np.asarray(e.attrs["value"]).astype(e.dtype))
    return w.add("Expand", value, w.vector(e.shape), name=e.name)


@writer("concatenate")
def concatenate(w: ModelWriter, e: Expr, *xs: str) -> str:
    """The operands joined along an axis."""
    parts = [cast(w, n, x.dtype, e.dtype) for n, x in zip(xs, e.inputs, strict=True)]
    return w.add("Concat", *parts, axis=e.attrs["axis"], name=e.name)


@writer("stack")
def stack(w: ModelWriter, e: Expr, *xs: str) -> str:
    """The operands joined along a new axis."""
    axis = e.attrs["axis"] % len(e.shape)
    parts = [
        w.add("Unsqueeze", cast(w, n, x.dtype, e.dtype), w.integers(axis))
        for n, x in zip(xs, e.inputs, strict=True)
    ]
    return w.add("Concat", *parts, axis=axis, name=e.name)


@writer("slice")
def slice_(w: ModelWriter, e: Expr, x: str) -> str:
    """Basic indexing: slices, then axes taken away, then new ones."""
    cuts: list[Any] = []
    dropped: list[int] = []
    added: list[int] = []
    axis = 0
    for entry in in_full(e.attrs["index"], len(e.inputs[0].shape)):
        if entry is None:
            added.append(axis - len(dropped) + len(added))
            continue
        if (cut := cut_of(entry)) is not None:
            cuts.append((axis, *cut))
        if isinstance(entry, int | Dim):
            dropped.append(axis)
        axis += 1
    if cuts:
        axes, starts, ends, steps = zip(*cuts, strict=True)
        bounds = [w.vector(starts), w.vector(ends), w.integers(*axes), w.integers(*steps)]
        x = w.add("Slice", x, *bounds)
    x = w.add("Squeeze", x, w.integers(*dropped)) if dropped else x
    x = w.add("Unsqueeze", x, w.integers(*added)) if added else x
    return w.add("Identity", x, name=e.name)


def in_full(index: Any, rank: int) -> list[Any]:
    """The entries of an index, one for each axis, and None for each new one."""
    left = rank - sum(entry is not None and entry != "..." for entry in index)
    entries = list(index) if "..." in index else [*index, "..."]
    at = entries.index("...")
    return [*entries[:at], *[("slice", None, None, None)] * left, *entries[at + 1 :]]


def cut_of(entry: Any) -> tuple[Any, Any, int] | None:
    """Start, end and step of one entry of an index; None takes the whole axis."""
    if isinstance(entry, int | Dim):
        is_last = isinstance(entry, int) and entry == -1
        return entry, END if is_last else entry + 1, 1
    _, start, end, step = entry
    step = 1 if step is None else step
    if start is None and end is None and step == 1:
        return None
    if step > 0:
        return 0 if start is None else start, END if end is None else end, step
    return END if start is None else start, -END if end is None else end, step


@writer("flip")
def flip(w: ModelWriter, e: Expr, x: str) -> str:
    """The entries in reverse order along axes."""
    axes = axes_of(e, e.attrs["axis"])
    k = len(axes)
    if not k:
        return w.add("Identity", x, name=e.name)
    ends = [w.integers(*[n] * k) for n in (-1, -END)]
    return w.add("Slice", x, *ends, w.integers(*axes), w.integers(*[-1] * k), name=e.name)


@writer("pad")
def pad(w: ModelWriter, e: Expr, x: str) -> str:
    """Constant padding."""
    pairs = e.attrs["pad_width"]
    if not pairs:
        return w.add("Identity", x, name=e.name)
    widths = w.vector([*(a for a, _ in pairs), *(b for _, b in pairs)])
    value = w.constant(np.asarray(e.attrs["value"]).astype(e.dtype))
    return w.add("Pad", x, widths, value, name=e.name)


@writer("tile")
def tile(w: ModelWriter, e: Expr, x: str) -> str:
    """The operand repeated along axes."""
    reps, rank = tuple(e.attrs["reps"]), len(e.inputs[0].shape)
    full = (*(1,) * (rank - len(reps)), *reps)
    if len(full) > rank:
        shape = (*(1,) * (len(full) - rank), *e.inputs[0].shape)
        x = w.reshape(x, shape)
    return w.add("Tile", x, w.vector(full), name=e.name)


@writer("sum_to")
def sum_to(w: ModelWriter, e: Expr, x: str) -> str:
    """The sum over the axes along which broadcasting from a shape repeats."""
    before, after = e.inputs[0].shape, e.shape
    extra = len(before) - len(after)
    kept = enumerate(zip(before[extra:], after, strict=True), extra)
    axes = [*range(extra), *(i for i, (n, m) in kept if m == 1 != n)]
    if axes:
        x = w.add("ReduceSum", x, w.integers(*axes), keepdims=1)
    return w.reshape(x, after, e.name)


@writer("cumsum")
def cumsum(w: ModelWriter, e: Expr, x: str) -> str:
    """Cumulative sums."""
    x = cast(w, x, e.inputs[0].dtype, e.dtype)
    return w.add("CumSum", x, w.constant(np.int64(e.attrs["axis"])), name=e.name)


@writer("tril", "triu")
def triangle(w: ModelWriter, e: Expr, x: str) -> str:
    """One triangle of each matrix."""
    assert e.op is not None
    return w.add(
        "Trilu", x, w.constant(np.int64(e.attrs["k"])), upper=int(e.op.name == "triu"), name=e.name
    )


@writer("argwhere")
def argwhere(w: ModelWriter, e: Expr, x: str) -> str:
    """The indices of entries that are not zero, a row for each."""
    if not e.inputs[0].shape:
        raise Unsupported("the indices of a single number")
    return w.add("Transpose", w.add("NonZero", x), perm=[1, 0], name=e.name)


@writer("positions")
def positions(w: ModelWriter, e: Expr, x: str) -> str:
    """The numbers of the entries along an axis."""
    (n,) = e.shape
    if not isinstance(n, Dim):
        return w.add("Identity", w.constant(np.arange(n)), name=e.name)
    end = w.add("Squeeze", w.size(n), w.integers(0))
    zero, one = (w.constant(np.int64(v)) for v in (0, 1))
    return w.add("Range", zero, end, one, name=e.name)


@writer("einsum")
def einsum(w: ModelWriter, e: Expr, *xs: str) -> str:
    """Products summed over indices."""
    operands = [cast(w, n, x.dtype, e.dtype) for n, x in zip(xs, e.inputs, strict=True)]
    return w.add("Einsum", *operands, equation=e.attrs["subscripts"], name=e.name)


@writer("sort", "argsort", "argtopk")
def ordered(w: ModelWriter, e: Expr, x: str) -> str:
    """Entries or indices in order; of equal entries the first comes first."""
    assert e.op is not None
    axis = e.attrs["axis"]
    largest = e.attrs["largest"] if e.op.name == "argtopk" else e.attrs["descending"]
    if not e.inputs[0].shape:
        raise Unsupported("the order of a single number")
    count = w.vector([e.attrs["k"] if e.op.name == "argtopk" else e.inputs[0].shape[axis]])
    names = ["", e.name] if e.op.name != "sort" else [e.name, ""]
    made = w.add_several(
        "TopK", [x, count], [n or "unused" for n in names], {"axis": axis, "largest": int(largest)}
    )
    return made[0 if e.op.name == "sort" else 1]


@writer("take_along_axis")
def take_along_axis(w: ModelWriter, e: Expr, x: str, places: str) -> str:
    """The entries at indices along an axis; other axes are broadcast first."""
    source, index = e.inputs
    axis = e.attrs["axis"] % len(e.shape)
    shapes = [(*e.shape[:axis], t.shape[axis], *e.shape[axis + 1 :]) for t in (source, index)]
    x, places = (
        name if tuple(t.shape) == shape else w.add("Expand", name, w.vector(shape))
        for name, t, shape in zip((x, places), (source, index), shapes, strict=True)
    )
    return w.add("GatherElements", x, cast(w, places, index.dtype, INT64), axis=axis, name=e.name)


@writer("bitwise_left_shift", "bitwise_right_shift")
def shift(w: ModelWriter, e: Expr, a: str, b: str) -> str:
    """Bits shifted; ONNX shifts those of unsigned integers."""
    assert e.op is not None
    if e.dtype.kind != "u":
        raise Unsupported(f"shifted bits of {e.dtype}")
    direction = "LEFT" if "left" in e.op.name else "RIGHT"
    operands = [cast(w, n, x.dtype, e.dtype) for n, x in zip((a, b), e.inputs, strict=True)]
    return w.add("BitShift", *operands, direction=direction, name=e.name)


@writer("isinf")
def isinf(w: ModelWriter, e: Expr, x: str) -> str:
    """Whether entries are infinite."""
    dtype = e.inputs[0].dtype
    return w.add(
        "IsInf", cast(w, x, dtype, np.dtype(np.float32)) if dtype.kind != "f" else x, name=e.name
    )


@writer("fmod")
def fmod(w: ModelWriter, e: Expr, a: str, b: str) -> str:
    """The remainder with the sign of the dividend."""
    operands = [cast(w, n, x.dtype, e.dtype) for n, x in zip((a, b), e.inputs, strict=True)]
    return w.add("Mod", *operands, fmod=1, name=e.name)


@writer("part")
def part(w: ModelWriter, e: Expr, values: Any) -> str:
    """One of several values."""
    return values[e.attrs["index"]]


BITS = {"bitwise_and": ("BitwiseAnd", "And"), "bitwise_or": ("BitwiseOr", "Or"),
        "bitwise_xor": ("BitwiseXor", "Xor"), "invert": ("BitwiseNot", "Not")}  # fmt: skip


@writer(*BITS)
def bits(w: ModelWriter, e: Expr, *xs: str) -> str:
    """Bits of integers combined, or truth values."""
    assert e.op is not None
    names = [cast(w, n, x.dtype, e.dtype) for n, x in zip(xs, e.inputs, strict=True)]
    return w.add(BITS[e.op.name][e.dtype.kind == "b"], *names, name=e.name)


ROUNDED = {"floor": "Floor", "ceil": "Ceil", "round": "Round"}


@writer(*ROUNDED)
def rounded(w: ModelWriter, e: Expr, x: str) -> str:
    """Rounded numbers; integers are."""
    assert e.op is not None
    if e.dtype.kind != "f":
        return w.add("Identity", x, name=e.name)
    return w.add(ROUNDED[e.op.name], cast(w, x, e.inputs[0].dtype, e.dtype), name=e.name)
