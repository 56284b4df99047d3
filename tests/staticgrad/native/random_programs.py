"""Random graphs of known sizes, for machine code: with more loops, branches, indices and dtypes."""

import numpy as np

import gradops
import staticgrad as sg

from ..passes.random_graphs import SHAPES, body, one_of, random_graph, recent

INTS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")


def random_program(seed):
    """A graph and feeds."""
    return random_graph(seed, SHAPES, [stopped, switched, indexed, indexed, counted])


def stopped(rng, pool):
    """A loop that ends when its state is large, or after some steps."""
    x, f = recent(rng, pool), body(rng, pool)

    def goes_on(i, s):
        return sg.logical_and(sg.reduce_sum(sg.abs(sg.cast(s, "float64"))) < 30.0, i < 9)

    return sg.while_loop(goes_on, lambda i, s: (i + 1, f(s)), [0, x])


def switched(rng, pool):
    """A branch with a number, which may be none of the branches'."""
    x, f, g = recent(rng, pool), body(rng, pool), body(rng, pool)
    return sg.switch_case(numbers(rng, pool, ()), [lambda: f(x), lambda: x, lambda: g(x)])


def indexed(rng, pool):
    """Entries with some numbers along an axis, of which some are out of range."""
    x, count = recent(rng, pool), int(rng.integers(4))
    axis = int(rng.integers(len(x.shape)))
    i = numbers(rng, pool, one_of(rng, [(), (count,), (2, count)]))
    if rng.random() < 0.8:
        i = i % max(1, x.shape[axis])
    return x[(slice(None),) * axis + (i,)]


def counted(rng, pool):
    """Integers of any width and sign."""
    x = recent(rng, pool)
    return sg.cast(sg.cast(x, "float64") > 0.3, one_of(rng, INTS)) * int(rng.integers(100))


def numbers(rng, pool, shape):
    """Integers of a shape: those that an expression gives, or a constant."""
    kind = one_of(rng, INTS)
    found = [e for e in pool if type(e.type) is gradops.ArrayType and e.shape == shape]
    if found and rng.random() < 0.5:
        return sg.cast(one_of(rng, found) > 0, kind)
    least = -1 if kind.startswith("i") else 0
    return sg.constant(np.asarray(rng.integers(least, 4, shape)).astype(kind))
