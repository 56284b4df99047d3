"""Results of sorting have names, gradients and errors of their own."""

import pytest

import dynamicgrad as dg
from gradops import ShapeError


def test_what_was_sorted_has_names():
    x = dg.tensor([3.0, 1.0], requires_grad=True)
    for found in (x.sort(), x.topk(2), x.kthvalue(1), x.mode()):
        assert found.values is found[0]
        assert not found.indices.requires_grad
    (x.topk(1).values * 2).sum().backward()
    assert x.grad.tolist() == [2, 0]


def test_the_gradient_of_distinct_entries_goes_to_the_first_of_them():
    x = dg.tensor([3.0, 1.0, 3.0], requires_grad=True)
    (x.unique() * dg.tensor([1.0, 2.0])).sum().backward()
    assert x.grad.tolist() == [2, 1, 0]


def test_distinct_parts_along_a_dimension_have_gradients():
    x = dg.tensor([[3.0, 1.0], [0.0, 2.0], [3.0, 1.0]], requires_grad=True)
    parts, number, counts = x.unique(return_inverse=True, return_counts=True, dim=0)
    assert (parts.tolist(), number.tolist(), counts.tolist()) == (
        [[0, 2], [3, 1]], [1, 0, 1], [1, 2],
    )  # fmt: skip
    (parts * dg.tensor([[1.0], [2.0]])).sum().backward()
    assert x.grad.tolist() == [[2, 2], [1, 1], [0, 0]]
    runs, number = x.unique_consecutive(return_inverse=True, dim=-1)
    assert (runs.tolist(), number.tolist()) == (x.tolist(), [0, 1])


def test_what_there_is_not_is_told():
    with pytest.raises(ShapeError, match="selected index k out of range"):
        dg.ones(2).topk(3)
