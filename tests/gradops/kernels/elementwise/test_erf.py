"""The error function: how accurate it is, where it saturates, and what it does with arrays."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gradops.kernels.elementwise.erf import erf

# x and erf(x) to 50 digits, by mpmath; the worst entries found are near half a cell, 2**-11.
KNOWN = [
    (2.0**-1060, "9.1339715697844596124475544309535659388110887933751e-320"),
    (1e-300, "1.1283791670955126021723160763043650576181100906267e-300"),
    (1e-8, "0.00000001128379167095512559892101762943353613755649619283"),
    (2.0**-12, "0.00027548318961831864401462578208951578916905474423083"),
    (2.0**-11, "0.00055096634639648425410963522115401026761630153870713"),
    (0.00052, "0.00058675711400329146817821688582384693873274649591029"),
    (0.001, "0.0011283787909692364034375641393714896418234990768826"),
    (0.01, "0.011283415555849617150777135328163037648977392384066"),
    (0.1, "0.11246291601828489840471225101430406172339251850582"),
    (0.25, "0.27632639016823693298506826776481571206535397789231"),
    (0.5, "0.52049987781304653768274665389196452873645157575796"),
    (0.84375, "0.76722566123234163345897816027413986045013779653013"),
    (1.0, "0.8427007929497148693412206350826092592960669979663"),
    (1.25, "0.92290012825645823013652348119728114042360143870223"),
    (1.5, "0.96610514647531072706697626164594785868141047925764"),
    (2.0, "0.99532226501895273416206925636725292861089179704006"),
    (2.857142857142857, "0.9999466876886116772057293341547359978138942955028"),
    (3.5, "0.99999925690162765858725447631624390436427933990783"),
    (4.0, "0.99999998458274209971998114784032651311595142785475"),
    (5.0, "0.99999999999846254020557196514981165651461662110988"),
    (5.75, "0.99999999999999957678633825742623740532801472810284"),
    (5.9, "0.99999999999999992809590216449522275143672055782419"),
]

# Magnitudes down to the subnormal ones, and the line up to where erf is 1.
GRID = np.concatenate([np.geomspace(1e-310, 1e-3, 20001), np.linspace(0, 6.5, 100001)])

both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def ulps(found, expected):
    """How far `found` is from `expected`, in units of its last place."""
    return np.max(np.abs(found - expected) / np.spacing(np.abs(found)))


@pytest.mark.parametrize(("x", "digits"), KNOWN)
def test_is_within_an_ulp_and_a_half_of_the_known_digits(x, digits):
    y = erf(np.float64(x))
    assert abs(Fraction(float(y)) - Fraction(digits)) <= 1.5 * Fraction(float(np.spacing(y)))


def test_agrees_with_the_c_library():
    assert ulps(erf(GRID), [math.erf(x) for x in GRID]) <= 3  # 1.5 of ours, and what libm may add


def test_float32_is_within_two_ulps():
    # The second interval holds the worst of all entries, which is 1.78 off.
    for ends in [(2**-30, 2**-13), (2**-13, 2**-10), (2**-10, 4.5)]:
        x = np.linspace(*ends, 400_001, dtype=np.float32)
        assert ulps(erf(x), erf(x.astype(np.float64))) <= 2


@both_dtypes
def test_is_odd(dtype):
    x = np.geomspace(1e-30, 7, 100_001, dtype=dtype)
    assert np.array_equal(erf(-x), -erf(x))


@both_dtypes
def test_never_decreases(dtype):
    assert np.all(np.diff(erf(np.linspace(-6.5, 6.5, 1_000_001, dtype=dtype))) >= 0)


@both_dtypes
def test_is_one_from_the_end_of_the_table_on(dtype):
    x = np.array([6, 7, 1e10, np.finfo(dtype).max, np.inf], dtype)
    assert np.all(erf(x) == 1)


@both_dtypes
def test_passes_nan_and_signed_zero_on(dtype):
    y = erf(np.array([np.nan, 0.0, -0.0], dtype))
    assert np.array_equal(y, np.array([np.nan, 0.0, -0.0]), equal_nan=True)
    assert np.array_equal(np.signbit(y[1:]), [False, True])


@both_dtypes
def test_no_entry_signals_a_floating_point_error(dtype):
    limits = np.finfo(dtype)
    x = np.array([limits.smallest_subnormal, limits.tiny, 1, limits.max, np.inf, np.nan], dtype)
    with np.errstate(all="raise"):
        assert erf(x)[0] == x[0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (5,), (2, 3)])
def test_shape_and_dtype_are_those_of_the_operand(dtype, shape):
    y = erf(np.ones(shape, dtype))
    assert (y.shape, y.dtype) == (shape, dtype)


@pytest.mark.parametrize("x", [1, True, [0, 1], np.arange(3), np.zeros(2, np.uint8)])
def test_integers_give_float64(x):
    assert erf(x).dtype == np.float64


def test_complex_entries_are_refused():
    with pytest.raises(TypeError, match="complex128"):
        erf(1j)


def test_an_entry_gives_the_same_in_any_array():
    x = np.random.default_rng(0).normal(size=(300, 200))
    y = erf(x)
    assert np.array_equal(erf(x.T[::-2]), y.T[::-2])
    assert all(erf(x[i, j]) == y[i, j] for i, j in [(0, 0), (81, 183), (81, 184), (299, 199)])


@both_dtypes
def test_out_receives_the_result_and_may_be_the_operand(dtype):
    x = np.linspace(-3, 3, 40_000, dtype=dtype)
    expected = erf(x)
    out = np.empty((40_000, 2), dtype)[:, 1]
    assert erf(x, out=out) is out
    assert np.array_equal(out, expected)
    assert erf(x, out=x) is x
    assert np.array_equal(x, expected)


def test_out_may_overlap_the_operand():
    x = np.linspace(-3, 3, 40_000)
    expected = erf(x[:-1])
    erf(x[:-1], out=x[1:])
    assert np.array_equal(x[1:], expected)


def test_out_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="broadcast"):
        erf(np.ones(3), out=np.empty(2))
