"""Gradients as functions of functions: of tensors and of NumPy arrays."""

import gc
import weakref
from dataclasses import dataclass

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import NotDifferentiableError, TapeError, TransformError
from gradops.core.tree import leaves_of

F = dg.func


def squares(x):
    return (x * x).sum()


@pytest.fixture
def x():
    return dg.tensor([1.0, 2.0, 3.0])


def test_the_gradient_is_a_plain_tensor_and_the_argument_stays_as_it_was(x):
    g = F.grad(squares)(x)
    assert g.tolist() == [2, 4, 6]
    assert not g.requires_grad
    assert not x.requires_grad
    assert x.grad is None


def test_value_and_gradient_in_both_orders(x):
    assert [t.tolist() for t in F.value_and_grad(squares)(x)] == [14, [2, 4, 6]]
    assert [t.tolist() for t in F.grad_and_value(squares)(x)] == [[2, 4, 6], 14]
    assert not F.value_and_grad(squares)(x)[0].requires_grad


def test_arguments_are_chosen_by_number(x):
    product = lambda a, b, scale=1: (a * b).sum() * scale
    assert F.grad(product, argnums=1)(x, x * 2).tolist() == [1, 2, 3]
    assert F.grad(product, argnums=-2)(x, x * 2, scale=10).tolist() == [20, 40, 60]
    both = F.grad(product, argnums=(1, 0))(x, x * 2)
    assert [g.tolist() for g in both] == [[1, 2, 3], [2, 4, 6]]
    assert isinstance(F.grad(product, argnums=(0,))(x, x), tuple)


@dataclass
class Layer:
    w: object
    b: object


def test_arguments_may_be_trees():
    p = {"one": Layer(dg.ones(2, 2), dg.zeros(2)), "two": [dg.ones(2), None]}
    loss = lambda p, x: (p["two"][0] * (p["one"].w @ x + p["one"].b)).sum()
    g = F.grad(loss)(p, dg.tensor([1.0, 2.0]))
    assert isinstance(g["one"], Layer)
    assert g["two"][1] is None
    assert [t.tolist() for t in leaves_of(g)] == [[[1, 2], [1, 2]], [1, 1], [3, 3]]


def test_what_a_function_returns_beside_comes_along(x):
    def with_more(x):
        return squares(x), {"doubled": x * 2, "name": "more"}

    g, aux = F.grad(with_more, has_aux=True)(x)
    assert (g.tolist(), aux["doubled"].tolist(), aux["name"]) == ([2, 4, 6], [2, 4, 6], "more")
    assert not aux["doubled"].requires_grad
    (y, aux), g = F.value_and_grad(with_more, has_aux=True)(x)
    assert (y.item(), g.tolist()) == (14, [2, 4, 6])


def test_numpy_arrays_give_numpy_arrays_in_their_own_dtype():
    for dtype in (np.float64, np.float32):
        a = np.array([1.0, 2.0], dtype)
        y, g = dg.value_and_grad(lambda a: np.sum(np.sin(a) * a))(a)
        assert type(g) is np.ndarray
        assert (g.dtype, y.dtype) == (dtype, dtype)
        np.testing.assert_allclose(g, np.sin(a) + a * np.cos(a), rtol=1e-6)


def test_a_python_number_counts_as_numpys_float64():
    g = dg.grad(lambda x: x**3)(2.0)
    assert (g, g.dtype) == (12.0, np.float64)
    assert dg.grad(dg.grad(np.sin))(0.5) == -np.sin(0.5)


def test_an_array_result_never_detaches_in_silence(x):
    w = dg.ones(3, requires_grad=True)
    g = dg.grad(lambda a: (w * a * a).sum())(np.ones(3))
    assert isinstance(g, dg.Tensor)
    g.sum().backward()
    assert w.grad.tolist() == [2, 2, 2]


def test_what_the_function_captures_can_be_differentiated_through(x):
    w = dg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    g = F.grad(lambda x: (w * x * x).sum())(x)
    assert g.requires_grad
    g.sum().backward()
    assert w.grad.tolist() == [2, 4, 6]
    assert not F.grad(lambda x: squares(x) + w.sum())(x).requires_grad
    with dg.no_grad():
        assert not F.grad(lambda x: (w * x * x).sum())(x).requires_grad


def test_an_argument_that_requires_gradients_keeps_its_history(x):
    w = x.clone().requires_grad_()
    F.grad(lambda x: (x**3).sum())(w).sum().backward()
    assert w.grad.tolist() == [6, 12, 18]


