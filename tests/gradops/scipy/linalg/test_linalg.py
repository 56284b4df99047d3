"""SciPy's linear algebra: its values, for every operand, and derivatives of two orders."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import LinAlgError, OptionError, ShapeError
from gradops.scipy import linalg
from gradops.testing.finite_differences import derivative

scipy_linalg = pytest.importorskip("scipy.linalg")

rng = np.random.default_rng(0)
A = rng.uniform(-1, 1, (3, 3)) + 3 * np.eye(3)
B = rng.uniform(-1, 1, (3, 2))
S = A @ A.T + np.eye(3)
Q = rng.uniform(-1, 1, (3, 3))
C = A + 1j * rng.uniform(-0.5, 0.5, (3, 3))
H = C @ C.conj().T + np.eye(3)
V, W = rng.uniform(0.5, 1, 4), rng.uniform(0.5, 1, 3)

STRUCTURES = [
    "general", "sym", "her", "pos", "diagonal", "tridiagonal", "banded", "upper triangular",
    "lower triangular",
]  # fmt: skip
BANDS = rng.uniform(-1, 1, (4, 5)) + 4 * (np.arange(4)[:, None] == 1)
HALF = rng.uniform(-1, 1, (3, 5)) + 4 * (np.arange(3)[:, None] == 2)
RIGHT = rng.uniform(-1, 1, (5, 2))
E, M = np.eye(3) + 0.2 * Q, S[:2, :2]


def lu_solve(m, a, b):
    """All ways of solving with the factors."""
    return tuple(m.lu_solve(m.lu_factor(a), b, t) for t in range(3))


def banded_factor(m, ab, b):
    """Cholesky factors of both forms, and solutions by them."""
    c = m.cholesky_banded(ab)
    return c * (np.arange(5) >= [[2], [1], [0]]), m.cho_solve_banded((c, False), b)


def banded(m, ab, b):
    """The solution with a general matrix."""
    return m.solve_banded((2, 1), ab, b)


def toeplitz_equations(m, c, r, b):
    """Solutions with a Toeplitz matrix, and products."""
    c = c + 3 * np.eye(1, 4)[0]
    return m.solve_toeplitz((c, r), b), m.matmul_toeplitz((c, r), b)


def circulant_equations(m, c, b):
    """The solution with a circulant matrix."""
    return m.solve_circulant(c + 3 * np.eye(1, 4)[0], b)


def continuous(m, a, b, q, r, e, s):
    """Riccati's continuous equation, of Hermitian weights."""
    return m.solve_continuous_are(a, b, q + q.T, r + r.T, e, s, balanced=False)


def discrete(m, a, b, q, r, e, s):
    """Riccati's discrete equation, of Hermitian weights."""
    return m.solve_discrete_are(a, b, q + q.T, r + r.T, e, s, balanced=False)


