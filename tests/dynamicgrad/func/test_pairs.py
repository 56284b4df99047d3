"""Every transform inside every other, with a value of the outer one on each way through the inner.

An inner transform must neither lose what the outer one differentiates by, nor keep what nobody can.
"""

import random
from itertools import product

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.engine.handle import Handle

from . import nesting
from .nesting import FOR_ARRAYS, FOR_TENSORS, RECORDED, Case

F = dg.func
AT = 2.0
OPERANDS = {"arrays": (FOR_ARRAYS, np.array), "tensors": (FOR_TENSORS, dg.tensor)}
of_both = pytest.mark.parametrize("operands", OPERANDS)
PAIRS = [(kind, outer) for kind, (table, _) in OPERANDS.items() for outer in table]


def cases(operands, *tables):
    """All that the transforms of the tables give in each other, the first outside."""
    one = OPERANDS[operands][1](1.0)
    kinds = {name: nesting.kinds_of(name, one) for name in set().union(*tables)}
    for names in product(*tables):
        for way, found in product(nesting.ways(one), product(*(kinds[n] for n in names))):
            yield Case(names, found, way)


def is_bare(case, y):
    """Whether a result has no history, unless its transforms were asked for one."""
    return RECORDED.keys() & set(case.names) or not isinstance(y, Handle) or y.node is None


def number(y):
    with dg.no_grad():
        return float(y)


def wrong(operands, cases):
    """The cases that give something else than they should, or something with a history."""
    make = OPERANDS[operands][1]
    for case in cases:
        y = case.computed(make(AT), make(1.0))
        if not np.isclose(number(y), case.expected(AT)) or not is_bare(case, y):
            yield case, y, case.expected(AT)


@pytest.mark.parametrize(("operands", "outer"), PAIRS)
def test_a_transform_in_another_gives_the_derivative(operands, outer):
    assert not list(wrong(operands, cases(operands, [outer], OPERANDS[operands][0])))


@of_both
def test_a_transform_in_another_in_a_third_gives_the_derivative(operands):
    table = OPERANDS[operands][0]
    every = list(cases(operands, table, table, table))
    assert not list(wrong(operands, random.Random(0).sample(every, 200)))


@of_both
def test_a_captured_tensor_can_be_differentiated_by_afterwards(operands):
    table, make = OPERANDS[operands]
    for case in random.Random(1).sample(list(cases(operands, table, table)), 300):
        p = dg.tensor(2.0, dtype=make(1.0).dtype, requires_grad=True)
        y, want = case.computed(make(AT), make(1.0), p), case.expected(AT)
        assert np.isclose(number(y), 2 * want), case
        if want:
            dg.autograd.backward(y)
            assert np.isclose(p.grad.item(), want), case


@of_both
def test_nothing_is_recorded_where_the_caller_does_not_record(operands):
    table, make = OPERANDS[operands]
    p = dg.tensor(2.0, dtype=make(1.0).dtype, requires_grad=True)
    for case in random.Random(2).sample(list(cases(operands, table, table)), 300):
        with dg.no_grad():
            y = case.computed(make(AT), make(1.0), p)
        assert np.isclose(number(y), 2 * case.expected(AT)), case
        assert is_bare(case, y), case


BESIDE = {
    "grad": lambda f, x: F.grad(f, has_aux=True)(x)[1],
    "value_and_grad": lambda f, x: F.value_and_grad(f, has_aux=True)(x)[0][1],
    "grad_and_value": lambda f, x: F.grad_and_value(f, has_aux=True)(x)[1][1],
    "vjp": lambda f, x: F.vjp(f, x, has_aux=True)[2],
    "jvp": lambda f, x: F.jvp(f, (x,), (x,), has_aux=True)[2],
    "jacrev": lambda f, x: F.jacrev(f, has_aux=True)(x)[1],
    "jacfwd": lambda f, x: F.jacfwd(f, has_aux=True)(x)[1],
    "hessian": lambda f, x: F.hessian(f, has_aux=True)(x)[1],
}
IN_TREES = {
    "vjp": lambda f, x: F.vjp(f, x)[0]["more"],
    "its cotangents": lambda f, x: F.vjp(f, x)[1]({"more": [x, x]}),
    "jvp": lambda f, x: F.jvp(f, (x,), (x,))[0]["more"],
    "its tangents": lambda f, x: F.jvp(f, (x,), (x,))[1]["more"],
    "linearize": lambda f, x: F.linearize(f, x)[0]["more"],
    "jacrev": lambda f, x: F.jacrev(f)(x)["more"],
    "jacfwd": lambda f, x: F.jacfwd(f)(x)["more"],
    "vmap": lambda f, x: [y[0] for y in F.vmap(f)(np.stack([x]))["more"]],
    "jet": lambda f, x: F.jet(f, [x], [[x]])[0]["more"],
}
"""What comes beside an output, and of an output that is a tree; twice w of w and x w at one."""
AT_ONE = {"its cotangents": 1, "its tangents": 1, "jacrev": 1, "jacfwd": 1}
LATER = {
    "vjp": lambda f, x: (lambda back: lambda u: back(u)[0])(F.vjp(f, x)[1]),
    "linearize": lambda f, x: F.linearize(f, x)[1],
}


def total(inner, f, one):
    """The sum of what an inner transform gives of f(x, w), as a function of w."""
    return lambda w: sum(inner(lambda x: f(x, w), one))


@pytest.mark.parametrize(("operands", "outer"), PAIRS)
def test_what_comes_beside_and_in_trees_keeps_the_outer_derivative(operands, outer):
    one, w = (OPERANDS[operands][1](n) for n in (1.0, AT))
    ways = {(beside, 2): lambda x, w: (x * x, [w, x * w]) for beside in BESIDE.values()}
    for inner, part in IN_TREES.items():
        ways[part, AT_ONE.get(inner, 2)] = lambda x, w: {"more": [w, x * w]}
    for (inner, factor), f in ways.items():
        for kind, y in nesting.TRANSFORMS[outer](total(inner, f, one), w, one).items():
            assert number(y) == factor * [AT, 1, 0][nesting.KINDS[kind]], inner


def both(later, inner, one):
    """A transform of products of two linear functions, one of them made inside, by w: 6 w u**2."""
    outside = later(lambda x: x**3, one)

    def found(w):
        inside = later(lambda x: x * x * w, one)
        return nesting.TRANSFORMS[inner](lambda u: inside(u) * outside(u), one, one).popitem()

    return found


@pytest.mark.parametrize(("operands", "outer"), PAIRS)
@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_cotangents_and_tangents_may_come_from_transforms_that_began_later(operands, outer, later):
    table, make = OPERANDS[operands]
    one = make(1.0)
    for inner in random.Random(outer).sample(sorted(table), 4):
        found = both(later, inner, one)
        factor = 6 * [1, 2, 2][nesting.KINDS[found(one)[0]]]
        program = lambda w, found=found: found(w)[1]
        for kind, y in nesting.TRANSFORMS[outer](program, make(AT), one).items():
            assert number(y) == factor * [AT, 1, 0][nesting.KINDS[kind]], inner
