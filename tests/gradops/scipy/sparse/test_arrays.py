"""Sparse arrays beside SciPy's: values, and derivatives on the pattern, in both modes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import OptionError, ShapeError
from gradops.core.tracer_protocol import held
from gradops.scipy import sparse

of_scipy = pytest.importorskip("scipy.sparse")

rng = np.random.default_rng(0)
ROWS, COLUMNS = np.array([2, 0, 0, 1, 2]), np.array([1, 0, 3, 2, 1])  # one place twice
DATA = rng.normal(size=5)
WANT = of_scipy.coo_array((DATA, (ROWS, COLUMNS)), (3, 4))


def traced():
    data = dg.tensor(DATA, requires_grad=True)
    return data, sparse.coo_array((data, (ROWS, COLUMNS)), (3, 4))


def plain(x):
    return x.detach().numpy()


def test_values_are_those_of_scipy():
    _, a = traced()
    assert (a.shape, a.nnz, a.dtype, a.ndim) == (WANT.shape, 4, WANT.dtype, 2)
    assert_allclose(plain(a.toarray()), WANT.toarray())
    assert_allclose(plain(a.T.toarray()), WANT.T.toarray())
    x, y, z = rng.normal(size=4), rng.normal(size=3), rng.normal(size=(4, 2))
    assert_allclose(plain(a @ x), WANT @ x)
    assert_allclose(plain(a @ z), WANT @ z)
    assert_allclose(plain(y @ a), y @ WANT)
    assert_allclose(plain(z.T @ a.T), z.T @ WANT.T)
    assert_allclose(plain((2 * a - a / 4).toarray()), 1.75 * WANT.toarray())
    other = of_scipy.csr_array(np.eye(3, 4))
    assert_allclose(plain((a + other).toarray()), (WANT + other).toarray())
    assert_allclose(plain((-a - other).toarray()), (-WANT - other).toarray())
    assert_allclose(plain(a.multiply(np.arange(12.0).reshape(3, 4)).toarray()),
                    WANT.multiply(np.arange(12.0).reshape(3, 4)).toarray())  # fmt: skip
    assert_allclose(plain(a.diagonal()), WANT.diagonal())
    assert_allclose(plain(a.sum()), WANT.sum())
    for axis in (0, 1):
        assert_allclose(plain(a.sum(axis=axis)), WANT.sum(axis=axis))


@pytest.mark.parametrize("name", ["csr_array", "csc_array"])
def test_compressed_forms(name):
    own = getattr(of_scipy, name)(WANT)
    data = dg.tensor(own.data, requires_grad=True)
    a = getattr(sparse, name)((data, own.indices, own.indptr), own.shape)
    assert_allclose(plain(a.toarray()), WANT.toarray())
    (grad,) = dg.autograd.grad((a.toarray() * np.arange(12.0).reshape(3, 4)).sum(), data)
    places = own.tocoo()
    assert_allclose(grad.numpy(), places.row * 4.0 + places.col)


def test_diagonals():
    d = dg.tensor([1.0, 2.0, 3.0], dtype=dg.float64, requires_grad=True)
    for offsets in (0, 1, -1):
        a = sparse.diags_array(d, offsets=offsets)
        assert_allclose(
            plain(a.toarray()), of_scipy.diags_array(plain(d), offsets=offsets).toarray()
        )
    a = sparse.diags_array([-1.0 * d[:2], d, [1.0]], offsets=[-1, 0, 1], shape=(3, 3))
    want = of_scipy.diags_array([-plain(d)[:2], plain(d), [1.0]], offsets=[-1, 0, 1], shape=(3, 3))
    assert_allclose(plain(a.toarray()), want.toarray())


def test_derivatives_of_two_orders_in_both_modes():
    x = rng.normal(size=4)

    def f(data, x):
        a = sparse.coo_array((data, (ROWS, COLUMNS)), (3, 4))
        return gradops.sum((a @ x) ** 3)

    leaves = [dg.tensor(v, requires_grad=True) for v in (DATA, x)]
    grads = dg.autograd.grad(f(*leaves), leaves, create_graph=True)
    dense = lambda data, x: (of_scipy.coo_array((data, (ROWS, COLUMNS)), (3, 4)) @ x) ** 3
    for k in range(5):
        e = 1e-6 * np.eye(5)[k]
        want = (dense(DATA + e, x).sum() - dense(DATA - e, x).sum()) / 2e-6
        assert_allclose(grads[0][k].item(), want, rtol=1e-6, atol=1e-8)
    slope = sum((g * (1.0 + np.arange(g.shape[0]))).sum() for g in grads)
    second = dg.autograd.grad(slope, leaves)
    with sg.Graph().as_default():
        ps = [sg.placeholder(v.dtype, v.shape) for v in (DATA, x)]
        gs = sg.gradients(f(*ps), ps)
        along = sum(sg.reduce_sum(g * (1.0 + np.arange(int(g.shape[0])))) for g in gs)
        run = sg.compile([*gs, *sg.gradients(along, ps)], ps)
    for got, want in zip(run(DATA, x), [*grads, *second], strict=True):
        assert_allclose(got, plain(want), rtol=1e-12)


@pytest.mark.parametrize("form", ["csr_array", "csc_array", "coo_array", "csr_matrix", "dia_array"])
def test_arrays_of_scipy_take_traced_values(form):
    a = getattr(of_scipy, form)(WANT)
    dense, x, y, z = WANT.toarray(), rng.normal(size=4), rng.normal(size=3), rng.normal(size=(4, 2))
    for make in (lambda v: dg.tensor(v, requires_grad=True), dg.tensor, dg.array):
        assert_allclose(held(a @ make(x)), dense @ x)
        assert_allclose(held(make(y) @ a), y @ dense)
        assert_allclose(held(a @ make(z)), dense @ z)
    t = dg.tensor(x, requires_grad=True)
    (grad,) = dg.autograd.grad(((a @ t) ** 2).sum(), t)
    assert_allclose(grad.numpy(), 2 * dense.T @ (dense @ x))
    value, tangent = gradops.jvp(lambda v: a @ v, [x], [np.ones(4)])
    assert_allclose(tangent, dense.sum(axis=1))
    assert_allclose(gradops.vmap(lambda v: a @ v)(z.T), z.T @ dense.T)
    with sg.Graph().as_default():
        p = sg.placeholder(np.float64, (4,))
        run = sg.compile([a @ p, *sg.gradients(sg.reduce_sum((a @ p) ** 2), p)], [p])
    value, grad = run(x)
    assert_allclose(value, dense @ x)
    assert_allclose(grad, 2 * dense.T @ (dense @ x))


def test_plain_entries_give_scipys_arrays():
    a = sparse.csr_array((DATA, (ROWS, COLUMNS)), (3, 4))
    assert isinstance(a, of_scipy.csr_array)
    assert isinstance(sparse.diags_array([1.0, 2.0]), of_scipy.dia_array)
    assert sparse.issparse(a)
    assert sparse.issparse(traced()[1])
    assert not sparse.issparse(np.eye(2))


def test_empty_patterns():
    data = dg.tensor(np.zeros(0), requires_grad=True)
    a = sparse.coo_array((data, ([], [])), (2, 3))
    assert_allclose(plain(a @ np.ones(3)), 0)
    assert a.toarray().shape == (2, 3)


def test_errors_say_what_is_wrong():
    data, a = traced()
    with pytest.raises(ShapeError, match="3 x 4"):
        a @ np.ones(3)
    with pytest.raises(ShapeError, match="lies outside"):
        sparse.coo_array((data, (ROWS, COLUMNS)), (2, 4))
    with pytest.raises(OptionError, match="need places"):
        sparse.csr_array(data)
    with pytest.raises(OptionError, match="two sparse matrices"):
        a @ WANT.T
    with pytest.raises(ShapeError, match="multiplied by a number"):
        a * np.ones(4)
