"""Convolution by blocks and threads: however the work is divided, the result is the same."""

import numpy as np
import pytest

from gradops.kernels import threads
from gradops.kernels.nn import convolution, windows

SHAPES = [  # operand, filters, strides, pads, dilations, groups
    ((5, 4, 9, 8), (6, 4, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    ((3, 6, 9, 8), (4, 3, 3, 2), (2, 1), ((0, 2), (1, 0)), (1, 2), 2),
    ((4, 1, 30), (3, 1, 5), (1,), ((2, 2),), (1,), 1),
]


def results(x, w, strides, pads, dilations, groups):
    """The convolution and both transposes."""
    options = (strides, pads, dilations), groups
    y = convolution.convolve(x, w, *options)
    g = np.cos(y)
    return [
        y,
        convolution.operand_gradient(g, w, x.shape[2:], *options),
        convolution.filter_gradient(x, g, w.shape[2:], *options),
    ]


@pytest.fixture
def operands(request):
    rng = np.random.default_rng(0)
    x, w, *options = request.param
    return [rng.standard_normal(x), rng.standard_normal(w), *options]


@pytest.mark.parametrize("operands", SHAPES, indirect=True)
def test_small_blocks_and_tiles_give_the_numbers_of_large_ones(operands, monkeypatch):
    want = results(*operands)
    monkeypatch.setattr(convolution, "BLOCK", 2000)
    monkeypatch.setattr(convolution, "TILE", 4000)
    monkeypatch.setattr(convolution, "LEAST", 2)
    for got, expected in zip(results(*operands), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("operands", SHAPES, indirect=True)
def test_threads_give_the_bits_of_one(operands, monkeypatch):
    monkeypatch.setattr(convolution, "BLOCK", 2000)
    monkeypatch.setattr(convolution, "WORTH", 0)
    monkeypatch.setattr(threads, "cores", lambda: 1)
    want = results(*operands)
    monkeypatch.setattr(threads, "cores", lambda: 3)
    for got, expected in zip(results(*operands), want, strict=True):
        assert np.array_equal(got, expected)


@pytest.mark.parametrize("operands", SHAPES[:1], indirect=True)
def test_the_layout_of_operands_does_not_matter(operands):
    x, w, *options = operands
    turned = np.ascontiguousarray(np.moveaxis(x, 1, -1))
    for got, expected in zip(
        results(np.moveaxis(turned, -1, 1), w[:, :, ::-1][:, :, ::-1], *options),
        results(x, w, *options),
        strict=True,
    ):
        assert np.array_equal(got, expected)


def test_what_fails_in_a_thread_fails_in_the_call(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        threads.in_threads(lambda parts: [1 // n for n in parts], [1, 0])


def test_the_user_limits_threads(monkeypatch):
    monkeypatch.setattr(threads, "LIMIT", np.zeros(1, np.int64))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    assert threads.cores() == 1
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")
    monkeypatch.setenv("OMP_NUM_THREADS", "10000")
    assert 1 <= threads.cores() < 10000


def test_runs_are_what_lies_in_a_row_in_both_arrays():
    x = np.arange(48.0).reshape(2, 4, 6)
    for first, second, shape in [
        (np.empty((2, 4, 3)), x[..., 1:4], (2, 4)),
        (np.empty((2, 4, 6)), x, ()),
        (np.empty((2, 2, 6)), x[:, ::2], (2, 2)),
        (np.empty((2, 4, 3)), x[..., ::2], (2, 4, 3)),
        (np.empty((0, 6)), x[0, :0], (0, 6)),
    ]:
        into, found = windows.merge_runs(first, second)
        assert into.shape == found.shape == shape
        np.copyto(into, found)
        assert np.array_equal(first, second)
