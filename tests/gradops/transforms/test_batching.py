"""vmap: which axes are examples, where they go, nested, and what it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G

rng = np.random.default_rng(0)


@pytest.mark.parametrize("in_axis", [0, 1, 2, -1])
@pytest.mark.parametrize("out_axis", [0, 1, -1])
def test_examples_are_taken_from_one_axis_and_put_into_another(in_axis, out_axis):
    x = rng.normal(size=(4, 4, 4))
    got = G.vmap(lambda x: G.exp(x)[0:2], in_axes=in_axis, out_axes=out_axis)(x)
    want = np.stack([np.exp(e)[:2] for e in np.moveaxis(x, in_axis, 0)], axis=out_axis)
    assert_array_equal(got, want)


def test_an_argument_can_be_shared_by_the_examples():
    w, x = rng.normal(size=(3, 2)), rng.normal(size=(5, 2))
    assert_allclose(G.vmap(G.matmul, in_axes=(None, 0))(w, x), x @ w.T, rtol=1e-14)


def test_nested_vmap_batches_twice():
    a, b = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    products = G.vmap(G.vmap(G.matmul, in_axes=(None, 0)), in_axes=(0, None))(a, b)
    assert_allclose(products, a @ b.T, rtol=1e-14)


def test_arguments_and_results_are_structures():
    got = G.vmap(lambda p: {"y": p["x"] + 1, "z": p["x"]})({"x": np.arange(3.0)})
    assert_array_equal(got["y"], [1, 2, 3])


@pytest.mark.parametrize("axis", [0, 1])
def test_a_result_all_examples_share_is_repeated(axis):
    got = G.vmap(lambda x: np.array([1.0, 2.0]), out_axes=axis)(np.zeros(3))
    assert_array_equal(got, np.stack([[1.0, 2.0]] * 3, axis=axis))


def test_the_number_of_examples_must_agree():
    with pytest.raises(G.ShapeError, match=r"vmap\(.*the numbers of examples differ: \[3, 4\]"):
        G.vmap(G.add)(np.ones(3), np.ones(4))


def test_something_must_be_batched():
    with pytest.raises(ValueError, match="all in_axes are None"):
        G.vmap(G.exp, in_axes=None)(np.ones(3))


def test_per_example_gradients(gradient):
    x, w = rng.normal(size=(5, 3)), rng.normal(size=3)

    def slope(x):
        return gradient(lambda w: G.tanh(G.matmul(w, x)), w)[0]

    want = [slope(e) for e in x]
    got = G.vmap(lambda x: G.tanh.vjp[0](1.0, G.tanh(w @ x), w @ x) * x)(x)
    assert_allclose(got, want, rtol=1e-13)
