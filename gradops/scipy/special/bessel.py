"""Bessel functions and their relatives: aliases, derivatives by name, and those that are pairs."""

import math
from collections.abc import Callable
from typing import Any

from ...core.errors import OptionError
from ...core.op import Op
from ...library.elementwise.complexes import complex
from ...library.elementwise.scipy import bessel as library
from ...library.elementwise.scipy.bessel import iv, jv, kv, yv
from .operands import operands

__all__ = [
    "airy", "h1vp", "h2vp", "hankel1", "hankel2", "ivp", "jvp", "kelvin", "kvp", "spherical_in",
    "spherical_jn", "spherical_kn", "spherical_yn", "yvp",
]  # fmt: skip


def hankel1(v: Any, z: Any) -> Any:
    """The Hankel function of the first kind, jv + i yv, of real numbers.

    >>> bool(hankel1(0, 1.0).imag == yv(0, 1.0))
    True
    """
    v, z = operands(v, z)
    return complex(jv(v, z), yv(v, z))


def hankel2(v: Any, z: Any) -> Any:
    """The Hankel function of the second kind, jv - i yv, of real numbers."""
    v, z = operands(v, z)
    return complex(jv(v, z), -yv(v, z))


def derivative_of(name: str, f: Callable[..., Any], sign: int, factor: int = 1) -> Any:
    """SciPy's function for derivative `n` of a Bessel function `f`, a sum of orders beside.

    Each derivative is half the order before plus `sign` times half the order after, all times
    `factor`.
    """

    def derivative(v: Any, z: Any, n: int = 1) -> Any:
        if not isinstance(n, int) or n < 0:
            raise OptionError(name, [], f"n is an integer from 0 on, not {n!r}")
        v, z = operands(v, z)
        terms = [math.comb(n, k) * sign**k * f(v - n + 2 * k, z) for k in range(n + 1)]
        return sum(terms[1:], terms[0]) * (factor / 2) ** n

    derivative.__name__ = derivative.__qualname__ = name
    derivative.__doc__ = (
        f"Derivative `n` of {f.__name__ if not isinstance(f, Op) else f.name} in z."
    )
    return derivative


jvp, yvp = derivative_of("jvp", jv, -1), derivative_of("yvp", yv, -1)
ivp, kvp = derivative_of("ivp", iv, 1), derivative_of("kvp", kv, 1, factor=-1)
h1vp, h2vp = derivative_of("h1vp", hankel1, -1), derivative_of("h2vp", hankel2, -1)


def spherical(op: Op, before: int, after: int) -> Any:
    """A spherical Bessel function, or by `derivative=True` its derivative."""

    def call(n: Any, z: Any, derivative: bool = False) -> Any:
        n, z = operands(n, z)
        return library.spherical_slope(op, before, after, n, z) if derivative else op(n, z)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = f"{op.doc} With `derivative`, its derivative in z."
    return call


spherical_jn, spherical_yn, spherical_in, spherical_kn = (
    spherical(op, *signs) for op, signs in library.SPHERICAL.items()
)


def airy(z: Any) -> tuple[Any, ...]:
    """The Airy functions Ai, its derivative, Bi and its derivative, of real numbers.

    >>> [round(float(y), 6) for y in airy(0.0)]
    [0.355028, -0.258819, 0.614927, 0.448288]
    """
    (z,) = operands(z)
    parts = (library.airy_ai, library.airy_ai_slope, library.airy_bi, library.airy_bi_slope)
    return tuple(part(z) for part in parts)


def kelvin(x: Any) -> tuple[Any, ...]:
    """The Kelvin functions ber + i bei, ker + i kei, and their derivatives.

    >>> kelvin(0.0)[0].item()
    (1+0j)
    """
    (x,) = operands(x)
    pairs = (("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip"))
    return tuple(complex(getattr(library, a)(x), getattr(library, b)(x)) for a, b in pairs)
