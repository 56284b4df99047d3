"""Every rewrite rule, tested by running both of its sides."""

import itertools

import numpy as np
import pytest

import staticgrad as sg
from gradops import DTypeError
from gradops.core.errors import NoKernelError, PassError
from staticgrad.ir.interning import Interning
from staticgrad.passes.rewrite import Pattern, rewrite
from staticgrad.passes.rules import algebra, stability, strength
from staticgrad.passes.rules.algebra import nonnegative
from staticgrad.runtime.checking.verification import same_entries

RULES = [*algebra.RULES, *strength.RULES]
SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e300, 5e-324, 3.0])
ATTRIBUTES = {"a": (0,), "b": None, "first": (1, -1), "last": (-1, 1), "axis": 0, "shape": (-1,)}
every_rule = pytest.mark.parametrize("rule", RULES, ids=str)
exact_rules = pytest.mark.parametrize("rule", [r for r in RULES if r.exact], ids=str)


def operands(rule, values):
    """Each choice of values for the holes; a condition gets truth values, a number no zero."""
    n = len(rule.holes)
    columns = np.array(list(itertools.product(values, repeat=n))).T
    named = zip(rule.holes, columns, strict=True)
    values = [{"c": c > 0, "n": np.where(c == 0, 3.0, c)}.get(h.name, c) for h, c in named]
    return [np.abs(v) for v in values] if rule.when is nonnegative else values


def sides(rule, xs):
    """The values of both sides of a rule; of attributes that it has holes for, some."""
    attrs = {name: ATTRIBUTES[name] for name in rule.attribute_holes}
    return rule.before(*xs, **attrs), rule.after(*xs, **attrs)


@every_rule
def test_both_sides_agree(rule):
    before, after = sides(rule, operands(rule, np.linspace(0.5, 2.0, 7)))
    np.testing.assert_allclose(before, after, rtol=1e-14)  # a few roundings


@exact_rules
def test_both_sides_of_an_exact_rule_agree_on_special_values(rule):
    xs = operands(rule, SPECIAL)
    with np.errstate(all="ignore"):
        before, after = sides(rule, xs)
    np.testing.assert_array_equal(before, after)
    known = ~np.isnan(before)
    np.testing.assert_array_equal(np.signbit(before)[known], np.signbit(after)[known])


ENDS = {
    "int8": [-128, -1, 0, 1, 12, 127], "uint8": [0, 1, 3, 255], "float32": [0.5, -3.0],
    "complex64": [0.5 + 1j, complex(np.inf, -1.0), complex(-0.0, np.nan), complex(0.0, -0.0)],
}  # fmt: skip


@pytest.mark.parametrize("dtypes", [*itertools.product(ENDS, repeat=2)], ids=str)
@exact_rules
def test_an_exact_rule_keeps_wrapped_integers_and_parts_of_complex_numbers(rule, dtypes):
    with sg.Graph().as_default():
        kinds = [
            "bool" if h.name == "c" else d for h, d in zip(rule.holes, itertools.cycle(dtypes))
        ]
        xs = [sg.placeholder(kind, [2], name=f"x{i}") for i, kind in enumerate(kinds)]
        for wrap in (lambda x: x, sg.square):
            values = [x if x.dtype.kind == "b" else wrap(x) for x in xs]
            try:
                graph = sg.freeze([sides(rule, values)[0]], xs)
            except (DTypeError, NoKernelError):
                continue
            changed = rewrite(graph, [rule])
            choices = [[True, False] if k == "bool" else ENDS[k] for k in kinds]
            for drawn in itertools.product(*choices):
                feeds = [np.full(2, v, k) for v, k in zip(drawn, kinds, strict=True)]
                with np.errstate(all="ignore"):
                    (before,), (after,) = sg.interpret(graph, feeds), sg.interpret(changed, feeds)
                assert np.all(same_entries(np.asarray(after), np.asarray(before)))
                assert after.dtype == before.dtype


ONE_OPERAND = [r for r in RULES if not r.exact and len(r.holes) == 1]
PARTS = (0.0, -0.0, 1.5, -4.0, np.inf, -np.inf, np.nan)


def kinds_of_parts(z):
    """For the real and the imaginary parts, 0 where finite, 1 where infinite, 2 for NaN."""
    parts = np.stack([z.real, z.imag])
    return np.isinf(parts) + 2 * np.isnan(parts)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("rule", ONE_OPERAND, ids=str)
def test_rules_that_round_otherwise_do_no_more_than_that(rule, dtype):
    numbers = [complex(*parts) for parts in itertools.product(PARTS, repeat=2)]
    values = np.array(numbers if dtype.startswith("c") else PARTS, dtype)
    with sg.Graph().as_default():
        x = sg.placeholder(dtype, values.shape, name="x")
        graph = sg.freeze([sides(rule, [x])[0]], [x])
    with np.errstate(all="ignore"):
        (before,) = sg.interpret(graph, [values])
        (after,) = sg.interpret(rewrite(graph, [rule]), [values])
    np.testing.assert_array_equal(kinds_of_parts(after), kinds_of_parts(before))
    finite = np.isfinite(before)
    np.testing.assert_allclose(after[finite], before[finite], rtol=8 * np.finfo(dtype).eps)


