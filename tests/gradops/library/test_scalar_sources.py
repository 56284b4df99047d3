"""Source of ops on Python's floats, beside the kernels at special values."""

import itertools
import math

import numpy as np
import pytest

from gradops import OPS

SPECIAL = [
    0.0, -0.0, 0.25, 0.5, -0.5, 1.0, -1.0, 1 / 3, -1 / 3, 1.5, 2.0, -2.0, 3.0, 1e-20, 1e20, 800.0,
    -800.0, 1e308, -1e308, 5e-324, -5e-324, np.inf, -np.inf, np.nan,
]  # fmt: skip
ULP = 8  # the bound of the pass that uses these sources
OPS_WITH_SOURCE = sorted((op for op in OPS.values() if op.scalar), key=str)


def function_of(op):
    names = ["a", "b", "c"][: op.arity]
    return eval(f"lambda {', '.join(names)}: {op.scalar.format(*names)}", {"math": math})


def operands(op):
    first = [True, False] if op.name in ("where", "masked") else SPECIAL
    few = SPECIAL if op.arity < 3 else SPECIAL[::4]
    return itertools.product(first, *[few] * (op.arity - 1))


def is_close(got, wanted):
    if math.isnan(wanted) or math.isinf(wanted) or math.isnan(got):
        return np.array_equal(got, wanted, equal_nan=True)
    near = abs(got - wanted) <= ULP * math.ulp(wanted)
    return near and math.copysign(1, got) == math.copysign(1, wanted)


@pytest.mark.parametrize("op", OPS_WITH_SOURCE, ids=str)
def test_source_on_floats_has_the_kernels_values_or_raises(op):
    f = function_of(op)
    with np.errstate(all="ignore"):
        for xs in operands(op):
            try:
                got = f(*xs)
            except (ArithmeticError, ValueError):
                continue  # the executable runs on arrays
            wanted = np.asarray(op.kernel(*map(np.asarray, xs))).item()
            assert is_close(got, wanted), (xs, got, wanted)
