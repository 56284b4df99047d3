"""`optimize="stabilize"`: forms that overflow give finite values and gradients; none is silent."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes.rewrite import rewrite
from staticgrad.passes.rules import algebra, stability

ATTRIBUTES = {"axis": -1, "keepdims": True, "shape": (3, 1), "wide": (3, 4)}
rng = np.random.default_rng(0)
X = np.array([[1000.0, -1000.0, 0.5, 1e-20], [-800.0, 2.0, 900.0, 1.0]])
W = rng.normal(size=X.shape)


@pytest.mark.parametrize("rule", stability.VALUES, ids=str)
def test_both_sides_agree_where_neither_overflows(rule):
    xs = [rng.uniform(0.2, 0.8, (3, 4)) for _ in rule.holes]
    attrs = {name: ATTRIBUTES[name] for name in rule.attribute_holes}
    np.testing.assert_allclose(rule.before(*xs, **attrs), rule.after(*xs, **attrs), rtol=1e-13)


@pytest.mark.parametrize("rule", stability.RULES, ids=str)
def test_a_rule_finds_what_it_is_for_and_keeps_its_value(rule):
    attrs = {name: ATTRIBUTES[name] for name in rule.attribute_holes}
    attrs |= {"axis": None} if rule.when is stability.over_all_axes else {}
    attrs |= {"shape": (3, 1)} if rule.when is stability.equal_shapes and "shape" in attrs else {}
    narrow = (3,) if {"shape", "wide"} <= attrs.keys() and rule.when is stability.real else (3, 4)
    narrow = () if rule.when is stability.over_all_axes else narrow
    narrow = (3, 1) if {"wide", "axis"} == attrs.keys() and rule.when is stability.real else narrow
    shapes = [narrow if hole.name == "g" else (3, 4) for hole in rule.holes]
    xs = [rng.uniform(0.2, 0.8, shape) for shape in shapes]
    with sg.Graph().as_default():
        feeds = [sg.placeholder("float64", shape) for shape in shapes]
        graph = sg.freeze([rule.before(*feeds, **attrs)], feeds)
    changed = sg.passes.Rewrite([rule])(graph)
    assert changed != graph
    np.testing.assert_allclose(*[sg.interpret(g, xs)[0] for g in (changed, graph)], rtol=1e-13)


FORMS = {
    "log(1 + exp)": (lambda x: ops.log(1 + ops.exp(x)), ops.softplus),
    "log1p(exp)": (lambda x: ops.log1p(ops.exp(x)), ops.softplus),
    "1 / (1 + exp(-x))": (lambda x: 1 / (1 + ops.exp(-x)), ops.sigmoid),
    "log(sigmoid)": (lambda x: ops.log(ops.sigmoid(x)), lambda x: -ops.softplus(-x)),
    "log(1 - sigmoid)": (lambda x: ops.log(1 - ops.sigmoid(x)), lambda x: -ops.softplus(x)),
    "log(softmax)": (
        lambda x: ops.log(ops.softmax(x, axis=-1)), lambda x: ops.log_softmax(x, axis=-1),
    ),
    "exp / sum": (
        lambda x: ops.exp(x) / ops.sum(ops.exp(x), axis=1, keepdims=True),
        lambda x: ops.softmax(x, axis=1),
    ),
    "log(sum(exp))": (lambda x: ops.log(ops.sum(ops.exp(x))), ops.logsumexp),
    "log(sum(exp)), rows": (
        lambda x: ops.log(ops.sum(ops.exp(x), axis=1)), lambda x: ops.logsumexp(x, axis=1),
    ),
    "log(sum(exp)), rows kept": (
        lambda x: ops.log(ops.sum(ops.exp(x), axis=1, keepdims=True)),
        lambda x: ops.logsumexp(x, axis=1, keepdims=True),
    ),
    "log(exp)": (lambda x: ops.log(ops.exp(x)), lambda x: x),
}  # fmt: skip


def value_and_gradient(f, optimize):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", ["m", "n"], name="x")
        y = f(x)
        loss = sg.reduce_sum(y * (sg.constant(W) if len(y.shape) == 2 and y.shape[1] != 1 else 2.0))
        return sg.compile([y, *sg.gradients(loss, x)], [x], optimize=optimize)(X)


@pytest.mark.parametrize("name", FORMS)
def test_values_and_gradients_are_those_of_the_stable_form(name):
    form, stable = FORMS[name]
    if name == "log(exp)":
        with np.errstate(all="ignore"):
            assert not np.all(np.isfinite(value_and_gradient(form, 2)[0]))
        assert np.array_equal(value_and_gradient(form, "stabilize")[0], X)
        return
    with np.errstate(all="ignore"):
        plain = value_and_gradient(form, 2)
    assert not all(np.all(np.isfinite(a)) for a in plain)
    for got, want in zip(
        value_and_gradient(form, "stabilize"), value_and_gradient(stable, 1), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-300)


def test_no_other_level_changes_values():
    assert all("stabilize" not in [p.name for p in sg.passes.LEVELS[n]] for n in (0, 1, 2))
    assert sg.passes.Stabilize().bound == np.inf


def test_the_logarithm_of_a_complex_exponential_keeps_its_branch():
    with sg.Graph().as_default():
        x = sg.placeholder("complex128", [2], name="x")
        graph = sg.freeze([sg.log(sg.exp(x))], [x])
    assert rewrite(graph, [*stability.VALUES, *algebra.RULES]) == graph