RICCATI = [(f, (A / 4, B, S, M, E, 0.1 * B), {}) for f in (continuous, discrete)]
RICCATI += [(f, (A / 4, B, S, M, None, None), {}) for f in (continuous, discrete)]
CALLS = [
    ("lu", (A,), {}), ("lu", (B,), {}), ("lu", (B.T,), {}), ("lu", (Q,), {"permute_l": True}),
    ("lu_factor", (Q,), {}), (lu_solve, (Q, B), {}), ("rq", (Q,), {}),
    ("rq", (B.T,), {"mode": "r"}), ("rq", (B,), {"mode": "economic"}),
    ("qr", (Q,), {"pivoting": True}),
    ("qr_multiply", (Q, B.T), {}), ("polar", (Q,), {}), ("polar", (B,), {}),
    ("polar", (B.T,), {"side": "left"}), ("orthogonal_procrustes", (A, Q), {}),
    ("subspace_angles", (B, A[:, :1]), {}), (banded, (BANDS, RIGHT), {}),
    ("solveh_banded", (HALF, RIGHT), {}),
    ("solveh_banded", (HALF[::-1], RIGHT[:, 0]), {"lower": True}),
    (banded_factor, (HALF, RIGHT), {}), ("eigvals_banded", (HALF,), {}),
    ("eigvalsh_tridiagonal", (V, W), {}), (toeplitz_equations, (V, V[::-1], RIGHT[:4]), {}),
    (circulant_equations, (V, V[::-1]), {}), *RICCATI,
    *[(f, (A,), {}) for f in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")],
    ("signm", (Q + 2 * np.diag([1.0, -1, 1]),), {}), ("diagsvd", (V, 4, 6), {}),
    ("fractional_matrix_power", (S, 0.7), {}), ("fractional_matrix_power", (A, -2), {}),
    ("lstsq", (B, V[:3]), {}), ("leslie", (V, W), {}), ("fiedler", (V,), {}),
    ("fiedler_companion", (np.append(V, W),), {}), ("convolution_matrix", (V, 3), {"mode": "same"}),
    *[("solve", (S, B), {"assume_a": a, "lower": k}) for a in STRUCTURES for k in (False, True)],
    ("solve", (A, V[:3]), {}), ("solve", (A, B), {"transposed": True}),
    *[
        ("solve_triangular", (A, B), {"trans": t, "lower": k, "unit_diagonal": u})
        for t in (0, 1, 2, "T") for k in (False, True) for u in (False, True)
    ],
    ("cholesky", (S,), {}), ("cholesky", (S,), {"lower": True}),
    ("inv", (A,), {}), ("det", (A,), {}), ("pinv", (B,), {}), ("pinvh", (S,), {}),
    ("norm", (A,), {}), ("norm", (A, 2), {}), ("norm", (A, 1), {"axis": 0}),
    ("eigvalsh", (S,), {}), ("eigvalsh", (S,), {"subset_by_index": (1, 2)}),
    *[("eigvalsh", (Q + Q.T, S), {"type": k, "lower": k > 1}) for k in (1, 2, 3)],
    ("svdvals", (B,), {}), ("qr", (A,), {"mode": "r"}), ("qr", (B,), {"mode": "r"}),
    ("qr", (A,), {}), ("qr", (B,), {"mode": "economic"}),
    ("expm", (A,), {}), ("expm_frechet", (A, Q), {"compute_expm": False}),
    ("sqrtm", (S,), {}), ("sqrtm", (A,), {}), ("logm", (S,), {}), ("logm", (A,), {}),
    ("solve_sylvester", (A, S[:2, :2], B), {}), ("solve_continuous_lyapunov", (A, Q), {}),
    ("solve_discrete_lyapunov", (A / 6, Q), {}),
    ("solve_discrete_lyapunov", (A / 6, Q), {"method": "bilinear"}),
    ("toeplitz", (V,), {}), ("toeplitz", (V, W), {}), ("hankel", (V,), {}), ("hankel", (V, W), {}),
    ("circulant", (V,), {}), ("companion", (V,), {}), ("block_diag", (A, B, V), {}),
    ("khatri_rao", (A, Q), {}),
]  # fmt: skip
COMPLEX = [
    *[("solve", (H, B), {"assume_a": a}) for a in STRUCTURES],
    *[("solve_triangular", (C, B), {"trans": t}) for t in (0, 1, 2)],
    ("cholesky", (H,), {}), ("inv", (C,), {}), ("det", (C,), {}), ("pinv", (C[:2],), {}),
    ("eigvalsh", (H,), {}), ("svdvals", (C,), {}), ("expm", (C,), {}), ("sqrtm", (C,), {}),
    ("logm", (C,), {}), ("solve_sylvester", (C, A + 0j, Q), {}),
    ("solve_continuous_lyapunov", (C, Q), {}), ("solve_discrete_lyapunov", (C / 6, Q), {}),
    ("toeplitz", (C[0],), {}), ("lu", (C,), {"permute_l": True}), (lu_solve, (C, B), {}),
    ("rq", (C,), {}), ("qr", (C,), {"pivoting": True}), ("polar", (C[:, :2],), {}),
    ("cosm", (C,), {}), ("tanhm", (C,), {}), ("solve_continuous_are", (C, B + 1j, H, M), {}),
    ("solveh_banded", (HALF + 0.3j * HALF[:, ::-1], RIGHT), {}),
    (banded, (BANDS + 0.5j, RIGHT), {}),
    ("eigvals_banded", (HALF + 0.3j * HALF[:, ::-1],), {}), ("lstsq", (C[:, :2], B[:, 0]), {}),
]  # fmt: skip
name = lambda case: f"{getattr(case[0], '__name__', case[0])}-{case[2]}"
every_call = pytest.mark.parametrize("case", CALLS, ids=map(name, CALLS))


def only(y):
    """A result; the one of a tuple, or all in a row."""
    if not isinstance(y, tuple):
        return y
    return y[0] if len(y) == 1 else gradops.concatenate([gradops.reshape(p, shape=-1) for p in y])


def called(m, call):
    """The function of a module, by its name or made of several."""
    return getattr(m, call) if isinstance(call, str) else partial(call, m)


def function(case):
    """The function of the operands of a case, and those that are arrays."""
    call, args, attrs = case
    count = sum(isinstance(x, np.ndarray) for x in args)
    f = lambda *xs: only(called(linalg, call)(*xs, *args[count:], **attrs))
    return f, args[:count]


def weighted(f, xs):
    """A number of which the gradient reads every entry of the result."""
    weights = np.cos(np.arange(np.size(f(*xs)))).reshape(np.shape(f(*xs)))
    return lambda *ys: gradops.sum(f(*ys) * weights)


def tape_gradients(f, xs):
    leaves = [dg.tensor(x, requires_grad=True) for x in xs]
    return [g.numpy() for g in dg.autograd.grad(f(*leaves), leaves)]


def graph_gradients(f, xs):
    with sg.Graph().as_default():
        ps = [sg.placeholder(x.dtype, x.shape) for x in xs]
        return sg.compile(sg.gradients(f(*ps), ps), ps)(*xs)


@pytest.mark.parametrize("case", CALLS + COMPLEX, ids=map(name, CALLS + COMPLEX))
def test_values_are_those_of_scipy(case):
    call, args, attrs = case
    got, want = (called(m, call)(*args, **attrs) for m in (linalg, scipy_linalg))
    for a, b in zip(*(y if isinstance(y, tuple) else (y,) for y in (got, want)), strict=True):
        assert np.shape(a) == np.shape(b)
        if (call, np.asarray(b).dtype.kind) == ("lstsq", "c") and np.ndim(b) == 0:
            b = np.real(b)  # SciPy 1.18 has complex sums of squares
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@every_call
def test_gradients_are_derivatives(case):
    f, xs = function(case)
    f = weighted(f, xs)
    for i, g in enumerate(tape_gradients(f, xs)):
        t = np.sin(1 + np.arange(xs[i].size)).reshape(xs[i].shape)
        line = lambda h, i=i, t=t: f(*xs[:i], xs[i] + h.real * t, *xs[i + 1 :])
        want, _ = derivative(line)
        # Richardson's differences have a rounding error of 1e-16 / 1e-3, and that of the function.
        assert_allclose(np.sum(g * t), want, rtol=1e-8, atol=1e-9)


@every_call
def test_forward_mode_is_the_transpose_of_reverse_mode(case):
    f, xs = function(case)
    f = weighted(f, xs)
    ts = [np.cos(2 + np.arange(x.size)).reshape(x.shape) for x in xs]
    inner = sum(np.sum(g * t) for g, t in zip(tape_gradients(f, xs), ts, strict=True))
    assert_allclose(gradops.jvp(f, xs, ts)[1], inner, rtol=1e-9, atol=1e-12)


@every_call
def test_second_derivatives_are_those_of_gradients(case):
    f, xs = function(case)
    f = weighted(f, xs)
    x, t = xs[0], np.sin(3 + np.arange(xs[0].size)).reshape(xs[0].shape)
    gradient = lambda z: tape_gradients(f, (z, *xs[1:]))[0]
    leaf = dg.tensor(x, requires_grad=True)
    (g,) = dg.autograd.grad(f(leaf, *xs[1:]), leaf, create_graph=True)
    second = np.zeros_like(x)
    if g.requires_grad:
        second = dg.autograd.grad((g * t).sum(), leaf)[0].numpy()
    want, _ = derivative(lambda h: gradient(x + h.real * t))
    assert_allclose(second, want, rtol=1e-7, atol=1e-8)


@every_call
def test_graph_and_tape_agree(case):
    f, xs = function(case)
    f = weighted(f, xs)
    if case[0] == "subspace_angles":
        pytest.skip("the rank of a matrix of a graph is not known")
    for a, b in zip(graph_gradients(f, xs), tape_gradients(f, xs), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-13)  # optimised graphs add in another order


def test_sylvesters_equation_of_a_complex_and_a_real_matrix_is_solved():
    x = linalg.solve_sylvester(C, A, Q)  # SciPy's 1.17 result is another
    assert_allclose(C @ x + x @ A, Q, atol=1e-13)


def test_factors_solve():
    assert_allclose(linalg.cho_solve(linalg.cho_factor(S), B), linalg.solve(S, B))
    scipys = scipy_linalg.cho_factor(S, lower=True)
    assert_allclose(linalg.cho_solve(scipys, B), linalg.solve(S, B))


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_generalised_eigenvectors_solve_their_problem(kind):
    w, v = linalg.eigh(Q + Q.T, S, type=kind)
    a = np.tril(Q + Q.T) + np.tril(Q + Q.T, -1).T
    left, right = {1: (a @ v, S @ v), 2: (a @ S @ v, v), 3: (S @ a @ v, v)}[kind]
    assert_allclose(left, right * w, atol=1e-10)


@pytest.mark.parametrize("call", ["solve", "inv", "det", "expm", "sqrtm", "svdvals", "eigvalsh"])
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 3, 3)])
def test_sizes_and_stacks_are_as_in_scipy(call, shape):
    x = rng.uniform(-1, 1, shape) + 3 * np.eye(shape[-1])
    args = (x, np.ones((shape[-1], 2))) if call == "solve" else (x,)
    assert_allclose(getattr(linalg, call)(*args), getattr(scipy_linalg, call)(*args), rtol=1e-9)