def test_gradients_are_computed_where_the_caller_does_not_record(x):
    with dg.no_grad():
        assert F.grad(squares)(x).tolist() == [2, 4, 6]

    @dg.no_grad()
    def unrecorded(x):
        return squares(x)

    assert F.grad(lambda x: unrecorded(x) * x.sum())(x).tolist() == [14, 14, 14]


def test_a_constant_has_a_gradient_of_zeros(x):
    assert F.grad(lambda x: dg.tensor(1.0))(x).tolist() == [0, 0, 0]
    assert F.grad(lambda x, y: squares(x), argnums=1)(x, x).tolist() == [0, 0, 0]


def test_nothing_of_a_call_stays_in_memory(x):
    seen = []

    def f(x):
        y = x * 2
        seen.append(weakref.ref(y))
        return (y * y).sum()

    gc.disable()
    try:
        g = F.grad(F.grad(lambda x: f(x)).__wrapped__)(x)
        assert g is not None
        assert seen[0]() is None
    finally:
        gc.enable()


def test_a_vjp_may_be_used_again_and_again(x):
    y, back = F.vjp(lambda a, b: {"p": a * b, "s": a.sum()}, x, x * 2)
    assert y["p"].tolist() == [2, 8, 18]
    for _ in range(2):
        a, b = back({"p": dg.ones(3), "s": dg.tensor(10.0)})
        assert (a.tolist(), b.tolist()) == ([12, 14, 16], [1, 2, 3])


def test_a_cotangent_can_be_differentiated_through(x):
    u = dg.ones(3, requires_grad=True)
    F.vjp(dg.sin, x)[1](u)[0].sum().backward()
    np.testing.assert_allclose(u.grad.numpy(), np.cos(x.numpy()), rtol=1e-6)


def test_a_write_to_what_a_vjp_saved_is_noticed(x):
    y, back = F.vjp(dg.exp, x)
    y.add_(1)
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        back(dg.ones(3))
    _, back = F.vjp(dg.sin, x)
    x.add_(1)
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        back(dg.ones(3))


REFUSED = {
    "no number": (lambda x: F.grad(dg.sin)(x), r"scalar Tensor, got tensor with 1 dims.*\.sum\(\)"),
    "None": (lambda x: F.grad(lambda x: None)(x), "return a Tensor, got <class 'NoneType'>"),
    "a float": (lambda x: F.grad(lambda x: 3.0)(x), "return a Tensor, got <class 'float'>"),
    "a string": (lambda x: F.grad(lambda x: 3.0)("x"), "must be Tensor, got <class 'str'>"),
    "no function": (lambda x: F.grad(x.sum(), x), r"takes a function.*autograd\.grad\(outputs"),
    "arguments at once": (lambda x: F.grad(squares, x)(x), r"grad\(f\)\(x\)"),
    "argnum": (lambda x: F.grad(squares, argnums=1)(x), "argnum=1, but only 1 positional"),
    "no argnum": (lambda x: F.grad(squares, argnums=())(x), "argnums must be non-empty"),
    "twice": (lambda x: F.grad(squares, argnums=(0, -1))(x), "must be unique"),
    "no number of": (lambda x: F.grad(squares, argnums=1.5)(x), "must be int"),
    "no aux": (lambda x: F.grad(squares, has_aux=True)(x), "should be a tuple"),
    "vjp None": (lambda x: F.vjp(lambda x: None, x), "non-empty output"),
    "vjp float": (lambda x: F.vjp(lambda x: (x, 3.0), x), "only tensors.*float"),
    "structure": (lambda x: F.vjp(lambda a: (a, a), x)[1](x), "structure of cotangents"),
    "shape": (lambda x: F.vjp(dg.sin, x)[1](dg.ones(2)), r"shape of \(2,\).*shape of \(3,\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_in_words(x, case):
    call, says = case
    with pytest.raises(TransformError, match=f"(?s){says}"):
        call(x)


def test_integers_have_no_gradient():
    for call in (F.grad(lambda x: x.sum()), lambda x: F.vjp(dg.neg, x), F.jacrev(dg.neg)):
        with pytest.raises(NotDifferentiableError, match=r"floating point.*int64"):
            call(dg.tensor([1, 2]))


def test_an_error_of_the_function_passes_through_and_leaves_the_modes_alone(x):
    def fails(x):
        raise KeyError("mine")

    with dg.no_grad():
        for call in (F.grad(fails), F.vmap(fails), F.jacfwd(fails), F.jacrev(fails)):
            with pytest.raises(KeyError, match="mine"):
                call(x)
        assert not dg.is_grad_enabled()
    assert F.grad(squares)(x).tolist() == [2, 4, 6]
    assert dg.rand(1).shape == (1,)
