"""Convolutions, pooling and sliding windows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS
from gradops.core.dims import Dim, product

from ...ir.expr import Expr
from ..errors import Unsupported
from .graphs import cast, write_formula
from .indices import known
from .model_writer import ModelWriter
from .nodes import END
from .table import formula, writer

Ints = Sequence[int]


def ordered(pads: Sequence[tuple[int, int]]) -> list[int]:
    """Pairs of padding as ONNX lists them: all that come before, then all after."""
    return [*(a for a, _ in pads), *(b for _, b in pads)]


def steps_of(attrs: Any, k: int) -> tuple[Any, Any, Any]:
    """Strides, padding and dilations over `k` axes, with their defaults."""
    strides, pads, dilations = (attrs[name] for name in ("strides", "pads", "dilations"))
    return strides or (1,) * k, pads or ((0, 0),) * k, dilations or (1,) * k


def positive(w: ModelWriter, x: str, pads: Any) -> tuple[str, list[int]]:
    """Padding that ONNX takes; where some is negative the array is cut first."""
    if all(n >= 0 for pair in pads for n in pair):
        return x, ordered(pads)
    return cut_and_padded(w, x, pads), [0] * (2 * len(pads))


def cut_and_padded(w: ModelWriter, x: str, pads: Sequence[tuple[Any, Any]]) -> str:
    """The axes after the first two, cut where padding is negative, padded where it is positive."""
    k = len(pads)
    starts = [-a if isinstance(a, int) and a < 0 else 0 for a, _ in pads]
    ends = [b if isinstance(b, int) and b < 0 else END for _, b in pads]
    if any(starts) or any(n != END for n in ends):
        axes = range(2, 2 + k)
        x = w.add("Slice", x, *[w.integers(*n) for n in (starts, ends, axes)])
    more = [
        [n if isinstance(n, Dim) else max(n, 0) for n in side] for side in zip(*pads, strict=True)
    ]
    if not any(isinstance(n, Dim) or n for side in more for n in side):
        return x
    return w.add("Pad", x, w.vector([0, 0, *more[0], 0, 0, *more[1]]))


@writer("conv", "conv_bias")
def conv(w: ModelWriter, e: Expr, x: str, filters: str, *bias: str) -> str:
    """A convolution."""
    k = len(e.shape) - 2
    strides, pads, dilations = steps_of(e.attrs, k)
    names = [
        cast(w, n, t.dtype, e.dtype) for n, t in zip((x, filters, *bias), e.inputs, strict=True)
    ]
    names[0], widths = positive(w, names[0], pads)
    return w.add(
        "Conv", *names, strides=list(strides), pads=widths, dilations=list(dilations),
        group=e.attrs["groups"], name=e.name,
    )  # fmt: skip


@writer("conv_operand")
def conv_operand(w: ModelWriter, e: Expr, g: str, filters: str) -> str:
    """The transpose of a convolution in its operand, cut or padded to the wanted sizes."""
    k = len(e.shape) - 2
    strides, pads, dilations = steps_of(e.attrs, k)
    sizes, window = e.inputs[0].shape[2:], e.inputs[1].shape[2:]
    full = [(n - 1) * s + (m - 1) * d + 1
            for n, s, m, d in zip(sizes, strides, window, dilations, strict=True)]  # fmt: skip
    names = [cast(w, n, t.dtype, e.dtype) for n, t in zip((g, filters), e.inputs, strict=True)]
    y = w.add("ConvTranspose", *names, strides=list(strides), dilations=list(dilations),
              group=e.attrs["groups"])  # fmt: skip
    pairs = [(-a, n - m + a) for n, m, (a, _) in zip(e.attrs["shape"], full, pads, strict=True)]
    return w.add("Identity", cut_and_padded(w, y, pairs), name=e.name)


@formula("conv_filters")
def conv_filters(
    x: Any, g: Any, shape: Ints, strides: Any, pads: Any, dilations: Any, groups: int
) -> Any:
    """The transpose of a convolution in its filters: a convolution of operand and cotangent."""
    k = len(x.shape) - 2
    parts = []
    c, o = known(x.shape[1]) // groups, known(g.shape[1]) // groups
    for i in range(groups):
        rows, filters = x[:, i * c : (i + 1) * c], g[:, i * o : (i + 1) * o]
        swapped = [ops.swapaxes(v, 0, 1) for v in (rows, filters)]
        y = OPS["conv"](
            *swapped, strides=dilations or (1,) * k, pads=pads or ((0, 0),) * k,
            dilations=strides or (1,) * k, groups=1,
        )  # fmt: skip
        y = y[(slice(None), slice(None), *(slice(0, n) for n in shape))]
        parts.append(ops.swapaxes(y, 0, 1))
    return parts[0] if groups == 1 else OPS["concatenate"](*parts, axis=0)


def pooled(w: ModelWriter, e: Expr, x: str, operator: str, **options: Any) -> str:
    """A pooling of the last axes, as ONNX has it: of examples and channels."""
    k = len(e.attrs["window"])
    strides, pads, dilations = steps_of(
        {**e.attrs, "strides": e.attrs["strides"] or e.attrs["window"]}, k
    )
    shape = e.inputs[0].shape
    is_plain = len(shape) == k + 2
    if not is_plain:
        lead = product(shape[: len(shape) - k])
        x = w.reshape(x, (1, lead, *shape[len(shape) - k :]))
    y = w.add(
        operator, x, kernel_shape=list(e.attrs["window"]), strides=list(strides),
        pads=ordered(pads), dilations=list(dilations), name=e.name if is_plain else "", **options,
    )  # fmt: skip
    return y if is_plain else w.reshape(y, e.shape, e.name)


def fits(e: Expr) -> bool:
    """Whether ONNX Runtime takes the padding, which is less than the window."""
    window, pads = e.attrs["window"], e.attrs["pads"] or ()
    return (
        1 <= len(window) <= 3
        and e.dtype.kind == "f"
        and all(0 <= n < k for k, pair in zip(window, pads, strict=False) for n in pair)
    )


@writer("max_pool")
def max_pool(w: ModelWriter, e: Expr, x: str) -> str:
    """The largest entry of each window."""
    if not fits(e):
        return write_formula(w, e, max_of_windows, [x])
    return pooled(w, e, x, "MaxPool")


def taken(x: Any, attrs: Any, fill: float) -> Any:
    """The windows of a padded array, each flattened along a new last axis."""
    window = attrs["window"]
    k, rank = len(window), len(x.shape)
    strides, pads, dilations = steps_of({**attrs, "strides": attrs["strides"] or window}, k)
    widths = (*((0, 0),) * (rank - k), *pads)
    padded = OPS["pad"](x, pad_width=widths, value=fill) if pads != ((0, 0),) * k else x
    axes = tuple(range(rank - k, rank))
    found = OPS["windows"](padded, size=window, axis=axes, step=strides, dilation=dilations)
    return OPS["reshape"](found, shape=(*found.shape[: len(found.shape) - k], int(np.prod(window))))


def lowest(x: Any) -> float:
    """The lowest number of a dtype."""
    return -np.inf if x.dtype.kind == "f" else int(np.iinfo(x.dtype).min)


def max_of_windows(x: Any, **attrs: Any) -> Any:
    """The largest entry of each window."""
    return OPS["max"](taken(x, attrs, lowest(x)), axis=-1, keepdims=False)


@formula("sum_pool")
def sum_pool(x: Any, **attrs: Any) -> Any:
    """The sum of each window."""
    return OPS["sum"](taken(x, attrs, 0), axis=-1, keepdims=False)


@formula("places_of_max")
def places_of_max(x: Any, **attrs: Any) -> Any:
    """The index of the first largest entry in each window."""
    return OPS["argmax"](taken(x, attrs, lowest(x)), axis=-1, keepdims=False)


@formula("pick_from_windows")
def pick_from_windows(x: Any, chosen: Any, **attrs: Any) -> Any:
    """The entry of each window at an index."""
    at = OPS["expand_dims"](OPS["astype"](chosen, dtype=np.dtype(np.int64)), axis=len(chosen.shape))
    return OPS["take_along_axis"](taken(x, attrs, 0), at, axis=-1)[..., 0]


def put_back(values: Any, attrs: Any) -> Any:
    """The transpose of `taken`: windows added up where they came from, without the padding."""
    window, sizes = attrs["window"], attrs["shape"]
    k = len(window)
    strides, pads, dilations = steps_of({**attrs, "strides": attrs["strides"] or window}, k)
    lead = len(values.shape) - 1 - k
    wide = tuple(n + a + b for n, (a, b) in zip(sizes, pads, strict=True))
    grid = OPS["reshape"](values, shape=(*values.shape[:-1], *window))
    whole = OPS["sum_windows"](
        grid, shape=(*values.shape[:lead], *wide), size=window,
        axis=tuple(range(lead, lead + k)), step=strides, dilation=dilations,
    )  # fmt: skip
    return whole[(..., *(slice(a, a + n) for (a, _), n in zip(pads, sizes, strict=True)))]


@formula("put_into_windows")
def put_into_windows(g: Any, chosen: Any, **attrs: Any) -> Any:
    """Zeros with each entry added at the chosen entry of its window."""
    count = int(np.prod(attrs["window"]))
    at = OPS["expand_dims"](OPS["astype"](chosen, dtype=np.dtype(np.int64)), axis=len(chosen.shape))
    hot = ops.equal(at, np.arange(count))
    return put_back(
        ops.where(hot, OPS["expand_dims"](g, axis=len(g.shape)), np.zeros((), g.dtype)), attrs
    )


@formula("sum_unpool")
def sum_unpool(g: Any, **attrs: Any) -> Any:
    """Each entry added to its window."""
    count = int(np.prod(attrs["window"]))
    wide = OPS["expand_dims"](g, axis=len(g.shape))
    return put_back(OPS["broadcast_to"](wide, shape=(*g.shape, count)), attrs)


@formula("windows")
def windows(x: Any, size: Ints, axis: Ints, step: Ints, dilation: Ints) -> Any:
    """Sliding windows along axes, each along new last axes: entries at known places."""
    rank = len(x.shape)
    for n, a, s, d in zip(size, axis, step, dilation, strict=True):
        a %= rank
        places = grid(x.shape[a], n, s, d)
        x = ops.moveaxis(ops.take(x, places, axis=a), a + 1, -1)
    return x


def grid(length: Any, n: int, step: int, dilation: int) -> np.ndarray:
    """The places (windows, entries) of windows along an axis."""
    count = max((known(length) - (n - 1) * dilation - 1) // step + 1, 0)
    return np.arange(count)[:, None] * step + np.arange(n) * dilation


@formula("sum_windows")
def sum_windows(
    g: Any, shape: Sequence[Any], size: Ints, axis: Ints, step: Ints, dilation: Ints
) -> Any:
    """Windows added up along axes, one after the other, by products with where they came from."""
    rank = len(shape)
    for i in reversed(range(len(size))):
        a = axis[i] % rank
        places = grid(shape[a], size[i], step[i], dilation[i])
        count = places.shape[0]
        moved = ops.moveaxis(g, (a, -1), (-2, -1))
        flat = OPS["reshape"](moved, shape=(*moved.shape[:-2], count * size[i]))
        zeros = np.zeros((count * size[i], known(shape[a])), g.dtype)
        zeros[np.arange(places.size), places.ravel()] = 1
        g = ops.moveaxis(OPS["matmul"](flat, zeros), -1, a)
    return g


@writer("extend")
def extend(w: ModelWriter, e: Expr, x: str) -> str:
    """Padding with the array's own entries."""
    mode = e.attrs["mode"]
    if mode not in ("reflect", "edge", "wrap") or any(isinstance(n, Dim) for n in e.shape):
        raise Unsupported(f"the padding {mode!r}")
    pairs = e.attrs["pad_width"]
    widths = w.vector([*(a for a, _ in pairs), *(b for _, b in pairs)])
    return w.add("Pad", x, widths, mode=mode, name=e.name)
