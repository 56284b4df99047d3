"""The matrix exponential, by scaling and squaring with Padé approximants.

Note [Scaling]. A matrix is halved until its norm is so small that the approximant of the highest
degree is exact to rounding; the result is squared as often. Lower degrees suffice for small norms.
The bounds are those of N. Higham, The scaling and squaring method for the matrix exponential
revisited (2005), for double and for single precision.
"""

from functools import cache
from math import factorial
from typing import Any

import numpy as np

from ..linalg.linalg import ROUTINES, dtype_of

DOUBLE = {
    3: 1.495585217958292e-2,
    5: 2.539398330063230e-1,
    7: 9.504178996162932e-1,
    9: 2.097847961257068,
    13: 5.371920351148152,
}
SINGLE = {3: 4.258730016922831e-1, 5: 1.880152677804762, 7: 3.925724783138660}


def matrix_exp(x: np.ndarray) -> np.ndarray:
    """The exponential of each matrix of a stack, with the degree that the largest norm needs."""
    dtype = dtype_of(x)
    if x.shape[-1] != x.shape[-2]:
        raise ValueError("the matrix is not square")  # type inference has the words for the user
    x = x.astype(dtype, copy=False)
    bounds = SINGLE if dtype.char in "fF" else DOUBLE
    with np.errstate(all="ignore"):
        norms = np.abs(x).sum(-2).max(-1, initial=0)
        largest = norms.max(initial=0)
        for degree, bound in bounds.items():
            if largest <= bound:
                return approximant(x, degree)
        halvings = np.ceil(np.log2(norms / bound))
        halvings = np.where(np.isfinite(halvings), np.maximum(halvings, 0), 0)
        scale = np.exp2(-halvings).astype(norms.dtype)
        return square_repeatedly(approximant(x * scale[..., None, None], degree), halvings)


def square_repeatedly(y: np.ndarray, times: Any) -> np.ndarray:
    """Each matrix squared as often as `times` says."""
    for k in range(int(times.max(initial=0))):
        more = times > k
        if more.all():
            y = y @ y
        else:
            y[more] = y[more] @ y[more]
    return y


@cache
def coefficients(degree: int) -> list[float]:
    """The coefficients of the polynomial from the lowest power, relative to the highest."""
    f = factorial
    return [f(2 * degree - j) / (f(degree - j) * f(j)) for j in range(degree + 1)]


def approximant(x: np.ndarray, degree: int) -> np.ndarray:
    """The Padé approximant: a quotient of polynomials in x and -x, by even and odd parts."""
    c = coefficients(degree)
    one = np.eye(x.shape[-1], dtype=x.dtype)
    powers = [one, x @ x]  # of the square
    while len(powers) < (4 if degree == 13 else (degree + 1) // 2):
        powers.append(powers[-1] @ powers[1])
    odd = sum(c[2 * j + 1] * p for j, p in enumerate(powers))
    even = sum(c[2 * j] * p for j, p in enumerate(powers))
    if degree == 13:  # the higher powers are multiples of the highest one there is
        odd = odd + powers[3] @ sum(c[2 * j + 7] * powers[j] for j in (1, 2, 3))
        even = even + powers[3] @ sum(c[2 * j + 6] * powers[j] for j in (1, 2, 3))
    odd = x @ odd
    return ROUTINES.solve(even - odd, even + odd)
