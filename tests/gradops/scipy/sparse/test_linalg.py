"""Solutions of sparse equations: SciPy's values, derivatives by all that they depend on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import ConvergenceWarning, OptionError, ShapeError
from gradops.core.tracer_protocol import held
from gradops.scipy import sparse
from gradops.scipy.sparse import linalg
from gradops.testing.finite_differences import derivative

of_scipy = pytest.importorskip("scipy.sparse.linalg")
scipy_sparse = pytest.importorskip("scipy.sparse")

rng = np.random.default_rng(0)
N = 9
PLACES = scipy_sparse.random_array((N, N), density=0.3, rng=rng) + 5 * scipy_sparse.eye_array(N)
PLACES = PLACES.tocoo()
B, D = rng.normal(size=N), rng.normal(size=N)
SPD = (PLACES @ PLACES.T).tocsr() / 10 + scipy_sparse.eye_array(N)
METHODS = ["cg", "gmres", "bicgstab", "cgs", "minres", "lgmres", "tfqmr"]


def plain(x):
    return x.detach().numpy()


def place(data):
    return scipy_sparse.coo_array((data, PLACES.coords), PLACES.shape)


def solved(data, b):
    return linalg.spsolve(sparse.coo_array((data, PLACES.coords), PLACES.shape), b)


def test_direct_solutions_have_derivatives_of_two_orders():
    leaves = [dg.tensor(v, requires_grad=True) for v in (PLACES.data, B)]
    x = solved(*leaves)
    assert_allclose(plain(x), of_scipy.spsolve(PLACES.tocsc(), B), rtol=1e-10)
    f = lambda data, b: gradops.sum(solved(data, b) ** 2)
    grads = dg.autograd.grad(f(*leaves), leaves, create_graph=True)
    ts = [np.cos(np.arange(v.size)) for v in (PLACES.data, B)]
    along = lambda h: [v + h.real * t for v, t in zip((PLACES.data, B), ts, strict=True)]

    def direct(h):
        data, b = along(h)
        return float((of_scipy.spsolve(place(data).tocsc(), b) ** 2).sum())

    slope = sum((g * t).sum() for g, t in zip(grads, ts, strict=True))
    assert_allclose(slope.item(), derivative(direct)[0], rtol=1e-8)
    assert_allclose(gradops.jvp(f, [PLACES.data, B], ts)[1], slope.item(), rtol=1e-10)
    second = dg.autograd.grad(slope, leaves)

    def gradient(h):
        new = [dg.tensor(v, requires_grad=True) for v in along(h)]
        return [g.numpy() for g in dg.autograd.grad(f(*new), new)]

    for i in range(2):
        want, _ = derivative(lambda h, i=i: gradient(h)[i])
        assert_allclose(plain(second[i]), want, rtol=1e-7, atol=1e-8)


def test_factors_and_right_sides():
    b = dg.tensor(B, requires_grad=True)
    factors = linalg.splu(PLACES.tocsc())
    for trans, a in (("N", PLACES), ("T", PLACES.T)):
        want = of_scipy.spsolve(a.tocsc(), B)
        assert_allclose(factors.solve(B, trans), want, rtol=1e-10)
        assert_allclose(plain(factors.solve(b, trans)), want, rtol=1e-10)
    (grad,) = dg.autograd.grad(linalg.factorized(PLACES.tocsc())(b).sum(), b)
    assert_allclose(grad.numpy(), of_scipy.spsolve(PLACES.T.tocsc(), np.ones(N)), rtol=1e-10)
    many = dg.tensor(rng.normal(size=(N, 3)), requires_grad=True)
    assert_allclose(plain(linalg.spsolve(PLACES.tocsc(), many)),
                    of_scipy.spsolve(PLACES.tocsc(), plain(many)), rtol=1e-10)  # fmt: skip


def test_singular_matrices_say_so():
    data = dg.tensor([1.0, 0.0], dtype=dg.float64, requires_grad=True)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        linalg.spsolve(sparse.coo_array((data, ([0, 1], [0, 1]))), np.ones(2))


@pytest.mark.parametrize("name", METHODS)
def test_solutions_by_products_have_derivatives_of_two_orders(name):
    solve = getattr(linalg, name)

    def f(k, b):
        x, _ = solve(lambda v: SPD @ v + k * v, b, rtol=1e-12)
        return gradops.sum(x**2)

    k, b = (dg.tensor(v, dtype=dg.float64, requires_grad=True) for v in (2.0, B))
    dense = SPD.toarray() + 2 * np.eye(N)
    x = np.linalg.solve(dense, B)
    by_k, by_b = dg.autograd.grad(f(k, b), [k, b], create_graph=True)
    assert_allclose(by_b.detach().numpy(), 2 * np.linalg.solve(dense, x), rtol=1e-8)
    assert_allclose(by_k.item(), -2 * x @ np.linalg.solve(dense, x), rtol=1e-8)
    (second,) = dg.autograd.grad(by_k, k)
    y = np.linalg.solve(dense, x)
    assert_allclose(second.item(), 2 * y @ y + 4 * x @ np.linalg.solve(dense, y), rtol=1e-7)
    _, tangent = gradops.jvp(lambda b: f(np.float64(2.0), b), [B], [D])
    assert_allclose(tangent, 2 * np.linalg.solve(dense, x) @ D, rtol=1e-8)


@pytest.mark.parametrize("name", METHODS)
def test_kinds_of_operators_agree(name):
    solve, want = getattr(linalg, name), np.linalg.solve(SPD.toarray(), B)
    b = dg.tensor(B, requires_grad=True)
    operator = linalg.LinearOperator((N, N), lambda v: SPD @ v)
    ours = sparse.csr_array((dg.tensor(SPD.data), SPD.indices, SPD.indptr), SPD.shape)
    same = linalg.aslinearoperator(SPD)
    theirs = of_scipy.aslinearoperator(SPD)
    for a in (SPD, SPD.toarray(), operator, lambda v: SPD @ v, same, ours, theirs):
        x, info = solve(a, b, rtol=1e-11)
        assert info == 0
        assert_allclose(plain(x), want, rtol=1e-7)
        x, info = solve(a, B, rtol=1e-11)
        assert info == 0
        assert_allclose(held(x), want, rtol=1e-7)


@pytest.mark.parametrize("name", METHODS)
def test_operators_of_scipy_have_derivatives_of_two_orders(name):
    general = SPD if name in ("cg", "minres") else SPD + 0.2 * PLACES
    operator = of_scipy.LinearOperator(
        (N, N), matvec=lambda v: general @ v, rmatvec=lambda v: general.T @ v, dtype=float
    )
    dense = general.toarray()
    f = lambda b: gradops.sum(getattr(linalg, name)(operator, b, rtol=1e-12)[0] ** 3)
    b = dg.tensor(B, requires_grad=True)
    (grad,) = dg.autograd.grad(f(b), b, create_graph=True)
    x = np.linalg.solve(dense, B)
    assert_allclose(plain(grad), np.linalg.solve(dense.T, 3 * x**2), rtol=1e-7)
    (second,) = dg.autograd.grad(grad @ D, b)
    assert_allclose(second, np.linalg.solve(dense.T, 6 * x * np.linalg.solve(dense, D)), rtol=1e-6)
    fed = sg.placeholder("float64", [N])
    assert_allclose(sg.compile(sg.gradients(f(fed), [fed]), [fed])(B)[0], plain(grad), rtol=1e-7)


def test_an_operator_without_its_transpose():
    b = dg.tensor(B, requires_grad=True)
    operator = of_scipy.LinearOperator((N, N), matvec=lambda v: SPD @ v, dtype=float)
    linalg.cg(operator, b)[0].sum().backward()  # it is symmetric
    with pytest.raises(gradops.MissingRuleError, match="has no rmatvec"):
        linalg.gmres(operator, b)[0].sum().backward()
    with pytest.raises(ShapeError, match="the operator is 9 x 9"):
        linalg.cg(operator, b[:3])


@pytest.mark.parametrize("name", METHODS[:-1])
def test_preconditioners_serve_the_solution_and_its_derivatives(name):
    scale = 10.0 ** np.arange(N)
    bad = scipy_sparse.diags_array(np.sqrt(scale)) @ SPD @ scipy_sparse.diags_array(np.sqrt(scale))
    inverse, calls = 1 / bad.diagonal(), []

    def times(v):
        calls.append(1)
        return bad @ v

    diagonal = scipy_sparse.diags_array(inverse)
    want = np.linalg.solve(bad.toarray(), B)
    kinds = [
        np.diag(inverse), diagonal.tocsr(), of_scipy.aslinearoperator(diagonal),
        sparse.csr_array(diagonal), dg.tensor(np.diag(inverse)),
        linalg.LinearOperator((N, N), lambda v: inverse * v, lambda v: inverse * v),
    ]  # fmt: skip
    kinds += [lambda v: inverse * v] if name in ("cg", "minres") else []
    for m in kinds:
        b, count = dg.tensor(B, requires_grad=True), len(calls)
        x, info = getattr(linalg, name)(times, b, rtol=1e-12, M=m)
        assert info == 0
        assert_allclose(plain(x), want, rtol=1e-5)
        (grad,) = dg.autograd.grad(x @ D, b)
        assert_allclose(grad, np.linalg.solve(bad.toarray().T, D), rtol=1e-5)
        assert len(calls) - count < 12 * N
    with sg.Graph().as_default(), pytest.raises(OptionError, match="when the graph is built"):
        linalg.cg(SPD, B, M=sg.placeholder("float64", [N, N]))


def test_a_solution_that_is_said_to_have_converged_and_has_not_warns():
    scale = scipy_sparse.diags_array(10.0 ** (np.arange(N) / 2))
    bad, b = scale @ SPD @ scale, dg.tensor(B, requires_grad=True)
    x, info = linalg.tfqmr(bad, b, rtol=1e-12, M=np.diag(1 / bad.diagonal()))
    assert info == 0  # as SciPy's, whose estimate of the residual is wrong here
    with pytest.warns(ConvergenceWarning, match="did not converge: its residual is"):
        x.sum().backward()


def test_graphs_solve_when_they_run():
    with sg.Graph().as_default():
        k, b = sg.placeholder(np.float64, ()), sg.placeholder(np.float64, (N,))
        x, info = linalg.cg(lambda v: SPD @ v + k * v, b, rtol=1e-12)
        run = sg.compile([x, info, *sg.gradients(sg.reduce_sum(x**2), [k, b])], [k, b])
    dense = SPD.toarray() + 2 * np.eye(N)
    want = np.linalg.solve(dense, B)
    x, info, by_k, by_b = run(2.0, B)
    assert info == 0
    assert_allclose(x, want, rtol=1e-9)
    assert_allclose(by_k, -2 * want @ np.linalg.solve(dense, want), rtol=1e-8)
    assert_allclose(by_b, 2 * np.linalg.solve(dense, want), rtol=1e-8)


def test_arrays_have_scipys_results():
    got, want = (m.cg(SPD, B, rtol=1e-8) for m in (linalg, of_scipy))
    assert np.array_equal(got[0], want[0])
    preconditioned = linalg.cg(SPD, dg.tensor(B), rtol=1e-10, M=np.diag(1 / SPD.diagonal()))[0]
    assert_allclose(plain(preconditioned), np.linalg.solve(SPD.toarray(), B), rtol=1e-7)


@pytest.mark.parametrize("name", METHODS)
def test_too_few_iterations_are_told_and_gradients_warn(name):
    b, few = dg.tensor(B, requires_grad=True), {"restart": 2} if name == "gmres" else {}
    few |= {"inner_m": 1, "outer_k": 0} if name == "lgmres" else {}
    x, info = getattr(linalg, name)(SPD, b, rtol=1e-14, maxiter=1, **few)
    want = getattr(of_scipy, name)(SPD, B, rtol=1e-14, maxiter=1, **few)
    assert info == want[1] > 0
    assert_allclose(plain(x), want[0])
    with (
        pytest.warns(ConvergenceWarning, match="equations of a derivative"),
        pytest.warns(ConvergenceWarning, match="did not converge"),
    ):
        x.sum().backward()


@pytest.mark.parametrize("name", METHODS)
def test_an_interrupt_ends_a_solve_and_loses_nothing(name):
    b, calls = dg.tensor(B, requires_grad=True), []

    def times(v):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return SPD @ v

    with pytest.raises(KeyboardInterrupt):
        getattr(linalg, name)(times, b, rtol=1e-12)
    x, info = getattr(linalg, name)(times, b, rtol=1e-12)
    assert info == 0
    assert_allclose(plain(x), np.linalg.solve(SPD.toarray(), B), rtol=1e-6)


def test_a_matrix_with_derivatives():
    a = dg.tensor(SPD.toarray(), requires_grad=True)
    x, _ = linalg.cg(a, B, rtol=1e-12)
    (grad,) = dg.autograd.grad(x.sum(), a)
    want = np.linalg.solve(SPD.toarray(), B)
    assert_allclose(
        grad.numpy(), -np.outer(np.linalg.solve(SPD.toarray(), np.ones(N)), want), rtol=1e-7
    )


def test_errors_say_what_is_wrong():
    b = dg.tensor(B, requires_grad=True)
    with pytest.raises(ShapeError, match="A is a matrix"):
        linalg.cg(np.ones(3), b)
    with pytest.raises(ShapeError, match="the matrix is 2 x 3"):
        linalg.spsolve(scipy_sparse.csr_array(np.ones((2, 3))), b[:2])
