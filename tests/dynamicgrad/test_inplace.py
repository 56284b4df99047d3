"""Writing into tensors: what is allowed, counted, recorded and refused."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import DTypeError, ShapeError, TapeError


def test_every_write_moves_the_version():
    x = dg.zeros(2)
    x += 1
    x.mul_(3).sub_(1).div_(2).add_(dg.ones(2), alpha=2)
    x[0] = 7
    x.zero_()
    x.fill_(3)
    x.copy_(dg.ones(2))
    assert x._version == 9
    assert x.tolist() == [1, 1]


def test_memory_is_shared_by_detach_views_and_numpy_and_so_is_the_version():
    x = dg.zeros(4)
    detached, view, array = x.detach(), x.view(2, 2), x.numpy()
    with dg.no_grad():
        x += 5
    assert detached.tolist() == [5] * 4
    assert view.tolist() == [[5, 5], [5, 5]]
    assert array.tolist() == [5] * 4
    assert x._version == detached._version == view._version == 1
    assert x.clone()._version == 0


def test_a_number_shares_memory_too():
    x = dg.tensor(1.0) * 2
    y = x.detach()
    y += 1
    assert x.item() == 3


def test_a_write_to_a_result_is_recorded():
    x = dg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y *= x
    y += 1
    y.sum().backward()
    assert y.tolist() == [4, 13]
    assert x.grad.tolist() == [6, 12]


def test_a_plain_tensor_joins_the_graph():
    x = dg.ones(2, requires_grad=True)
    y = dg.zeros(2)
    y += x
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_a_saved_value_that_was_changed_names_both_lines():
    x = dg.ones(2, requires_grad=True)
    h = x * 2
    loss = (h * h).sum()
    h += 1  # the write
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        loss.backward()
    text = str(caught.value)
    assert "loss = (h * h).sum()" in text
    assert "h += 1  # the write" in text
    assert "clone()" in text


def test_a_saved_output_that_was_changed_is_noticed():
    x = dg.ones(2, requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    with pytest.raises(TapeError, match="the output float32"):
        y.sum().backward()


def test_no_false_alarm_for_what_is_not_read():
    x = dg.ones(2, requires_grad=True)
    h = x * 1
    y = h + 1
    h += 5
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.parametrize("write", [
    lambda w: w.add_(1), lambda w: w.zero_(), lambda w: w.copy_(dg.ones(2)),
    lambda w: w.__setitem__(0, 1.0), lambda w: w.__imul__(w),
])  # fmt: skip
def test_a_leaf_that_requires_gradients_is_not_written_to(write):
    w = dg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TapeError, match="a leaf Variable that requires grad"):
        write(w)
    assert w.tolist() == [1, 2]
    assert w._version == 0


def test_a_tensor_with_views_is_not_written_to_while_recording():
    x = dg.ones(2, 2, requires_grad=True) * 1
    x.view(4)
    with pytest.raises(TapeError, match="shares memory with another"):
        x += 1
    assert x.tolist() == [[1, 1], [1, 1]]


def test_the_target_keeps_its_shape_and_dtype():
    x = dg.ones(2)
    with pytest.raises(ShapeError, match="doesn't match the broadcast shape"):
        x += dg.ones(3, 2)
    k = dg.tensor([1, 2])
    with pytest.raises(DTypeError, match="can't be cast to the desired output type int64"):
        k += 0.5
    assert (x.tolist(), k.tolist()) == ([1, 1], [1, 2])
    x += np.float64(1)
    assert x.dtype == np.float32
