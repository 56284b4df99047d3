"""Special functions in both packages: identities, singular points, and life without SciPy."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import special
from gradops.kernels.elementwise import scipy_kernels

BORROWED = ["gamma", "gammainc", "gammaincc", "betainc"]


def slope(f, *at):
    """The gradient of a function of numbers on the tape."""
    xs = [dg.tensor(x, requires_grad=True, dtype="float64") for x in at]
    with np.errstate(all="ignore"):
        return [g.item() for g in dg.autograd.grad(f(*xs), xs)]


def test_functions_that_invert_each_other():
    x = np.linspace(-3, 3, 31)
    np.testing.assert_allclose(G.erfinv(G.erf(x)), x, rtol=1e-11)
    np.testing.assert_allclose(G.ndtri(G.ndtr(x)), x, rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(G.logit(G.sigmoid(x)), x, rtol=1e-14, atol=1e-16)


def test_polygamma_is_the_derivative_of_the_one_before():
    x = np.array([0.3, 1.7, 9.0])
    for n in range(4):
        _, t = G.jvp(lambda x, n=n: G.polygamma(n, x), [x], [np.ones(3)])
        np.testing.assert_allclose(t, G.polygamma(n + 1, x), rtol=1e-13)


@pytest.mark.parametrize("n", [-1, 0.5, "1"])
def test_an_order_that_is_none_is_refused(n):
    with pytest.raises(G.OptionError, match="integer from 0 on"):
        G.polygamma(n, 1.0)
    with pytest.raises(G.OptionError, match="integer from 1 on"):
        special.multigammaln(3.0, n)


def test_composites_agree_with_scipy():
    theirs = pytest.importorskip("scipy.special")
    x, y = np.array([0.4, 2.0, 7.5]), np.array([1.3, 0.2, 4.0])
    for name, args in {
        "beta": (x, y), "betaln": (x, y), "multigammaln": (x + 2, 3), "polygamma": (3, x),
        "log_expit": (x - 3,), "expit": (x,), "psi": (x,),
    }.items():  # fmt: skip
        found, expected = (getattr(lib, name)(*args) for lib in (special, theirs))
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_a_derivative_for_which_there_is_no_formula_is_refused():
    a, x = dg.tensor(2.0, requires_grad=True), dg.tensor(0.5, requires_grad=True)
    with pytest.raises(G.MissingRuleError, match=r"has no d/ds rule(?s:.*)custom_gradient"):
        special.zeta(a, x).backward()
    special.zeta(a.detach(), x).backward()
    assert x.grad is not None
    p, q = sg.placeholder("float32", []), sg.placeholder("float32", [])
    with pytest.raises(G.MissingRuleError):
        sg.gradients(special.zeta(p, q), [p])
    sg.gradients(special.zeta(p, q), [q])


def test_the_incomplete_gamma_functions_are_differentiated_in_both_operands_to_any_order():
    a, x = np.array([0.4, 3.0, 30.0]), np.array([0.1, 4.0, 25.0])
    f = lambda s: G.gammainc(a + s, x - 0.5 * s)
    h = 1e-3
    derivatives = G.jet(f, (np.float64(0.0),), ([np.float64(1.0), 0.0, 0.0],))[1]
    third = (f(2 * h) - 2 * f(h) + 2 * f(-h) - f(-2 * h)) / (2 * h**3)
    np.testing.assert_allclose(derivatives[2], third, rtol=1e-3, atol=1e-6)


def test_nothing_is_infinite_at_the_end_of_the_gamma_distribution():
    assert slope(G.gammainc, 2.0, 0.0) == [0, 0]
    assert slope(G.gammainc, 1.0, 0.0) == [0, 1]


@pytest.fixture
def no_scipy(monkeypatch):
    """SciPy cannot be imported, and no kernel of it was found before."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    scipy_kernels.scipy_function.cache_clear()
    yield
    scipy_kernels.scipy_function.cache_clear()


@pytest.mark.parametrize("name", BORROWED)
def test_graphs_are_built_without_scipy_and_a_run_says_what_to_install(name, no_scipy):
    f = getattr(special, name)
    with sg.Graph().as_default():
        xs = [sg.placeholder("float32", ["n"]) for _ in range(f.arity)]
        y = f(*xs)
        assert y.type == G.ArrayType(xs[0].shape, "float32")
        (g,) = sg.gradients(y, xs[-1:])
        assert g.type == y.type
        run = sg.compile(y, xs)
        with pytest.raises(ImportError, match=rf"{name} needs SciPy(?s:.*)staticgrad\[scipy\]"):
            run(*[np.ones(2, np.float32)] * f.arity)
    with pytest.raises(G.MissingExtraError):
        f(*[1.0] * f.arity)


