"""The mirror layout: forward nodes at the left, and each backward node on the row of its cause.

Note [Mirror layout]. Layouts for graphs in general fail on a graph with its gradient, as edges from
forward to backward span the whole drawing. So rows are given to forward nodes alone, by the longest
path to them; a backward node is on the row of the forward node that caused it, and the update of a
variable on the row of its gradient. An axis lies between forward and backward, and lanes are
counted away from it on both sides: a chain runs along the axis, its leaves stand outside, and a
node is near its partner. A row that would get too wide goes on in further lines. Each step looks at
a node once, or sorts the nodes of one row.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

BAND_OF_ROLE = {"forward": 0, "backward": 1, "update": 2}
WIDEST = 12  # lanes of a row
DEEPEST = 6  # lanes of the nodes with one cause
FEW = 8  # nodes with one cause up to which their columns show what is computed from what


class Band(IntEnum):
    """A column of the layout."""

    FORWARD = 0
    BACKWARD = 1
    UPDATE = 2


class LaidOut(Protocol):
    """A node, as far as its place depends on it."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def inputs(self) -> tuple[int, ...]:
        """The numbers of the nodes that it reads."""

    @property
    def role(self) -> str:
        """Forward, backward, update, or a kind of leaf."""

    @property
    def cause(self) -> int | None:
        """The number of the node to whose gradient it belongs."""


class Cell(NamedTuple):
    """The place of a node: a row, a line within that, and a lane, counted from the axis."""

    band: int
    row: int
    line: int
    lane: int


class Layout(NamedTuple):
    """The cell of each node by its id, and the number of rows."""

    cells: Mapping[int, Cell]
    rows: int


def mirror_layout(nodes: Sequence[LaidOut], removed: Sequence[LaidOut] = ()) -> Layout:
    """The cells of nodes that come each after its inputs. See Note [Mirror layout].

    Those `removed` get cells, too, and change those of the others as little as can be.

    >>> class Node(NamedTuple):
    ...     id: int
    ...     inputs: tuple[int, ...]
    ...     role: str
    ...     cause: int | None = None
    >>> x, y = Node(0, (), "input"), Node(1, (0,), "forward")
    >>> for cell in mirror_layout([x, y, Node(2, (1,), "backward", cause=1)]).cells.values():
    ...     print(cell)
    Cell(band=<Band.FORWARD: 0>, row=0, line=0, lane=1)
    Cell(band=<Band.FORWARD: 0>, row=0, line=0, lane=0)
    Cell(band=<Band.BACKWARD: 1>, row=0, line=0, lane=0)
    """
    bands = bands_of(nodes)
    if removed:
        unread = {i for i in bands if i not in hosts_of(nodes, bands)}
        nodes = [*nodes, *removed]
        every = bands_of(nodes)
        bands = every | {i: band for i, band in bands.items() if i not in unread}
    hosts = hosts_of(nodes, bands)
    rows = rows_of(nodes, bands, hosts)
    by_row: dict[tuple[int, int], list[LaidOut]] = {}
    for n in nodes:
        by_row.setdefault((bands[n.id], rows[n.id]), []).append(n)
    cells: dict[int, Cell] = {}
    for band, row in sorted(by_row):
        place = forward_row if band == Band.FORWARD else row_by_cause
        place(by_row[band, row], Band(band), row, hosts, cells)
    return Layout({n.id: cells[n.id] for n in nodes}, 1 + max(rows.values(), default=-1))


def bands_of(nodes: Sequence[LaidOut]) -> dict[int, int]:
    """The band of each node; a leaf stands where it is first read."""
    bands = {n.id: BAND_OF_ROLE[n.role] for n in nodes if n.role in BAND_OF_ROLE}
    leaves: dict[int, int] = {}
    for n in nodes:
        band = bands.get(n.id)
        if band is not None:
            for i in n.inputs:
                if i not in bands and leaves.get(i, 3) > band:
                    leaves[i] = band
    return bands | {n.id: leaves.get(n.id, 0) for n in nodes if n.id not in bands}


def hosts_of(nodes: Sequence[LaidOut], bands: Mapping[int, int]) -> dict[int, int]:
    """The node beside which each leaf stands: the first of its band that reads it."""
    hosts: dict[int, int] = {}
    for n in nodes:
        if n.role in BAND_OF_ROLE:
            for i in n.inputs:
                if i not in hosts and bands.get(i) == bands[n.id]:
                    hosts[i] = n.id
    leaves = {n.id for n in nodes if n.role not in BAND_OF_ROLE}
    return {i: host for i, host in hosts.items() if i in leaves}


def rows_of(
    nodes: Sequence[LaidOut], bands: Mapping[int, int], hosts: Mapping[int, int]
) -> dict[int, int]:
    """The row of each node, without empty rows."""
    rows = forward_rows([n for n in nodes if n.role == "forward"], from_inputs(nodes))
    last = max(rows.values(), default=0)
    rows |= {leaf: rows[host] for leaf, host in hosts.items() if host in rows}
    later = [n for n in nodes if n.id not in rows and n.role in BAND_OF_ROLE]
    for n in later:
        if (row := row_after(n, bands, rows)) is not None:
            rows[n.id] = row
    read: dict[int, int] = {}
    for n in reversed(later):
        row = rows.setdefault(n.id, read.get(n.id, last))
        read |= dict.fromkeys(n.inputs, row)
    rows |= {leaf: rows[host] for leaf, host in hosts.items()}
    rows |= {n.id: 0 for n in nodes if n.id not in rows}
    used = {row: i for i, row in enumerate(sorted(set(rows.values())))}
    return {i: used[row] for i, row in rows.items()}


