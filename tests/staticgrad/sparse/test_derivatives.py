"""Sparse Jacobians and Hessians: the dense ones' entries, from few products."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops.core.errors import MixedOperandsError, ShapeError

sparse = pytest.importorskip("scipy.sparse")

rng = np.random.default_rng(0)


def grid(u):
    inside = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return around - 4 * inside + inside**3


JACOBIANS = {
    "band": (lambda x: x[1:] * x[:-1] + np.sin(x[1:]), 8, (2, 0)),
    "one row": (lambda x: np.sum(np.exp(x)), 6, (0, 1)),
    "one column": (lambda x: x[0] * np.ones(5), 6, (1, 0)),
    "a dense row": (lambda x: np.concatenate([np.sum(x**2)[None], x[0] * x**2]), 30, (2, 1)),
    "grid": (grid, (8, 8), None), "dense": (lambda x: x[:, None] * x[None, :], 4, None),
    "nothing": (lambda x: sg.stop_gradient(x), 3, (0, 0)),
    "scan": (lambda x: sg.scan(lambda c, s: np.tanh(c) + s, x, x[0]), 6, None),
    "solve": (lambda x: np.linalg.solve(np.eye(3) + x[:, None] * x, x), 3, None),
}  # fmt: skip


def steps(u):
    return np.sum((u[1:] - u[:-1]) ** 4) + np.sum((u[:, 1:] - u[:, :-1]) ** 4)


HESSIANS = {
    "chain": (lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2), 9, 3),
    "arrow": (lambda x: np.sum(x[0] * x**3), 40, 2),
    "separable": (lambda x: np.sum(x**4), 5, 1), "dense": (lambda x: np.sum(x) ** 3, 5, 5),
    "grid": (steps, (5, 6), 7),
    "linear": (lambda x: np.sum(3 * x), 4, 0),
    "loop": (lambda x: np.sum(sg.scan(lambda c, s: c * 0.5 + s**3, x, x[0])), 5, 1),
}  # fmt: skip


def placeholder(shape):
    return sg.placeholder(np.float64, shape if isinstance(shape, tuple) else (shape,))


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_are_those_that_are_dense(name, backend):
    f, shape, products = JACOBIANS[name]
    with sg.Graph().as_default():
        x = placeholder(shape)
        found = sg.sparse_jacobian(f(x), x)
        run = sg.compile([found.data, sg.jacobian(f(x), x)], [x], backend=backend)
    values, dense = run(rng.normal(size=x.shape))
    assert_allclose(found.csr(values).toarray(), dense.reshape(found.shape), rtol=1e-12, atol=1e-14)
    if products is not None:
        assert (found.plan.forward, found.plan.reverse) == products
    placed = sparse.coo_array((values, (found.rows, found.columns)), found.shape)
    assert_allclose(placed.toarray(), dense.reshape(found.shape), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", HESSIANS)
def test_hessians_are_those_that_are_dense(name):
    f, shape, most = HESSIANS[name]
    with sg.Graph().as_default():
        x = placeholder(shape)
        found = sg.sparse_hessian(f(x), x)
        run = sg.compile([found.data, sg.hessian(f(x), x)], [x])
    values, dense = run(rng.normal(size=x.shape))
    assert_allclose(found.csr(values).toarray(), dense.reshape(found.shape), rtol=1e-11, atol=1e-13)
    assert found.products <= most


def test_functions_of_arrays_and_of_tensors():
    x = rng.normal(size=7)
    f = lambda x, a: a * x[1:] * x[:-1] ** 2
    want = np.zeros((6, 7))
    for i in range(6):
        want[i, i], want[i, i + 1] = 2 * 3 * x[i + 1] * x[i], 3 * x[i] ** 2
    assert_allclose(sg.sparse_jacobian(f)(x, 3.0).toarray(), want)
    t = dg.tensor(x, requires_grad=True)
    found = dg.sparse_jacobian(lambda x: 3.0 * x[1:] * x[:-1].pow(2))(t)
    assert isinstance(found, sparse.csr_array)
    assert_allclose(found.toarray(), want)
    g = lambda x: (x[1:] * x[:-1]).pow(2).sum()
    dense = dg.hessian(g)(t).detach().numpy()
    assert_allclose(dg.sparse_hessian(g)(t).toarray(), dense, rtol=1e-12)


def test_what_a_function_reads_may_change():
    w, x = np.ones(3), np.arange(3.0)
    jacobian = sg.sparse_jacobian(lambda x: x**2 * w)
    w[:] = 0
    assert_allclose(jacobian(x).toarray(), 0)
    w[:] = [1, 2, 3]
    assert_allclose(jacobian(x).toarray(), np.diag([0.0, 4.0, 12.0]))
    scale = dg.tensor(2.0, dtype=dg.float64)
    jacobian = dg.sparse_jacobian(lambda x: x * scale)
    assert jacobian(dg.tensor(x)).toarray()[1, 1] == 2
    scale.fill_(5.0)
    assert jacobian(dg.tensor(x)).toarray()[1, 1] == 5


def test_indices_that_a_function_reads_are_part_of_the_pattern():
    places, mask = np.array([2, 0]), np.array([True, False])
    jacobian = sg.sparse_jacobian(lambda x: np.where(mask, x[places] ** 2, 3.0))
    x = np.array([1.0, 2.0, 3.0])
    found = jacobian(x)
    assert found.nnz == 1
    assert_allclose(found.toarray(), [[0, 0, 6], [0, 0, 0]])
    places[:], mask[1] = [1, 0], True
    assert_allclose(jacobian(x).toarray(), [[0, 4, 0], [2, 0, 0]])


def test_kinds_of_arguments_have_graphs_of_their_own():
    jacobian = sg.sparse_jacobian(lambda x: x[1:] - x[:-1])
    assert jacobian(np.ones(3)).shape == (2, 3)
    assert jacobian(np.ones(5)).shape == (4, 5)
    assert jacobian(np.ones(4, np.float32)).dtype == np.float32
    assert jacobian([1.0, 2.0]).toarray().tolist() == [[-1, 1]]


def test_large_ones_have_the_right_entries():
    n, x = 20_000, rng.normal(size=20_000)
    found = sg.sparse_hessian(lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2))(x)
    diagonal = np.zeros(n)
    diagonal[1:] += 2
    diagonal[:-1] += 12 * x[:-1] ** 2 - 4 * x[1:]
    off = -4 * x[:-1]
    want = sparse.diags_array([off, diagonal, off], offsets=[-1, 0, 1], format="csr")
    assert abs(found - want).max() < 1e-12


def test_variables_and_other_placeholders_stay():
    with sg.Graph().as_default():
        x, a = placeholder(4), placeholder(())
        w = sg.Variable(np.array([1.0, 2.0, 3.0]))
        found = sg.sparse_jacobian(a * w * x[1:] ** 2, x)
        session = sg.Session()
        session.run(sg.global_variables_initializer())
        values = session.run(found.data, {x: np.arange(4.0), a: 2.0})
    want = np.zeros((3, 4))
    want[[0, 1, 2], [1, 2, 3]] = 4 * np.array([1.0, 2, 3]) * [1.0, 2, 3]
    assert_allclose(found.csr(values).toarray(), want)


def test_it_shows_what_it_is():
    with sg.Graph().as_default():
        x = placeholder(5)
        found = sg.sparse_jacobian(np.linalg.solve(np.eye(5), x), x)
    first, *notes = repr(found).splitlines()
    assert first == "<Jacobian of 5 x 5 with 25 entries, from 5 forward products>"
    assert "too many" in notes[0]
    assert "solve" in notes[0]


def test_errors_say_what_is_wrong():
    with sg.Graph().as_default():
        x = placeholder(3)
        with pytest.raises(ShapeError, match="y is a scalar"):
            sg.sparse_hessian(x * 2, x)
    with pytest.raises(MixedOperandsError, match="does not depend on its argument"):
        sg.sparse_jacobian(lambda x: np.ones(3))(np.ones(2))
