"""Indexing with integers beside arrays, and other shapes, as PyTorch has them."""

import numpy as np
import pytest

import dynamicgrad as dg

KEYS = {
    "integer, slice, list": lambda t: (0, slice(None), [0, 1]),
    "list, slice, integer": lambda t: ([0, 1], slice(None), 0),
    "integer, list": lambda t: (0, [0, 1]),
    "slice, integer, list": lambda t: (slice(None), 1, [0, 2, 3]),
    "ellipsis, integer, tensor": lambda t: (..., 0, t.tensor([1, 0, 1])),
    "new axis, integer, slice, list": lambda t: (None, 1, slice(None), [0, 1]),
    "number tensor, slice, tensor": lambda t: (t.tensor(1), slice(None), t.tensor([0, 1])),
    "integer, mask": lambda t: (0, t.tensor([True, False, True])),
    "mask of two axes, integer": lambda t: (t.tensor([[True, False, True]] * 2), 0),
    "tensor, integer, tensor": lambda t: (t.tensor([0, 1]), 1, t.tensor([2, 3])),
    "integer, new axis, tensor, integer": lambda t: (1, None, t.tensor([0, 1]), 2),
}


def outcome(t, key):
    """The shape and entries, the gradient of their squares, and the result of a write there."""
    x = t.arange(24.0).reshape(2, 3, 4).requires_grad_()
    y = x[key(t)]
    (y * y).sum().backward()
    z = x.detach() * 1
    z[key(t)] = -1.0
    return tuple(y.shape), y.tolist(), x.grad.tolist(), z.tolist()


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_write_reaches_what_reading_gives(key):
    shape, y, grad, z = outcome(dg, key)
    assert np.shape(y) == shape
    read = np.array(grad) != 0
    read.flat[0] |= 0.0 in np.ravel(y)  # the entry whose square has the derivative 0
    np.testing.assert_array_equal(np.array(z) == -1, read)


@pytest.mark.peers
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_an_integer_is_a_selection_as_in_pytorch(key):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    assert outcome(dg, key) == outcome(torch, key)


@pytest.mark.parametrize(("call", "says"), [
    (lambda x: x.narrow(0, 3, 5), "exceeds dimension size"),
    (lambda x: x.narrow(0, 0, -1), "exceeds dimension size"),
    (lambda x: x.split(0), "split_size can only be 0"),
    (lambda x: x.split([5, -1]), "never negative"),
    (lambda x: x.chunk(0), "chunks must be at least 1"),
    (lambda x: x.flatten(0, 5), "Dimension out of range"),
    (lambda x: x.view(2, 2).flatten(1, 0), "start_dim cannot come after end_dim"),
    (lambda x: x[:0].reshape(0, -1), "any size could stand for -1"),
    (lambda x: x * np.ma.masked_array([1.0] * 4), "a masked array, whose mask would be"),
    (lambda x: dg.tensor(np.ma.masked_array([1.0])), "a masked array, whose mask would be"),
])  # fmt: skip
def test_what_has_no_meaning_is_refused(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call(dg.ones(4))


def test_empty_shapes():
    x, v = dg.ones(3, 2, 0, requires_grad=True), dg.ones(0, requires_grad=True)
    (x @ v).sum().backward()
    assert (x.grad.shape, v.grad.shape) == ((3, 2, 0), (0,))
    assert dg.ones(0, 3).flatten(1).shape == (0, 3)
    assert [p.shape for p in dg.ones(0).split(0)] == [(0,)]
    assert dg.arange(5).narrow(0, -3, 3).tolist() == [2, 3, 4]


def test_no_dimensions_are_all_to_some_reductions():
    x = dg.arange(6.0).view(2, 3)
    assert [f(dim=()).shape for f in (x.sum, x.mean, x.amax, x.amin)] == [()] * 4


def test_filling_keeps_the_dtype():
    x = dg.tensor([1, 2]).masked_fill(dg.tensor([True, False]), 1.5)
    assert (x.dtype, x.tolist()) == (np.int64, [1, 2])


def test_a_power_of_a_number_is_differentiated_in_the_dtype_of_its_base():
    x = dg.ones(3, requires_grad=True)
    dtypes = []
    y = x**2
    y.grad_fn.register_hook(lambda gi, go: dtypes.append(gi[0].dtype))
    (y * 1.5).sum().backward()
    assert (dtypes, x.grad.tolist()) == ([np.float32], [3, 3, 3])
    assert dg.autograd.grad((x**0).sum(), x)[0].tolist() == [0, 0, 0]


def test_many_operands_are_joined_in_linear_time():
    xs = [dg.ones(1, requires_grad=True) for _ in range(3000)]
    for join in (dg.cat, dg.stack):
        join(xs).sum().backward()
    assert {x.grad.item() for x in xs} == {2.0}


def test_half_precision_does_not_overflow_on_the_way():
    assert dg.ones(70000, dtype=dg.float16).mean().item() == 1
    x = dg.tensor([300.0, -300.0], dtype=dg.float16, requires_grad=True)
    with np.errstate(over="ignore"):
        dg.nn.functional.gelu(x, approximate="tanh").sum().backward()
    assert x.grad.tolist() == [1, 0]


def test_what_is_not_numpys_is_not_taken_for_it():
    with pytest.raises(NotImplementedError, match=r"numpy\.histogram"):
        np.histogram(dg.ones(2))
    assert np.sum(dg.ones(2)).item() == 2
    assert (1.0 in dg.ones(2), 2.0 in dg.ones(2)) == (True, False)
    with pytest.raises(RuntimeError, match="no values is ambiguous"):
        bool(dg.ones(0))
