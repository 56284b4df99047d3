"""Lists that only later loops read are computed after the loop."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import HoistInvariants, ListsAfterLoop

RNG = np.random.default_rng(0)
STEPS = {
    "of the state": lambda s, v, w: (ops.tanh(s), ops.exp(s[:, None] + w)),
    "of the new state": lambda s, v, w: ((t := ops.tanh(s)), ops.exp(t[:, None] + w)),
    "of entries": lambda s, v, w: (ops.tanh(s + v), ops.exp(v[:, None] + w)),
    "of both": lambda s, v, w: (ops.tanh(s), s * v + 1.0),
    "of what all steps share": lambda s, v, w: (ops.tanh(s), s * w[0] + w[1]),
    "of views": lambda s, v, w: (ops.tanh(s), s[::-1]),
}
KEPT = {
    "read by the step": lambda s, v, w: ((t := s * w[0]) + 1.0, t),
    "a product": lambda s, v, w: (ops.tanh(s), w @ s),
    "of more that is read": lambda s, v, w: (ops.tanh(s), (s + w @ s) * (w.T @ s)),
}


def loop(step, steps="T"):
    with sg.Graph().as_default():
        x, w = sg.placeholder("float64", [steps, 3], name="x"), sg.placeholder("float64", [3, 3])
        first = sg.placeholder("float64", [3], name="first")
        last, given = sg.map_accumulate(lambda s, v: step(s, v, w), first, x)
        return HoistInvariants()(sg.freeze([last, given], [x, w, first]))


@pytest.mark.parametrize("steps", [0, 1, 4])
@pytest.mark.parametrize("named", [False, True], ids=["known", "named"])
@pytest.mark.parametrize("step", STEPS)
def test_elementwise_work_for_lists_is_done_after_the_loop(step, named, steps):
    graph = loop(STEPS[step], "T" if named else steps)
    changed = ListsAfterLoop()(graph)
    sg.verify(changed)
    body = next(e.attrs["body"] for e in changed if e.what == "loop")
    assert not {"exp", "mul", "slice", "add"} & {e.what for e in body} or step == "of entries"
    feeds = [RNG.normal(size=s) for s in [(steps, 3), (3, 3), (3,)]]
    for a, b in zip(sg.interpret(changed, feeds), sg.interpret(graph, feeds), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize("step", KEPT)
def test_what_steps_need_stays(step):
    graph = loop(KEPT[step])
    assert ListsAfterLoop()(graph) is graph


def test_lists_take_no_more_memory_than_before():
    graph = loop(lambda s, v, w: (ops.tanh(s), s[:1] + ops.sin(s)[1:2] * w[0, 0]))
    assert ListsAfterLoop()(graph) is graph


def test_what_all_steps_share_is_left_to_another_pass():
    with sg.Graph().as_default():
        x, w = sg.placeholder("float64", [4, 3], name="x"), sg.placeholder("float64", [3])
        given = sg.map_accumulate(lambda s, v: (s, v * ops.exp(w)), x[0], x)[1]
        graph = sg.freeze([given], [x, w])
    assert ListsAfterLoop()(graph) is graph


def test_loops_that_end_by_a_condition_stay():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [3], name="x")
        y = sg.while_loop(lambda s: ops.sum(s) < 9.0, lambda s: s + ops.exp(s), x)
        graph = sg.freeze([y, *sg.gradients(ops.sum(y), [x])], [x])
    assert ListsAfterLoop()(graph) is graph


SUMS = {
    "of squares": lambda t: 0.5 * ops.sum(t * t),
    "of entries": lambda t: ops.sum(ops.log(1.0 + t * t)),
    "of a few": lambda t: ops.sum(t[:2]) - ops.sum(ops.exp(t)),
    "a scalar product": lambda t: t @ t - ops.sum(t),
}
SUMS_KEPT = {
    "scaled in each step": lambda loss, t: 0.5 * loss + ops.sum(t),
    "subtracted from": lambda loss, t: ops.sum(t) - loss,
    "of products with a matrix": lambda loss, t: loss + ops.sum((t[:, None] @ t[None]) @ t),
}


def summing(add, steps):
    """The last state and a loss, and the gradient, whose loop gets lists of what is summed."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [steps, 3], name="x")

        def step(state, v):
            s, loss = state
            t = ops.tanh(s + v)
            return t, add(loss, t)

        s, loss = sg.foldl(step, x, (ops.zeros_like(x[0]) if steps else np.zeros(3), 0.25))
        return sg.freeze([s, loss, *sg.gradients(loss, [x])], [x])


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("form", SUMS)
def test_terms_of_a_loss_are_computed_after_the_loop(form, steps):
    graph = summing(lambda loss, t: loss + SUMS[form](t), steps)
    changed = ListsAfterLoop()(graph)
    sg.verify(changed)
    first = next(e for e in changed if e.what == "loop")
    assert not {"sum", "matmul", "log"} & {e.what for e in first.attrs["body"]}
    feeds = [RNG.normal(size=(steps, 3))]
    for a, b in zip(sg.interpret(changed, feeds), sg.interpret(graph, feeds), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize("form", SUMS_KEPT)
def test_state_that_is_no_sum_of_late_terms_stays(form):
    graph = summing(SUMS_KEPT[form], 4)
    bodies = [e.attrs["body"] for e in ListsAfterLoop()(graph) if e.what == "loop"]
    assert len(bodies[0].outputs) == len(next(e for e in graph if e.what == "loop").type.parts)
