"""Stiff systems of many equations: their Jacobians are sparse, in the adjoint as well."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops.scipy import integrate
from gradops.transforms.closing import close

pytest.importorskip("scipy")

N, METHODS = 80, ["Radau", "BDF", "LSODA"]
GRID = np.arange(1, N + 1) / (N + 1)
EXACT = {"rtol": 1e-8, "atol": 1e-10}


def diffusion(t, u, k):
    """Heat in a rod that is cold at both ends, with a source that depends on the time."""
    cold = np.zeros(1)
    left, right = np.concatenate([cold, u[:-1]]), np.concatenate([u[1:], cold])
    return k * (N + 1) ** 2 * (left - 2 * u + right) + np.sin(t) * u * (1 - u)


def energy(method, **more):
    def f(k):
        u = integrate.solve_ivp(diffusion, (0.0, 0.3), np.sin(np.pi * GRID), method, [0.1, 0.3],
                                args=(k,), **EXACT | more)  # fmt: skip
        return np.sum(u.y**2) / N

    return f


@pytest.fixture(scope="module")
def expected():
    """The value and two derivatives, by differences of SciPy's solutions."""
    h, f = 0.01, energy("LSODA", rtol=1e-12, atol=1e-13)
    y = [f(0.2 + k * h) for k in (-2, -1, 0, 1, 2)]
    first = np.dot([1, -8, 0, 8, -1], y) / (12 * h)
    return y[2], first, np.dot([-1, 16, -30, 16, -1], y) / (12 * h * h)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_of_two_orders_of_tensors(method, expected):
    k = dg.tensor(0.2, dtype=dg.float64, requires_grad=True)
    y = energy(method)(k)
    (first,) = dg.autograd.grad(y, k, create_graph=True)
    found = y.item(), first.item(), dg.autograd.grad(first, k)[0].item()
    assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_of_two_orders_in_graphs(method, expected):
    k = sg.placeholder("float64", [], name="k")
    y = energy(method)(k)
    (first,) = sg.gradients(y, [k])
    found = sg.compile([y, first, *sg.gradients(first, [k])], [k])(0.2)
    assert_allclose(found, expected, rtol=1e-4)


def test_the_jacobian_is_given_by_its_entries_where_most_are_zero():
    from scipy.sparse import csr_array

    k = dg.tensor(0.2, dtype=dg.float64, requires_grad=True)
    closed = close(lambda u, t, k: diffusion(t, u, k), (np.sin(GRID), np.array(0.5), k))
    values = [np.sin(GRID), np.array(0.5), np.array(0.2)]
    entries, columns, starts = closed.body.sparse_jacobian()(*values)
    assert len(entries) == 3 * N - 2
    (dense,) = closed.body.jacobian()(*values)
    assert_allclose(csr_array((entries, columns, starts), (N, N)).toarray(), dense, rtol=1e-14)


def test_a_system_in_which_all_depends_on_all():
    a = np.cos(np.outer(GRID, GRID)) / N - np.eye(N)
    k = dg.tensor(0.7, dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(lambda t, u, k: k * (a @ u), (0, 1.0), GRID, "BDF", [1.0], args=(k,),
                              **EXACT)  # fmt: skip
    y = sol.y.sum()
    w, v = np.linalg.eigh(a)
    assert_allclose(y.item(), (v @ (np.exp(0.7 * w) * (v.T @ GRID))).sum(), rtol=1e-6)
    (by_k,) = dg.autograd.grad(y, k)
    assert_allclose(by_k, (v @ (w * np.exp(0.7 * w) * (v.T @ GRID))).sum(), rtol=1e-5)


def test_many_equations_take_no_matrix_of_all_pairs():
    n = 30_000  # a dense Jacobian would have 7 GB

    def decay(t, u, k):
        return -k * u * np.concatenate([u[1:], u[:1]])

    k = dg.tensor(1.0, dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(decay, (0, 1.0), np.ones(n), "BDF", [1.0], args=(k,), **EXACT)
    (by_k,) = dg.autograd.grad(sol.y.mean(), k)
    assert_allclose([sol.y.mean().item(), by_k.item()], [0.5, -0.25], rtol=1e-4)
