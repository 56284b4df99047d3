"""Passes keep what a graph computes, to the bit, and the pipeline tells what they did."""

from dataclasses import dataclass

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.errors import OptionError
from gradops.core.traits import Trait
from gradops.testing.op_properties import cases
from staticgrad.passes.fold import fold
from staticgrad.passes.pipeline import LEVELS, optimize_graph, run_passes
from staticgrad.passes.simplify import drop_broadcasts, drop_retyping


@pytest.fixture
def x():
    with sg.Graph().as_default():
        yield sg.placeholder("float32", ["n", 3], name="x")


def gradient_graph(x):
    w = sg.constant(np.array([1.0, -2.0, 0.5], np.float32))
    y = sg.reduce_mean(sg.abs(sg.tanh(x * w) * 1) ** 2)
    return sg.freeze([y, *sg.gradients(y, x)], [x])


def test_all_passes_of_a_level_keep_the_bits(x):
    graph = gradient_graph(x)
    feeds = [np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)]
    changed, _ = run_passes(graph, LEVELS[1], check=True)
    assert len(changed) < len(graph)
    before, after = sg.interpret(graph, feeds), sg.interpret(changed, feeds)
    assert [a.tobytes() for a in before] == [b.tobytes() for b in after]


def test_passes_keep_the_interface(x):
    graph = gradient_graph(x)
    changed = optimize_graph(graph, 1)
    assert [e.label for e in changed.inputs] == [e.label for e in graph.inputs]
    assert [e.type for e in changed.outputs] == [e.type for e in graph.outputs]


def test_level_0_changes_nothing(x):
    graph = gradient_graph(x)
    assert optimize_graph(graph, 0) is graph


def test_a_level_that_there_is_not_is_refused(x):
    with pytest.raises(OptionError, match=r"one of \[0, 1\], not 9"):
        sg.compile(x + 1, [x], optimize=9)


def test_a_report_tells_what_each_pass_did(x):
    _, reports = run_passes(gradient_graph(x), LEVELS[1])
    assert [r.name for r in reports] == [p.__name__ for p in LEVELS[1]]
    assert str(reports[0]).startswith("drop_gradients: ")
    assert all(r.seconds > 0 for r in reports)


def test_a_failing_pass_is_named_with_those_before_it(x):
    @dataclass(frozen=True)
    class Faulty:
        def __call__(self, graph):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        run_passes(gradient_graph(x), (fold, Faulty()))
    assert "in the pass" in caught.value.__notes__[0]
    assert "after fold" in caught.value.__notes__[0]


def test_constants_are_folded_with_the_kernel(x):
    graph = sg.freeze([x + sg.exp(sg.constant(2.0)) * 3], [x])
    changed = fold(graph)
    assert len(changed) == 3
    assert sg.interpret(changed, [np.zeros((1, 3), np.float32)])[0].tobytes() == (
        sg.interpret(graph, [np.zeros((1, 3), np.float32)])[0].tobytes()
    )


def test_a_big_result_is_not_folded(x):
    ones = sg.broadcast_to(sg.constant(1.0), shape=(1000, 1000))
    assert len(fold(sg.freeze([ones]))) == 2


def test_what_fails_is_left_to_fail_when_it_runs(x):
    labels = sg.constant(np.array([7]), dtype="int64")
    loss = sg.cross_entropy(sg.constant(np.zeros((1, 3))), labels)
    graph = fold(sg.freeze([loss]))
    with pytest.raises(gradops.IndexingError, match="label 7"):
        sg.interpret(graph, [])


def test_a_change_of_shape_or_dtype_that_changes_nothing_is_dropped(x):
    same = sg.astype(sg.reshape(x, shape=x.shape), dtype="float32")
    assert len(drop_retyping(sg.freeze([same + 0.5], [x]))) == 3


RETYPING = [
    pytest.param(case, id=str(case))
    for op in gradops.OPS.values()
    if Trait.RETYPING in op.traits
    for case in cases(op)
]


@pytest.mark.parametrize("case", RETYPING)
def test_retyping_to_the_same_type_is_the_identity(case):
    (value,) = case.operands
    y = case(value)
    if gradops.type_of(y) == gradops.type_of(value):
        np.testing.assert_array_equal(y, value)


def test_elementwise_ops_broadcast_by_themselves(x):
    filled = sg.broadcast_to(sg.constant(2.0), shape=x.shape)
    changed = drop_broadcasts(sg.freeze([x * filled], [x]))
    assert [e.what for e in changed] == ["placeholder", "constant", "mul"]


def test_a_broadcast_that_the_shape_needs_stays(x):
    filled = sg.broadcast_to(sg.constant(2.0), shape=(5, 3))
    graph = sg.freeze([sg.exp(filled)], [])
    assert len(drop_broadcasts(graph)) == 3


LAYOUTS = {
    "a slice times one": lambda x: sg.reduce_sum(x[:, ::2] * 1),
    "a transpose times a filled array": lambda x: sg.reduce_sum(
        sg.transpose(x) * sg.broadcast_to(sg.constant(np.float32([3] * 40)), shape=(50, 40)), axis=0
    ),
    "a slice negated twice": lambda x: sg.reduce_sum(sg.negative(-x[::3, ::2])),
    "a slice broadcast to itself": lambda x: sg.reduce_sum(
        sg.broadcast_to(x[:, ::2], shape=(40, 25))
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_passes_keep_layouts_and_so_the_order_of_sums(name):
    x = sg.placeholder("float32", [40, 50])
    y = LAYOUTS[name](x)
    feed = np.random.default_rng(0).normal(size=(40, 50)).astype(np.float32)
    plain, passed = (sg.compile(y, [x], optimize=level)(feed) for level in (0, 1))
    assert plain.tobytes() == passed.tobytes()


def test_simplification_still_happens_where_the_layout_is_known(x):
    graph = sg.freeze([sg.negative(-sg.tanh(x @ np.ones((3, 4), np.float32))) * 1], [x])
    assert [e.what for e in optimize_graph(graph, 1)] == [
        "placeholder",
        "constant",
        "matmul",
        "tanh",
    ]


def test_rules_of_users_are_applied_inside_loops_too(x):
    rule = sg.Rule(lambda a: sg.exp(sg.log(a)), lambda a: a, exact=False)
    y = sg.fori(0, 3, lambda i, s: sg.exp(sg.log(s)) + 1, sg.exp(sg.log(x)))
    f = sg.compile([y], [x], rules=[rule])
    assert "np.exp" in sg.compile([y], [x]).source
    assert "np.exp" not in f.source
    assert "np.exp" not in sg.compile([y], [x], optimize=0, rules=[rule]).source
    np.testing.assert_array_equal(f(np.ones((2, 3), np.float32)), [np.full((2, 3), 4.0)])
