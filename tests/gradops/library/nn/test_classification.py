"""The cross entropy far out, its two forms of labels, and the labels it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G

both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
rng = np.random.default_rng(0)


@both_dtypes
def test_cross_entropy_is_exact_and_silent_far_out(dtype, gradient):
    logits = np.array([[1e4, -1e4], [-1e4, 1e4]], dtype)
    with np.errstate(all="raise", under="ignore"):
        losses = G.cross_entropy(logits, np.array([0, 0]), reduction="none")
        (g,) = gradient(lambda x: G.cross_entropy(x, np.array([0, 0]), "sum"), logits)
    assert_array_equal(losses, np.array([0, 2e4], dtype))
    assert_array_equal(g, [[0, 0], [-1, 1]])
    assert losses.dtype == g.dtype == dtype


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_class_labels_are_probabilities_that_are_one(reduction, gradient):
    logits, labels = rng.normal(size=(4, 3)), np.array([2, 0, 1, 1])
    sure = G.one_hot(labels, 3)
    a, b = (lambda x, y=y: G.cross_entropy(x, y, reduction=reduction) for y in (labels, sure))
    assert_allclose(a(logits), b(logits), rtol=1e-14)
    assert_allclose(gradient(a, logits)[0], gradient(b, logits)[0], rtol=1e-13)


def test_labels_of_any_integer_dtype_name_classes():
    logits = rng.normal(size=(2, 300))
    wide, narrow = (np.array([299, 3]), np.array([299, 3], np.uint16))
    assert G.cross_entropy(logits, wide) == G.cross_entropy(logits, narrow)


def test_an_impossible_class_does_not_disturb_the_others(gradient):
    logits, p = np.array([[0.0, 0.0, -np.inf]]), np.array([[0.5, 0.5, 0.0]])
    assert_allclose(G.cross_entropy(logits, p), np.log(2))
    assert_allclose(gradient(lambda x: G.cross_entropy(x, p), logits)[0], 0, atol=1e-16)
    assert_allclose(G.cross_entropy(logits, np.array([0])), np.log(2))


def test_a_label_that_is_no_class_is_refused_with_its_value():
    with pytest.raises(G.IndexingError, match="the label 7 is none of the classes 0 to 2"):
        G.cross_entropy(np.zeros((2, 3)), np.array([0, 7]))
    with pytest.raises(G.IndexingError, match="the label -1 is none"):
        G.cross_entropy(np.zeros((2, 3)), np.array([0, -1], np.int8))


def test_per_example_gradients_are_those_of_each_example(gradient):
    logits, labels = rng.normal(size=(5, 4, 3)), rng.integers(0, 3, (5, 4))

    def slope(x, y):
        return G.jvp(lambda x: G.cross_entropy(x, y), [x], [np.ones((4, 3)) * [1, 0, 0]])[1]

    want = [slope(x, y) for x, y in zip(logits, labels)]
    assert_allclose(G.vmap(slope)(logits, labels), want, rtol=1e-13)
