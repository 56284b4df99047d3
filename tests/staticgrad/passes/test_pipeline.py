"""Passes keep what a graph computes, to the bit, and the pipeline tells what they did."""

import logging
from dataclasses import dataclass, replace

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.errors import OptionError, PassError
from gradops.core.traits import Trait
from gradops.testing.cases import cases
from staticgrad.ir.kinds import Lowering
from staticgrad.passes import (
    LEVELS,
    DropBroadcasts,
    DropRetyping,
    Fold,
    Pass,
    Pipeline,
    Rematerialize,
)
from staticgrad.passes.inner import within

exact = Pipeline(LEVELS[1])


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
    changed = exact(graph)
    sg.verify(changed)
    assert len(changed) < len(graph)
    before, after = sg.interpret(graph, feeds), sg.interpret(changed, feeds)
    assert [a.tobytes() for a in before] == [b.tobytes() for b in after]


def test_passes_keep_the_interface(x):
    graph = gradient_graph(x)
    changed = exact(graph)
    assert [e.label for e in changed.inputs] == [e.label for e in graph.inputs]
    assert [e.type for e in changed.outputs] == [e.type for e in graph.outputs]


def test_level_0_changes_nothing(x):
    graph = gradient_graph(x)
    assert Pipeline(LEVELS[0])(graph) is graph


def test_a_level_that_there_is_not_is_refused(x):
    with pytest.raises(OptionError, match=r"one of 0, 1, 2, 'stabilize', not 9"):
        sg.compile(x + 1, [x], optimize=9)


def test_a_report_tells_what_each_pass_did(x):
    _, reports = exact.run(gradient_graph(x))
    assert [r.name for r in reports] == [p.name for p in LEVELS[1]]
    assert str(reports[3]).startswith("drop_gradients: ")
    assert all(r.seconds > 0 for r in reports)


def test_a_failing_pass_is_named_with_those_before_it(x):
    @dataclass(frozen=True)
    class Faulty(Pass):
        def __call__(self, graph):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        Pipeline([Fold(), Faulty()])(gradient_graph(x))
    assert caught.value.__notes__ == ["  in the pass faulty, after fold"]


def test_constants_are_folded_with_the_kernel(x):
    graph = sg.freeze([x + sg.exp(sg.constant(2.0)) * 3], [x])
    changed = Fold()(graph)
    assert len(changed) == 3
    assert sg.interpret(changed, [np.zeros((1, 3), np.float32)])[0].tobytes() == (
        sg.interpret(graph, [np.zeros((1, 3), np.float32)])[0].tobytes()
    )


def test_a_big_result_is_not_folded(x):
    ones = sg.broadcast_to(sg.constant(1.0), shape=(1000, 1000))
    assert len(Fold()(sg.freeze([ones]))) == 2


def test_what_fails_is_left_to_fail_when_it_runs(x):
    labels = sg.constant(np.array([7]), dtype="int64")
    loss = sg.cross_entropy(sg.constant(np.zeros((1, 3))), labels)
    graph = Fold()(sg.freeze([loss]))
    with pytest.raises(gradops.IndexingError, match="label 7"):
        sg.interpret(graph, [])


def test_a_change_of_shape_or_dtype_that_changes_nothing_is_dropped(x):
    same = sg.astype(sg.reshape(x, shape=x.shape), dtype="float32")
    assert len(DropRetyping()(sg.freeze([same + 0.5], [x]))) == 3


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
    changed = DropBroadcasts()(sg.freeze([x * filled], [x]))
    assert [e.what for e in changed] == ["placeholder", "constant", "mul"]


