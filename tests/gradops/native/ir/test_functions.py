"""Functions in machine code: errors in ULP beside extended precision, and special values."""

import math

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from gradops.native.ir.functions import FUNCTIONS, PAIRS, arity_of
from gradops.native.ir.scalars import NOTING, OWN

from .function_loops import UFUNCS, arguments, compiled, ulps, values

SPECIAL = [
    0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0, 3.0, -3.0, np.inf, -np.inf, np.nan,
    1e-300, -1e-300, 1e-310, 1e-40, 5e-324, -5e-324, 2.2250738585072014e-308, 1.1754944e-38, 1e300,
    -1e300, 1.7e308, -1.7e308, 1e-8, -1e-8, 700.0, 709.9, 710.4, -710.4, 710.5, 711.0, -745.2,
    -746.5, 88.8, 89.41, -89.41, 89.42, 89.5, -103.9, -104.5, 3e38, -3e38, 1024.0, -1074.0, -1075.0,
    128.0, 127.9, -149.0, -150.0, 2.0**53, 2.0**53 + 2, -(2.0**24), 2.0**24 + 2,
]  # fmt: skip
every_dtype = pytest.mark.parametrize("dtype", ["f4", "f8"])
every_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(scope="module")
def code():
    """Loops over arrays for all functions and dtypes."""
    return compiled()


def reference(name, *xs):
    """NumPy's values, or those of the module `math`, in the dtype of the operands."""
    if name in ("erf", "erfc"):
        return np.vectorize(getattr(math, name), [xs[0].dtype])(xs[0])
    if name == "sigmoid":
        return np.where(xs[0] >= 0, 1, np.exp(xs[0])) / (1 + np.exp(-np.abs(xs[0])))
    if name == "softplus":
        return np.maximum(xs[0], 0) + np.log1p(np.exp(-np.abs(xs[0])))
    return getattr(np, UFUNCS.get(name, name))(*xs)


@every_dtype
@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - {"erf", "erfc"}))
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="no extended precision here")
def test_errors_are_at_most_two_ulp(code, name, dtype):
    xs = arguments(name, dtype, 20_000)
    y, gave_up = values(code, name, *xs)
    with np.errstate(under="ignore"):
        want = reference(name, *[x.astype(np.longdouble) for x in xs])
    assert not gave_up
    assert np.max(np.abs((y - want) / ulps(want, dtype))) <= 2


@every_dtype
@every_function
def test_special_values_are_numpys(code, name, dtype):
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL).astype(dtype)
        if name in NOTING:
            x = x[~(np.abs(x) > 1000)]
        xs = [x] if arity_of(name) == 1 else [np.repeat(x, x.size), np.tile(x, x.size)]
        want = reference(name, *xs)
    y, gave_up = values(code, name, *xs)
    assert not gave_up
    np.testing.assert_array_equal(np.signbit(y[want == 0]), np.signbit(want[want == 0]))
    tiny = np.finfo(dtype).smallest_subnormal
    np.testing.assert_allclose(y, want, 4 * np.finfo(dtype).eps, tiny)


@every_dtype
@every_function
def test_results_do_not_depend_on_the_place_in_an_array(code, name, dtype):
    xs = [x[:997] for x in arguments(name, dtype, 1000)]
    whole, _ = values(code, name, *xs)
    one_by_one = [values(code, name, *[x[i : i + 1] for x in xs])[0] for i in range(len(whole))]
    shifted, _ = values(code, name, *[x[3:].copy() for x in xs])
    assert np.concatenate(one_by_one).tobytes() == whole.tobytes()
    assert shifted.tobytes() == whole[3:].tobytes()


@pytest.mark.parametrize("name", sorted(NOTING - {*PAIRS}))
def test_large_arguments_are_left_to_numpy(code, name):
    assert values(code, name, np.array([1.0, 1e300]))[1]
    assert values(code, name, np.array([np.inf, 1.0]))[1]


def test_the_functions_that_scalars_know_are_defined():
    assert {*FUNCTIONS, *PAIRS} == OWN
