"""The tree of sums: its bits do not depend on who adds what, or when."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from staticgrad.distributed.tree import Accumulator, Partial, levels_of, merge, root, total


def partials(count):
    rng = np.random.default_rng(count)
    scales = 10.0 ** rng.integers(-8, 8, count)
    return [Partial(1, (scale * rng.normal(size=3),)) for scale in scales]


def by_pairs(values):
    """The definition: neighbours are added until one is left."""
    while len(values) > 1:
        pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
        values = [pair[0].plus(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return values[0]


def same(a, b):
    return a.rows == b.rows and all(np.array_equal(x, y) for x, y in zip(a.sums, b.sums))


@pytest.mark.parametrize("count", range(1, 40))
def test_the_total_adds_neighbours(count):
    leaves = partials(count)
    assert same(total(leaves), by_pairs(leaves))


@given(st.integers(1, 70), st.integers(1, 9), st.randoms(use_true_random=False))
def test_bits_do_not_depend_on_owners_or_on_the_order_of_arrival(count, workers, random):
    leaves = partials(count)
    owners = [random.randrange(workers) for _ in range(count)]
    messages = [
        merge({(0, i): leaves[i] for i in range(count) if owners[i] == w}, count)
        for w in range(workers)
    ]
    random.shuffle(messages)
    result = Accumulator(count)
    for nodes in messages:
        result.add(nodes.items())
    assert same(result.result(), by_pairs(leaves))


@given(st.integers(1, 600), st.sampled_from([2, 4, 8, 16]))
def test_tasks_that_add_a_power_of_two_are_parts_of_the_tree(count, fan_in):
    leaves, here = partials(count), partials(count)
    while len(here) > 1:
        here = [total(here[i : i + fan_in]) for i in range(0, len(here), fan_in)]
    assert same(here[0], by_pairs(leaves))


def test_few_partial_results_are_held_while_they_come_in_order():
    leaves = partials(1000)
    result = Accumulator(1000)
    for i, leaf in enumerate(leaves):
        result.add([((0, i), leaf)])
        assert len(result.nodes) <= len(levels_of(1000))
    assert list(result.nodes) == [root(1000)]
