"""Writing a value into the region of an array that a chain of views selects."""

from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import OPS, Op
from ...core.samples import beside, cases, complexes, reals
from ...core.types import ArrayType, conflict, shape_of, type_of
from ...kernels.index.indexing import FULL
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand
from ..elementwise.comparison import where
from ..elementwise.complexes import complex as complex_
from ..elementwise.complexes import imag, real
from ..families import invalid, zeros_like
from ..shape.broadcasting import broadcast_to, repeat_shared
from ..shape.movement import reshape
from .indexing import getitem

Steps = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]


def region(x: AnyArray, steps: Steps) -> Any:
    """The view of `x` through a chain of ops, each given by its name and attributes."""
    for name, attrs in steps:
        x = OPS[name](x, **dict(attrs))
    return x


def copy_slices_kernel(x: Any, value: Any, steps: Steps) -> np.ndarray:
    y = np.array(x, order="K")
    part = region(y, steps)
    if np.may_share_memory(part, y) and part.flags.writeable:
        part[...] = value
    else:  # some step had to copy, or gives what is only read
        part = getattr(y, complex_part(steps)) if complex_part(steps) else y
        part.flat[region(np.arange(y.size).reshape(y.shape), entry_steps(steps))] = value
    return y


def complex_part(steps: Steps) -> str:
    """The part of complex numbers that the views select, "real" or "imag"; else ""."""
    return next((name for name, _ in steps if name in ("real", "imag")), "")


def entry_steps(steps: Steps) -> Steps:
    """The steps that select entries, without those that select a part of complex numbers."""
    return tuple(s for s in steps if s[0] not in ("real", "imag"))


def copy_slices_infer(x: ArrayType, value: ArrayType, steps: Steps) -> ArrayType:
    part = ArrayType(x.shape, x.dtype)
    for name, attrs in steps:
        part = OPS[name].infer(part, **dict(attrs))
    if value.shape and (value.ndim != part.ndim or conflict(value.shape, part.shape)):
        raise ShapeError("copy_slices", [x, value], f"the place has the type {part}")
    return x


def copy_slices_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by flat positions: each example's value is scattered over its own entries."""
    x, value = repeat_shared(xs, batched)
    n, *shape = shape_of(x)
    steps, places = attrs["steps"], np.full(shape, -1)
    part = region(np.arange(places.size).reshape(shape), entry_steps(steps))
    places.flat[part] = np.arange(part.size).reshape(part.shape)
    if not part.size:
        return x
    if len(shape_of(value)) == 1:
        value = reshape(value, shape=(n, *(1,) * part.ndim))
    entries = reshape(broadcast_to(value, shape=(n, *part.shape)), shape=(n, part.size))
    taken = getitem(entries, np.maximum(places, 0), index=(FULL, "array"))
    return where(places >= 0, with_part(taken, x, complex_part(steps)), x)


def with_part(value: AnyArray, x: AnyArray, part: str) -> AnyArray:
    """Complex numbers with `value` as the named part of `x`; without a part, `value`."""
    if not part:
        return value
    return complex_(value, imag(x)) if part == "real" else complex_(real(x), value)


def zero_in_region(t: AnyArray, value: AnyArray, steps: Steps) -> Operand:
    """A tangent or cotangent with zeros in the region that `value` overwrites."""
    if complex_part(steps):  # where a number of Python's would be complex, as the tangent is
        return copy_slices(t, np.zeros((), type_of(value).dtype), steps=steps)
    is_all = type_of(value).size == type_of(t).size
    return zeros_like(t) if is_all else copy_slices(t, 0.0, steps=steps)


def region_cotangent(g: AnyArray, steps: Steps) -> AnyArray:
    """The cotangent in the region that `value` overwrites. See Note [Complex]."""
    return -region(g, steps) if complex_part(steps) == "imag" else region(g, steps)


copy_slices = Op(
    name="copy_slices", kernel=copy_slices_kernel, arity=2, infer=copy_slices_infer,
    vjp=[lambda g, y, x, value, steps: zero_in_region(g, value, steps),
         lambda g, y, x, value, steps: region_cotangent(g, steps)],
    jvp=[lambda t, y, x, value, steps: zero_in_region(t, value, steps),
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
        invalid((3,), (2,), steps=(("slice", (("index", (1,)),)),),
                says="the place has the type float64[]"),
    ],
    doc="The first operand with the second in the region that a chain of views selects.",
)
