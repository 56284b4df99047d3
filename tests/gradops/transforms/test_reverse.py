"""The vertices between inputs and outputs, beside their definition by paths."""

import random
from dataclasses import dataclass

import pytest

from gradops.transforms.reverse import active_between


@dataclass(frozen=True, eq=False, slots=True)
class Vertex:
    """A vertex with what the walk reads of one; a leaf has no op."""

    op: str | None
    inputs: tuple["Vertex | None", ...]
    number: int


def random_graph(rng: random.Random) -> list[Vertex]:
    """Vertices in the order of creation, the first of them a leaf."""
    graph = [Vertex(None, (), 0)]
    for number in range(1, rng.randint(2, 14)):
        inputs = (rng.choice(graph), *rng.choices([*graph, None], k=rng.randint(0, 2)))
        is_leaf = rng.random() < 0.35
        graph.append(Vertex(None if is_leaf else "f", () if is_leaf else inputs, number))
    return graph


def below(v: Vertex) -> set[Vertex]:
    """`v` and all that it is computed from."""
    return {v}.union(*[below(x) for x in v.inputs if x is not None])


@pytest.mark.parametrize("seed", range(300))
def test_active_vertices_are_those_on_paths(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng)
    leaves = [v for v in graph if v.op is None]
    wrt = rng.choice([leaves, rng.sample(leaves, 1), rng.sample(graph, rng.randint(1, 2))])
    ends = rng.sample(graph, rng.randint(1, 2))
    reached = set().union(*map(below, ends))
    on_paths = {v for v in reached if not below(v).isdisjoint(wrt)} | set(wrt)
    active = active_between(wrt, ends)
    if active is None:
        assert reached <= on_paths
        assert all(v.op is None for v in wrt)
        assert all(v in wrt for v in reached if v.op is None)
    else:
        assert active == on_paths
        assert not (set(leaves) & reached <= set(wrt) <= set(leaves))
