"""Derivatives along a direction: `jvp` and `linearize`."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import NotDifferentiableError, TransformError

F = dg.func


@pytest.fixture
def x():
    return dg.tensor([1.0, 2.0, 3.0])


def test_value_and_derivative_along_a_direction(x):
    y, t = F.jvp(lambda a, p: {"s": a * p["b"]}, (x, {"b": x}), (dg.ones(3), {"b": x}))
    assert (y["s"].tolist(), t["s"].tolist()) == ([1, 4, 9], [2, 6, 12])


def test_of_arrays_in_arrays_out():
    y, t = F.jvp(np.sin, (np.zeros(2),), (np.ones(2),))
    assert [type(y), type(t)] == [np.ndarray, np.ndarray]
    assert (y.tolist(), t.tolist()) == ([0, 0], [1, 1])


def test_what_does_not_depend_on_the_primals_has_a_tangent_of_zeros(x):
    y, t = F.jvp(lambda x: (x, dg.ones(2)), (x,), (x,))
    assert (y[1].tolist(), t[1].tolist()) == ([1, 1], [0, 0])
    with pytest.raises(TransformError, match="independent of the inputs"):
        F.jvp(lambda x: dg.ones(2), (x,), (x,), strict=True)


def test_what_a_function_returns_beside_has_no_tangent(x):
    y, t, aux = F.jvp(lambda x: (x * 2, {"a": x, "n": 1}), (x,), (x,), has_aux=True)
    assert (y.tolist(), t.tolist(), aux["a"].tolist()) == ([2, 4, 6], [2, 4, 6], [1, 2, 3])
    assert isinstance(aux["a"].value, np.ndarray)


def test_python_may_look_at_the_primal(x):
    def by_value(x):
        assert x.sum().item() == 6
        assert x.tolist() == [1, 2, 3]
        assert x[0].item() == 1.0
        assert not x.isnan().any()
        return x * 2 if x[0] > 0 else -x

    assert F.jvp(by_value, (x,), (x,))[1].tolist() == [2, 4, 6]


def test_an_integer_result_has_no_tangent(x):
    y, t = F.jvp(lambda x: x.int(), (x,), (x,))
    assert (y.dtype, t.tolist()) == (np.int32, [0, 0, 0])


def test_an_array_made_of_a_tangent_is_refused(x):
    with pytest.raises(TransformError, match="tangent would be lost"):
        F.jvp(lambda x: dg.tensor(np.asarray(x)), (x,), (x,))


def test_a_linearized_function_runs_once(x):
    runs = []

    def f(x):
        runs.append(1)
        return {"y": dg.sin(x)}

    y, push = F.linearize(f, x)
    for t in (dg.ones(3), x):
        got = push(t)["y"]
        np.testing.assert_allclose(got.numpy(), F.jvp(dg.sin, (x,), (t,))[1].numpy(), rtol=1e-6)
        assert not got.requires_grad
    assert (y["y"].tolist(), len(runs)) == (dg.sin(x).tolist(), 1)


def test_a_linearized_function_of_which_nothing_depends_on_the_input(x):
    assert F.linearize(lambda x: dg.ones(2), x)[1](x).tolist() == [0, 0]


REFUSED = {
    "no tuple": (lambda x: F.jvp(dg.sin, x, x), "Expected primals to be a tuple"),
    "a list": (lambda x: F.jvp(dg.sin, (x,), [x]), "Expected tangents to be a tuple"),
    "structure": (lambda x: F.jvp(dg.sin, (x,), (x, x)), "same python structure"),
    "shape": (lambda x: F.jvp(dg.sin, (x,), (dg.ones(2),)), "different size"),
    "nothing": (lambda x: F.jvp(lambda: x, (), ()), "at least one Tensor"),
    "None": (lambda x: F.jvp(lambda x: None, (x,), (x,)), "non-empty output"),
    "linearize": (lambda x: F.linearize(dg.sin, x)[1](x, x), "same argspec as the primals"),
    "linearize shape": (lambda x: F.linearize(dg.sin, x)[1](x[:2]), "doesn't match the shape"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_in_words(x, case):
    call, says = case
    with pytest.raises(TransformError, match=says):
        call(x)


def test_integers_have_no_tangent():
    n = dg.tensor([1, 2])
    for call in (lambda: F.jvp(dg.neg, (n,), (n,)), lambda: F.jacfwd(dg.neg)(n)):
        with pytest.raises(NotDifferentiableError, match=r"floating point.*int64"):
            call()


def test_a_tree_beside_none_is_refused():
    with pytest.raises(TransformError, match="same python structure"):
        dg.func.jvp(lambda a: a["a"], ({"a": dg.ones(2)},), (None,))
