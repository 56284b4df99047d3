"""Logical and bitwise ops, shifts, and tests of single entries."""

import numpy as np

from ...core.samples import beside, booleans, cases, complexes, exactly, integers, unary
from ..families import discrete

__all__ = [
    "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "invert", "isfinite", "isinf", "isnan", "logical_and", "logical_not", "logical_or",
    "logical_xor", "signbit",
]

bits = cases(booleans((3, 4), (4,)), integers((3,), (3,)))
shifts = beside(integers((3, 4)), exactly([0, 1, 2, 3]))
tested = cases(unary, complexes((3,)), exactly([0.0, np.inf, -np.inf, np.nan]))

logical_and = discrete(
    "logical_and", np.logical_and, samples=booleans((3, 4), (4,)),
    doc="Whether both entries are true.",
)
logical_or = discrete(
    "logical_or", np.logical_or, samples=booleans((3, 4), (4,)),
    doc="Whether at least one entry is true.",
)
logical_xor = discrete(
    "logical_xor", np.logical_xor, samples=booleans((3, 4), (4,)),
    doc="Whether just one entry is true.",
)
logical_not = discrete(
    "logical_not", np.logical_not, arity=1, samples=booleans((3, 4)),
    doc="Whether the entry is false.",
)
bitwise_and = discrete(
    "bitwise_and", np.bitwise_and, samples=bits, doc="Bitwise and; for truth values, logical and.",
)
bitwise_or = discrete(
    "bitwise_or", np.bitwise_or, samples=bits, doc="Bitwise or; for truth values, logical or.",
)
bitwise_xor = discrete(
    "bitwise_xor", np.bitwise_xor, samples=bits,
    doc="Bitwise exclusive or; for truth values, whether they differ.",
)
bitwise_left_shift = discrete(
    "bitwise_left_shift", np.left_shift, samples=shifts,
    doc="The first entry with its bits shifted left by the second.",
)
bitwise_right_shift = discrete(
    "bitwise_right_shift", np.right_shift, samples=shifts,
    doc="The first entry with its bits shifted right by the second.",
)
invert = discrete(
    "invert", np.invert, arity=1, samples=cases(booleans((3, 4)), integers((3,))),
    doc="Bitwise not; for truth values, logical not.",
)
isnan = discrete("isnan", np.isnan, arity=1, samples=tested, doc="Whether an entry is NaN.")
isinf = discrete(
    "isinf", np.isinf, arity=1, samples=tested, doc="Whether an entry is infinite, of either sign.",
)
isfinite = discrete(
    "isfinite", np.isfinite, arity=1, samples=tested,
    doc="Whether an entry is neither infinite nor NaN.",
)
signbit = discrete(
    "signbit", np.signbit, arity=1, samples=cases(unary, exactly([0.0, -0.0, -np.inf])),
    doc="Whether an entry has its sign bit set; a zero may have it, too.",
)