def operand_for(hole):
    """An operand that the hole of a rule matches: for `n` a number, for `s` one that is fed."""
    if hole == "n":
        return sg.constant(np.float32(3.0))
    return sg.placeholder("bool" if hole == "c" else "float32", [] if hole == "s" else [3])


@every_rule
def test_a_rule_finds_what_it_is_for(rule):
    with sg.Graph().as_default():
        values = [operand_for(h.name) for h in rule.holes]
        feeds = [x for x in values if x.what == "placeholder"]
        values = [sg.exp(x) if rule.when is nonnegative else x for x in values]
        graph = sg.freeze([sides(rule, values)[0]], feeds)
    changed = rewrite(graph, [rule])
    assert changed != graph
    assert changed.outputs[0].type == graph.outputs[0].type


def test_a_hole_met_twice_stands_for_one_expression():
    with sg.Graph().as_default():
        x, y = (sg.placeholder("float32", [3], name=n) for n in "xy")
        graph = sg.freeze([sg.maximum(x, y), sg.maximum(x, x)], [x, y])
    changed = rewrite(graph, RULES)
    assert changed.outputs[0].op is not None
    assert changed.outputs[1] is changed.inputs[0]


def test_the_condition_of_a_rule_is_heeded():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        graph = sg.freeze([sg.abs(x), sg.abs(sg.exp(x))], [x])
    first, second = rewrite(graph, RULES).outputs
    assert (first.what, second.what) == ("abs", "exp")


def test_a_rule_that_would_change_the_type_is_not_applied():
    with sg.Graph().as_default():
        x, big = sg.placeholder("float32", [3], name="x"), sg.constant(1.0, dtype="float64")
        graph = sg.freeze([x * big], [x])
    assert rewrite(graph, RULES) == graph


def test_a_rule_that_changes_the_type_of_what_it_fits_is_an_error():
    with sg.Graph().as_default():
        x = sg.placeholder("int32", [3], name="x")
        rule = sg.Rule(lambda x: sg.exp(sg.log(x)), lambda x: x, exact=False)
        with pytest.raises(PassError, match=r"would change the type of exp: .* to int32\[3\]"):
            sg.compile(sg.exp(sg.log(x)), [x], rules=[rule])


def test_what_replaces_an_expression_keeps_its_line_and_cause():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        graph = sg.freeze([x * -1], [x])
    (found,) = rewrite(graph, RULES).outputs
    assert found.what == "neg"
    assert found.place == graph.outputs[0].place


def test_a_rule_says_nothing_of_other_expressions():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [3], name="x")
        (e,) = sg.freeze([sg.sin(x)], [x]).outputs
    assert [r for r in RULES if r.apply(e, Interning())] == []


def test_a_pattern_prints_as_the_call_it_stands_for():
    assert repr(sg.reduce_sum(Pattern("x"), axis=0)) == "sum(x, axis=0)"


@pytest.mark.parametrize("rule", [*RULES, *stability.VALUES], ids=str)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32", "complex64"])
@pytest.mark.parametrize("other", ["same", "int64", "float64"])
def test_no_rule_of_ours_changes_a_type(rule, dtype, other):
    attrs = {
        "axis": -1,
        "keepdims": True,
        "shape": (3, 1),
        "wide": (3, 4),
        "a": (1, 0),
        "b": None,
        "first": (4, 3),
        "last": (2, 6),
    }
    if "expand_dims" in str(rule):
        attrs["shape"] = (4, 3)  # fmt: skip
    attrs = {name: attrs[name] for name in rule.attribute_holes}
    with sg.Graph().as_default():
        kinds = [dtype, *[dtype if other == "same" else other] * (len(rule.holes) - 1)]
        feeds = [sg.placeholder(kind, [3, 4]) for kind in kinds]
        try:
            for values in (feeds, [sg.exp(x) for x in feeds]):
                rewrite(sg.freeze([rule.before(*values, **attrs)], feeds), [rule])
        except (DTypeError, TypeError):  # an op of the rule does not take the dtype
            return


@pytest.mark.parametrize("shape", [[4], [3, 5], [1], ["n"], [5000], [0]])
def test_small_sums_of_products_are_scalar_products(shape):
    with sg.Graph().as_default():
        x, y = (sg.placeholder("float64", shape, name=n) for n in "xy")
        graph = sg.freeze([sg.reduce_sum(x * y)], [x, y])
        changed = rewrite(graph, strength.RULES)
    small = shape in ([4], [3, 5])
    assert ("matmul" in {e.what for e in changed}) is small
    rng = np.random.default_rng(0)
    feeds = [rng.normal(size=[4 if n == "n" else n for n in shape]) for _ in range(2)]
    want, got = sg.interpret(graph, feeds), sg.interpret(changed, feeds)
    np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)
