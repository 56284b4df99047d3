"""Functions that run as graphs, and what they keep from call to call."""

import threading

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import DTypeError, GraphError, TransformError, flatten


def test_variables_made_in_a_function_last_and_random_numbers_are_new():
    @sg.function
    def f(x):
        count = sg.Variable(0.0, trainable=False)
        count.assign_add(1.0)
        return count + x, sg.random_uniform([])

    one = np.array(1, np.float32)
    (a, u), (b, v) = f(one), f(one)
    assert (a, b, f.traces) == (2, 3, 1)
    assert u != v


def test_a_failed_call_leaves_variables_as_they_were():
    @sg.function
    def f(x):
        count = sg.Variable(0.0)
        count.assign_add(1.0)
        sg.Assert(x > 0)
        return count * 1

    assert f(np.array(1.0)) == 1
    with pytest.raises(AssertionError):
        f(np.array(-1.0))
    assert f(np.array(1.0)) == 2


def test_random_numbers_of_the_eager_side_are_refused_while_tracing():
    drop = dg.nn.Dropout(0.5)
    for draw in (lambda x: x + dg.randn(3), drop):
        with pytest.raises(TransformError, match="same in every call"):
            sg.function(draw)(dg.ones(3))
        with pytest.raises(TransformError, match=r"sg\.trace"):
            sg.trace(draw, [dg.ones(3)])
    assert dg.randn(3).shape == (3,)


def test_a_function_may_call_itself_with_other_arguments_while_it_is_traced():
    @sg.function
    def f(x):
        return x if x.ndim == 0 else sg.reduce_sum(x) + f(np.ones(()))

    found = []
    thread = threading.Thread(target=lambda: found.append(f(np.ones(3))), daemon=True)
    thread.start()
    thread.join(30)
    assert found == [4.0]


def test_floats_that_are_equal_and_not_the_same_are_two_programs():
    @sg.function
    def f(x, c):
        return x / np.array(c)

    one = np.array(1.0)
    with np.errstate(divide="ignore"):
        assert [f(one, 0.0), f(one, -0.0)] == [np.inf, -np.inf]
    f(one, float("nan")), f(one, float("nan"))
    assert f.traces == 3


def test_an_argument_that_cannot_be_part_of_a_program_is_refused():
    for argument in ({1, 2}, bytearray(b"a")):
        with pytest.raises(GraphError, match=r"(?s)scaled was given .*hint: pass arrays"):
            sg.function(scaled)(np.ones(2), argument)
    with pytest.raises(GraphError, match="takes a callable, not 3"):
        sg.function(3)


def scaled(x, factor):
    return x * factor


def test_checks_and_groups_that_a_function_returns_are_run_and_are_none():
    @sg.function
    def f(x):
        count = sg.Variable(0.0)
        new = count.assign_add(x)
        return {"new": new, "check": sg.Assert(new < 2), "all": sg.group(new)}

    assert f(np.float32(1)) == {"new": 1, "check": None, "all": None}
    with pytest.raises(AssertionError):
        f(np.float32(5))
    assert f(np.float32(0.5))["new"] == 1.5


def test_gradients_of_plain_numbers_say_how_to_pass_them():
    @sg.function
    def slope(x):
        return sg.gradients(x**2, x)[0]

    for given in (3.0, 3):
        with pytest.raises(GraphError) as caught:
            slope(given)
        assert "test_traced_function.py:" in str(caught.value)
        assert "np.float64(3.0)" in str(caught.value)
    assert slope(np.float64(3.0)) == 6
    with pytest.raises(DTypeError, match=r"x\.astype\(float\)"):
        slope(np.array([1, 2]))


@pytest.mark.parametrize("make", [np.ones, dg.ones], ids=["arrays", "tensors"])
def test_a_function_with_variables_is_traced_for_each_shape(make):
    f = sg.function(lambda x: x + sg.random_normal([1])[0])
    assert [f(make(n)).shape[0] for n in (2, 2, 3, 2, 3)] == [2, 2, 3, 2, 3]
    assert f.traces == 2


def test_an_argument_that_gets_a_gradient_is_another_kind_of_argument():
    f = sg.function(lambda x, y: x * 2 + (0 if x.grad is None else 1) + y)
    x, y = dg.ones(2), dg.ones(2)
    first = [f(x, y) for _ in range(3)]
    x.grad = dg.ones(2)
    assert f(x, y).tolist() == [4.0, 4.0]
    assert [r.tolist() for r in first] == [[3.0, 3.0]] * 3
    x.grad = None
    assert f(x, y).tolist() == [3.0, 3.0]


def test_an_argument_that_requires_a_gradient_is_another_kind_of_argument():
    f = sg.function(lambda x, y: x * y)
    x, y = dg.ones(2), dg.ones(2)
    assert not any(f(x, y).requires_grad for _ in range(3))
    x.requires_grad_()
    assert f(x, y).requires_grad
    assert not f(y, x.detach()).requires_grad


STRUCTURES = [
    lambda a, b: ([a, b],), lambda a, b: ((a, b),), lambda a, b: ([a], b), lambda a, b: ([a, a],),
    lambda a, b: ({"a": a, "b": b},), lambda a, b: ({"b": b, "a": a},), lambda a, b: ([[a], (b,)],),
    lambda a, b: ([a, b.value],), lambda a, b: ([a, b.detach()],), lambda a, b: ([a, 2.0],),
    lambda a, b: ([b, a, b.detach() * 2],), lambda a, b: ([a, b.detach()[:1]],),
]  # fmt: skip


@pytest.mark.parametrize("first", STRUCTURES)
def test_arguments_in_structures_are_told_from_those_of_the_last_call(first):
    def program(*args):
        leaves, _ = flatten(args)
        total = sum((k + 1) * (x * x).sum() if hasattr(x, "sum") else x
                    for k, x in enumerate(leaves))  # fmt: skip
        total.backward()
        return total, [type(x).__name__ for x in args]

    for second in STRUCTURES:
        f = sg.function(program)
        for arguments in (first, second, first):
            found = []
            for run in (program, f):
                a = dg.tensor([1.0, 2.0], requires_grad=True)
                b = dg.tensor([3.0], requires_grad=True)
                total, names = run(*arguments(a, b))
                grads = [None if t.grad is None else t.grad.tolist() for t in (a, b)]
                found.append((total.item(), names, grads))
            assert found[0] == found[1]
        assert f.traces <= 2
