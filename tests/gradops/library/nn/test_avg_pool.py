"""Pooling as networks have it: conventions, and what is refused."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops

ROW = np.arange(5.0)


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: ops.avg_pool(ROW, 6, axes=1), ops.ShapeError, "does not fit into 5"),
    (lambda: ops.avg_pool(ROW, 2), ops.ShapeError, "fewer than 2 axes"),
    (lambda: ops.max_pooling(ROW, 2, 0, axes=1), ops.OptionError, "at least 1"),
    (lambda: ops.max_pooling(ROW, 2, padding=2, axes=1), ops.OptionError, "more than half"),
    (lambda: ops.max_pooling(ROW, 0, axes=1), ops.OptionError, "at least 1"),
    (lambda: ops.adaptive_avg_pool(ROW, (2, 2), 1), ops.ShapeError, "not for 1 axes"),
    (lambda: ops.adaptive_max_pool(ROW, -1, 1), ops.ShapeError, "cannot be those"),
    (lambda: ops.adaptive_avg_pool(np.ones((1, 0)), 2, 1), ops.ShapeError, "cannot be those"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_the_first_of_equal_entries_has_the_gradient():
    x = dg.ones(2, 4, requires_grad=True)
    ops.max_pooling(x, 2).sum().backward()
    assert x.grad.tolist() == [[1, 0, 1, 0], [0, 0, 0, 0]]


def test_nan_is_the_greatest_entry_and_has_the_gradient():
    x = dg.tensor([1.0, float("nan"), 2.0, float("nan")], requires_grad=True)
    y = ops.max_pooling(x, 4, axes=1)
    assert np.isnan(y.numpy(force=True)).all()
    y.sum().backward()
    assert x.grad.tolist() == [0, 1, 0, 0]


def test_an_infinite_cotangent_goes_to_one_entry():
    x = dg.tensor([1.0, 2.0], requires_grad=True)
    ops.max_pooling(x, 2, axes=1).backward(dg.tensor([float("inf")]))
    assert x.grad.tolist() == [0, float("inf")]


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_adaptive_windows_cover_the_axis(size, count):
    x = np.random.default_rng(size).permutation(size).astype(float)
    ends = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    np.testing.assert_allclose(ops.adaptive_avg_pool(x, count, 1), [x[a:b].mean() for a, b in ends])
    found, places = ops.adaptive_max_pool(x, count, 1, places=True)
    assert found.tolist() == [x[a:b].max() for a, b in ends] == x[places].tolist()


def test_layouts_in_memory_give_the_same_numbers():
    x = np.random.default_rng(0).standard_normal((2, 6, 6, 3))
    last = np.moveaxis(x, -1, 1)
    for pool in (ops.max_pooling, ops.avg_pool):
        assert np.array_equal(pool(last, 2), pool(np.ascontiguousarray(last), 2))


def test_adaptive_max_pooling_takes_no_examples():
    found, places = ops.adaptive_max_pool(np.ones((0, 2, 5)), 3, 1, places=True)
    assert found.shape == places.shape == (0, 2, 3)
