"""Comparisons, and ops that select entries by them."""

from typing import Any

import numpy as np

from ...core.samples import beside, binary, booleans, cases, distinct, exactly, reals
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes, type_of
from ...typing import AnyArray, OperandLike
from ..families import discrete, elementwise, selection
from .logic import isnan, logical_not

__all__ = [
    "clamp", "clip", "equal", "fmax", "fmin", "greater", "greater_equal", "heaviside", "less",
    "less_equal", "maximum", "minimum", "not_equal", "where",
]

equal = discrete(
    "equal", np.equal, samples=binary, onnx="Equal", doc="Whether two entries are equal.",
)
not_equal = discrete("not_equal", np.not_equal, samples=binary, doc="Whether two entries differ.")
less = discrete(
    "less", np.less, samples=binary,
    onnx="Less", doc="Whether the first entry is less than the second.",
)
less_equal = discrete(
    "less_equal", np.less_equal, samples=binary,
    onnx="LessOrEqual", doc="Whether the first entry is at most the second.",
)
greater = discrete(
    "greater", np.greater, samples=binary,
    onnx="Greater", doc="Whether the first entry is greater than the second.",
)
greater_equal = discrete(
    "greater_equal", np.greater_equal, samples=binary,
    onnx="GreaterOrEqual", doc="Whether the first entry is at least the second.",
)


BITS = {np.dtype("f4"): np.dtype("u4"), np.dtype("f8"): np.dtype("u8")}


def masked_kernel(condition: Any, x: Any, out: Any = None) -> Any:
    """x where the condition holds, else 0; on bits if possible, branch-free and exact for NaN."""
    bits = BITS.get(x.dtype) if type(x) is type(condition) is np.ndarray else None
    if bits is None or condition.shape != x.shape or condition.dtype != bool:
        y = np.where(condition, x, np.zeros((), np.asarray(x).dtype))
        if out is None:
            return y
        np.copyto(out, y)
        return out
    if out is not None:
        np.multiply(x.view(bits), condition, out=out.view(bits))
        return out
    y = condition.astype(bits)
    return np.multiply(x.view(bits), y, out=y).view(x.dtype)


masked = elementwise(
    "masked", masked_kernel, d=[None, None], scalar="({1} if {0} else 0.0)",
    traits=[Trait.CORRECTLY_ROUNDED, Trait.MOVING, Trait.UNROUNDED],
    vjp=[None, lambda g, y, c, x: masked(c, g)], jvp=[None, lambda t, y, c, x: masked(c, t)],
    infer=lambda c, x: ArrayType(broadcast_shapes("masked", [c, x]), x.dtype),
    samples=cases(
        beside(booleans((3, 4)), reals((3, 4))), beside(booleans((3, 1)), reals((4,))),
        beside(booleans(()), reals((2,))), beside(booleans(()), reals(())),
    ),
    doc="The second operand where the first is true, else 0.",
)
where = elementwise(
    "where", np.where, d=[None, None, None],
    traits=[Trait.CORRECTLY_ROUNDED, Trait.MOVING, Trait.UNROUNDED],
    vjp=[None, lambda g, y, c, a, b: masked(c, g), lambda g, y, c, a, b: masked(logical_not(c), g)],
    jvp=[None, lambda t, y, c, a, b: masked(c, t), lambda t, y, c, a, b: masked(logical_not(c), t)],
    source="np.where({0}, {1}, {2})", scalar="({1} if {0} else {2})",
    samples=cases(
        beside(booleans((3, 4)), reals((3, 4), (3, 4))),
        beside(booleans((3, 1)), reals((4,), ())),
        beside(booleans(()), reals((2,), (2,))),
    ),
    onnx="Where", doc="The second operand where the first is true, else the third.",
)


def split_ties(v: AnyArray, yields: Any, ties: AnyArray) -> AnyArray:
    """`v`, but 0 where `yields` holds, and half of it at ties."""
    return where(yields, masked(ties, v / 2), v)


def extremum(name: str, kernel: np.ufunc, yields: Any, **facets: object) -> Any:
    """An op for the larger or smaller of two entries; equal entries share the derivative.

    `yields(a, b)` is true where a is not the only result; NaN does not yield.
    """
    rules = [
        lambda v, y, a, b: split_ties(v, yields(a, b), equal(a, b)),
        lambda v, y, a, b: split_ties(v, yields(b, a), equal(a, b)),
    ]
    return elementwise(
        name, kernel, d=[None, None], vjp=rules, jvp=rules,
        source=f"np.{name}({{0}}, {{1}}{{out}})", traits=[Trait.CORRECTLY_ROUNDED, Trait.UNROUNDED],
        samples=cases(distinct((3, 4), (4,)), reals((3, 1), (1, 4)), exactly([1.0, 2], [3.0, 1])),
        **facets,
    )


maximum = extremum("maximum", np.maximum, less_equal, onnx="Max", doc="The larger of two entries.")
minimum = extremum(
    "minimum", np.minimum, greater_equal, onnx="Min", doc="The smaller of two entries.",
)


def nan_ignoring_extremum(name: str, kernel: np.ufunc, wins: Any, doc: str) -> Any:
    """An op for the larger or smaller of two entries, ignoring NaN; of equal entries the first."""
    first = lambda y, a, b: wins(a, b) | isnan(b)
    return selection(
        name, kernel, masks=[first, lambda y, a, b: logical_not(first(y, a, b))],
        samples=cases(distinct((3, 4), (4,)), exactly([1.0, np.nan], [np.nan, 1.0])), doc=doc,
    )


fmax = nan_ignoring_extremum(
    "fmax", np.fmax, greater_equal, doc="The larger of two entries, or the one that is not NaN.",
)
fmin = nan_ignoring_extremum(
    "fmin", np.fmin, less_equal, doc="The smaller of two entries, or the one that is not NaN.",
)
heaviside = elementwise(
    "heaviside", np.heaviside, d=[0, lambda y, x, value: equal(x, 0)], samples=binary,
    doc="0 below zero, 1 above it, and the second operand at zero.",
)

clamp = selection(
    "clamp", lambda x, lo, hi, out=None: np.clip(x, lo, hi, out=out),
    masks=[
        lambda y, x, lo, hi: greater_equal(x, lo) & less_equal(x, hi),
        lambda y, x, lo, hi: less(x, lo) & less(lo, hi),
        lambda y, x, lo, hi: greater(x, hi) | (less_equal(hi, lo) & less(x, lo)),
    ],
    source="np.clip({0}, {1}, {2}{out})", samples=beside(distinct((3, 4)), exactly(-1.03, 1.03)),
    doc="Each entry clipped to bounds, the other operands; the derivative at both is 1.",
)


def limits_of(dtype: np.dtype) -> tuple[Any, Any]:
    """The smallest and the largest value of a dtype, infinities included."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return limits.min, limits.max
    return (False, True) if dtype.kind == "b" else (-np.inf, np.inf)


def clip(x: OperandLike, min: Any = None, max: Any = None) -> Any:
    """`x` with its entries kept between `min` and `max`, either of which may be None.

    The derivative in `x` is 1 between the bounds and at both of them.

    >>> clip(np.array([-2.0, 0.5, 2.0]), 0, 1)
    array([0. , 0.5, 1. ])
    """
    dtype = type_of(x).dtype
    low, high = limits_of(dtype)
    return clamp(x, low if min is None else min, high if max is None else max)