def test_a_broadcast_that_the_shape_needs_stays(x):
    filled = sg.broadcast_to(sg.constant(2.0), shape=(5, 3))
    graph = sg.freeze([sg.exp(filled)], [])
    assert len(DropBroadcasts()(graph)) == 3


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
    assert [e.what for e in exact(graph)] == [
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


def test_passes_are_switched_by_name_class_or_themselves(x):
    y = x * 1 + sg.exp(sg.constant(0.0))
    names = lambda **options: [r.name for r in sg.compile(y, [x], **options).pass_reports]
    assert names(passes=["fold", DropRetyping, Fold(limit=8)]) == ["fold", "drop_retyping", "fold"]
    assert "fold" not in names(without="fold")
    assert not {"fold", "simplify"} & set(names(without=[Fold, "simplify"]))
    assert names(optimize=0) == []
    with pytest.raises(OptionError, match="no pass 'fould'; did you mean 'fold'"):
        names(without="fould")
    with pytest.raises(OptionError, match=r"the passes are join_elementwise, propagate_constants"):
        names(passes=[3])


def test_every_pass_has_a_name_of_its_own_and_a_bound():
    assert LEVELS[2][: len(LEVELS[1])] == LEVELS[1]
    assert all(p.bound == 0 for p in LEVELS[1])
    assert all(p.bound < np.inf for p in LEVELS[2])
    assert len({p.name for p in LEVELS[2]}) == len({type(p) for p in LEVELS[2]})


def with_changed_output(graph, change):
    """The graph with its only output replaced by `change` of it."""
    (feed,) = graph.inputs
    with sg.Graph().as_default():
        new = sg.placeholder(feed.dtype, feed.shape, name="x")
        (y,) = sg.replay(graph, [new])
        return sg.freeze([change(y)], [new])


@dataclass(frozen=True)
class Change(Pass):
    """A pass that changes what is computed, as a wrong one does."""

    factor: float = 1.0
    bound = 0.0

    def __call__(self, graph):
        return with_changed_output(graph, lambda y: y * self.factor)


@dataclass(frozen=True)
class BoundedChange(Change):
    bound = 4.0


@dataclass(frozen=True)
class Widen(Pass):
    def __call__(self, graph):
        return with_changed_output(graph, lambda y: sg.astype(y, "float64"))


def test_a_pass_that_changes_a_type_is_an_error(x):
    with pytest.raises(PassError, match=r"widen changes the type of the result .* to float64"):
        sg.compile(sg.tanh(x), [x], passes=[Widen()])


@pytest.mark.parametrize("make", [Change, BoundedChange])
def test_a_pass_that_changes_a_value_is_found_by_verification(x, make):
    y = sg.tanh(x)
    good = sg.compile(y, [x], passes=[make(1.0)], verify=True)
    assert [r.name for r in good.pass_reports] == [make().name]
    with pytest.raises(PassError, match=rf"{make().name} changes the value of .*becomes") as caught:
        sg.compile(y, [x], passes=["fold", make(1.001)], verify=True)
    assert caught.value.__notes__ == [f"  in the pass {make().name}, after fold"]


def test_a_change_within_the_bound_is_allowed_and_beyond_it_not(x):
    eps = float(np.finfo(np.float32).eps)
    sg.compile(sg.tanh(x), [x], passes=[BoundedChange(1 + eps)], verify=True)
    with pytest.raises(PassError):
        sg.compile(sg.tanh(x), [x], passes=[Change(1 + eps)], verify=True)
    with pytest.raises(PassError, match="more than its bound of 4 allows"):
        sg.compile(sg.tanh(x), [x], passes=[BoundedChange(1 + 64 * eps)], verify=True)


@pytest.mark.parametrize("is_constant", [False, True])
def test_rounding_of_constant_arrays_counts_as_that_of_feeds(is_constant):
    eps, large = float(np.finfo(np.float32).eps), np.full(3, 75.0, np.float32)
    x = sg.placeholder("float32", [3], name="x")
    y = sg.exp(sg.constant(large) if is_constant else x) + 0.0 * x  # eps becomes 75 eps
    sg.compile(y, [x], passes=[BoundedChange(1 + 64 * eps)], verify=[large])
    with pytest.raises(PassError, match="more than its bound"):
        sg.compile(y, [x], passes=[BoundedChange(1 + 4096 * eps)], verify=[large])


@pytest.mark.parametrize("types", [("float64", "float32"), ("float32", "float64")])
def test_rounding_of_conversions_counts_as_that_of_feeds(types):
    eps, large = float(np.finfo(np.float32).eps), np.full(3, 75.0, types[0])
    x = sg.placeholder(types[0], [3], name="x")
    y = sg.cast(sg.exp(sg.cast(x, types[1])), "float32")  # eps of float32 becomes 75 of them
    sg.compile(y, [x], passes=[BoundedChange(1 + 64 * eps)], verify=[large])
    with pytest.raises(PassError, match="more than its bound"):
        sg.compile(y, [x], passes=[BoundedChange(1 + 4096 * eps)], verify=[large])


def test_verification_takes_feeds(x):
    y = sg.sqrt(x)
    feeds = [np.ones((2, 3), np.float32)]
    with pytest.raises(PassError, match=r"\[0, 0\]: np.float32\(1.0\) becomes"):
        sg.compile(y, [x], passes=[Change(2.0)], verify=feeds)
    with pytest.raises(gradops.FeedError):
        sg.compile(y, [x], passes=[Change(2.0)], verify=[np.ones(2)])


def test_the_levels_are_verified_on_a_gradient_with_a_loop():
    x = sg.placeholder("float32", ["n"], name="x")
    y = sg.fori(0, 3, lambda i, s: sg.tanh(s) * 1 + x, x)
    f = sg.compile(sg.gradients(sg.reduce_sum(y), x), [x], verify=True)
    assert f.graph != f.written


def test_changes_are_logged_and_shown_as_diffs(x, caplog):
    with caplog.at_level(logging.DEBUG, "staticgrad.passes"):
        f = sg.compile(x * 1 + 2, [x], optimize=1)
    shown = f.diff("simplify")
    assert shown.splitlines()[:2] == ["--- before simplify", "+++ after simplify"]
    assert "-  mul: float32[n, 3] = mul(x, constant)" in shown.splitlines()
    assert f.diff("fold") == ""
    assert shown in caplog.messages
    assert str(f.pass_reports[0]) in caplog.messages
    assert f.diff() == shown


def test_the_graphs_inside_loops_and_branches_are_lowered_too():
    x = sg.placeholder("float64", [], name="x")
    step = lambda i, s: sg.cond(s > 3.0, lambda: s - x, lambda: sg.sin(s) * x)
    y = sg.fori(0, 5, step, x)
    for optimize, lowering in ((1, Lowering.FLOATS), (2, Lowering.MATH)):
        f = sg.compile([y, *sg.gradients(y, [x])], [x], optimize)
        assert {each.lowering for each in (f.graph, *within(f.graph))} == {lowering}
        wanted = sg.interpret(f.written, [np.array(2.0)])
        np.testing.assert_allclose(f(2.0), wanted, rtol=1e-14 * (optimize - 1))


def test_graphs_that_are_lowered_in_other_ways_are_not_equal():
    graph = sg.trace(lambda x: x * 2, [3.0])
    assert replace(graph, lowering=Lowering.MATH) != graph


def test_feeds_of_a_verification_have_any_layout():
    x, y = sg.placeholder("float32", [50, 50]), sg.placeholder("float32", [50, 1])
    values = np.random.default_rng(0).normal(size=(2, 50, 50)).astype("float32")
    sg.compile(sg.matmul(x, y), [x, y], optimize=1, verify=[values[0].T, values[1][:, :1]])


OPTIONS = {
    "optimize is one of 0, 1, 2": {"optimize": [1]},
    "passes are given in a sequence, not as 3": {"passes": 3},
    "passes are given in a sequence, not as None": {"without": None},
    "there is no pass \\['fold'\\]": {"without": [["fold"]]},
    "Rematerialize has options": {"passes": [Rematerialize]},
    "a rewrite rule is a Rule, not 3": {"rules": 3},
    "verify is True, False, or a list .*, not dict": {"verify": {"x": 1}},
    "memory_budget is in bytes, not '1MB'": {"memory_budget": "1MB"},
    "memory_budget is in bytes, not nan": {"memory_budget": float("nan")},
    "memory_budget is in bytes, not True": {"memory_budget": True},
}


@pytest.mark.parametrize("reason", OPTIONS)
def test_options_of_another_kind_are_refused(reason):
    x = sg.placeholder("float64", [])
    with pytest.raises(OptionError, match=reason):
        sg.compile(x * x, [x], **OPTIONS[reason])


def test_the_diff_of_a_pass_that_did_not_run_is_refused():
    x = sg.placeholder("float64", [])
    with pytest.raises(OptionError, match="no pass called 'fould' was run; did you mean 'fold'"):
        sg.compile(x * x, [x]).diff("fould")


class Scale(Pass):
    """A pass with an option that is no field of a dataclass; it tells that it ran."""

    def __init__(self, factor, ran):
        self.factor, self.ran = factor, ran

    def __call__(self, graph):
        self.ran.append(self.factor)
        return graph


def test_passes_of_one_class_with_other_options_all_run(x):
    ran = []
    Pipeline([Scale(2, ran), Scale(3, ran), Scale(3, ran)]).run(sg.freeze([x], [x]))
    assert ran == [2, 3]  # what changed nothing would change nothing again


def test_passes_are_equal_by_class_and_options():
    assert sg.passes.Simplify() == sg.passes.Simplify() != sg.passes.Fold()
    assert hash(sg.passes.Simplify()) == hash(sg.passes.Simplify())
    assert Scale(2, []) != Scale(3, [])
    assert repr(sg.passes.Simplify()) == "Simplify()"
    assert repr(Scale(2, [])) == "Scale(factor=2, ran=[])"

    @dataclass
    class Loose(Pass):
        limit: int = 1

    assert Loose() == Loose() != Loose(2)
