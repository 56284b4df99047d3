"""Relatives of the error function, of real and of complex numbers."""

from collections.abc import Callable
from typing import Any

from ...core.op import Op
from ...core.types import type_of
from ...library.elementwise import exponential, special
from ...library.elementwise.scipy import error_functions as library
from ...library.elementwise.scipy.error_functions import fresnel_c, fresnel_s
from .operands import operands

__all__ = ["dawsn", "erf", "erfc", "erfcx", "erfi", "fresnel", "wofz"]


def by_kind(real: Op, complex: Op) -> Callable[[Any], Any]:
    """A function of one operand that is an op on real numbers and another one on complex ones."""

    def call(x: Any) -> Any:
        (x,) = operands(x)
        return complex(x) if type_of(x).dtype.kind == "c" else real(x)

    call.__name__ = call.__qualname__ = real.name
    call.__doc__ = real.doc
    return call


erf = by_kind(exponential.erf, library.complex_erf)
erfc = by_kind(special.erfc, library.complex_erfc)
erfcx = by_kind(special.erfcx, library.complex_erfcx)
erfi = by_kind(library.erfi, library.complex_erfi)
dawsn = by_kind(library.dawsn, library.complex_dawsn)
wofz = library.wofz


def fresnel(x: Any) -> tuple[Any, Any]:
    """The Fresnel integrals of sin(pi t**2 / 2) and of cos(pi t**2 / 2), from 0 to x.

    >>> [round(float(y), 6) for y in fresnel(1.0)]
    [0.438259, 0.779893]
    """
    return fresnel_s(x), fresnel_c(x)
