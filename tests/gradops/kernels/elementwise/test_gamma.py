"""gammaln, digamma and zeta: accuracy, poles and roots."""

from fractions import Fraction

import numpy as np
import pytest

from gradops.kernels.elementwise import gamma as K

# x and f(x) to 22 digits, by mpmath; near the roots at 1, 2 and 1.46 all digits count.
KNOWN = {
    K.gammaln: [
        (1e-300, "690.7755278982137051803"), (1e-09, "20.7232658363691954298"),
        (0.3, "1.095797994818075560563"), (0.5, "0.5723649429247000870717"),
        (0.99, "0.005854806764709781453188"), (1.0000001, "-5.772155829918507096964e-8"),
        (1.5, "-0.1207822376352452223455"), (1.9999, "-0.00004227520877215345801134"),
        (2.00001, "0.000004227875597648359596892"), (3.7, "1.4280723266653881292"),
        (7.99, "8.505011606088481105728"), (8.5, "9.549267257300997711737"),
        (100.25, "360.2845596377642349684"), (1e10, "220258509288.81058147"),
        (1e200, "4.595170185988091228652e+202"), (-0.5, "1.265512123484645396489"),
        (-3.3, "-0.824355805017426460151"),
    ],
    K.digamma: [
        (1e-09, "-1000000000.577215600975"), (0.3, "-3.502524222200133124915"),
        (0.5, "-1.963510026021423479441"), (0.99, "-0.5937863040555951592594"),
        (1.4, "-0.06138454458511623680064"), (1.4616321449683622, "-9.241265521729427516792e-17"),
        (1.4616, "-0.00003110625123034164965756"), (1.5, "0.03648997397857652055902"),
        (2.0, "0.4227843350984671393935"), (3.7, "1.167153539361511440948"),
        (7.99, "2.014309222046223799509"), (8.5, "2.080090817579420121403"),
        (100.25, "4.602671243274712559077"), (1e10, "23.02585092989045684018"),
        (-0.5, "0.03648997397857652055902"), (-3.3, "3.620353460592125785729"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "x", "digits"),
    [(f, x, digits) for f, rows in KNOWN.items() for x, digits in rows],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_is_within_a_few_ulps_of_the_known_digits(kernel, x, digits):
    y, ulps = kernel(np.float64(x)), 4 if x > 0 else 64  # below 0 the formula of reflection cancels
    assert abs(Fraction(float(y)) - Fraction(digits)) <= ulps * Fraction(float(np.spacing(abs(y))))


@pytest.mark.parametrize("kernel", KNOWN, ids=lambda f: f.__name__)
def test_float32_is_within_three_ulps_also_near_roots(kernel):
    near = [r + np.linspace(-0.02, 0.02, 5001) for r in (1, 1.4616321449683622, 2)]
    x = np.concatenate([*near, np.geomspace(1e-30, 1e30, 5001), np.linspace(0.1, 20, 5001)])
    x = x.astype(np.float32)
    found, expected = kernel(x), kernel(x.astype(np.float64))
    assert found.dtype == np.float32
    assert np.max(np.abs(found - expected) / np.spacing(np.maximum(np.abs(found), 1e-30))) < 3


def test_poles_and_extremes():
    x = np.array([0.0, -0.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 1.0, 2.0])
    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(K.gammaln(x), [inf, inf, inf, inf, inf, inf, nan, 0, 0])
    np.testing.assert_array_equal(K.digamma(x)[:7], [-inf, inf, nan, nan, inf, nan, nan])


@pytest.mark.parametrize("name", ["gammaln", "digamma"])
def test_agrees_with_scipy(name):
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.geomspace(1e-300, 1e3, 3001), np.linspace(0.1, 20, 3001)])
    found, expected = getattr(K, name)(x), getattr(special, name)(x)
    assert np.all(np.abs(found - expected) < 2e-15 * (1 + np.abs(expected)))
    below = -np.linspace(0.05, 19.95, 1000)
    found, expected = getattr(K, name)(below), getattr(special, name)(below)
    assert np.all(np.abs(found - expected) < 1e-12 * (1 + np.abs(expected)))


@pytest.mark.parametrize("s", [1.001, 1.5, 2, 3.0, 7, 30.5])
def test_zeta_agrees_with_scipy(s):
    special = pytest.importorskip("scipy.special")
    q = np.geomspace(1e-5, 1e4, 1001)
    np.testing.assert_allclose(K.zeta(s, q), special.zeta(s, q), rtol=5e-15)


@pytest.mark.parametrize("s", [2, 3])
def test_zeta_of_negative_numbers_is_the_finite_sum_and_the_rest(s):
    q = np.array([-0.5, -3.25, -17.7])
    for one in q:
        shifted = one + np.arange(20)
        want = np.sum(shifted[shifted < 0.0] ** -s) + K.zeta(s, shifted[shifted > 0][0])
        np.testing.assert_allclose(K.zeta(s, one), want, rtol=1e-12)
    assert np.isnan(K.zeta(2.5, q)).all()


def test_zeta_at_its_extremes():
    inf, nan = np.inf, np.nan
    q = np.array([0.0, -1, inf, nan])
    np.testing.assert_array_equal(K.zeta(2.0, q), [inf, inf, 0, nan])
    np.testing.assert_array_equal(
        K.zeta(np.array([1, 0.5, -1, nan, inf]), 2.0), [inf, nan, nan, nan, 0]
    )


def test_zeta_promotes_like_arithmetic():
    assert K.zeta(2, np.float32(3)).dtype == np.float32
    assert K.zeta(2, 3).dtype == K.zeta(np.arange(2), np.float32(1)).dtype == np.float64
    with pytest.raises(TypeError, match="complex"):
        K.zeta(2, 1j)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gammaln_is_infinite_at_poles_however_far(dtype):
    x = np.array([-1, -2, -1e6, -np.finfo(dtype).max, -np.finfo(dtype).max / 8, -np.inf], dtype)
    with np.errstate(all="ignore"):
        assert (K.gammaln(x) == np.inf).all()
