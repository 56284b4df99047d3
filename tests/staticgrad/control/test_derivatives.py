"""Values and derivatives of loops and branches: those of the same program run by Python."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gradops as ops
import staticgrad as sg

from .programs import PROGRAMS, eager_values, gradients, graph_values, total

every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
known_or_not = pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])


def runs(graph, program):
    """The results in every way of running a graph."""
    xs = list(program.data.values())
    return [
        sg.interpret(graph, xs),
        sg.compile(graph, optimize=0)(*xs),
        sg.compile(graph, optimize=1)(*xs),
    ]


def tolerance(program):
    """Sums go in another order; derivatives of the second order are sums of many terms."""
    return 1e-10 if all(x.dtype != "float32" for x in program.data.values()) else 2e-4


def assert_close(program, found, wanted):
    for a, b in zip(found, wanted, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert_allclose(a, b, rtol=tolerance(program), atol=tolerance(program))


@known_or_not
@every_program
def test_values_and_two_derivatives_are_those_of_python(program, known):
    wanted = eager_values(program)
    graph = graph_values(program, known)
    sg.verify(graph)
    assert sg.parse(sg.to_text(graph)) == graph
    found, *others = runs(graph, program)
    assert_close(program, found, wanted)
    for other in others:
        assert [np.asarray(y).tobytes() for y in other] == [np.asarray(y).tobytes() for y in found]
    count = len(wanted) - 2 * len(program.wanted)
    for a, b in zip(found[:count], wanted, strict=False):
        assert np.array_equal(a, b)  # the values to the bit


def directions(program):
    rng = np.random.default_rng(5)
    return [rng.normal(size=x.shape).astype(x.dtype)
            for x in map(program.data.get, program.wanted)]  # fmt: skip


def eager_products(program):
    """The gradient and the Hessian, times the directions, of the program's total."""
    from . import eager

    xs = program.tensors()
    wanted, ts = [xs[name] for name in program.wanted], directions(program)
    first = gradients(total(program.run(eager, **xs)), wanted)
    slope = sum(ops.sum(g * t) for g, t in zip(first, ts, strict=True))
    second = gradients(slope, wanted)
    bend = sum(np.sum(g.value * t) for g, t in zip(second, ts, strict=True))
    return slope.value, [g.value for g in second], bend


@every_program
def test_forward_and_reverse_mode_agree_in_every_order(program):
    slope, products, bend = eager_products(program)
    xs, ts = program.feeds(), directions(program)
    wanted = [xs[name] for name in program.wanted]
    y = total(program.run(sg, **xs))
    (t,) = sg.jvp(y, wanted, ts)
    fetches = [
        t, *sg.hvp(y, wanted, ts), *sg.gradients(t, wanted, unconnected="zero"),
        *sg.jvp(t, wanted, ts),
    ]  # fmt: skip
    graph = sg.freeze(fetches, list(xs.values()))
    assert sg.parse(sg.to_text(graph)) == graph
    assert_close(program, runs(graph, program)[1], [slope, *products, *products, bend])


@every_program
def test_a_hessian_times_a_direction_is_the_product(program):
    name = program.wanted[0]
    xs = program.feeds()
    y = total(program.run(sg, **xs))
    t = directions(program)[0]
    fetches = [sg.hessian(y, xs[name]), *sg.hvp(y, xs[name], t)]
    whole, product = sg.compile(fetches, list(xs.values()))(*program.data.values())
    assert_close(program, [np.tensordot(whole, t, t.ndim)], [product])


@pytest.mark.parametrize("program", PROGRAMS[::3], ids=lambda p: p.name)
def test_the_third_derivative_is_the_same_both_ways(program):
    xs, ts = program.feeds(), directions(program)
    wanted = [xs[name] for name in program.wanted]
    y = total(program.run(sg, **xs))
    along = lambda y: sg.jvp(y, wanted, ts)[0]
    against = lambda y: sum(
        ops.sum(g * t) for g, t in zip(sg.gradients(y, wanted, unconnected="zero"), ts, strict=True)
    )
    fetches = [along(along(along(y))), against(against(against(y))), against(along(against(y)))]
    a, b, c = sg.compile(fetches, list(xs.values()))(*program.data.values())
    assert_close(program, [b / a, c / a] if a else [b, c], [a / a] * 2 if a else [a, a])
