"""Functions of `gradops.scipy.special`: SciPy's values, and derivatives of many digits."""

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.scipy import special

from .table import TABLE

scipy_special = pytest.importorskip("scipy.special")

EVERY = pytest.mark.parametrize("name", sorted(TABLE))


@EVERY
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_values_are_those_of_scipy(name):
    case = TABLE[name]
    xs = np.meshgrid(*case.grids, indexing="ij", sparse=True)
    want = getattr(scipy_special, name)(*xs)
    assert_allclose(getattr(special, name)(*xs), want, rtol=case.within, atol=case.near)


def exact_slope(f, xs, i):
    """The derivative of f in operand i, and how much it changes with it."""
    xs = [x if isinstance(x, int) else mp.mpf(x) for x in xs]
    with mp.workdps(30):
        g = lambda x: mp.extradps(50)(f)(*xs[:i], x, *xs[i + 1 :])
        first, second = mp.diff(g, xs[i]), mp.diff(g, xs[i], 2)
        return float(first), float(abs(xs[i] * second))


@EVERY
def test_derivatives_are_those_of_mpmath(name):
    case = TABLE[name]
    for point in case.points:
        point = list(point) if isinstance(point, tuple) else [point]
        for i in set(range(len(point))) - set(case.without):
            slope = dg.grad(getattr(special, name), argnums=i)(*point)
            want, change = exact_slope(case.true, point, i)
            assert abs(slope - want) <= 1e-10 * (abs(want) + change), (point, i, slope, want)


def in_operand(name, point, i):
    """A function of operand i alone, the others being fixed."""
    return lambda x: getattr(special, name)(*point[:i], x, *point[i + 1 :])


@EVERY
def test_both_modes_have_one_second_derivative(name):
    case = TABLE[name]
    for point in case.points[:1]:
        point = list(point) if isinstance(point, tuple) else [point]
        for i in set(range(len(point))) - set(case.without):
            f = in_operand(name, point, i)
            want = dg.grad(dg.grad(f))(point[i])
            assert_allclose(second_in_graph(f)(point[i]), want, rtol=1e-9, atol=1e-12)


def second_in_graph(f):
    """The second derivative of f by a compiled graph."""
    p = sg.placeholder("float64", [])
    second = sg.gradients(sg.gradients(f(p), p)[0], p)[0]
    return (lambda x: 0.0) if second is None else lambda x: sg.compile([second], [p])(x)[0]


COMPLEX = np.array([0.3 + 0.2j, -2.0 + 1.5j, 0.1 - 3.0j, 0j, 5.0 + 0j])


@pytest.mark.parametrize("name", ["erf", "erfc", "erfcx", "erfi", "dawsn", "wofz"])
def test_functions_of_complex_numbers_are_those_of_scipy(name):
    f = getattr(special, name)
    assert_allclose(f(COMPLEX), getattr(scipy_special, name)(COMPLEX), rtol=1e-13)
    slope = dg.grad(lambda x: np.real(f(x + 0.7j)))(0.4)
    h = 1e-5
    want = (f(0.4 + h + 0.7j) - f(0.4 - h + 0.7j)).real / (2 * h)
    assert_allclose(slope, want, rtol=1e-8)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_sums_of_exponentials_are_those_of_scipy(axis):
    a = np.array([[1.0, -np.inf, 800.0], [-3.0, 2.0, 0.5]])
    b = np.array([[1.0, 0.0, 2.0], [-1.0, 0.5, 3.0]])
    for name in ("logsumexp", "softmax", "log_softmax"):
        want = getattr(scipy_special, name)(a, axis=axis)
        assert_allclose(getattr(special, name)(a, axis=axis), want, rtol=1e-13)
    for got, want in zip(
        special.logsumexp(a, axis, b, return_sign=True),
        scipy_special.logsumexp(a, axis, b, return_sign=True),
        strict=True,
    ):
        assert_allclose(got, want, rtol=1e-13)


def test_a_weight_of_zero_has_a_derivative():
    a, b = np.array([1.0, 2.0]), np.array([0.0, 3.0])
    slope = dg.grad(lambda b: special.logsumexp(a, b=b))(b)
    assert_allclose(slope, np.exp(a - 2.0) / 3)


def test_counts_can_be_exact_and_repeated():
    assert special.comb(60, 30, exact=True) == scipy_special.comb(60, 30, exact=True)
    n, k = np.array([0.0, 4, 5]), np.array([0.0, 0, 3])
    assert_allclose(special.comb(n, k, repetition=True), scipy_special.comb(n, k, repetition=True))
    assert_allclose(special.multigammaln(3.3, 3), scipy_special.multigammaln(3.3, 3))


