"""Rounding, floor division and remainders, and neighbouring floats."""

from typing import Any

import numpy as np

from ...core.samples import beside, cases, complexes, distinct, exactly, integers, reals, unary
from ...core.types import is_complex, type_of
from ...typing import AnyArray
from ..families import elementwise, singular
from .comparison import equal, masked, where
from .complexes import complex, imag, real
from .logic import isfinite, isnan

__all__ = [
    "ceil", "floor", "floor_divide", "fmod", "nan_to_num", "nextafter", "remainder", "round",
    "trunc",
]

steps = beside(distinct((3, 4)), exactly([0.71, -1.3, 0.9, 2.0]))
floor_divide = elementwise(
    "floor_divide", np.floor_divide, d=[0, 0], samples=steps,
    doc="The quotient rounded down; its derivative is 0.",
)
remainder = elementwise(
    "remainder", np.remainder, d=[1, singular(lambda y, a, b: -floor_divide(a, b))], samples=steps,
    doc="The remainder of floor division; it has the divisor's sign.",
)
fmod = elementwise(
    "fmod", np.fmod, d=[1, singular(lambda y, a, b: -trunc(a / b))], samples=steps,
    doc="The remainder of division rounded towards zero; it has the dividend's sign.",
)


def round_kernel(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """`np.rint`, but integers stay integers."""
    return (np.positive if np.asarray(x).dtype.kind in "iu" else np.rint)(x, out=out)


whole = cases(unary, integers((3,)))
floor = elementwise(
    "floor", np.floor, d=[0], samples=whole, onnx="Floor", doc="Each entry rounded down.",
)
ceil = elementwise("ceil", np.ceil, d=[0], samples=whole, onnx="Ceil", doc="Each entry rounded up.")
trunc = elementwise("trunc", np.trunc, d=[0], samples=whole, doc="Each entry rounded towards zero.")
round = elementwise(
    "round", round_kernel, d=[0], samples=whole,
    source=lambda x: f"np.{'positive' if x.dtype.kind in 'iu' else 'rint'}({{0}}{{out}})",
    onnx="Round", doc="Each entry rounded to the nearest integer, halves to the even one.",
)
nextafter = elementwise(
    "nextafter", np.nextafter, d=[1, 0], samples=distinct((3, 4), (4,)),
    doc="The next float after the first entry towards the second.",
)


def where_finite(v: AnyArray, x: AnyArray) -> AnyArray:
    """`v`, but 0 where `x` is not finite; separately for real and imaginary parts."""
    if not is_complex(type_of(x).dtype):
        return masked(isfinite(x), v)
    return complex(where_finite(real(v), real(x)), where_finite(imag(v), imag(x)))


finite_rule = lambda v, y, x, nan, posinf, neginf: where_finite(v, x)
def nan_to_num_formula(x: AnyArray, nan: float, posinf: Any, neginf: Any) -> AnyArray:
    if type_of(x).dtype.kind != "f":
        return x
    limits = np.finfo(type_of(x).dtype)
    y = where(isnan(x), nan, where(equal(x, np.inf), limits.max if posinf is None else posinf, x))
    return where(equal(x, -np.inf), limits.min if neginf is None else neginf, y)


nan_to_num = elementwise(
    "nan_to_num",
    lambda x, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, True, nan, posinf, neginf),
    d=[None], vjp=[finite_rule], jvp=[finite_rule], infer=lambda x, nan, posinf, neginf: x,
    samples=cases(unary, complexes((3,)), integers((3,)), reals((3,), nan=2.0, posinf=3.0)),
    doc="The entries with numbers for NaN and infinities; by default 0 and the largest floats.",
    formula=nan_to_num_formula,
)
