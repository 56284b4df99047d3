"""Pooling: the greatest entry or the sum of each window over the last axes of an operand."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...core.dims import Shape
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op, Samples
from ...core.samples import beside, cases, complexes, distinct, drawn, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, shape_of, type_of
from ...kernels.nn import pooling as kernels
from ...kernels.nn.windows import extent, places
from ...typing import AnyArray, Attrs
from ..families import linear
from ..shape.broadcasting import each_its_own

__all__ = [
    "max_pool", "pick_from_windows", "places_of_max", "put_into_windows", "sum_pool", "sum_unpool",
]

Sizes = tuple[int, ...]
Given = Sizes | None
Pads = tuple[tuple[int, int], ...] | None


def slide(op: str, types: Any, window: Sizes, strides: Given, pads: Pads, dilations: Given) -> Any:
    """All that says where windows lie, checked; by default they lie side by side."""
    n = len(window)
    full: Any = (window, strides or window, pads or ((0, 0),) * n, dilations or (1,) * n)
    for name, values in zip(("window", "strides", "pads", "dilations"), full, strict=True):
        if len(values) != n or n > types[0].ndim:
            raise ShapeError(op, types, f"{name} {values} are not for the last {n} axes")
        if name != "pads" and any(v < 1 for v in values):
            raise OptionError(op, types, f"{name} must be at least 1, not {values}")
    return full


def pooled(op: str, types: Sequence[ArrayType], sizes: Shape, full: Any) -> Shape:
    """The numbers of windows along axes of these sizes, or an error if one does not fit."""
    window, strides, pads, dilations = full
    for n, k, pad, d in zip(sizes, window, pads, dilations, strict=True):
        whole = n + sum_of(pad)
        if isinstance(whole, int) and whole < extent(k, d):
            raise ShapeError(
                op, types, f"a window over {extent(k, d)} entries does not fit into {whole},"
                " padding included", hint="pad the operand, or use a smaller window",
            )  # fmt: skip
    return tuple(map(places, sizes, window, strides, pads, dilations))


def sum_of(pad: tuple[int, int]) -> int:
    """The entries that padding adds to an axis."""
    return pad[0] + pad[1]


def pool_infer(op: str, x: ArrayType, *others: ArrayType, window: Sizes, **given: Any) -> ArrayType:
    """The type of what has an entry for each window."""
    full = slide(op, [x, *others], window, **given)
    first = x.ndim - len(window)
    y = ArrayType(x.shape[:first] + pooled(op, [x, *others], x.shape[first:], full), x.dtype)
    for chosen in others:
        same_windows(op, [x, chosen], chosen, y)
    return y


def unpool_infer(
    op: str, g: ArrayType, *others: ArrayType, shape: Shape, window: Sizes, **given: Any
) -> ArrayType:
    """The type of an operand whose last axes have the sizes `shape`, from that of windows."""
    types, first = [g, *others], g.ndim - len(window)
    full = slide(op, types, window, **given)
    if len(shape) != len(window):
        raise ShapeError(op, types, f"the sizes {shape} are not for the last {len(window)} axes")
    sizes = pooled(op, types, shape, full)
    if conflict(g.shape[first:], sizes):
        raise ShapeError(op, types, f"there are {sizes} windows, not {g.shape[first:]}")
    for chosen in others:
        same_windows(op, types, chosen, g)
    return ArrayType((*g.shape[:first], *shape), g.dtype)


def same_windows(op: str, types: Sequence[ArrayType], chosen: ArrayType, y: ArrayType) -> None:
    """Refuse choices that are not those of the windows of `y`."""
    if chosen.dtype.kind not in "iu":
        raise DTypeError(op, types, f"the numbers of entries are integers, not {chosen.dtype}")
    if chosen.ndim != y.ndim or conflict(chosen.shape, y.shape):
        raise ShapeError(op, types, f"there is no number for each of the windows {y.shape}")


def with_order(op: str, x: ArrayType, **attrs: Any) -> ArrayType:
    """The type of the greatest entries."""
    if x.dtype.kind not in "iuf":
        raise DTypeError(op, [x], f"entries of {x.dtype} have no greatest")
    return pool_infer(op, x, **attrs)


def numbers_infer(x: ArrayType, **attrs: Any) -> ArrayType:
    """The type of the numbers of entries in windows: the smallest that they fit into."""
    y = with_order("places_of_max", x, **attrs)
    most = math.prod(attrs["window"])
    return ArrayType(y.shape, np.min_scalar_type(most - 1))


def given(strides: Given, pads: Pads, dilations: Given) -> dict[str, Any]:
    """Where windows lie, by name."""
    return {"strides": strides, "pads": pads, "dilations": dilations}


def checked(op: Op, xs: Sequence[AnyArray], window: Sizes, *rest: Any, **shape: Shape) -> Any:
    """All that says where windows lie, after type inference had nothing against it."""
    op.infer(*map(type_of, xs), window=window, **given(*rest), **shape)
    return slide(op.name, xs, window, *rest)


def max_pool_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None
) -> Any:
    return kernels.greatest(x, *checked(max_pool, [x], window, strides, pads, dilations))


def places_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None
) -> Any:
    full = checked(places_of_max, [x], window, strides, pads, dilations)
    most = math.prod(window)
    return kernels.places_of_greatest(x, np.min_scalar_type(most - 1), *full)


def put_kernel(
    g: Any, chosen: Any, shape: Sizes, window: Sizes, strides: Given = None, pads: Pads = None,
    dilations: Given = None,
) -> Any:
    full = checked(put_into_windows, [g, chosen], window, strides, pads, dilations, shape=shape)
    return kernels.put_at(g, chosen, shape, *full)


def pick_kernel(
    x: Any, chosen: Any, window: Sizes, strides: Given = None, pads: Pads = None,
    dilations: Given = None,
) -> Any:
    full = checked(pick_from_windows, [x, chosen], window, strides, pads, dilations)
    return kernels.taken_at(x, chosen, *full)


def sum_pool_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None
) -> Any:
    return kernels.sums(x, *checked(sum_pool, [x], window, strides, pads, dilations))


def sum_unpool_kernel(
    g: Any, shape: Sizes, window: Sizes, strides: Given = None, pads: Pads = None,
    dilations: Given = None,
) -> Any:
    full = checked(sum_unpool, [g], window, strides, pads, dilations, shape=shape)
    return kernels.spread_sums(g, shape, *full)


def restored(x: Any, attrs: Attrs) -> dict[str, Any]:
    """The attributes that lead back from the windows of `x` to its sizes."""
    shape = shape_of(x)
    return {**attrs, "shape": shape[len(shape) - len(attrs["window"]) :]}


def onward(attrs: Attrs) -> dict[str, Any]:
    """The attributes that lead to the windows again."""
    return {k: v for k, v in attrs.items() if k != "shape"}


SIDE_BY_SIDE: dict[str, Any] = {"window": (2, 3)}
OVERLAPPING: dict[str, Any] = {"window": (3, 2), "strides": (1, 2), "pads": ((1, 0), (0, 1))}
DILATED: dict[str, Any] = {"window": (3,), "strides": (2,), "dilations": (2,), "pads": ((1, 1),)}


def pools(draw: Callable[..., Samples]) -> Samples:
    """Windows side by side, overlapping with padding on some sides, dilated; none."""
    return cases(
        draw((2, 3, 4, 7), **SIDE_BY_SIDE), draw((2, 5, 6), **OVERLAPPING), draw((7,), **DILATED),
        draw((0, 4), window=(2,)), draw((3, 4), window=()),
    )


def numbers(sizes: Sizes, most: int, **attrs: object) -> Samples:
    """Numbers of entries in windows, all below `most`."""
    return drawn(lambda r, s: r.integers(0, most, s), [sizes], **attrs)


wrong_windows = [
    ErrorSample([np.ones((2, 3))], {"window": (2, 2, 2)}, ShapeError, "for the last 3 axes"),
    ErrorSample([np.ones((2, 3))], {"window": (2, 4)}, ShapeError, "does not fit into 3"),
    ErrorSample([np.ones((2, 3))], {"window": (2,), "strides": (0,)}, OptionError, "at least 1"),
    ErrorSample([np.ones((2, 3))], {"window": (-1,)}, OptionError, "at least 1"),
    ErrorSample([np.ones((2, 3))], {"window": (2,), "pads": ((0, 0), (0, 0))}, ShapeError, "pads"),
]

max_pool = Op(
    "max_pool", max_pool_kernel, infer=partial(with_order, "max_pool"),
    vjp=[lambda g, y, x, **attrs: (
        put_into_windows(g, places_of_max(x, **attrs), **restored(x, attrs))
    )],
    jvp=[lambda t, y, x, **attrs: pick_from_windows(t, places_of_max(x, **attrs), **attrs)],
    batch=each_its_own, samples=pools(distinct),
    traits=frozenset({Trait.KINKED}),
    error_samples=[
        *wrong_windows,
        ErrorSample([np.ones((3,), bool)], {"window": (2,)}, DTypeError, "have no greatest"),
    ],
    doc="The greatest entry of each window over the last axes; the first of several equal ones has "
    "the derivative.",
)
places_of_max = Op(
    "places_of_max", places_kernel, infer=numbers_infer, vjp=[None], jvp=[None],
    batch=each_its_own, samples=pools(distinct),
    error_samples=wrong_windows,
    doc="The number of the first greatest entry in each window, counted in C order.",
)
put_into_windows = Op(
    "put_into_windows", put_kernel, arity=2, infer=partial(unpool_infer, "put_into_windows"),
    vjp=[lambda ct, y, g, chosen, **attrs: pick_from_windows(ct, chosen, **onward(attrs)), None],
    jvp=[lambda t, y, g, chosen, **attrs: put_into_windows(t, chosen, **attrs), None],
    batch=each_its_own,
    samples=cases(
        beside(reals((2, 2, 2)), numbers((2, 2, 2), 6, shape=(4, 7), **SIDE_BY_SIDE)),
        beside(reals((2, 4, 3)), numbers((2, 4, 3), 6, shape=(5, 6), **OVERLAPPING)),
        beside(reals((3,)), numbers((3,), 3, shape=(7,), **DILATED)),
    ),
    error_samples=[
        ErrorSample([np.ones(2), np.zeros(2)], {"shape": (4,), "window": (2,)}, DTypeError,
                    "not float64"),
        ErrorSample([np.ones(2), np.zeros(1, int)], {"shape": (4,), "window": (2,)}, ShapeError,
                    "no number for each"),
        ErrorSample([np.ones(2), np.zeros(2, int)], {"shape": (6,), "window": (2,)}, ShapeError,
                    "(3,) windows, not (2,)"),
    ],
    doc="Zeros of the sizes `shape`, with each entry added where the chosen entry of its window "
    "is.",
)
pick_from_windows = Op(
    "pick_from_windows", pick_kernel, arity=2, infer=partial(pool_infer, "pick_from_windows"),
    vjp=[lambda g, y, x, chosen, **attrs: put_into_windows(g, chosen, **restored(x, attrs)), None],
    jvp=[lambda t, y, x, chosen, **attrs: pick_from_windows(t, chosen, **attrs), None],
    batch=each_its_own,
    samples=cases(
        beside(reals((2, 4, 7)), numbers((2, 2, 2), 6, **SIDE_BY_SIDE)),
        beside(reals((2, 5, 6)), numbers((2, 4, 3), 6, **OVERLAPPING)),
        beside(reals((7,)), numbers((3,), 3, **DILATED)),
    ),
    error_samples=[
        ErrorSample([np.ones(4), np.zeros(1, int)], {"window": (2,)}, ShapeError, "for each"),
    ],
    doc="The entry of each window that has the number given, counted in C order.",
)
sum_pool = linear(
    "sum_pool", sum_pool_kernel, infer=partial(pool_infer, "sum_pool"),
    transpose=lambda g, y, x, **attrs: sum_unpool(g, **restored(x, attrs)),
    batch=each_its_own,
    samples=cases(pools(reals), complexes((4,), window=(2,))),
    error_samples=wrong_windows, doc="The sum of each window over the last axes.",
)
sum_unpool = linear(
    "sum_unpool", sum_unpool_kernel, infer=partial(unpool_infer, "sum_unpool"),
    transpose=lambda ct, y, g, **attrs: sum_pool(ct, **onward(attrs)),
    batch=each_its_own,
    samples=cases(
        reals((2, 2, 2), shape=(4, 7), **SIDE_BY_SIDE),
        reals((2, 4, 3), shape=(5, 6), **OVERLAPPING), reals((3,), shape=(7,), **DILATED),
        complexes((2,), shape=(4,), window=(2,)),
    ),
    error_samples=[
        ErrorSample([np.ones(2)], {"shape": (6,), "window": (2,)}, ShapeError, "(3,) windows"),
        ErrorSample([np.ones(2)], {"shape": (2, 2), "window": (2,)}, ShapeError, "last 1 axes"),
    ],
    doc="The transpose of `sum_pool`: each entry added to all of its window, in zeros of the sizes "
    "`shape`.",
)