@pytest.mark.parametrize("name", ["gammasgn", "factorial", "expit", "log_expit"])
def test_lists_and_signed_zeros_are_taken_as_by_scipy(name):
    xs = [-2.5, -0.0, 0.0, 1.5, 3.0]
    assert_allclose(getattr(special, name)(xs), getattr(scipy_special, name)(xs), rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "size"), [("airy", 4), ("kelvin", 4), ("sici", 2), ("shichi", 2), ("fresnel", 2)]
)
def test_functions_with_several_results_are_those_of_scipy(name, size):
    f, xs = getattr(special, name), np.array([0.4, 1.3, 7.0])
    for i in range(size):
        assert_allclose(f(xs)[i], getattr(scipy_special, name)(xs)[i], rtol=1e-12)
        part = lambda x, i=i: np.real(f(x)[i])
        want = (part(1.3 + 1e-5) - part(1.3 - 1e-5)) / 2e-5
        assert_allclose(dg.grad(part)(1.3), want, rtol=1e-8)
        assert np.isfinite(dg.grad(dg.grad(part))(1.3))


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"])
def test_derivatives_of_bessel_functions_are_those_of_scipy(name):
    for n in (0, 1, 3):
        want = getattr(scipy_special, name)(1.5, [0.7, 4.0], n)
        assert_allclose(getattr(special, name)(1.5, [0.7, 4.0], n), want, rtol=1e-11)
    with pytest.raises(ValueError, match="from 0 on"):
        getattr(special, name)(1.5, 0.7, -1)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_spherical_functions_have_their_derivative_by_name(name):
    n, z = np.array([[0], [2]]), np.array([0.7, 4.0])
    want = getattr(scipy_special, name)(n, z, derivative=True)
    assert_allclose(getattr(special, name)(n, z, derivative=True), want, rtol=1e-12)


@pytest.mark.parametrize("k", [0, -1, 2])
def test_branches_of_lambertw_are_those_of_scipy(k):
    z = np.array([-0.3, 0.5, 2 + 1j])
    assert_allclose(special.lambertw(z, k), scipy_special.lambertw(z, k), rtol=1e-13)
    w = special.lambertw(2 + 1j, k)
    slope = dg.grad(lambda x: np.real(special.lambertw(x + 1j, k)))(2.0)
    assert_allclose(slope, (w / ((2 + 1j) * (1 + w))).real)


def test_a_derivative_in_an_order_is_refused():
    with pytest.raises(gradops.MissingRuleError, match="order"):
        dg.grad(special.jv)(1.5, 2.0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operands_at_which_scipy_searches_for_ever_give_nan():
    assert np.isnan(special.hyp1f1(2.0, 0.5, np.inf))
    assert np.isnan(special.hyp2f1(1e300, 0.5, 1e300, np.nan))
    assert_allclose(special.hyp1f1(2.0, 0.5, [np.inf, 1.0])[1], scipy_special.hyp1f1(2.0, 0.5, 1.0))


@pytest.mark.parametrize(
    ("name", "inverse"),
    [("gammainc", "gammaincinv"), ("gammaincc", "gammainccinv"), ("chdtrc", "chdtri"),
     ("stdtr", "stdtrit"), ("gdtr", "gdtrix"), ("betainc", "betaincinv"),
     ("betaincc", "betainccinv")],
)  # fmt: skip
def test_inverses_have_the_inverse_slopes(name, inverse):
    f, g = getattr(special, name), getattr(special, inverse)
    fixed = (1.7, 2.2)[: 1 if name in ("gammainc", "gammaincc", "chdtrc", "stdtr") else 2]
    assert_allclose(g(*fixed, 0.3), getattr(scipy_special, inverse)(*fixed, 0.3), rtol=1e-12)
    x = float(g(*fixed, 0.3))
    last = len(fixed)
    slope, back = (dg.grad(h, argnums=last)(*fixed, at) for h, at in ((f, x), (g, 0.3)))
    assert_allclose(slope * back, 1.0, rtol=1e-10)
    moved = dg.grad(f, argnums=0)(*fixed, x) + slope * dg.grad(g, argnums=0)(*fixed, 0.3)
    assert_allclose(moved, 0.0, atol=1e-10)


def test_nodes_of_quadratures_and_zeros_are_of_plain_numbers():
    assert_allclose(special.roots_legendre(3), scipy_special.roots_legendre(3))
    assert_allclose(special.jn_zeros(0, 2), scipy_special.jn_zeros(0, 2))
    with pytest.raises(gradops.MissingRuleError):
        dg.grad(lambda a: special.roots_jacobi(3, a, 0.5)[0].sum())(1.5)
