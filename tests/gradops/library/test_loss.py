"""Losses far out, their two forms of labels, and the mistakes they refuse."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G

bce = G.binary_cross_entropy_with_logits
FAR = np.array([-1e4, -1e4, 1e4, 1e4])
LABELS = np.array([0.0, 1, 0, 1])
both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
rng = np.random.default_rng(0)


@both_dtypes
@pytest.mark.parametrize("repeat", [1, 50])  # small arrays take another way
def test_binary_cross_entropy_is_exact_and_silent_far_out(dtype, repeat, gradient):
    z, y = np.tile(FAR, repeat).astype(dtype), np.tile(LABELS, repeat).astype(dtype)
    with np.errstate(all="raise", under="ignore"):
        losses = bce(z, y, reduction="none")
        dz, dy = gradient(lambda z, y: bce(z, y, reduction="sum"), z, y)
    assert_array_equal(losses, np.tile([0, 1e4, 1e4, 0], repeat).astype(dtype))
    assert_array_equal(dz, np.tile([0, -1, 1, 0], repeat).astype(dtype))
    assert_array_equal(dy, -z)
    assert losses.dtype == dz.dtype == dy.dtype == dtype


@pytest.mark.parametrize("n", [4, 400])
def test_binary_cross_entropy_keeps_its_relative_accuracy_where_the_label_is_right(n):
    z = np.tile([30.0, -30.0], n // 2)
    assert_allclose(bce(z, z > 0, reduction="none"), np.exp(-30), rtol=1e-12)


def test_binary_cross_entropy_takes_the_mean():
    z, y = rng.normal(size=(5, 3)), rng.uniform(size=(5, 3))
    p = 1 / (1 + np.exp(-z))
    want = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    assert_allclose(bce(z, y), want.mean(), rtol=1e-13)


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


@pytest.mark.parametrize("loss", [G.mse_loss, G.l1_loss, bce])
def test_shapes_that_only_broadcast_are_refused(loss):
    with pytest.raises(G.ShapeError, match="the two shapes must be equal"):
        loss(np.ones((3, 1)), np.ones(3))


@pytest.mark.parametrize("loss", [G.mse_loss, G.l1_loss, bce])
def test_a_reduction_that_does_not_exist_is_refused(loss):
    with pytest.raises(ValueError, match="reduction is 'mean', 'sum' or 'none', not 'max'"):
        loss(np.ones(3), np.ones(3), reduction="max")


def test_per_example_gradients_are_those_of_each_example(gradient):
    logits, labels = rng.normal(size=(5, 4, 3)), rng.integers(0, 3, (5, 4))

    def slope(x, y):
        return G.jvp(lambda x: G.cross_entropy(x, y), [x], [np.ones((4, 3)) * [1, 0, 0]])[1]

    want = [slope(x, y) for x, y in zip(logits, labels)]
    assert_allclose(G.vmap(slope)(logits, labels), want, rtol=1e-13)


def test_mse_and_l1_measure_distances(gradient):
    x, target = np.array([1.0, 2, 4]), np.array([1.0, 4, 1])
    assert_allclose(G.mse_loss(x, target), 13 / 3)
    assert_allclose(G.l1_loss(x, target), 5 / 3)
    assert_allclose(gradient(lambda x: G.l1_loss(x, target), x)[0], [0, -1 / 3, 1 / 3])


@pytest.mark.parametrize("f", [G.huber_loss, G.smooth_l1_loss])
def test_an_infinite_distance_pulls_as_any_far_one(f, gradient):
    g = gradient(lambda x: f(x, np.zeros(2), "sum"), np.array([-np.inf, 0.25]))[0]
    assert_array_equal(g, [-1, 0.25])
