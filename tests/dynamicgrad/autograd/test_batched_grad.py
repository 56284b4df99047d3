"""`grad` for a batch of cotangents."""

import pytest

import dynamicgrad as dg
from gradops import TapeError, TransformError

grad = dg.autograd.grad


@pytest.fixture
def x():
    return dg.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_each_cotangent_gives_a_row(x):
    (rows,) = grad(x**2, x, dg.eye(3), is_grads_batched=True)
    assert rows.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    (g,) = grad([x * 2, x.sum()], x, [dg.eye(3), dg.ones(3)], is_grads_batched=True)
    assert g.tolist() == [[3, 1, 1], [1, 3, 1], [1, 1, 3]]


def test_rows_can_be_differentiated_in_turn(x):
    (rows,) = grad(x**3, x, dg.eye(3), create_graph=True, is_grads_batched=True)
    assert grad(rows.sum(), x)[0].tolist() == [6, 12, 18]


def test_inputs_that_are_not_used(x):
    other = dg.ones(2, requires_grad=True)
    options = dict(is_grads_batched=True, retain_graph=True)
    y = x * x
    with pytest.raises(TapeError, match="not have been used"):
        grad(y, [x, other], dg.eye(3), **options)
    assert grad(y, [x, other], dg.eye(3), allow_unused=True, **options)[1] is None
    zeros = grad(y, [x, other], dg.eye(3), materialize_grads=True, **options)[1]
    assert zeros.tolist() == [[0, 0]] * 3


def test_the_graph_is_freed_unless_it_is_to_stay(x):
    y = x * x
    grad(y, x, dg.eye(3), is_grads_batched=True)
    with pytest.raises(TapeError, match="second time"):
        grad(y, x, dg.eye(3), is_grads_batched=True)


def test_cotangents_that_do_not_fit_are_refused(x):
    y = x * x
    with pytest.raises(TransformError, match="first dimension of each grad_output"):
        grad(y, x, dg.ones(3), is_grads_batched=True)
    with pytest.raises(TransformError, match="needs a batch of cotangents"):
        grad(y, x, is_grads_batched=True)
    with pytest.raises(TransformError, match=r"same size in the mapped dimension.*\[3, 2\]"):
        grad([y, y], x, [dg.eye(3), dg.ones(2, 3)], is_grads_batched=True)
