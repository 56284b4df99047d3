"""Factorisations of any matrix, and what is found by way of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import linalg
from gradops.kernels.linalg import factors
from gradops.testing.finite_differences import along, derivative

rng = np.random.default_rng(0)
SHAPES = [(3, 3), (4, 2), (2, 4), (2, 3, 2), (0, 3), (3, 0), (1, 1)]


def drawn(shape, kind="float64"):
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if kind[0] == "c" else 0)
    return x.astype(kind)


def gradient(f, x):
    """The gradient of the sum of `f(x)`."""
    x = dg.tensor(x, requires_grad=True)
    return dg.autograd.grad(f(x).sum(), x)[0].numpy()


def same(got, want):
    for a, b in zip(got, want, strict=True):
        assert_array_equal(a, b)
        assert a.dtype == b.dtype


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["float64", "complex128", "float32", "complex64"])
def test_numbers_are_numpys(shape, kind):
    x = drawn(shape, kind)
    for full in (True, False):
        same(linalg.svd(x, full), np.linalg.svd(x, full))
    assert_array_equal(linalg.svdvals(x), np.linalg.svdvals(x))
    for mode in ("reduced", "complete"):
        same(linalg.qr(x, mode), np.linalg.qr(x, mode))
    if x.size:
        assert_array_equal(linalg.matrix_rank(x), np.linalg.matrix_rank(x))
        assert_array_equal(linalg.pinv(x), np.linalg.pinv(x, rtol=None))


@pytest.mark.parametrize("kind", ["float64", "complex128", "float32", "complex64"])
def test_eigenvalues_are_numpys_but_always_complex(kind):
    x = drawn((2, 3, 3), kind)
    for got, want in zip(linalg.eig(x), np.linalg.eig(x), strict=True):
        assert_array_equal(got, want)
        assert got.dtype == np.result_type(want, np.complex64)
    assert_array_equal(linalg.eigvals(x), np.linalg.eigvals(x))
    assert linalg.eig(np.eye(2)).eigenvalues.dtype == np.complex128


@pytest.mark.parametrize(("m", "n"), [(4, 2), (2, 4), (3, 3)])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_least_squares_are_numpys(m, n, shape):
    a, b = drawn((m, n)), drawn((m, *shape))
    found, want = linalg.lstsq(a, b), np.linalg.lstsq(a, b)
    assert_array_equal(found.solution, want[0])
    assert_allclose(found.residuals, want[1], rtol=1e-10)
    assert found.rank == want[2]
    assert_allclose(found.singular_values, want[3], rtol=1e-13)


def test_least_squares_of_a_stack():
    a, b = drawn((5, 4, 2)), drawn((4, 3))
    found = linalg.lstsq(a, b)
    assert_allclose(found.solution[3], np.linalg.lstsq(a[3], b)[0], rtol=1e-12)
    assert_array_equal(found.rank, [2] * 5)


def test_least_squares_of_as_many_rows_as_are_fed():
    a, b = sg.placeholder("float64", [None, 2]), sg.placeholder("float64", [None])
    x = linalg.lstsq(a, b).solution
    run = sg.compile([x, *sg.gradients(x, [a, b])], [a, b])
    xs = drawn((7, 2)), drawn(7)
    found, *_ = run(*xs)
    assert_allclose(found, np.linalg.lstsq(*xs)[0])


@pytest.mark.parametrize("rcond", [None, 0.2])
@pytest.mark.parametrize("shape", [(7, 2), (2, 7), (3, 3)])
def test_ranks_of_least_squares_of_unknown_sizes(shape, rcond):
    a, b = sg.placeholder("float64", [None, None]), sg.placeholder("float64", [None])
    run = sg.compile(linalg.lstsq(a, b, rcond=rcond).rank, [a, b])
    for x in (
        drawn(shape),
        np.ones(shape),
        np.zeros(shape),
        np.eye(*shape) * [1e-17, *[1] * (shape[1] - 1)],
    ):
        assert run(x, np.ones(shape[0])) == np.linalg.lstsq(x, np.ones(shape[0]), rcond)[2]


def invariant_svd(x):
    u, s, vh = linalg.svd(x, full_matrices=False)
    y = (u * G.sin(s)) @ vh
    return G.real(y) + G.imag(y)


def invariant_eig(x):
    w, v = linalg.eig(x)
    y = (v * G.exp(w)) @ linalg.inv(v)
    return G.real(y) + G.imag(y)


INVARIANT = {
    "svd": (invariant_svd, [(3, 3), (4, 2), (2, 3)]),
    "one singular vector": (lambda x: G.abs(linalg.svd(x)[0][:2, 0]) ** 2, [(3, 3)]),
    "eig": (invariant_eig, [(3, 3)]),
    "one eigenvector": (lambda x: G.abs(linalg.eig(x)[1][:2, 0]) ** 2, [(3, 3)]),
    "eigvals": (lambda x: G.abs(linalg.eigvals(x)) ** 2, [(3, 3)]),
}


@pytest.mark.parametrize(
    ("f", "shape"),
    [pytest.param(f, s, id=f"{n}-{s}") for n, (f, ss) in INVARIANT.items() for s in ss],
)
@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_what_does_not_depend_on_phases_has_its_derivatives(f, shape, kind):
    x, t, u = (drawn(shape, kind) for _ in range(3))
    inner = lambda a, b: np.real(np.conj(a) * b).sum()
    slope, tolerance = derivative(along(lambda x: np.sum(f(x)), [x], {0: t}))
    assert_allclose(inner(gradient(f, x), t), slope, rtol=10 * tolerance)
    assert_allclose(G.jvp(lambda x: G.sum(f(x)), [x], [t])[1], slope, rtol=10 * tolerance)
    want, _ = derivative(along(lambda x: inner(gradient(f, x), t), [x], {0: u}))
    got = G.jvp(lambda x: G.jvp(f, [x], [t])[1].sum(), [x], [u])[1]
    assert_allclose(got, want, rtol=1e-5)


def test_repeated_singular_values_have_gradients_if_vectors_are_not_used():
    for f in (linalg.svdvals, lambda x: linalg.svd(x).S):
        assert_allclose(gradient(f, np.eye(3)), np.eye(3), atol=1e-15)


@pytest.mark.parametrize("f", [linalg.svd, linalg.svdvals, linalg.eig, linalg.eigvals, linalg.pinv])
def test_what_is_not_finite_is_refused(f):
    x = np.stack([np.eye(2), np.diag([1.0, np.inf])])
    with pytest.raises(G.LinAlgError, match="infinite or no numbers: number 1 of the stack"):
        f(x)


def test_vectors_that_are_not_determined_have_no_derivative():
    x = dg.tensor(drawn((3, 2)), requires_grad=True)
    with pytest.raises(G.MissingRuleError, match="full_matrices=False"):
        linalg.svd(x).U.sum().backward()
    with pytest.raises(G.MissingRuleError, match="mode='reduced'"):
        linalg.qr(x, mode="complete").Q.sum().backward()


def test_sizes_that_are_not_known_are_an_error_where_the_smaller_is_needed():
    with pytest.raises(G.ShapeError, match="is the smaller is not known"):
        linalg.svd(sg.placeholder("float64", [None, 2]), full_matrices=False)


def test_routines_of_an_early_numpy_are_found(monkeypatch):
    class Early:
        svd_m_s, svd_n_s = "wide", "tall"

    monkeypatch.setattr(factors, "ROUTINES", Early)
    assert factors.routine("svd", 2, 3, "_s") == "wide"
    assert factors.routine("svd", 3, 2, "_s") == "tall"


@pytest.mark.parametrize("norm", [1e-3, 0.1, 0.5, 1.5, 4, 12])
def test_exponentials_are_sums_of_powers(norm):
    x = drawn((3, 3))
    x *= norm / np.abs(x).sum(0).max()
    total = term = np.eye(3)
    for k in range(1, 200):
        term = term @ x / k
        total = total + term
    error = np.abs(linalg.matrix_exp(x) - total).max()
    assert error < 1e-12 * np.exp(norm)  # the sum itself cancels so much
    assert_allclose(linalg.matrix_exp(np.stack([x, x / 7]))[0], linalg.matrix_exp(x), rtol=1e-12)


def test_exponentials_of_extremes():
    assert_array_equal(linalg.matrix_exp(np.zeros((2, 2))), np.eye(2))
    assert np.isnan(linalg.matrix_exp(np.diag([np.nan, 1]))).all()
    assert_array_equal(np.diag(linalg.matrix_exp(np.eye(2) * 1000.0)), [np.inf] * 2)
    assert linalg.matrix_exp(np.eye(2, dtype=int)).dtype == np.float64


def test_derivatives_of_the_exponential_in_long_directions_have_all_digits():
    x, t, u = (drawn((3, 3)) for _ in range(3))
    first = lambda x, t: G.jvp(linalg.matrix_exp, [x], [t])[1]
    assert_allclose(first(x, 1e9 * t) / 1e9, first(x, t), rtol=1e-11)
    second = lambda t: G.jvp(lambda x: first(x, t), [x], [1e6 * u])[1]
    assert_allclose(second(1e9 * t) / 1e9, second(t), rtol=1e-10)


@pytest.mark.parametrize("f", [
    linalg.pinv, lambda x: linalg.qr(x).R,
    lambda x: linalg.lstsq(x, np.ones((3, 1))).solution,
], ids=["pinv", "qr", "lstsq"])  # fmt: skip
def test_a_perfect_fit_has_its_hessian(f):
    at = np.array([[2.0, 0.3], [0.1, 1.5], [0.4, -0.2]])
    target = f(at)
    loss = lambda v: G.sum((f(v.reshape(3, 2)) - target) ** 2)
    slope, v, h = dg.grad(loss), at.ravel(), 1e-5
    columns = [(slope(v + h * e) - slope(v - h * e)) / (2 * h) for e in np.eye(6)]
    assert np.abs(columns).max() > 0.1
    assert_allclose(dg.func.hessian(loss)(v), np.stack(columns), atol=1e-7)
    x = sg.placeholder("float64", [6])
    (found,) = sg.compile([sg.hessian(loss(x), x)], [x])(v)
    assert_allclose(found, np.stack(columns), atol=1e-7)


@pytest.mark.parametrize("x", [np.zeros((2, 2)), np.zeros((3, 2)), np.diag([0.0, 1.0])])
def test_the_cotangent_of_a_singular_qr_is_nan_and_zero_where_nothing_reads_it(x):
    r = lambda weight: gradient(lambda x: dg.linalg.qr(x).R * weight, x)
    assert np.isnan(r(1.0)).all()
    assert not r(0.0).any()
