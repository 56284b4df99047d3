"""Bodies may read every kind of expression from outside: each kind of body with each of them."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import staticgrad as sg
from gradops import FeedError, GraphError

from . import eager

X, C, OTHER = np.array([0.3, -0.7]), 0.4, -1.1
SAME = lambda value: value
CLOSE = {"rtol": 1e-12, "atol": 1e-14}  # the same sums, added in another order

BODIES = {
    "a branch": lambda t, lift, f, x: t.cond(lift(True), lambda: f(x), lambda: x),
    "a branch not taken": lambda t, lift, f, x: t.cond(lift(False), lambda: f(x), lambda: x),
    "both branches": lambda t, lift, f, x: t.cond(lift(True), lambda: f(x), lambda: f(f(x))),
    "a numbered branch": lambda t, lift, f, x: t.switch(
        lift(1), [lambda: x, lambda: f(x), lambda: x * 2]
    ),
    "a case": lambda t, lift, f, x: t.case(
        [(lift(False), lambda: x), (lift(True), lambda: f(x))], default=lambda: x * 2
    ),
    "a while loop": lambda t, lift, f, x: t.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, f(y)), [0, x]
    )[1],
    "a loop of few steps": lambda t, lift, f, x: t.while_loop(
        lambda y: True if t is eager else sg.constant(True), f, [x], maximum_iterations=2
    ),
    "a counted loop": lambda t, lift, f, x: t.fori(0, 3, lambda i, y: f(y), x),
    "a loop that counts": lambda t, lift, f, x: t.fori(0, lift(3), lambda i, y: f(y), x),
    "a scan": lambda t, lift, f, x: t.scan(lambda a, e: f(a) + e, x, x),
    "a scan back": lambda t, lift, f, x: t.scan(lambda a, e: f(a) + e, x, x, reverse=True),
    "a scan that recomputes": lambda t, lift, f, x: t.scan(
        lambda a, e: f(a) + e, x, x, residuals="recompute"
    ),
    "a scan with results": lambda t, lift, f, x: t.map_accumulate(lambda a, e: (f(a), f(e)), x, x)[
        1
    ],
    "a map": lambda t, lift, f, x: t.map(f, x),
    "a fold": lambda t, lift, f, x: t.foldl(lambda a, e: f(a) * e, x, x),
    "a function": lambda t, lift, f, x: f(x) if t is eager else sg.function(f)(x),
    "a function in a function": lambda t, lift, f, x: (
        f(f(x)) if t is eager else sg.function(lambda y: sg.function(f)(f(y)))(x)
    ),
    "a loop in a branch": lambda t, lift, f, x: t.cond(
        lift(True), lambda: t.fori(0, 2, lambda i, y: f(y), x), lambda: x
    ),
}

CAPTURED = {
    "a constant": lambda: sg.constant(C, "float64"),
    "an array": lambda: sg.constant([C, 2 * C], "float64"),
    "a placeholder": lambda: sg.placeholder_with_default(sg.constant(C, "float64")),
    "a variable": lambda: sg.Variable(C, dtype="float64"),
    "a result of constants": lambda: sg.exp(sg.constant(C, "float64")) * 0.5,
    "a result of a variable": lambda: sg.Variable([C, 1.0], dtype="float64")[0],
    "a result of a branch": lambda: sg.cond(
        sg.constant(True), lambda: sg.constant(C, "float64"), lambda: sg.constant(0.0, "float64")
    ),
}

OUTER = {
    "a branch": lambda make: sg.cond(sg.constant(True), make, make),
    "a loop": lambda make: sg.map(lambda e: make(), sg.constant([0, 1])),
    "a function": lambda make: sg.function(lambda x: make())(sg.constant(1.0)),
}


def uses(c):
    """A function of one operand that reads `c`."""
    return lambda y: sg.sin(y * c) + sg.reduce_sum(c)


def derivatives(body, t, lift, c, x):
    """The value of a program and its derivatives to second order both ways, by `c` and by `x`."""
    y = sg.reduce_sum(body(t, lift, uses(c), x) ** 2)
    first = sg.gradients(y, [c, x], unconnected="zero")
    total = sum(sg.reduce_sum(sg.sin(g)) for g in first)
    second = sg.gradients(total, [c, x], unconnected="zero")
    return [y, *first, *second, *sg.jvp([y, *first], c, sg.ones_like(c))]


def both_ways(body, c, x):
    """The results of a program with the body, and then without."""
    return derivatives(body, sg, sg.constant, c, x) + derivatives(body, eager, SAME, c, x)


def assert_same(found):
    """Both halves are equal."""
    for a, b in zip(found[: len(found) // 2], found[len(found) // 2 :], strict=True):
        assert_allclose(a, b, **CLOSE)


@pytest.mark.parametrize("kind", CAPTURED)
@pytest.mark.parametrize("body", BODIES)
def test_what_a_body_reads_is_differentiated_and_fed_as_without_the_body(body, kind):
    c, x = CAPTURED[kind](), sg.constant(X)
    fetches, session = both_ways(BODIES[body], c, x), sg.Session()
    before = session.run(fetches)
    assert_same(before)
    after = session.run(fetches, {c: np.full(c.shape, OTHER)})
    assert_same(after)
    assert (before[0] == after[0]) == (body == "a branch not taken")


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("body", BODIES)
def test_constants_of_a_body_are_read_by_the_bodies_inside_it(body, outer):
    make = lambda: both_ways(BODIES[body], sg.constant(C, "float64"), sg.constant(X))
    assert_same(sg.Session().run(OUTER[outer](make)))


@pytest.mark.parametrize("what", ["the number of steps", "an index", "an exponent", "a size"])
def test_integers_that_a_body_reads_can_be_fed(what):
    n, x = sg.constant(2, "int64"), sg.constant([1.0, 2.0, 3.0], "float64")
    size = sg.shape(x)[0]
    n = size if what == "a size" else n
    y = {
        "the number of steps": lambda: sg.while_loop(lambda i: i < n, lambda i: i + 1, [0]),
        "an index": lambda: sg.map(lambda e: x[n] * e, x),
        "an exponent": lambda: sg.cond(x[0] > 0, lambda: x**n, lambda: x),
        "a size": lambda: sg.fori(0, 2, lambda i, y: y * n, 1),
    }[what]()
    found = sg.Session().run(y, {n: 1})
    wanted = {"the number of steps": 1, "an index": [2, 4, 6], "an exponent": [1, 2, 3]}
    assert_allclose(found, wanted.get(what, 1))


def test_what_is_fed_is_not_mixed_up_with_an_equal_constant():
    a, b, x = sg.constant(3.0), sg.constant(3.0), sg.constant(1.0)
    y = sg.cond(x < 2, lambda: x * a + b, lambda: x)
    session = sg.Session()
    assert [session.run(y), session.run(y, {a: 1.0}), session.run(y, {b: 1.0})] == [6, 4, 4]


def test_a_number_written_inside_a_body_is_no_operand():
    x = sg.placeholder("float32", [], name="x")
    graph = sg.freeze([sg.fori(0, 3, lambda i, y: y * 2.0, x)], [x])
    (loop,) = [e for e in graph if e.what == "loop"]
    assert len(loop.inputs) == 2


def custom(f):
    """A function with its own gradient, which is the true one."""
    g = sg.custom_gradient(lambda x: (f(x), lambda dy: dy * sg.gradients(f(x), x)[0]))
    g.__wrapped__.__name__ = "f"
    return g


@pytest.mark.parametrize("kind", CAPTURED)
def test_what_a_function_with_a_gradient_of_its_own_reads_is_refused_by_name(kind):
    c, x = CAPTURED[kind](), sg.constant(0.3, "float64")
    if kind == "a variable":
        with pytest.raises(GraphError, match=f"it reads {re.escape(c.label)}"):
            custom(lambda x: sg.sin(x) * c)(x)
        return
    y = sg.reduce_sum(custom(lambda x: sg.sin(x) * sg.reduce_sum(c))(x))
    refused = rf"f: it reads {re.escape(c.label)}, made at test_captures.py:\d+"
    for differentiate in (lambda: sg.gradients(y, [x, c]), lambda: sg.jvp(y, c, sg.ones_like(c))):
        with pytest.raises(GraphError, match=refused):
            differentiate()
    found = sg.Session().run([y, *sg.gradients(y, x)], {c: np.full(c.shape, OTHER)})
    total = OTHER * (c.shape or (1,))[0]
    assert_allclose(found, [np.sin(0.3) * total, np.cos(0.3) * total], rtol=1e-12)
    g = sg.gradients(custom(lambda x: x * sg.stop_gradient(c))(c), c)[0]
    assert_allclose(*sg.Session().run([g, c]), **CLOSE)


@pytest.mark.parametrize("kind", CAPTURED)
def test_what_a_gradient_function_reads_is_an_operand(kind):
    c, x = CAPTURED[kind](), sg.constant(0.3, "float64")
    y = sg.custom_gradient(lambda x: (x * 2, lambda dy: dy * sg.reduce_sum(c * c)))(x)
    (g,) = sg.gradients(y, x)
    h, t = sg.gradients(g, c)[0], sg.jvp(g, c, sg.ones_like(c))[0]
    assert sg.gradients(y, c) == [None]
    for value in (C, OTHER):
        fed = np.full(c.shape, value)
        found = sg.Session().run([g, h, t], {c: fed})
        for a, b in zip(found, [(fed**2).sum(), 2 * fed, (2 * fed).sum()], strict=True):
            assert_allclose(a, b, **CLOSE)


def leak(body):
    """The results of a body, and all that was built in it: a constant, results, its arguments."""
    found = []

    def use(y):
        c = sg.constant(2.0, "float64")
        found.extend([c, c * 3.0, y * c])
        return y * c

    x = sg.placeholder("float64", [2], name="x")
    y = sg.reduce_sum(BODIES[body](sg, sg.constant, use, x))
    return x, y, [e for e in found if e is not x]


@pytest.mark.parametrize("body", BODIES)
def test_what_is_built_inside_a_body_is_neither_fed_nor_differentiated_by_from_outside(body):
    x, y, inner = leak(body)
    for e in inner:
        said = rf"{re.escape(e.label)}, made at test_captures.py:\d+.*exists only inside the "
        for differentiate in (
            lambda e=e: sg.gradients(y, e),
            lambda e=e: sg.gradients(y, x, stop_gradients=[e]),
            lambda e=e: sg.jvp(y, e, sg.ones_like(e)),
        ):
            with pytest.raises(GraphError, match=said):
                differentiate()
        with pytest.raises(FeedError, match=said):
            sg.freeze(y, [x, e])


@pytest.mark.parametrize("outer", OUTER)
def test_inside_a_body_one_differentiates_by_what_was_built_in_it(outer):
    def slope():
        c = sg.constant(3.0)
        return sg.gradients(c * c, c)[0]

    assert np.all(sg.Session().run(OUTER[outer](slope)) == 6)


def test_variables_that_a_body_makes_can_be_fed_and_differentiated_by():
    made = []

    def use(y):
        made.append(sg.Variable(2.0, dtype="float64"))
        return y * made[-1]

    y = sg.cond(sg.constant(True), lambda: use(sg.constant(X)), lambda: sg.constant(X))
    (g,) = sg.gradients(sg.reduce_sum(y), made)
    found = sg.Session().run([y, g], {made[0]: 5.0})
    assert_allclose(found[0], X * 5.0)
    assert_allclose(found[1], X.sum())
