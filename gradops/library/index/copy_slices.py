"""Putting a value in the place that views lead to."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import OPS, ErrorSample, Op
from ...core.samples import beside, cases, complexes, reals
from ...core.types import ArrayType, conflict, shape_of, type_of
from ...kernels.index.indexing import FULL
from ...typing import AnyArray, Operand
from ..elementwise.comparison import where
from ..elementwise.complexes import complex as complex_
from ..elementwise.complexes import imag, real
from ..families import zeros_like
from ..shape.broadcasting import broadcast_to, repeated
from ..shape.movement import reshape
from .indexing import getitem


def region(x: AnyArray, steps: Any) -> Any:
    """The view of `x` that ops lead to, each given by its name and its attributes."""
    for name, attrs in steps:
        x = OPS[name](x, **dict(attrs))
    return x


def copy_slices_kernel(x: Any, value: Any, steps: Any) -> np.ndarray:
    y = np.array(x, order="K")
    part = region(y, steps)
    if np.may_share_memory(part, y) and part.flags.writeable:
        part[...] = value
    else:  # some step had to copy, or gives what is only read
        part = getattr(y, part_of(steps)) if part_of(steps) else y
        part.flat[region(np.arange(y.size).reshape(y.shape), apart(steps))] = value
    return y


def part_of(steps: Any) -> str:
    """The part of complex numbers that views lead to, "real" or "imag"; else nothing."""
    return next((name for name, _ in steps if name in ("real", "imag")), "")


def apart(steps: Any) -> Any:
    """The steps that tell the places of entries, whichever part of them the others tell."""
    return tuple(s for s in steps if s[0] not in ("real", "imag"))


def copy_slices_infer(x: ArrayType, value: ArrayType, steps: Any) -> ArrayType:
    part = ArrayType(x.shape, x.dtype)
    for name, attrs in steps:
        part = OPS[name].infer(part, **dict(attrs))
    if value.shape and (value.ndim != part.ndim or conflict(value.shape, part.shape)):
        raise ShapeError("copy_slices", [x, value], f"the place has the type {part}")
    return x


def copy_slices_batch(
    op: Op, xs: Sequence[Operand], batched: Any, attrs: dict[str, Any]
) -> Operand:
    """Each example's value, or what it keeps, as the places of its entries say."""
    x, value = repeated(xs, batched)
    n, *shape = shape_of(x)
    steps, places = attrs["steps"], np.full(shape, -1)
    part = region(np.arange(places.size).reshape(shape), apart(steps))
    places.flat[part] = np.arange(part.size).reshape(part.shape)
    if not part.size:
        return x
    if len(shape_of(value)) == 1:
        value = reshape(value, shape=(n, *(1,) * part.ndim))
    entries = reshape(broadcast_to(value, shape=(n, *part.shape)), shape=(n, part.size))
    taken = getitem(entries, np.maximum(places, 0), index=(FULL, "array"))
    return where(places >= 0, joined(taken, x, part_of(steps)), x)


def joined(value: AnyArray, x: AnyArray, part: str) -> AnyArray:
    """Complex numbers with `value` as the part named, and the other part of `x`; or `value`."""
    if not part:
        return value
    return complex_(value, imag(x)) if part == "real" else complex_(real(x), value)


def kept(t: AnyArray, value: AnyArray, steps: Any) -> Operand:
    """The part of a tangent or cotangent that belongs to what `value` is not put over."""
    if part_of(steps):  # where a number of Python's would be complex, as the tangent is
        return copy_slices(t, np.zeros((), type_of(value).dtype), steps=steps)
    is_all = type_of(value).size == type_of(t).size
    return zeros_like(t) if is_all else copy_slices(t, 0.0, steps=steps)


def put_there(g: AnyArray, steps: Any) -> AnyArray:
    """The part of a cotangent that belongs to what was put in place. See Note [Complex]."""
    return -region(g, steps) if part_of(steps) == "imag" else region(g, steps)


copy_slices = Op(
    name="copy_slices", kernel=copy_slices_kernel, arity=2,
    infer=copy_slices_infer,
    vjp=[lambda g, y, x, value, steps: kept(g, value, steps),
         lambda g, y, x, value, steps: put_there(g, steps)],
    jvp=[lambda t, y, x, value, steps: kept(t, value, steps),
         lambda t, y, x, value, steps: copy_slices(zeros_like(y), t, steps=steps)],
    batch=copy_slices_batch,
    samples=cases(
        reals((3, 4), (4,), steps=(("slice", (("index", (1,)),)),)),
        reals((3, 4), (), steps=(("transpose", (("axes", None),)), ("slice", (("index", (1,)),)))),
        reals((2, 6), (3,), steps=(("reshape", (("shape", (3, 4)),)),
                                  ("slice", (("index", (("slice", 0, 3, None), 2)),)))),
        beside(complexes((3, 4)), reals((4,), steps=(("slice", (("index", (1,)),)), ("imag", ())))),
        beside(complexes((3,)), reals((3,), steps=(("real", ()),))),
        reals((3,), (3,), steps=()), reals((2, 0), (0,), steps=(("slice", (("index", (1,)),)),)),
    ),
    error_samples=[
        ErrorSample([np.ones(3), np.ones(2)], {"steps": (("slice", (("index", (1,)),)),)},
                    ShapeError, "the place has the type float64[]"),
    ],
    doc="The first operand with the second at the place that a chain of views leads to.",
)
