"""Exponentials and logarithms to other bases, and logarithms of sums."""

import math
from typing import Any

import numpy as np

from ...core.samples import binary, cases, complexes, positive, unary
from ...core.traits import Trait
from ..families import elementwise, singular
from ..nn.activation import sigmoid
from .comparison import equal, where
from .logic import isinf

__all__ = ["exp2", "log10", "log2", "logaddexp", "logaddexp2"]

exp2 = elementwise(
    "exp2", np.exp2, d=[lambda y, x: y * math.log(2)], traits=[Trait.NONNEGATIVE], samples=unary,
    doc="2 to the power of each entry.",
)
log2 = elementwise(
    "log2", np.log2, d=[singular(lambda y, x: 1 / (x * math.log(2)))],
    samples=cases(positive((3, 4)), complexes((3,))),
    doc="The logarithm to base 2.",
)
log10 = elementwise(
    "log10", np.log10, d=[singular(lambda y, x: 1 / (x * math.log(10)))],
    samples=cases(positive((3, 4)), complexes((3,))),
    doc="The logarithm to base 10.",
)


def lead(a: Any, b: Any) -> Any:
    """a - b, which is 0 also of equal infinities; of other equals it has its derivatives."""
    return where(isinf(a) & equal(a, b), 0, a - b)


logaddexp = elementwise(
    "logaddexp", np.logaddexp,
    d=[lambda y, a, b: sigmoid(lead(a, b)), lambda y, a, b: sigmoid(lead(b, a))],
    samples=binary,
    doc="log(exp(x) + exp(y)), without overflow.",
)
logaddexp2 = elementwise(
    "logaddexp2", np.logaddexp2,
    d=[
        lambda y, a, b: sigmoid(lead(a, b) * math.log(2)),
        lambda y, a, b: sigmoid(lead(b, a) * math.log(2)),
    ],
    samples=binary,
    doc="log2(2**x + 2**y), without overflow.",
)
