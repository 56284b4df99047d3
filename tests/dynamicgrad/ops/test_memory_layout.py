"""To users, results lie in memory row by row, whatever order the kernels choose."""

import contextlib

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops.core import tree

from ..behaviour import Table
from ..calls import CALLS, results
from ..calls import operands as scope_of

table = Table()


def layout(x):
    return tuple(x.stride()), x.is_contiguous()


def network(t):
    F = t.nn.functional
    x = F.conv2d(t.ones(2, 3, 6, 6), t.ones(4, 3, 3, 3))
    return F.max_pool2d(F.relu(x), 2)


@table.gives(((16, 4, 2, 1), True, [2, 16]))
def a_convolution_lies_row_by_row(t):
    y = network(t)
    return *layout(y), list(y.view(2, -1).shape)


@table.gives(((16, 2, 1, 4), False))
def a_transposed_convolution_does_not(t):
    return layout(network(t).permute(0, 2, 3, 1))


@table.refuses("view size is not compatible with input tensor's size and stride")
def a_transposed_convolution_is_not_viewed(t):
    network(t).permute(0, 2, 3, 1).view(-1)


@table.gives((True, 7.0, 7.0, 1))
def views_of_a_convolution_share_memory(t):
    y = network(t)
    part = y[0]
    row = y.view(-1)
    row[0] = 7.0
    return row._base is y, part[0, 0, 0].item(), y[0, 0, 0, 0].item(), y._version


@table.gives((9.0, 9.0))
def what_was_detached_before_shares_memory_too(t):
    y = network(t)
    d = y.detach()
    y.view(-1)[0] = 9.0
    return d[0, 0, 0, 0].item(), float(d.numpy().ravel()[0])


@table.gives([3.0] * 4)
def a_write_to_a_view_of_a_convolution_is_recorded(t):
    w = t.ones(4, 3, 3, 3, requires_grad=True)
    y = t.nn.functional.conv2d(t.ones(1, 3, 3, 3), w)
    y.view(-1).mul_(3)
    y.sum().backward()
    return w.grad[:, 0, 0, 0].tolist()


@table.gives((((3, 1), True), ((3, 1), True), [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]))
def a_clone_of_what_was_expanded_lies_row_by_row(t):
    tall, wide = t.ones(2, 1).expand(2, 3).clone(), t.ones(1, 3).expand(2, 3).clone()
    return layout(tall), layout(wide), wide.mul_(2).tolist()


@table.gives((((1, 2), False), ((1, 2), False), ((3, 1), True)))
def a_transposed_matrix_keeps_its_order(t):
    x = t.ones(2, 3).t().contiguous().t()
    return layout(x.clone()), layout(x * 2), layout(x.contiguous())


@table.gives(True)
def a_convolution_is_its_own_contiguous(t):
    y = network(t)
    return y.contiguous() is y


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


def require_rows(found):
    """Results that are no views lie row by row, and a flat view shares their memory."""
    for y in tree.flatten(found)[0]:
        if isinstance(y, dg.Tensor) and y._base is None:
            assert y.is_contiguous()
            assert np.may_share_memory(y.view(-1).value, y.value) or not y.numel()


@pytest.mark.parametrize("op", gradops.OPS.values(), ids=str)
def test_the_result_of_an_op_lies_row_by_row(op):
    for xs, attrs in op.samples(np.random.default_rng(0)):
        with contextlib.suppress(gradops.DTypeError):  # which NumPy computes and PyTorch not
            require_rows(op(*[dg.from_numpy(np.array(x, order="C")) for x in xs], **attrs))


@pytest.mark.parametrize("call", [call for calls in CALLS.values() for call in calls])
def test_the_result_of_a_call_lies_row_by_row(call):
    require_rows(results(call, scope_of(dg)))


def test_a_network_keeps_channels_last_until_someone_looks():
    y = network(dg)
    assert np.moveaxis(y.value, 1, -1).flags.c_contiguous
    assert y.is_contiguous()
    assert y.value.flags.c_contiguous