def test_own_kernels_need_no_scipy(no_scipy):
    x = dg.tensor([0.3, 0.6], requires_grad=True)
    for name in set(special.__all__) - {*BORROWED, "beta", "betaln", "multigammaln", "polygamma"}:
        f = getattr(special, name)
        y = f(x) if getattr(f, "arity", 1) == 1 else f(2.0, x)
        y.sum().backward()


def test_half_floats_stay_half_floats():
    x = np.array([0.25, 0.5], np.float16)
    for name in ("i0", "gamma", "erfc", "gammaln", "logit", "entr"):
        y = getattr(special, name)(x)
        assert y.dtype == np.float16
        wide = getattr(special, name)(x.astype(np.float64))
        np.testing.assert_allclose(y, wide, rtol=1e-3)


def test_names_of_pytorch():
    x = dg.tensor([0.3, 0.6])
    for ours, other in {
        "lgamma": "gammaln", "digamma": "psi", "igamma": "gammainc", "igammac": "gammaincc",
    }.items():  # fmt: skip
        of_one = ours in ("lgamma", "digamma")
        args = (x,) if of_one else (x, x)
        assert dg.equal(getattr(dg, ours)(*args), getattr(dg.special, other)(*args))
        assert dg.equal(getattr(x, ours)(*args[1:]), getattr(dg.special, other)(*args))
    assert dg.equal(x.polygamma(2), dg.polygamma(2, x))
    assert dg.equal(x.mvlgamma(1), x.lgamma())
    assert (
        dg.logit(dg.tensor([0.0, 1.0]), eps=0.25).tolist()
        == dg.logit(dg.tensor([0.25, 0.75])).tolist()
    )
    y = x.clone()
    assert dg.equal(y.erfinv_(), x.erfinv())


def test_names_of_tensorflow():
    a, b = np.array([0.3, 0.6]), np.array([2.0, 3.0])
    with sg.Graph().as_default():
        x, y = sg.constant(a), sg.constant(b)
        found = sg.compile(
            [
                sg.lgamma(x), sg.digamma(x=x), sg.polygamma(1, x), sg.zeta(y, q=x),
                sg.igamma(a=y, x=x), sg.igammac(y, x), sg.betainc(y, y, x), sg.erfc(x),
                sg.erfinv(x), sg.ndtri(x), sg.xlogy(x, y), sg.bessel_i0(x), sg.lbeta(y),
            ],
            [],
        )()  # fmt: skip
    want = [
        G.gammaln(a), G.digamma(a), G.polygamma(1, a), G.zeta(b, a), G.gammainc(b, a),
        G.gammaincc(b, a), G.betainc(b, b, a), G.erfc(a), G.erfinv(a), G.ndtri(a), G.xlogy(a, b),
        G.i0(a), G.betaln(*b),
    ]  # fmt: skip
    for got, expected in zip(found, want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-15)


def test_logit_of_unsigned_integers_does_not_wrap_around():
    assert np.array_equal(G.logit(np.uint8([0, 1, 3])), [-np.inf, np.inf, np.nan], equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("f", "above", "below"),
    [(G.erfc, 0, 2), (G.ndtr, 1, 0), (G.erfcx, None, np.inf), (G.log_ndtr, 0, -np.inf)],
)
def test_the_tails_reach_as_far_as_there_are_floats(f, above, below, dtype):
    x = np.geomspace(1e3, np.finfo(dtype).max / 8, 300).astype(dtype)
    assert not np.isnan(f(np.concatenate([x, -x]))).any()
    assert above is None or (f(x) == above).all()
    assert f(-x[-1:]) == below


def test_polygamma_is_finite_just_below_its_pole_at_zero():
    assert_allclose(G.polygamma(1, np.array([-1e-25, -1e-3, 1e-25])), [1e50, 1000001.6, 1e50], 1e-6)


def test_beta_of_negative_numbers_has_its_sign():
    assert_allclose(special.beta(-0.5, 1.2), -2.5074612496344137)
    assert_allclose(special.beta(-1.5, -0.7), special.beta(-0.7, -1.5))
    assert special.beta(-1.5, -0.7) > 0


def test_betaln_of_large_numbers_does_not_cancel():
    assert_allclose(special.betaln(1e10, 2.0), -2 * np.log(1e10), rtol=1e-10)
    assert_allclose(slope(special.betaln, 1e10, 2.0)[0], -2e-10, rtol=1e-9)
