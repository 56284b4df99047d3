"""What is fed keeps its layout, so that both modes add in the same order."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops
import staticgrad as sg

rng = np.random.default_rng(0)
WHOLE = rng.standard_normal((60, 70)).astype(np.float32)
FEEDS = {
    "C": WHOLE, "Fortran": np.asfortranarray(WHOLE), "strided": WHOLE.repeat(2, 1)[:, ::2],
    "reversed": WHOLE[::-1, ::-1].copy()[::-1, ::-1],
    "repeated": np.broadcast_to(WHOLE[0], (60, 70)),
}  # fmt: skip
FUNCTIONS = {
    "sum": lambda x: ops.sum(x),
    "sum of a result": lambda x: ops.sum(ops.exp(x) * 1.5 + x, axis=0),
    "mean of a broadcast": lambda x: ops.mean(ops.tanh(x + ops.broadcast_to(x[:, :1], (60, 70)))),
    "product": lambda x: ops.sum(ops.tanh(x @ ops.transpose(x))),
    "view": lambda x: ops.sum(ops.exp(ops.reshape(x, (-1, 10))), axis=1),
}
each_feed = pytest.mark.parametrize("fed", FEEDS.values(), ids=FEEDS)
each_function = pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)


def gradient_in_a_graph(f, x):
    y = f(x)
    return [y, *sg.gradients(ops.sum(y), [x])]


def bits(results):
    return [np.asarray(r).tobytes() for r in results]


@each_feed
@each_function
@pytest.mark.parametrize("optimize", [0, 1])
def test_bits_are_those_of_eager_execution(fed, f, optimize):
    tensor = dg.from_numpy(fed).requires_grad_()
    y = f(tensor)
    (g,) = dg.autograd.grad(ops.sum(y), [tensor])
    x = sg.placeholder("float32", fed.shape, name="x")
    fetches = gradient_in_a_graph(f, x)
    expected = bits([y.detach().numpy(), g.numpy()])
    assert bits(sg.compile(fetches, [x], optimize)(fed)) == expected
    assert bits(sg.interpret(sg.freeze(fetches, [x]), [fed])) == expected


VECTORS = {"contiguous": WHOLE[0], "strided": WHOLE[:, 0], "reversed": WHOLE[0][::-1]}


@pytest.mark.parametrize("fed", VECTORS.values(), ids=VECTORS)
@pytest.mark.parametrize("optimize", [0, 1])
def test_an_array_with_one_axis_is_taken_as_it_is(fed, optimize, monkeypatch):
    x = sg.placeholder("float32", fed.shape, name="x")

    def f(x):
        whole = (
            ops.exp(x * 1) * ops.reshape(x, (-1, 2))[:, :1] + ops.broadcast_to(x, (2, len(fed)))[0]
        )
        return [ops.sum(whole, axis=0), ops.exp(ops.reshape(x, (5, -1)) + 1), ops.matmul(x, x)]

    compiled = sg.compile(f(x), [x], optimize)
    monkeypatch.setattr("staticgrad.runtime.executable.as_feed", None)
    assert bits(compiled(fed)) == bits(f(fed))


def test_what_is_fed_in_another_layout_is_blamed_and_returned_in_the_right_form():
    x = sg.placeholder("float32", ["n", 2], name="x")
    f = sg.compile({"y": sg.matmul(x, sg.transpose(x)), "x": x}, [x])
    fed = np.asfortranarray(np.ones((3, 2), np.float32))
    found = f(fed)
    assert found["y"].tolist() == [[2.0] * 3] * 3
    assert not np.shares_memory(found["x"], fed)
    index = sg.placeholder("int64", [], name="index")
    with pytest.raises(IndexError, match="index") as caught:
        sg.compile(x[index], [x, index])(fed, 7)
    assert len(caught.value.__notes__) == 1


@pytest.mark.parametrize("fed", [WHOLE, np.asfortranarray(WHOLE)], ids=["C", "Fortran"])
@pytest.mark.parametrize("optimize", [0, 1])
def test_constants_and_variables_keep_their_layout(fed, optimize):
    fixed = sg.constant(fed)
    w, v = sg.Variable(fed), sg.Variable(np.ones((60, 70), np.float32))
    turned = v.assign(fixed)
    sums = [sg.reduce_sum(sg.exp(x) * 1.5) for x in (fixed, w, v)]
    both = sums[0] + sg.reduce_sum(sg.exp(sg.constant(np.ascontiguousarray(fed))) * 1.5)
    with sg.Session(optimize=optimize) as session:
        session.run(turned)
        expected = ops.sum(ops.exp(fed) * 1.5)
        other = ops.sum(ops.exp(np.ascontiguousarray(fed)) * 1.5)
        assert bits(session.run(sums)) == bits([expected] * 3)
        assert bits([session.run(both)]) == bits([expected + other])


def test_equal_constants_of_another_layout_stay_apart():
    small = np.ones((2, 3))
    frozen = sg.freeze([sg.constant(small) + 1, sg.constant(np.asfortranarray(small)) + 1])
    assert frozen.outputs[0] is not frozen.outputs[1]
