"""The data of a page: columns of numbers and tables of texts, compressed."""

import base64
import json
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..formulas import formula
from ..layout import mirror_layout
from ..lint import lint
from ..model import NodeView, Role
from ..previews import WHOLE
from ..rules import rule_text
from ..timeline.memory import MemoryTimeline
from .flattening import FlatNode
from .stages import History, Picture, Step

ROLES = list(Role)
ROLE_NUMBERS = {str(role): i for i, role in enumerate(ROLES)}
LEVEL = 6  # of compression: above it takes twice the time for a few percent
VERSION = 1
MOST = 1000  # parameters and constants of which a page has statistics
LARGEST = 10_000_000  # entries of one of them


class Table:
    """Texts or other values by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        return self.numbers.setdefault(value, len(self.numbers))

    def values(self) -> list[Any]:
        """The values, by number."""
        return list(self.numbers)


def packed(pictures: Sequence[Picture], title: str) -> str:
    """The data of a page as text: JSON, compressed, in base 64."""
    data = [picture_data(p) for p in pictures]
    document = {
        "version": VERSION,
        "title": title,
        "roles": [str(role) for role in ROLES],
        "pictures": data,
        "rules": rules_of(data),
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), LEVEL)).decode()


def rules_of(pictures: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The derivative rules of the ops of pictures, as formulas and as source."""
    ops = sorted({op for p in pictures for op in p["ops"]})
    texts = {op: [formula(op), rule_text(op)] for op in ops}
    return {op: text for op, text in texts.items() if any(text)}


def picture_data(picture: Picture) -> dict[str, Any]:
    """The data of a picture: its nodes, folders, stages and findings."""
    history = History(picture.stages)
    nodes = [history.nodes[i] for i in range(len(history.nodes))]
    numbers = {n.path: n.id for step in history.steps for n in step.nodes}
    return {
        "title": picture.title,
        "kind": picture.kind,
        **columns(nodes),
        "folders": [[f.title, f.parent, f.owner] for f in history.folders],
        "stages": [step_data(s, nodes) for s in history.steps],
        "loss": loss_of(history.steps[-1].nodes),
        "times": by_number(picture.times, numbers, lambda t: [float(f"{t[0]:.4g}"), t[1], t[2]]),
        "timeline": timeline_data(picture.timeline, numbers),
        "flames": {by: flame.to_dict() for by, flame in picture.flames.items()},
        "lints": [
            [f.kind, f.text, [numbers[name] for name in f.nodes if name in numbers]]
            for f in lint(picture.written)
        ],
        "listings": [
            [each.title, list(each.lines), [numbers.get(o or "", -1) for o in each.owners]]
            for each in picture.listings
        ],
    }  # fmt: skip


def by_number(
    facts: Mapping[str, Any], numbers: Mapping[str, int], encode: Callable[[Any], Any]
) -> dict[int, Any]:
    """Facts of nodes by number instead of name; nodes that are not there are left out."""
    return {numbers[name]: encode(fact) for name, fact in facts.items() if name in numbers}


def timeline_data(
    timeline: MemoryTimeline | None, numbers: Mapping[str, int]
) -> dict[str, Any] | None:
    """The memory that is alive in each step of a run; nodes have numbers in place of names."""
    if timeline is None or not timeline.steps:
        return None
    reasons = Table()
    return {
        "steps": [[s.name, numbers.get(s.name, -1)] for s in timeline.steps],
        "live": timeline.live.tolist(),
        "backward": timeline.backward_step,
        "allocations": [
            [a.name, numbers.get(a.name, -1), a.nbytes, a.first, a.last, reasons(str(a.keeps))]
            for a in timeline.allocations
        ],
        "reasons": reasons.values(),
    }


def loss_of(nodes: Sequence[FlatNode]) -> int:
    """The node that is differentiated: the last one that causes backward nodes; -1 without one."""
    causes = {n.cause for n in nodes if n.cause is not None}
    return next((n.id for n in reversed(nodes) if n.id in causes and n.role is Role.FORWARD), -1)


