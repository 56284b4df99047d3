"""Max and sum pooling over the last axes of an operand."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Shape
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op, Samples
from ...core.samples import beside, cases, complexes, distinct, drawn, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, shape_of, type_of
from ...kernels.nn import pooling as kernels
from ...kernels.nn.windows import extent, places
from ...typing import AnyArray, Arrays, Attrs
from ..families import invalid, linear
from ..shape.broadcasting import batch_as_is

__all__ = [
    "max_pool", "pick_from_windows", "places_of_max", "put_into_windows", "sum_pool", "sum_unpool",
]

Sizes = tuple[int, ...]
Given = Sizes | None
Pads = tuple[tuple[int, int], ...] | None


def check_windows(
    op: str, types: Any, window: Sizes, strides: Given, pads: Pads, dilations: Given
) -> Any:
    """Window sizes, strides, padding and dilations, checked; strides default to the window."""
    n = len(window)
    full: Any = (window, strides or window, pads or ((0, 0),) * n, dilations or (1,) * n)
    for name, values in zip(("window", "strides", "pads", "dilations"), full, strict=True):
        if len(values) != n or n > types[0].ndim:
            raise ShapeError(op, types, f"{name} {values} are not for the last {n} axes")
        if name != "pads" and any(v < 1 for v in values):
            raise OptionError(op, types, f"{name} must be at least 1, not {values}")
    return full


def window_counts(op: str, types: Sequence[ArrayType], sizes: Shape, full: Any) -> Shape:
    """The numbers of windows along axes of these sizes, or a ShapeError where none fits."""
    window, strides, pads, dilations = full
    for n, k, pad, d in zip(sizes, window, pads, dilations, strict=True):
        whole = n + sum(pad)
        if isinstance(whole, int) and whole < extent(k, d):
            raise ShapeError(
                op, types, f"a window over {extent(k, d)} entries does not fit into {whole},"
                " padding included", hint="pad the operand, or use a smaller window",
            )  # fmt: skip
    return tuple(map(places, sizes, window, strides, pads, dilations))


def pool_infer(op: str, x: ArrayType, *others: ArrayType, window: Sizes, **given: Any) -> ArrayType:
    """The type of an array with an entry for each window."""
    full = check_windows(op, [x, *others], window, **given)
    first = x.ndim - len(window)
    y = ArrayType(x.shape[:first] + window_counts(op, [x, *others], x.shape[first:], full), x.dtype)
    for chosen in others:
        same_windows(op, [x, chosen], chosen, y)
    return y


def unpool_infer(
    op: str, g: ArrayType, *others: ArrayType, shape: Shape, window: Sizes, **given: Any
) -> ArrayType:
    """The type of an array whose last axes have the sizes `shape`, from that of windows."""
    types, first = [g, *others], g.ndim - len(window)
    full = check_windows(op, types, window, **given)
    if len(shape) != len(window):
        raise ShapeError(op, types, f"the sizes {shape} are not for the last {len(window)} axes")
    sizes = window_counts(op, types, shape, full)
    if conflict(g.shape[first:], sizes):
        raise ShapeError(op, types, f"there are {sizes} windows, not {g.shape[first:]}")
    for chosen in others:
        same_windows(op, types, chosen, g)
    return ArrayType((*g.shape[:first], *shape), g.dtype)


def same_windows(op: str, types: Sequence[ArrayType], chosen: ArrayType, y: ArrayType) -> None:
    """Raise for choices that are not those of the windows of `y`."""
    if chosen.dtype.kind not in "iu":
        raise DTypeError(op, types, f"the numbers of entries are integers, not {chosen.dtype}")
    if chosen.ndim != y.ndim or conflict(chosen.shape, y.shape):
        raise ShapeError(op, types, f"there is no number for each of the windows {y.shape}")


def ordered_pool_infer(op: str, x: ArrayType, **attrs: Any) -> ArrayType:
    """The type of the maxima; the dtype must have an order."""
    if x.dtype.kind not in "iuf":
        raise DTypeError(op, [x], f"entries of {x.dtype} have no greatest")
    return pool_infer(op, x, **attrs)


def numbers_infer(x: ArrayType, **attrs: Any) -> ArrayType:
    """The type of indices within windows: the smallest integers that hold them."""
    y = ordered_pool_infer("places_of_max", x, **attrs)
    return ArrayType(y.shape, np.min_scalar_type(math.prod(attrs["window"]) - 1))


def window_options(strides: Given, pads: Pads, dilations: Given) -> dict[str, Any]:
    """Strides, padding and dilations as keyword arguments."""
    return {"strides": strides, "pads": pads, "dilations": dilations}


def checked_options(
    op: str, infer: Callable[..., ArrayType], xs: Arrays, window: Sizes, *rest: Any, **shape: Shape
) -> Any:
    """The options of windows, after type inference accepted the operands."""
    infer(*map(type_of, xs), window=window, **window_options(*rest), **shape)
    return check_windows(op, xs, window, *rest)


def max_pool_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None,
    out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    given = checked_options("max_pool", max_pool.infer, [x], window, strides, pads, dilations)
    return kernels.greatest(x, given, out)


def places_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None
) -> Any:
    full = checked_options(
        "places_of_max", places_of_max.infer, [x], window, strides, pads, dilations
    )
    return kernels.places_of_greatest(x, np.min_scalar_type(math.prod(window) - 1), full)


def max_and_places_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None
) -> Any:
    full = checked_options("max_pool", max_pool.infer, [x], window, strides, pads, dilations)
    return kernels.greatest_and_places(x, np.min_scalar_type(math.prod(window) - 1), full)


def put_kernel(
    g: Any, chosen: Any, shape: Sizes, window: Sizes, strides: Given = None, pads: Pads = None,
    dilations: Given = None, out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    xs = [g, chosen]
    infer = put_into_windows.infer
    full = checked_options(
        "put_into_windows", infer, xs, window, strides, pads, dilations, shape=shape
    )
    return kernels.put_at(g, chosen, shape, full, out)


def pick_kernel(
    x: Any, chosen: Any, window: Sizes, strides: Given = None, pads: Pads = None,
    dilations: Given = None,
) -> Any:
    full = checked_options(
        "pick_from_windows", pick_from_windows.infer, [x, chosen], window, strides, pads, dilations
    )
    return kernels.taken_at(x, chosen, full)


def sum_pool_kernel(
    x: Any, window: Sizes, strides: Given = None, pads: Pads = None, dilations: Given = None,
    out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    full = checked_options("sum_pool", sum_pool.infer, [x], window, strides, pads, dilations)
    return kernels.sums(x, full, out)


def sum_unpool_kernel(
    g: Any, shape: Sizes, window: Sizes, strides: Given = None, pads: Pads = None,
    dilations: Given = None,
) -> Any:
    full = checked_options(
        "sum_unpool", sum_unpool.infer, [g], window, strides, pads, dilations, shape=shape
    )
    return kernels.sums_transpose(g, shape, full)


def unpool_attrs(x: AnyArray, attrs: Attrs) -> dict[str, Any]:
    """The attributes of the transpose, from windows to the sizes of `x`."""
    shape = shape_of(x)
    return {**attrs, "shape": shape[len(shape) - len(attrs["window"]) :]}


def pool_attrs(attrs: Attrs) -> dict[str, Any]:
    """The attributes of the pooling, from those of its transpose."""
    return {k: v for k, v in attrs.items() if k != "shape"}


SIDE_BY_SIDE: dict[str, Any] = {"window": (2, 3)}
OVERLAPPING: dict[str, Any] = {"window": (3, 2), "strides": (1, 2), "pads": ((1, 0), (0, 1))}
DILATED: dict[str, Any] = {"window": (3,), "strides": (2,), "dilations": (2,), "pads": ((1, 1),)}


def pool_samples(draw: Callable[..., Samples]) -> Samples:
    """Samples of adjacent, overlapping, padded and dilated windows, and of none."""
    return cases(
        draw((2, 3, 4, 7), **SIDE_BY_SIDE), draw((2, 5, 6), **OVERLAPPING), draw((7,), **DILATED),
        draw((0, 4), window=(2,)), draw((3, 4), window=()),
    )


def index_samples(sizes: Sizes, most: int, **attrs: object) -> Samples:
    """Samples of indices within windows, all below `most`."""
    return drawn(lambda r, s: r.integers(0, most, s), [sizes], **attrs)


wrong_windows = [
    invalid((2, 3), window=(2, 2, 2), says="for the last 3 axes"),
    invalid((2, 3), window=(2, 4), says="does not fit into 3"),
    invalid((2, 3), window=(2,), strides=(0,), error=OptionError, says="at least 1"),
    invalid((2, 3), window=(-1,), error=OptionError, says="at least 1"),
    invalid((2, 3), window=(2,), pads=((0, 0), (0, 0)), says="pads"),
]

max_pool = Op(
    "max_pool", max_pool_kernel, infer=partial(ordered_pool_infer, "max_pool"),
    flops=flops.sum_pool,
    vjp=[lambda g, y, x, **attrs: (
        put_into_windows(g, places_of_max(x, **attrs), **unpool_attrs(x, attrs))
    )],
    jvp=[lambda t, y, x, **attrs: pick_from_windows(t, places_of_max(x, **attrs), **attrs)],
    batch=batch_as_is, samples=pool_samples(distinct), traits=[Trait.KINKED, Trait.LIKE_OPERAND],
    pairs={"places_of_max": max_and_places_kernel},
    error_samples=[
        *wrong_windows,
        ErrorSample([np.ones((3,), bool)], {"window": (2,)}, DTypeError, "have no greatest"),
    ],
    doc="The maximum of each window over the last axes; of ties the first has the derivative.",
)
places_of_max = Op(
    "places_of_max", places_kernel, traits=[Trait.LIKE_OPERAND],
    infer=numbers_infer, vjp=[None], jvp=[None], batch=batch_as_is,
    samples=pool_samples(distinct), error_samples=wrong_windows,
    doc="The index of the first maximum in each window, counted in C order.",
)
put_into_windows = Op(
    "put_into_windows", put_kernel, traits=[Trait.LIKE_OPERAND], arity=2,
    infer=partial(unpool_infer, "put_into_windows"),
    vjp=[
        lambda ct, y, g, chosen, **attrs: pick_from_windows(ct, chosen, **pool_attrs(attrs)), None,
    ],
    jvp=[lambda t, y, g, chosen, **attrs: put_into_windows(t, chosen, **attrs), None],
    batch=batch_as_is,
    samples=cases(
        beside(reals((2, 2, 2)), index_samples((2, 2, 2), 6, shape=(4, 7), **SIDE_BY_SIDE)),
        beside(reals((2, 4, 3)), index_samples((2, 4, 3), 6, shape=(5, 6), **OVERLAPPING)),
        beside(reals((3,)), index_samples((3,), 3, shape=(7,), **DILATED)),
    ),
    error_samples=[
        ErrorSample([np.ones(2), np.zeros(2)], {"shape": (4,), "window": (2,)}, DTypeError,
                    "not float64"),
        ErrorSample([np.ones(2), np.zeros(1, int)], {"shape": (4,), "window": (2,)}, ShapeError,
                    "no number for each"),
        ErrorSample([np.ones(2), np.zeros(2, int)], {"shape": (6,), "window": (2,)}, ShapeError,
                    "(3,) windows, not (2,)"),
    ],
    doc="Zeros of the sizes `shape` with each entry added at the chosen entry of its window.",
)
pick_from_windows = Op(
    "pick_from_windows", pick_kernel, arity=2, infer=partial(pool_infer, "pick_from_windows"),
    vjp=[
        lambda g, y, x, chosen, **attrs: put_into_windows(g, chosen, **unpool_attrs(x, attrs)),
        None,
    ],
    jvp=[lambda t, y, x, chosen, **attrs: pick_from_windows(t, chosen, **attrs), None],
    batch=batch_as_is,
    samples=cases(
        beside(reals((2, 4, 7)), index_samples((2, 2, 2), 6, **SIDE_BY_SIDE)),
        beside(reals((2, 5, 6)), index_samples((2, 4, 3), 6, **OVERLAPPING)),
        beside(reals((7,)), index_samples((3,), 3, **DILATED)),
    ),
    error_samples=[
        ErrorSample([np.ones(4), np.zeros(1, int)], {"window": (2,)}, ShapeError, "for each"),
    ],
    doc="The entry of each window at an index, counted in C order.",
)
sum_pool = linear(
    "sum_pool", sum_pool_kernel, traits=[Trait.LIKE_OPERAND], infer=partial(pool_infer, "sum_pool"),
    flops=flops.sum_pool,
    transpose=lambda g, y, x, **attrs: sum_unpool(g, **unpool_attrs(x, attrs)), batch=batch_as_is,
    samples=cases(pool_samples(reals), complexes((4,), window=(2,))), error_samples=wrong_windows,
    doc="The sum of each window over the last axes.",
)
sum_unpool = linear(
    "sum_unpool", sum_unpool_kernel, infer=partial(unpool_infer, "sum_unpool"),
    flops=flops.sum_unpool,
    transpose=lambda ct, y, g, **attrs: sum_pool(ct, **pool_attrs(attrs)), batch=batch_as_is,
    samples=cases(
        reals((2, 2, 2), shape=(4, 7), **SIDE_BY_SIDE),
        reals((2, 4, 3), shape=(5, 6), **OVERLAPPING), reals((3,), shape=(7,), **DILATED),
        complexes((2,), shape=(4,), window=(2,)),
    ),
    error_samples=[
        invalid((2,), shape=(6,), window=(2,), says="(3,) windows"),
        invalid((2,), shape=(2, 2), window=(2,), says="last 1 axes"),
    ],
    doc="The transpose of `sum_pool`: each entry added to its window, in zeros of sizes `shape`.",
)
