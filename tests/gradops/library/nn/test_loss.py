"""Losses far out, and the mistakes they refuse."""

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


@pytest.mark.parametrize("loss", [G.mse_loss, G.l1_loss, bce])
def test_shapes_that_only_broadcast_are_refused(loss):
    with pytest.raises(G.ShapeError, match="the two shapes must be equal"):
        loss(np.ones((3, 1)), np.ones(3))


@pytest.mark.parametrize("loss", [G.mse_loss, G.l1_loss, bce])
def test_a_reduction_that_does_not_exist_is_refused(loss):
    with pytest.raises(ValueError, match="reduction is 'mean', 'sum' or 'none', not 'max'"):
        loss(np.ones(3), np.ones(3), reduction="max")


def test_mse_and_l1_measure_distances(gradient):
    x, target = np.array([1.0, 2, 4]), np.array([1.0, 4, 1])
    assert_allclose(G.mse_loss(x, target), 13 / 3)
    assert_allclose(G.l1_loss(x, target), 5 / 3)
    assert_allclose(gradient(lambda x: G.l1_loss(x, target), x)[0], [0, -1 / 3, 1 / 3])


@pytest.mark.parametrize("f", [G.huber_loss, G.smooth_l1_loss])
def test_an_infinite_distance_pulls_as_any_far_one(f, gradient):
    g = gradient(lambda x: f(x, np.zeros(2), "sum"), np.array([-np.inf, 0.25]))[0]
    assert_array_equal(g, [-1, 0.25])