def columns(nodes: Sequence[FlatNode]) -> dict[str, Any]:
    """The facts of nodes: a list per field, with numbers of table entries for texts."""
    ops, shapes, dtypes, attrs = Table(), Table(), Table(), Table()
    files, places = Table(), Table()
    views = [n.node for n in nodes]
    return {
        "names": [v.name for v in views],
        "op": [ops(v.op) for v in views],
        "role": [ROLE_NUMBERS[n.role] for n in nodes],
        "shape": [shapes(v.shape) for v in views],
        "dtype": [dtypes(v.dtype) for v in views],
        "folder": [n.folder for n in nodes],
        "cause": [-1 if n.cause is None else n.cause for n in nodes],
        "counts": [len(n.reads) for n in nodes],
        "reads": [n.id - i for n in nodes for i in n.reads],
        "bytes": [-1 if v.nbytes is None else v.nbytes for v in views],
        "attrs": [attrs(tuple(v.attrs.items())) if v.attrs else -1 for v in views],
        "place": [places(v.places) if v.places else -1 for v in views],
        **sparse(nodes),
        "ops": ops.values(),
        "shapes": shapes.values(),
        "dtypes": dtypes.values(),
        "attributes": attrs.values(),
        "places": [
            [[files(p.file), p.line, p.function, p.text] for p in several]
            for several in places.values()
        ],
        "files": files.values(),
    }


def sparse(nodes: Iterable[FlatNode]) -> dict[str, dict[int, Any]]:
    """The facts that few nodes have, by number."""
    paths: dict[int, str] = {}
    values: dict[int, str | None] = {}
    statistics: dict[int, list[Any]] = {}
    outputs: dict[int, Sequence[str]] = {}
    saved: dict[int, list[Any]] = {}
    for n in nodes:
        v = n.node
        if n.path != v.name:
            paths[n.id] = n.path
        if v.outputs:
            outputs[n.id] = v.outputs
        if v.saved:
            saved[n.id] = [[s.name, s.nbytes] for s in v.saved]
        if v.data is not None and v.role is not Role.INPUT:  # which may be private
            if v.role is Role.CONSTANT:
                values[n.id] = v.value
            if len(statistics) < MOST and (facts := statistics_data(v)):
                statistics[n.id] = facts
    return {"paths": paths, "values": values, "statistics": statistics, "outputs": outputs,
            "saved": saved}  # fmt: skip


def statistics_data(v: NodeView) -> list[Any] | None:
    """The statistics of the entries of a parameter or a large constant."""
    size = getattr(v.data, "size", 0)
    if size > LARGEST or (v.role is not Role.PARAMETER and size <= WHOLE):
        return None
    s = v.statistics
    if s is None:
        return None
    numbers = [x if math.isfinite(x) else None for x in (s.mean, s.std, s.low, s.high)]
    return [s.size, *numbers, s.bad, list(s.histogram)]


def step_data(step: Step, reads: Sequence[FlatNode]) -> dict[str, Any]:
    """A stage: its nodes in order, those that it removed, and their cells."""
    shown = [*step.nodes, *step.removed]
    layout = mirror_layout(step.nodes, step.removed)
    cells = [layout.cells[n.id] for n in shown]
    order = [n.id for n in shown]
    return {
        "name": step.name,
        "note": step.note,
        "live": len(step.nodes),
        "order": None if order == list(range(len(reads))) else differences(order),
        "reads": {n.id: n.reads for n in step.nodes if n.reads != reads[n.id].reads},
        "band": [cell.band for cell in cells],
        "row": differences([cell.row for cell in cells]),
        "line": [cell.line for cell in cells],
        "lane": [cell.lane for cell in cells],
        "new": sorted(step.new),
        "replaces": step.replaces,
        "fused": sorted(step.fused),
        "groups": step.groups,
    }


def differences(numbers: Sequence[int]) -> list[int]:
    """Each number minus the one before it, which compresses better."""
    return [b - a for a, b in zip((0, *numbers), numbers)]
