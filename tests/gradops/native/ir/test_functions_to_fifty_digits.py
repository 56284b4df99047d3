"""Functions in machine code beside 50 digits, and their coefficients, computed anew."""

import importlib
import pkgutil

import numpy as np
import pytest

pytest.importorskip("llvmlite")
pytest.importorskip("mpmath", reason="50 digits need mpmath, of the extra dev")

import mpmath
from mpmath import mp, mpf

from gradops.native import transcendental
from gradops.native.ir.functions import FUNCTIONS

from .coefficients import TABLES, coefficients
from .function_loops import arguments, compiled, ulps, values

REFERENCES = {
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "exp2": lambda x: mpf(2) ** x,
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "pow": mpmath.power,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
}
SMALL = [5e-324, 1e-320, 1e-310, 2.2250738585072014e-308, 1e-45, 1e-40, 1e-39, 1.1754944e-38]
"""Subnormal numbers of both sizes, and the smallest normal ones."""


@pytest.fixture(scope="module")
def code():
    """Loops over arrays for all functions and dtypes."""
    return compiled()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_at_most_two_ulp(code, name, dtype):
    xs = [x[::17].copy() for x in arguments(name, dtype, 7000)]
    if len(xs) == 1 and name != "acosh":
        small = np.array(SMALL).astype(dtype)
        xs = [np.concatenate([xs[0], small[small > 0]])]
    y, _ = values(code, name, *xs)
    with mp.workdps(50):
        f = REFERENCES.get(name) or getattr(mpmath, name)
        want = [f(*map(mpf, map(float, entries))) for entries in zip(*xs, strict=True)]
        errors = [mpf(float(a)) - b for a, b in zip(y, want, strict=True)]
        units = ulps(np.array(want, dtype=float), dtype)
        worst = max(abs(e) / mpf(float(u)) for e, u in zip(errors, units, strict=True))
    assert worst <= 2


def tables():
    """The tables of coefficients, by name."""
    for found in pkgutil.iter_modules(transcendental.__path__):
        module = importlib.import_module(f"{transcendental.__name__}.{found.name}")
        yield from ((name, table) for name, table in vars(module).items() if name in TABLES())


@pytest.mark.parametrize(("name", "table"), dict(tables()).items())
def test_coefficients_are_those_of_the_polynomial_through_chebyshevs_nodes(name, table):
    sizes = table if isinstance(table, dict) else {4: table, 8: table}
    for size, found in sizes.items():
        assert found == coefficients(name, size)
