"""Quotients of exponentials and logarithms that are smooth at 0."""

from typing import Any

from ...core.samples import cases, reals
from ...kernels.elementwise import exprel as kernels
from ...typing import AnyArray
from ..families import elementwise
from .arithmetic import abs
from .comparison import less, where
from .exponential import log1p
from .scipy.family import float_infer

__all__: list[str] = []

exprel = elementwise(
    "exprel", kernels.exprel, infer=float_infer("exprel"),
    d=[lambda y, x, n: exprel(x, n=n + 1)], samples=cases(reals((3, 4)), reals((4,), n=2)),
    doc="(exp(x) - 1) / x, also near 0, or its derivative of order n.",
)
NEAR = 0.03
SERIES = [(-1) ** k / (k + 1) for k in range(14)]  # its third derivative is exact to 1e-14


def log1prel(x: AnyArray) -> Any:
    """log(1 + x) / x, also near 0."""
    is_near = less(abs(x), NEAR)
    near, far = where(is_near, x, 0.0), where(is_near, 1.0, x)
    total: Any = SERIES[-1]
    for c in SERIES[-2::-1]:
        total = total * near + c
    return where(is_near, total, log1p(far) / far)
