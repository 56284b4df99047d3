"""The mirror layout: each backward node on the row of its cause, no two nodes in one cell."""

from typing import NamedTuple

import numpy as np
import pytest

from gradops.inspection.layout import Band, mirror_layout


class Node(NamedTuple):
    id: int
    inputs: tuple[int, ...]
    role: str
    cause: int | None = None


def random_program(seed, size=60):
    """Leaves and forward nodes, a backward node or several for each, updates, in that order."""
    rng = np.random.default_rng(seed)
    roles = rng.choice(["input", "parameter", "constant", "forward"], size, p=[0.1, 0.1, 0.1, 0.7])
    nodes = []

    def add(role, earlier, cause=None):
        count = 0 if role in ("input", "parameter", "constant") else rng.integers(0, 4)
        inputs = rng.choice(earlier, min(count, len(earlier))) if earlier else ()
        nodes.append(Node(len(nodes), tuple(map(int, inputs)), role, cause))

    for role in roles:
        add(role, [n.id for n in nodes])
    forward = [n.id for n in nodes if n.role == "forward"]
    for cause in reversed(forward):
        for _ in range(rng.integers(0, 9)):
            add("backward", [n.id for n in nodes], cause)
    add("backward", [n.id for n in nodes])  # without a cause
    for _ in range(10):
        add("update", [n.id for n in nodes])
    return nodes


programs = pytest.mark.parametrize("nodes", [random_program(seed) for seed in range(20)])


@programs
def test_every_node_has_a_cell_of_its_own(nodes):
    cells = mirror_layout(nodes).cells
    assert list(cells) == [n.id for n in nodes]
    assert len(set(cells.values())) == len(nodes)


@programs
def test_a_backward_node_is_on_the_row_of_its_cause(nodes):
    cells = mirror_layout(nodes).cells
    caused = [n for n in nodes if n.cause is not None]
    assert all(cells[n.id].row == cells[n.cause].row for n in caused)
    assert all(cells[n.id].band is Band.BACKWARD for n in caused)


@programs
def test_a_forward_node_is_below_those_that_it_reads(nodes):
    cells = mirror_layout(nodes).cells
    computed = {n.id for n in nodes if n.role == "forward"}
    for n in nodes:
        if n.role == "forward":
            assert all(cells[i].row < cells[n.id].row for i in n.inputs if i in computed)


@programs
def test_there_are_no_empty_rows(nodes):
    layout = mirror_layout(nodes)
    assert {cell.row for cell in layout.cells.values()} == set(range(layout.rows))


def test_a_chain_runs_along_the_axis_and_its_leaves_stand_outside():
    nodes = [Node(0, (), "input")]
    for _ in range(5):
        nodes.append(Node(len(nodes), (), "parameter"))
        nodes.append(Node(len(nodes), (nodes[-2].id, nodes[-1].id), "forward"))
    cells = mirror_layout(nodes).cells
    assert [cells[n.id].lane for n in nodes if n.role == "forward"] == [0] * 5
    assert [cells[n.id].lane for n in nodes if n.role == "parameter"] == [2, 1, 1, 1, 1]


def test_what_needs_no_input_is_just_above_its_reader():
    x, w = Node(0, (), "input"), Node(1, (), "parameter")
    scaled = Node(2, (1,), "forward")
    chain = [Node(3, (0,), "forward"), *[Node(i, (i - 1,), "forward") for i in range(4, 9)]]
    cells = mirror_layout([x, w, scaled, *chain, Node(9, (8, 2), "forward")]).cells
    assert cells[2].row == cells[9].row - 1
    assert cells[1].row == cells[2].row  # its leaf is beside it


def test_a_leaf_of_the_backward_alone_is_beside_the_node_that_reads_it():
    y, g = Node(1, (0,), "forward"), Node(3, (2,), "backward", 1)
    nodes = [Node(0, (), "input"), y, Node(2, (), "constant"), g]
    cells = mirror_layout(nodes).cells
    assert cells[2].band is Band.BACKWARD
    assert cells[2].row == cells[1].row


def test_a_row_that_gets_too_wide_goes_on_in_another_line():
    x = Node(0, (), "input")
    cells = mirror_layout([x, *[Node(i, (0,), "forward") for i in range(1, 100)]]).cells
    assert {cell.row for cell in cells.values()} == {0}
    assert max(cell.lane for cell in cells.values()) < 30
    assert max(cell.line for cell in cells.values()) > 5


def test_a_node_without_readers_and_no_nodes_at_all():
    assert mirror_layout([]).rows == 0
    assert mirror_layout([Node(7, (), "parameter")]).cells[7] == (Band.FORWARD, 0, 0, 0)


def test_a_very_long_chain_takes_no_recursion():
    nodes = [Node(0, (), "input"), *[Node(i, (i - 1,), "forward") for i in range(1, 100_000)]]
    assert mirror_layout(nodes).rows == 99_999


def test_what_is_removed_draws_no_leaf_away_from_its_reader():
    x, two = Node(0, (), "input"), Node(1, (), "constant")
    y, g = Node(2, (0,), "forward"), Node(3, (1,), "backward", 2)
    gone = Node(4, (0, 1), "forward")
    cells = mirror_layout([x, two, y, g], [gone]).cells
    assert cells[1].band is Band.BACKWARD
    assert cells[4].row == 0
    assert mirror_layout([x, two, y], [gone]).cells[1].row == 0
