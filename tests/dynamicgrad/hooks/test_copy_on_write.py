"""Writing to tensors that backward needs, where that is allowed."""

import pytest

import dynamicgrad as dg

from ..behaviour import Table

table = Table()


@table.gives(([2.0, 4.0], [100.0, 200.0]))
def keep_operands(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 1
        y = (h * h).sum()
        h.mul_(100)
        y.backward()
    return x.grad.tolist(), h.tolist()


@table.gives([15, 109])
def keep_outputs(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        y = (x * 1).exp()
        z = y * y
        y.add_(1)
        y.mul_(3)
        z.sum().backward()
    return [round(v) for v in x.grad.tolist()]


@table.gives(([3.0, 4.0], [1.0, 2.0], [2.0, 3.0]))
def keep_a_leaf_from_its_update(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    w = t.tensor([3.0, 4.0], requires_grad=True)
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        y = (x * w).sum()
        with t.no_grad():
            w.sub_(1)
        y.backward()
    return x.grad.tolist(), w.grad.tolist(), w.tolist()


@table.gives([2.0, 4.0])
def keep_several_states(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 1
        y = (h * h).sum()
        h.zero_()
        z = (h * h).sum()
        h.fill_(7.0)
        (y + z).backward()
    return x.grad.tolist()


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


def test_a_view_keeps_its_values_when_its_base_is_written_to():
    x = dg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with dg.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 1
        v = h[1:]
        y = (v * v).sum()
        h[2] = 50.0
        y.backward()
    assert x.grad.tolist() == [0, 4, 6]


def test_a_write_behind_the_librarys_back_is_noticed_if_it_is_told():
    x = dg.ones(2, requires_grad=True)
    with dg.autograd.graph.allow_mutation_on_saved_tensors():
        h = x * 1
        y = (h * h).sum()
    h.detach().numpy()[0] = 5
    dg.autograd.graph.increment_version(h)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