def from_inputs(nodes: Iterable[LaidOut]) -> set[int]:
    """The nodes that are computed from inputs, and not from parameters and constants alone."""
    result: set[int] = set()
    for n in nodes:
        if n.role == "input" or not result.isdisjoint(n.inputs):
            result.add(n.id)
    return result


def forward_rows(nodes: Sequence[LaidOut], from_inputs: set[int]) -> dict[int, int]:
    """The lengths of the longest paths; what needs no input is as near to its reader as can be."""
    rows: dict[int, int] = {}
    for n in nodes:
        rows[n.id] = max((rows[i] + 1 for i in n.inputs if i in rows), default=0)
    latest: dict[int, int] = {}
    for n in reversed(nodes):
        if n.id not in from_inputs and n.id in latest:
            rows[n.id] = latest[n.id]
        for i in n.inputs:
            if i in rows:
                latest[i] = min(latest.get(i, rows[n.id]), rows[n.id] - 1)
    return rows


def row_after(n: LaidOut, bands: Mapping[int, int], rows: Mapping[int, int]) -> int | None:
    """The row of a node of the backward or an update: its cause's, or that of what it reads."""
    if n.cause is not None and n.cause in rows:
        return rows[n.cause]
    known = [i for i in n.inputs if i in rows]
    for band in (Band.BACKWARD, Band.UPDATE):
        if found := [rows[i] for i in known if bands[i] == band]:
            return found[0]
    return max([rows[i] for i in known], default=None)


Cells = dict[int, Cell]


def forward_row(
    nodes: Sequence[LaidOut], band: Band, row: int, hosts: Mapping[int, int], cells: Cells
) -> None:
    """Place a row of forward nodes, each below its first input, with its leaves outside."""
    leaves: dict[int, list[int]] = {}
    computed = []
    for n in nodes:
        if n.role == "forward":
            computed.append(n)
        else:
            leaves.setdefault(hosts.get(n.id, -1), []).append(n.id)
    wanted = {n.id: lane_above(n, cells) for n in computed}
    line = lane = 0
    for i in [*sorted(wanted, key=wanted.__getitem__), -1]:
        if lane >= WIDEST:
            line, lane = line + 1, 0
        if i >= 0:
            lane = max(lane, wanted[i] if line == 0 else 0)
            cells[i] = Cell(band, row, line, lane)
            lane += 1
        for leaf in leaves.get(i, ()):
            if lane >= 2 * WIDEST:
                line, lane = line + 1, 0
            cells[leaf] = Cell(band, row, line, lane)
            lane += 1


def lane_above(n: LaidOut, cells: Mapping[int, Cell]) -> int:
    """The lane of the first input that is computed above; 0 without one."""
    return next((cells[i].lane for i in n.inputs if i in cells and not is_beside(cells[i])), 0)


def is_beside(cell: Cell) -> bool:
    """True for a cell from which no chain goes straight down."""
    return cell.line > 0 or cell.lane >= WIDEST


def row_by_cause(
    nodes: Sequence[LaidOut], band: Band, row: int, hosts: Mapping[int, int], cells: Cells
) -> None:
    """Place a row of nodes after the forward: those of each cause together, the nearest first."""
    causes = {n.id: n.cause for n in nodes}
    groups: dict[Any, list[LaidOut]] = {}
    for n in nodes:
        host = hosts.get(n.id)
        groups.setdefault(n.cause if host is None else causes.get(host), []).append(n)
    start, line, height = 0, 0, 0
    for cause in sorted(groups, key=lambda c: cells[c].lane if c in cells else WIDEST):
        placed = columns_of(groups[cause], FEW if band is Band.BACKWARD else 1)
        width = 1 + max(lane for _, lane in placed.values())
        if start and start + width > WIDEST:
            start, line, height = 0, line + height, 0
        for i, (below, lane) in placed.items():
            cells[i] = Cell(band, row, line + below, start + lane)
        start += width
        height = max(height, 1 + max(below for below, _ in placed.values()))


def columns_of(nodes: Sequence[LaidOut], few: int) -> dict[int, tuple[int, int]]:
    """The line and the lane of each node among those of one cause, ordered from left to right.

    The lane is the length of the longest path from the others; a long path goes on below. More
    nodes than `few` fill lines one after another.
    """
    depths: dict[int, int] = {}
    for n in nodes:
        depths[n.id] = max((depths[i] + 1 for i in n.inputs if i in depths), default=0)
    if len(depths) > few:
        ordered = sorted(depths, key=depths.__getitem__)
        return {i: divmod(k, FEW) for k, i in enumerate(ordered)}
    columns: dict[int, list[int]] = {}
    for i, depth in depths.items():
        columns.setdefault(depth, []).append(i)
    result: dict[int, tuple[int, int]] = {}
    line = 0
    for first in range(0, len(columns), DEEPEST):
        block = range(first, min(first + DEEPEST, len(columns)))
        for depth in block:
            result |= {i: (line + k, depth - first) for k, i in enumerate(columns[depth])}
        line += max(len(columns[depth]) for depth in block)
    return result
