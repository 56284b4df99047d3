"""Updates by place in memory that others share, and what they refuse."""

import pytest

import dynamicgrad as dg
from gradops import IndexingError, OptionError, ShapeError, TapeError


def test_a_tensor_that_is_written_to_stays_the_same_memory():
    x = dg.zeros(4)
    tail = x[2:]
    assert x.scatter_add_(0, dg.tensor([3, 3]), dg.ones(2)) is x
    assert tail.tolist() == [0, 2]
    assert x._version == 1


def test_a_leaf_is_not_written_to_while_recording():
    w = dg.ones(2, requires_grad=True)
    with pytest.raises(TapeError, match="leaf Variable"):
        w.index_fill_(0, dg.tensor([0]), 0.0)
    with dg.no_grad():
        w.index_fill_(0, dg.tensor([0]), 0.0)
    assert w.tolist() == [0, 1]


def test_functional_updates_are_recorded():
    x = dg.ones(3, requires_grad=True)
    y = x.at[1:].multiply(dg.tensor([2.0, 3.0])).at[0].set(0.0)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([0, 2, 3], [0, 2, 3])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: x.scatter(0, dg.tensor([0]), 1.0), ShapeError, "same number of dimensions"),
        (lambda x: x.scatter(2, dg.tensor([[0]]), 1.0), ShapeError, "out of range"),
        (lambda x: x.scatter(0, dg.tensor([[5]]), 1.0), IndexingError, "index 5 is out of range"),
        (lambda x: x.scatter(0, dg.tensor([[0]]), 1.0, reduce="mean"), OptionError, "not 'mean'"),
        (lambda x: x.scatter_reduce(0, dg.tensor([[0]]), x, "max"), OptionError, "not 'max'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(call, error, says):
    with pytest.raises(error, match=says):
        call(dg.ones(2, 2))
