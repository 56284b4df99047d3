"""Odd calls that random programs found: casts at a mask, numbers as indices, former leaves."""

import numpy as np

from .behaviour import Table

table = Table()


def written(t, target, key, value):
    target[key] = value
    return target.tolist()


@table.gives(([1.0, 0.0], [2, 0]))
def one_number_is_cast_where_a_mask_holds(t):
    mask = t.tensor([True, False])
    return (
        written(t, t.zeros(2), mask, t.tensor(1 + 0j)),
        written(t, t.zeros(2, dtype=t.uint8), mask, t.tensor(2.5)),
    )


@table.refuses("value cannot be converted to type")
def a_complex_number_is_not_cut_where_a_mask_holds(t):
    written(t, t.zeros(2), t.tensor([True, False]), t.tensor(1 + 2j))


@table.refuses("value cannot be converted to type")
def a_number_out_of_range_is_not_wrapped_where_a_mask_holds(t):
    written(t, t.zeros(2, dtype=t.uint8), t.tensor([True, False]), t.tensor(300))


@table.refuses("Index put requires the source and destination dtypes match")
def nothing_is_cast_where_indices_stand_beside_a_mask(t):
    target = t.zeros((1, 1), dtype=t.int32)
    written(t, target, ([True], np.array([-1])), t.tensor([[2]]))


@table.gives(([1.0, 1.0], [1.0]))
def a_complex_number_that_is_real_is_written(t):
    return t.ones(2).fill_(1 + 0j).tolist(), written(t, t.zeros(1), 0, 1 + 0j)


@table.refuses("shape mismatch")
def a_value_without_entries_has_a_shape_too(t):
    written(t, t.zeros(2, 1, 0), ([-2, -1], -1), t.zeros(2, 1, 0))


@table.gives(([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]))
def a_number_is_a_row_of_one_where_entries_are_scattered(t):
    number, row = t.tensor(1.0), t.ones(1)
    return (
        t.zeros(3).scatter_add(0, t.tensor([1]), number).tolist(),
        t.zeros(3).scatter_add(0, t.tensor(1), row).tolist(),
        t.zeros(3).scatter_reduce(0, t.tensor([1]), number, "sum").tolist(),
    )


@table.gives(("float32", [4.0]))
def bounds_of_integers_may_be_floats_of_numpy(t):
    y = t.tensor([4], dtype=t.uint8).clamp(np.float32(1.5), 300)
    return str(y.dtype).removeprefix("torch."), y.tolist()


@table.gives([4, 5, 6, 7, 0, 1, 2, 3])
def the_largest_entries_lie_row_by_row(t):
    return t.arange(8).view(2, 2, 2).topk(2, 0)[0].view(-1).tolist()


@table.gives(([0.0, 0.0], False))
def what_is_overwritten_wholly_has_a_gradient_without_history(t):
    x = t.ones(2, requires_grad=True)
    y = x * 1
    y[...] = 0.5
    (y * y).sum().backward(create_graph=True)
    return x.grad.tolist(), x.grad.requires_grad


@table.gives([1.0])
def a_leaf_that_requires_gradients_no_more_gets_none(t):
    x = t.ones(1, requires_grad=True)
    y = x * 1
    y.backward(retain_graph=True)
    x.requires_grad_(False)
    (y * 3).backward()
    return x.grad.tolist()


@table.gives([[-3.0], [-3.0]])
def the_only_window_can_be_written_to(t):
    x = t.ones(2, 2, requires_grad=True)
    y = x * 1
    window = y.unfold(1, 2, 1)
    window[:, -1, 1:2] *= -3
    window.sum().backward()
    return x.grad[:, 1:].tolist()


@table.gives([2.0, 3.0])
def the_largest_entries_so_far_may_be_written_to(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 1).cummax(0)[0]
    y.mul_(t.tensor([2.0, 3.0]))
    y.sum().backward()
    return x.grad.tolist()


@table.gives((False, 2.0))
def the_entry_of_a_number_is_no_view(t):
    with t.no_grad():
        y = t.tensor(2.0, requires_grad=True).gather(-1, t.tensor(0))
    y.detach_()
    return y.requires_grad, y.item()


@table.gives([258, 511, 255])
def a_factor_is_applied_in_the_common_dtype(t):
    x = t.tensor([1, 255, 127], dtype=t.uint8)
    return t.tensor([256, 1, 1]).add_(x, alpha=2).tolist()


@table.refuses("argument alpha must not be a floating point number")
def a_factor_of_integers_is_an_integer(t):
    t.tensor([1]).sub_(t.tensor([1]), alpha=0.5)


@table.gives([1j])
def a_view_of_complex_numbers_is_written_to_twice(t):
    x = t.tensor([1j], requires_grad=True)
    y = x * 1
    y[None, ...] += 1.5
    y[None, ...] -= 1.5
    (y * y).sum().real.backward()
    return [z / -2 for z in x.grad.tolist()]


test_an_odd_call, test_an_odd_call_beside_torch = table.tests()
