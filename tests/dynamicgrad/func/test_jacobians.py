"""Jacobians and Hessians, of tensors and of NumPy arrays."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import TransformError

F = dg.func
both = pytest.mark.parametrize("jac", [F.jacrev, F.jacfwd])


@both
def test_shapes_of_output_and_input_are_joined(jac):
    x, y = dg.rand(2, 3), dg.rand(4)
    f = lambda x, y: {"outer": x[..., None] * y, "sum": x.sum()}
    found = jac(f, argnums=(0, 1))(x, y)
    assert [t.shape for t in found["outer"]] == [(2, 3, 4, 2, 3), (2, 3, 4, 4)]
    assert [t.shape for t in found["sum"]] == [(2, 3), (4,)]


@both
def test_of_what_is_empty(jac):
    assert jac(lambda x: x.sum())(dg.zeros(0)).shape == (0,)
    assert jac(lambda x: dg.ones(0) * x.sum())(dg.zeros(3)).shape == (0, 3)


@both
def test_dtypes_are_those_of_the_input(jac):
    x, y = dg.ones(2, dtype="float32"), dg.ones(2, dtype="float64")
    found = jac(lambda x, y: x * y, argnums=(0, 1))(x, y)
    assert found[1].dtype == np.float64


@both
def test_chunks_give_what_the_whole_gives(jac):
    x, f = dg.rand(5), lambda x: dg.sin(x) * x.sum()
    np.testing.assert_allclose(jac(f, chunk_size=2)(x).numpy(), jac(f)(x).numpy(), rtol=1e-6)


@both
def test_more_than_the_output_comes_along(jac):
    found, aux = jac(lambda x: (x * x, {"x": x}), has_aux=True)(dg.ones(2))
    assert (found.tolist(), aux["x"].tolist()) == ([[2, 0], [0, 2]], [1, 1])


@both
def test_what_is_no_tensor_is_refused(jac):
    with pytest.raises(TransformError, match="non-empty output"):
        jac(lambda x: None)(dg.ones(2))
    with pytest.raises(TransformError, match="only tensors"):
        jac(lambda x: 3.0)(dg.ones(2))


def test_the_faces_for_numpy_users():
    a = np.array([1.0, 2.0])
    f = lambda a: np.sum(a**3)
    np.testing.assert_allclose(dg.hessian(f)(a), np.diag(6 * a))
    np.testing.assert_allclose(dg.jacobian(np.square)(a), np.diag(2 * a))
    np.testing.assert_allclose(dg.hvp(f)(a, np.ones(2)), 6 * a)
    assert type(dg.hessian(f)(a)) is np.ndarray


def test_a_hessian_times_a_vector_is_that_of_the_whole_hessian():
    x, v, A = dg.rand(4), dg.rand(4), dg.rand(4, 4)
    f = lambda x, A: dg.tanh(A @ x).sum()
    want = F.hessian(f)(x, A) @ v
    np.testing.assert_allclose(dg.hvp(f)(x, v, A).numpy(), want.numpy(), rtol=1e-5, atol=1e-6)


def test_newtons_method_on_arrays():
    rosenbrock = lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    x = np.array([-1.2, 1.0])
    for _ in range(8):
        x = x - np.linalg.solve(dg.hessian(rosenbrock)(x), dg.grad(rosenbrock)(x))
    np.testing.assert_allclose(x, [1, 1], atol=1e-8)
