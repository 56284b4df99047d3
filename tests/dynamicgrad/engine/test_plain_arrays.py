"""Writes to plain arrays between an operation and backward give no wrong gradient."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import TapeError

POINT = np.array([0.3, 1.2, 2.5, 1.9])
ROW, PLACES, MASK = np.arange(4.0), np.arange(4), np.eye(4)[1] > 0


def written(x, b):
    """A write into a result at a key that is a buffer."""
    y = x * 1
    y[b] = 3 * x[b]
    return y * x


CALLS = [  # of what is differentiated, and a buffer that the program fills anew afterwards
    (lambda x, b: x * b, ROW), (lambda x, b: b / x, ROW), (lambda x, b: x**b, ROW),
    (lambda x, b: np.outer(x, x) @ b, ROW), (lambda x, b: np.einsum("i,i->", x, b), ROW),
    (lambda x, b: x[b], PLACES), (lambda x, b: x[b], MASK), (lambda x, b: x[b > 1], PLACES),
    (lambda x, b: np.where(b, x, 2 * x), MASK), (lambda x, b: np.maximum(x, b), ROW),
    (lambda x, b: np.convolve(x, b), ROW), (lambda x, b: np.take(x, b), PLACES),
    (lambda x, b: np.mean(x, where=b), MASK), (lambda x, b: np.average(x, weights=b), 1 + ROW),
    (lambda x, b: np.linalg.solve(np.diag(x), b), ROW), (written, MASK), (written, PLACES),
]  # fmt: skip
TENSOR_CALLS = [
    (lambda x, b: x * b, ROW), (lambda x, b: b / x, ROW), (lambda x, b: x @ b, ROW),
    (lambda x, b: x[b], PLACES), (lambda x, b: x[b], MASK), (written, MASK),
    (lambda x, b: dg.where(b, x, 2 * x), MASK), (lambda x, b: dg.take(x, b), PLACES),
    (lambda x, b: dg.einsum("i,i->i", x, b), ROW), (lambda x, b: x.masked_fill(b, 0.0), MASK),
    (lambda x, b: dg.nn.functional.embedding(b, x[:, None]), PLACES),
    (lambda x, b: dg.nn.functional.mse_loss(x, b, reduction="none"), ROW),
]  # fmt: skip


def rounds_of(call, buffer, fresh):
    """A function that calls `call` with three fillings of one buffer, or of `fresh` arrays."""

    def total(x):
        b, found = buffer.copy(), 0.0
        for i in range(3):
            b[...] = np.roll(buffer, i)
            found = found + (call(x, b.copy() if fresh else b) ** 2).sum()
        b[...] = 0
        return found

    return total


@pytest.mark.parametrize(("call", "buffer"), CALLS)
@pytest.mark.parametrize("transform", [dg.grad, dg.hessian])
def test_a_buffer_filled_anew_in_each_round_has_the_gradient_of_each(transform, call, buffer):
    found, expected = (transform(rounds_of(call, buffer, fresh))(POINT) for fresh in (False, True))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(("call", "buffer"), TENSOR_CALLS)
def test_a_buffer_beside_tensors_has_the_gradient_of_each_round(call, buffer):
    x = dg.tensor(POINT, requires_grad=True)
    found, expected = (
        dg.autograd.grad(rounds_of(call, buffer, fresh)(x), x)[0] for fresh in (False, True)
    )
    assert found.tolist() == expected.tolist()


LARGE = np.ones((200, 100))


def test_a_large_array_that_was_filled_anew_is_refused_with_the_line():
    def f(x):
        b, total = np.zeros_like(LARGE), 0.0
        for i in range(2):
            b[...] = i
            total = total + np.sum(x * b)
        return total

    with pytest.raises(TapeError, match="has other entries now") as info:
        dg.grad(f)(LARGE)
    assert "total = total + np.sum(x * b)" in str(info.value)


@pytest.mark.parametrize("transform", [dg.grad, dg.func.jacfwd])
def test_a_large_array_that_stays_as_it_is_serves_all_rounds(transform):
    found = transform(lambda x: np.sum(x * LARGE) + np.sum(x[0] * LARGE))(LARGE[:, :1])
    assert np.array_equal(found, np.full((200, 1), 100.0) + 20000 * (np.arange(200) == 0)[:, None])


def test_hooks_of_saved_tensors_are_not_called_for_plain_arrays():
    x = dg.ones(200, 100, requires_grad=True)
    seen = []
    with dg.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        x[LARGE > 0].sum().backward()
    assert not seen
    assert x.grad.sum().item() == LARGE.size


@pytest.mark.parametrize("large", [False, True])
def test_arguments_of_vjp_may_be_written_to_before_it_goes_back(large):
    x = np.ones((200, 100)) if large else POINT.copy()
    expected = 3 * x**2
    _, back = dg.func.vjp(lambda x: x**3, x)
    x[...] = 7
    assert np.array_equal(back(np.ones_like(x))[0], expected)