@pytest.mark.parametrize("call", ["inv", "svdvals", "eigvalsh", "cholesky", "pinv", "expm"])
def test_single_precision_stays(call):
    x = S.astype(np.float32)
    assert getattr(linalg, call)(x).dtype == getattr(scipy_linalg, call)(x).dtype == np.float32


@pytest.mark.parametrize("call", ["inv", "det", "svdvals", "eigvalsh", "cholesky", "pinv", "logm"])
@pytest.mark.parametrize("wrap", [np.asarray, dg.tensor], ids=["array", "tensor"])
def test_what_is_not_finite_is_refused(call, wrap):
    with pytest.raises(ValueError, match="infs or NaNs"):
        getattr(linalg, call)(wrap(np.array([[np.nan, 0], [0, 1]])))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: linalg.solve(np.zeros((2, 2)), np.ones(2)), LinAlgError, "singular"),
        (lambda: linalg.solve(np.ones((2, 3)), np.ones(2)), ShapeError, "not square"),
        (lambda: linalg.solve(A, B, assume_a="odd"), OptionError, "no structure 'odd'"),
        (lambda: linalg.solve_triangular(A, B, trans=3), OptionError, "not 3"),
        (lambda: linalg.cholesky(-np.eye(2)), LinAlgError, "not positive definite"),
        (lambda: linalg.eigh(S, subset_by_value=(0, 1)), OptionError, "subset_by_index"),
        (lambda: linalg.eigh(S, subset_by_index=(1, 3)), OptionError, "not a range in 0 to 2"),
        (lambda: linalg.lu_solve(linalg.lu_factor(A), B, 3), OptionError, "not 3"),
        (lambda: linalg.lu_solve(linalg.lu_factor(A), V), ShapeError, "3 rows, the right side 4"),
        (lambda: linalg.polar(A, "odd"), OptionError, "not 'odd'"),
        (lambda: linalg.rq(A, mode="odd"), OptionError, "not 'odd'"),
        (lambda: linalg.qr_multiply(A, B, "odd"), OptionError, "not 'odd'"),
        (lambda: linalg.solve_banded((1, 1), BANDS, RIGHT), ShapeError, "4 rows are not"),
        (lambda: linalg.solve_banded((0, 0), np.zeros((1, 3)), B), LinAlgError, "singular"),
        (lambda: linalg.eigvals_banded(HALF, select="v"), OptionError, "select='v'"),
        (lambda: linalg.solve_circulant(np.ones(3), V[:3]), LinAlgError, "singular"),
        (lambda: linalg.solve_circulant(V, V[:3]), ShapeError, "4 rows, the right side 3"),
        (lambda: linalg.solve_continuous_are(A, B, Q, M), OptionError, "Hermitian"),
        (
            lambda: linalg.solve_continuous_are(np.eye(3), 0 * B, S, M),
            LinAlgError,
            "finite solution",
        ),
        (lambda: linalg.diagsvd(V, 2, 3), ShapeError, "4 values"),
        (lambda: linalg.leslie(V, V), ShapeError, "one entry less"),
        (lambda: linalg.convolution_matrix(V, 3, "odd"), OptionError, "not 'odd'"),
        (lambda: linalg.orthogonal_procrustes(A, B), ShapeError, "one shape"),
        (lambda: linalg.fractional_matrix_power(-A, 0.5), LinAlgError, "complex"),
        (lambda: linalg.qr(A, mode="raw"), OptionError, "not 'raw'"),
        (lambda: linalg.sqrtm(np.diag([-1.0, 1])), LinAlgError, "complex"),
        (lambda: linalg.sqrtm(np.array([[0.0, 1], [0, 0]])), LinAlgError, "square root"),
        (lambda: linalg.logm(np.zeros((2, 2))), LinAlgError, "no accurate logarithm"),
        (lambda: linalg.solve_sylvester(np.eye(2), -np.eye(2), np.eye(2)), LinAlgError, "singular"),
        (lambda: linalg.companion([0.0, 1.0]), OptionError, "leading"),
        (lambda: linalg.toeplitz(A), ShapeError, "vectors"),
        (lambda: linalg.solve_discrete_lyapunov(A, Q, "odd"), OptionError, "not 'odd'"),
    ],
)
def test_errors_say_what_is_wrong(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_special_matrices_of_integers_and_of_nothing():
    for call in ("toeplitz", "hankel", "circulant"):
        for x in ([1, 2, 3], [1], []):
            got, want = (getattr(m, call)(np.array(x)) for m in (linalg, scipy_linalg))
            assert_array_equal(got, want)
    assert_array_equal(linalg.block_diag(), scipy_linalg.block_diag())
    assert_array_equal(linalg.block_diag([[1]], 2), scipy_linalg.block_diag([[1]], 2))


def test_second_derivatives_hold_where_the_first_vanish():
    target = linalg.sqrtm(S)
    loss = lambda x: gradops.sum(gradops.square(linalg.sqrtm(x) - target)) / 2
    leaf = dg.tensor(S, requires_grad=True)
    (g,) = dg.autograd.grad(loss(leaf), leaf, create_graph=True)
    second = dg.autograd.grad((g * Q).sum(), leaf)[0].numpy()
    want, _ = derivative(lambda h: tape_gradients(loss, (S + h.real * Q,))[0])
    assert_allclose(second, want, rtol=1e-7, atol=1e-9)


def test_bases_have_derivatives_of_functions_of_their_subspaces():
    """A basis is determined up to a rotation, and so is compared by its projection."""
    a = B @ B.T  # of rank 2
    for basis in (linalg.orth, linalg.null_space):
        assert_allclose(basis(a), getattr(scipy_linalg, basis.__name__)(a), atol=1e-12)
        f = lambda half, basis=basis: gradops.sum(
            gradops.cos(np.arange(9.0).reshape(3, 3)) * span(basis(half @ half.T))
        )
        t = np.sin(np.arange(6.0)).reshape(3, 2)
        (g,) = tape_gradients(f, (B,))
        want, _ = derivative(lambda h, f=f, t=t: f(B + h.real * t))
        assert_allclose(np.sum(g * t), want, rtol=1e-8)
    with sg.Graph().as_default(), pytest.raises(ShapeError, match="rank of the matrix"):
        linalg.null_space(sg.placeholder("float64", [2, 2]))


def span(q):
    """The projection on a subspace, of which the columns are a basis."""
    return q @ q.T


@pytest.mark.parametrize("equation", [continuous, discrete])
def test_solutions_of_riccatis_equations_solve_them(equation):
    a, b, q, r, e, s = A / 4, B, S + S.T, M + M.T, E, 0.1 * B
    x = equation(linalg, a, b, S, M, e, s)
    if equation is continuous:
        right = a.T @ x @ e + e.T @ x @ a + q
        weighted, inner = e.T @ x @ b + s, r
    else:
        right, weighted = a.T @ x @ a - e.T @ x @ e + q, a.T @ x @ b + s
        inner = r + b.T @ x @ b
    assert_allclose(right, weighted @ np.linalg.solve(inner, weighted.T), atol=1e-11)


def test_least_squares_of_a_small_rank_have_no_residuals():
    for a, b in ((A[:, :1] @ A[:1], V[:3]), (B.T, V[:2])):
        got, want = (m.lstsq(a, b) for m in (linalg, scipy_linalg))
        for x, y in zip(got, want, strict=True):
            assert_allclose(x, y, atol=1e-12)


def test_least_squares_of_a_graph_have_residuals_of_full_ranks():
    with sg.Graph().as_default():
        a, b = sg.placeholder("float64", [3, 2]), sg.placeholder("float64", [3])
        f = sg.compile(linalg.lstsq(a, b), [a, b])
    for got, want in zip(f(B, V[:3]), scipy_linalg.lstsq(B, V[:3]), strict=True):
        assert_allclose(got, want, atol=1e-12)
    assert np.isnan(f(np.ones((3, 2)), V[:3])[1])


def test_powers_have_derivatives_in_the_exponent():
    f = lambda t: gradops.sum(linalg.fractional_matrix_power(A, t))
    want, _ = derivative(lambda h: f(0.3 + h.real))
    assert_allclose(dg.grad(f)(0.3), want, rtol=1e-9)


def test_factorizations_of_stacks_and_unknown_sizes():
    stack = np.stack([A, Q, S])
    p, l, u = linalg.lu(stack)
    assert_allclose(p @ l @ u, stack, atol=1e-13)
    with sg.Graph().as_default():
        x, ab = sg.placeholder("float64", ["n", "n"]), sg.placeholder("float64", [3, "n"])
        b = sg.placeholder("float64", ["n", 2])
        ys = [*linalg.lu(x), linalg.lu_solve(linalg.lu_factor(x), b), linalg.solveh_banded(ab, b)]
        ys += [linalg.cholesky_banded(ab), linalg.polar(x)[1]]
        ys += sg.gradients(gradops.sum(ys[3]) + gradops.sum(ys[4]), [x, ab, b])
        f = sg.compile(ys, [x, ab, b])
    found = f(A, HALF[:, :3], B)
    assert_allclose(found[3], np.linalg.solve(A, B))
    assert_allclose(found[4], scipy_linalg.solveh_banded(HALF[:, :3], B))
    assert_allclose(found[6], scipy_linalg.polar(A)[1])
    both = lambda *xs: (
        gradops.sum(lu_solve(linalg, *xs[::2])[0]) + gradops.sum(linalg.solveh_banded(*xs[1:]))
    )
    for g, want in zip(found[7:], tape_gradients(both, (A, HALF[:, :3], B)), strict=True):
        assert_allclose(g, want, atol=1e-12)


def test_tensors_of_single_precision_go_with_arrays_of_double():
    for case in CALLS:
        f, xs = function(case)
        f = weighted(f, xs)
        for i, x in enumerate(xs):
            leaf = dg.tensor(x.astype(np.float32), requires_grad=True)
            y = f(*xs[:i], leaf, *xs[i + 1 :])
            scale = 1 + abs(f(*xs))
            assert_allclose(y.detach().numpy(), f(*xs), atol=0.01 * scale)  # of ill-posed ones, too
            (g,) = dg.autograd.grad(y, leaf, allow_unused=True)
            assert g is None or g.dtype == leaf.dtype


def test_stacks_of_bands_and_factors_are_as_in_scipy():
    bands, half, right = (np.stack([x, 2 * x + np.cos(x)]) for x in (BANDS, HALF, RIGHT))
    half = half * (np.arange(5) >= np.array([[2], [1], [0]]))
    stack = np.stack([A, Q + 2 * A])
    for f in (
        lambda m: m.solve_banded((2, 1), bands, right), lambda m: m.solveh_banded(half, right),
        lambda m: m.cholesky_banded(half), lambda m: m.eigvals_banded(half),
        lambda m: m.lu(stack), lambda m: m.lu_factor(stack), lambda m: m.polar(stack),
        lambda m: m.lu_solve(m.lu_factor(stack), np.stack([B, B]), 1), lambda m: m.cosm(stack),
        lambda m: m.qr(stack, pivoting=True), lambda m: m.lstsq(stack[..., :2], V[:3]),
        lambda m: m.solve_continuous_are(stack, np.stack([B, B]), S, M),
    ):  # fmt: skip
        got, want = f(linalg), f(scipy_linalg)
        several = isinstance(want, tuple | list)
        for a, b in zip(*((got, want) if several else ((got,), (want,))), strict=True):
            assert_allclose(a, b, atol=1e-10)
