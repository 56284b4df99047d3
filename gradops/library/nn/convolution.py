"""Convolution over any number of axes, and its two transposes.

`conv` is bilinear in operand and filters. Its inner product with a cotangent is linear in three
things; the gradient in each of them is an op here, so the derivatives of the three ops are one
another.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Shape, Size
from ...core.errors import OptionError, ShapeError
from ...core.op import Op
from ...core.samples import cases, complexes, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, result_dtype, shape_of, type_of
from ...kernels.nn import convolution as kernels
from ...kernels.nn import native_convolution as native
from ...kernels.nn.windows import extent, places
from ...typing import AnyArray, Arrays, Attrs, Flags
from ..families import invalid, multilinear
from ..shape.broadcasting import repeat_shared
from ..shape.movement import moveaxis, reshape

__all__ = ["conv", "conv_operand", "conv_filters"]

Sizes = tuple[int, ...] | None
Pads = tuple[tuple[int, int], ...] | None


def steps(n: int, strides: Sizes, pads: Pads, dilations: Sizes) -> tuple[Any, Any, Any]:
    """The strides, padding widths and dilations of `n` axes."""
    return strides or (1,) * n, pads or ((0, 0),) * n, dilations or (1,) * n


def conv_kernel(
    x: Any, w: Any, strides: Sizes = None, pads: Pads = None, dilations: Sizes = None,
    groups: int = 1, out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    conv_infer(type_of(x), type_of(w), strides, pads, dilations, groups)
    return kernels.convolve(x, w, steps(x.ndim - 2, strides, pads, dilations), groups, None, out)


def conv_operand_kernel(
    g: np.ndarray, w: np.ndarray, shape: tuple[int, ...], strides: Sizes = None, pads: Pads = None,
    dilations: Sizes = None, groups: int = 1, out: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    conv_operand_infer(type_of(g), type_of(w), shape, strides, pads, dilations, groups)
    given = steps(g.ndim - 2, strides, pads, dilations)
    return kernels.operand_gradient(g, w, shape, given, groups, out)


def conv_filters_kernel(
    x: Any, g: Any, shape: tuple[int, ...], strides: Sizes = None, pads: Pads = None,
    dilations: Sizes = None, groups: int = 1,
) -> Any:
    conv_filters_infer(type_of(x), type_of(g), shape, strides, pads, dilations, groups)
    given = steps(x.ndim - 2, strides, pads, dilations)
    return kernels.filter_gradient(x, g, shape, given, groups)


def differ(m: Size, n: Size) -> bool:
    """True if two sizes are known to differ."""
    return m != n and isinstance(m, int) and isinstance(n, int)


def check(op: str, types: Sequence[ArrayType], ndim: int, given: Any, groups: int) -> None:
    """Raise for operands of another rank, or attributes that do not fit it."""
    n = ndim - 2
    if n < 1 or any(t.ndim != ndim for t in types):
        raise ShapeError(
            op, types, "operand and filters have axes (examples, channels, ...) and (filters,"
            " channels, ...), with equally many after these",
            hint="a single example has an axis of size 1 in front: expand_dims(x, 0)",
        )
    for name, values in zip(("strides", "pads", "dilations"), given, strict=True):
        if len(values) != n:
            raise ShapeError(op, types, f"{name} {values} are not for {n} axes")
        if name != "pads" and any(v < 1 for v in values):
            raise OptionError(op, types, f"{name} are at least 1, not {values}")
    if groups < 1:
        raise OptionError(op, types, f"there is at least one group, not {groups}")


def check_channels(
    op: str, types: Sequence[ArrayType], x: Size, per_group: Size, filters: Size, groups: int
) -> None:
    """Raise for channels that do not match the groups of filters."""
    if isinstance(filters, int) and filters % groups:
        raise ShapeError(op, types, f"{groups} groups cannot share {filters} filters equally")
    if differ(x, per_group * groups):
        raise ShapeError(
            op, types, f"the operand has {x} channels, the filters"
            f" {per_group}" + (f" for each of {groups} groups" if groups > 1 else ""),
            hint="channels are the second axis of the operand, and of the filters",
        )  # fmt: skip


def conv_sizes(
    op: str, types: Sequence[ArrayType], sizes: Shape, window: Shape, given: Any
) -> Shape:
    """The sizes of a convolution, or a ShapeError where a window does not fit."""
    for n, k, pad, d in zip(sizes, window, given[1], given[2]):
        full = n + sum(pad)
        if isinstance(k, int) and k < 1:
            raise ShapeError(op, types, f"filters have sizes {window}, which must be at least 1")
        if isinstance(full, int) and isinstance(k, int) and full < extent(k, d):
            raise ShapeError(
                op, types, f"filters that extend over {extent(k, d)} entries do not fit into"
                f" {full}, padding included",
                hint="pad the operand, or use smaller filters",
            )
    return tuple(map(places, sizes, window, *given))


def conv_infer(
    x: ArrayType, w: ArrayType, strides: Sizes, pads: Pads, dilations: Sizes, groups: int
) -> ArrayType:
    given = steps(x.ndim - 2, strides, pads, dilations)
    check("conv", [x, w], x.ndim, given, groups)
    check_channels("conv", [x, w], x.shape[1], w.shape[1], w.shape[0], groups)
    sizes = conv_sizes("conv", [x, w], x.shape[2:], w.shape[2:], given)
    return ArrayType((x.shape[0], w.shape[0], *sizes), product_dtype(x, w))


def product_dtype(a: ArrayType, b: ArrayType) -> Any:
    """The dtype of products."""
    return result_dtype(np.multiply, (a.dtype, b.dtype))


def check_cotangent(op: str, types: Sequence[ArrayType], g: ArrayType, sizes: Shape) -> None:
    """Raise for a cotangent of other sizes than the convolution has."""
    if conflict(g.shape[2:], sizes):
        raise ShapeError(op, types, f"the convolution has sizes {sizes}, not {g.shape[2:]}")


def conv_operand_infer(
    g: ArrayType, w: ArrayType, shape: Shape, strides: Sizes, pads: Pads, dilations: Sizes,
    groups: int,
) -> ArrayType:
    op, types, given = "conv_operand", [g, w], steps(g.ndim - 2, strides, pads, dilations)
    check(op, types, len(shape) + 2, given, groups)
    check_channels(op, types, w.shape[1] * groups, w.shape[1], w.shape[0], groups)
    if differ(g.shape[1], w.shape[0]):
        raise ShapeError(
            op, types,
            f"the cotangent has {g.shape[1]} channels, and there are {w.shape[0]} filters",
            hint="the filters of a transposed convolution have its operand's channels first",
        )
    check_cotangent(op, types, g, conv_sizes(op, types, shape, w.shape[2:], given))
    return ArrayType((g.shape[0], w.shape[1] * groups, *shape), product_dtype(g, w))


def conv_filters_infer(
    x: ArrayType, g: ArrayType, shape: Shape, strides: Sizes, pads: Pads, dilations: Sizes,
    groups: int,
) -> ArrayType:
    op, types, given = "conv_filters", [x, g], steps(x.ndim - 2, strides, pads, dilations)
    check(op, types, len(shape) + 2, given, groups)
    if differ(x.shape[0], g.shape[0]):
        raise ShapeError(op, types, f"there are {x.shape[0]} examples and {g.shape[0]} cotangents")
    check_channels(op, types, x.shape[1], x.shape[1] // groups, g.shape[1], groups)
    check_cotangent(op, types, g, conv_sizes(op, types, x.shape[2:], shape, given))
    return ArrayType((g.shape[1], x.shape[1] // groups, *shape), product_dtype(x, g))


def conv_workspace(y: Any, x: Any, w: Any, *b: Any, groups: int, **attrs: Any) -> int:
    """The bytes of windows that a convolution copies at a time; see Note [Windows]."""
    given = given_steps(x, attrs)
    found = native.workspace(x.shape, w.shape, y.shape, given, groups, y.dtype)
    if found is not None:
        return found
    shapes = x.shape, w.shape, y.shape
    return sum(kernels.block_bytes(*shapes, given[1], groups, y.dtype.itemsize)[:2])


def given_steps(x: Any, attrs: Attrs) -> Any:
    """The strides, padding widths and dilations of a convolution of `x`."""
    return steps(x.ndim - 2, attrs["strides"], attrs["pads"], attrs["dilations"])


def operand_workspace(y: Any, g: Any, w: Any, groups: int, **attrs: Any) -> int:
    """The bytes of windows that the transpose of a convolution copies, where strides are 1."""
    n, window, (_, pads, dilations) = y.ndim - 2, w.shape[2:], given_steps(y, attrs)
    turned = (y.shape[1], w.shape[0] // groups, *window)
    before = tuple([((k - 1) * d - p[0],) * 2 for k, d, p in zip(window, dilations, pads)])
    given = (1,) * n, before, dilations
    found = native.workspace(g.shape, turned, y.shape, given, groups, y.dtype)
    if found is not None:
        return found
    wide = ((1, 0),) * n
    sizes = [m + k - 2 for m, k in zip(y.shape[2:], window, strict=True)]
    shape = (*g.shape[:2], *sizes)
    return sum(kernels.block_bytes(shape, turned, y.shape, wide, groups, y.dtype.itemsize)[:2])


def filters_workspace(y: Any, x: Any, g: Any, groups: int, **attrs: Any) -> int:
    """The bytes of windows, and of products, that the gradient of filters needs."""
    given, shapes = given_steps(x, attrs), (x.shape, y.shape, g.shape)
    found = native.workspace(*shapes, given, groups, y.dtype, for_filters=True)
    if found is not None:
        return found
    return kernels.filter_gradient_bytes(*shapes, given[1], groups, y.dtype.itemsize)


def merge_examples(op: Op, xs: Arrays, attrs: Attrs) -> AnyArray:
    """Batch the first operand alone, merging the stack with the axis of examples."""
    n, m, *rest = shape_of(xs[0])
    y = op(reshape(xs[0], shape=(n * m, *rest)), xs[1], **attrs)
    return reshape(y, shape=(n, m, *shape_of(y)[1:]))


def merge_into(x: AnyArray, axis: int) -> AnyArray:
    """A stack with its examples merged into one of their axes."""
    moved = moveaxis(x, 0, axis)
    shape = shape_of(moved)
    return reshape(moved, shape=(*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))


def batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> Any:
    """Batch with each example of the stack as a group of channels."""
    if not batched[1] and op is not conv_filters:
        return merge_examples(op, xs, attrs)
    first, second = repeat_shared(xs, batched)
    n = shape_of(first)[0]
    groups = n * attrs["groups"]
    first = merge_into(first, 1)
    second = merge_into(second, 1 if op is conv_filters else 0)
    y = op(first, second, **{**attrs, "groups": groups})
    axis = 0 if op is conv_filters else 1
    shape = shape_of(y)
    parted = reshape(y, shape=(*shape[:axis], n, shape[axis] // n, *shape[axis + 1 :]))
    return moveaxis(parted, axis, 0)


def options(attrs: Attrs) -> dict[str, Any]:
    """The attributes that the three ops share."""
    return {k: v for k, v in attrs.items() if k != "shape"}


def to_operand(g: AnyArray, w: AnyArray, x: AnyArray, attrs: Attrs) -> AnyArray:
    """The cotangent of the operand `x`."""
    return conv_operand(g, w, shape=shape_of(x)[2:], **options(attrs))


def to_filters(x: AnyArray, g: AnyArray, w: AnyArray, attrs: Attrs) -> AnyArray:
    """The cotangent of the filters `w`."""
    return conv_filters(x, g, shape=shape_of(w)[2:], **options(attrs))


conv = multilinear(
    "conv", conv_kernel, traits=[Trait.CHANNELS_LAST], infer=conv_infer,
    flops=flops.conv, workspace=conv_workspace,
    transpose=[
        lambda g, y, x, w, **attrs: to_operand(g, w, x, attrs),
        lambda g, y, x, w, **attrs: to_filters(x, g, w, attrs),
    ],
    batch=batch,
    samples=cases(
        reals((2, 3, 7), (4, 3, 3)),
        reals((2, 2, 5, 6), (3, 2, 3, 2), strides=(2, 1), pads=((1, 0), (0, 2))),
        reals((1, 4, 5, 6), (6, 2, 2, 3), dilations=(1, 2), groups=2),
        reals((1, 3, 4, 3), (3, 1, 2, 2), strides=(3, 2), pads=((2, 1), (0, 0)), groups=3),
        reals((1, 2, 3, 4, 3), (2, 2, 2, 1, 3), pads=((0, 0), (1, -1), (1, 1))),
        reals((0, 2, 4), (3, 2, 3)), reals((2, 0, 4), (3, 0, 2)),
        complexes((1, 2, 4), (1, 2, 3)),
    ),
    error_samples=[
        invalid((3, 7), (4, 3, 3), says="expand_dims"),
        invalid((1, 2, 7), (4, 3, 3), says="has 2 channels"),
        invalid((1, 3, 7), (4, 3, 9), says="do not fit into 7"),
        invalid((1, 3, 7), (4, 3, 0), says="at least 1"),
        invalid((1, 4, 7), (5, 2, 3), groups=2, says="5 filters"),
        invalid((1, 3, 7), (4, 3, 3), strides=(0,), error=OptionError, says="at least 1, not (0,)"),
        invalid((1, 3, 7), (4, 3, 3), strides=(1, 1), says="not for 1 axes"),
        invalid((1, 3, 7), (4, 3, 3), groups=0, error=OptionError, says="not 0"),
    ],
    doc="The convolution of an operand (examples, channels, ...) with filters "
    "(filters, channels / groups, ...).",
)
conv_operand = multilinear(
    "conv_operand", conv_operand_kernel, traits=[Trait.CHANNELS_LAST], infer=conv_operand_infer,
    flops=flops.conv_operand, workspace=operand_workspace,
    transpose=[
        lambda ct, y, g, w, **attrs: conv(ct, w, **options(attrs)),
        lambda ct, y, g, w, **attrs: to_filters(ct, g, w, attrs),
    ],
    batch=batch,
    samples=cases(
        reals((2, 4, 5), (4, 3, 3), shape=(7,)),
        reals((2, 3, 2, 7), (3, 2, 3, 2), shape=(5, 6), strides=(2, 1), pads=((1, 0), (0, 2))),
        reals((1, 6, 4, 2), (6, 2, 2, 3), shape=(5, 6), dilations=(1, 2), groups=2),
        reals((0, 3, 2), (3, 2, 3), shape=(4,)), complexes((1, 1, 2), (1, 2, 3), shape=(4,)),
    ),
    error_samples=[
        invalid((1, 4, 5), (3, 4, 3), shape=(7,), says="has 4 channels"),
        invalid((1, 4, 5), (4, 3, 3), shape=(8,), says="sizes (6,), not (5,)"),
    ],
    doc="The transpose of `conv` in its operand, whose spatial sizes are `shape`.",
)
conv_filters = multilinear(
    "conv_filters", conv_filters_kernel, traits=[Trait.C_CONTIGUOUS], infer=conv_filters_infer,
    flops=flops.conv_filters, workspace=filters_workspace,
    transpose=[
        lambda ct, y, x, g, **attrs: to_operand(g, ct, x, attrs),
        lambda ct, y, x, g, **attrs: conv(x, ct, **options(attrs)),
    ],
    batch=batch,
    samples=cases(
        reals((2, 3, 7), (2, 4, 5), shape=(3,)),
        reals((2, 2, 5, 6), (2, 3, 2, 7), shape=(3, 2), strides=(2, 1), pads=((1, 0), (0, 2))),
        reals((1, 4, 5, 6), (1, 6, 4, 2), shape=(2, 3), dilations=(1, 2), groups=2),
        reals((0, 2, 4), (0, 3, 2), shape=(3,)), complexes((1, 2, 4), (1, 1, 2), shape=(3,)),
    ),
    error_samples=[
        invalid((1, 3, 7), (2, 4, 5), shape=(3,), says="1 examples and 2 cotangents"),
        invalid((1, 3, 7), (1, 4, 5), shape=(2,), says="sizes (6,), not (5,)"),
    ],
    doc="The transpose of `conv` in its filters, whose spatial sizes are `shape`.",
)
