"""The stages of a graph, from as written to compiled, with one number per node through all.

Note [Identity]. A pass keeps the names of what it does not replace, and what it replaces gives its
name to the replacement. So a node is the same in two stages if name, op, attributes and type are,
whatever its operands; a node of the same name otherwise replaces the one that is gone.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..model import GraphView
from ..search import Subject
from ..timeline.flame import Flame
from ..timeline.memory import MemoryTimeline
from .flattening import FlatNode, Flattened, Folder

FUSED = frozenset({"fused"})
WRITTEN, GRADIENT = "as written", "gradient"  # the names of the first stages


@dataclass(frozen=True)
class Stage:
    """A graph at one stage of the compiler. `groups` are names of nodes that one loop computes."""

    name: str
    view: GraphView
    note: str = ""  # its time and bound, as text
    groups: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Listing:
    """Generated code: its lines, and for each the name of the node that it computes, or None."""

    title: str
    lines: Sequence[str]
    owners: Sequence[str | None] = ()


@dataclass(frozen=True)
class Picture:
    """One subject of a page: the stages of a graph, or a tape, with what is known of its runs.

    `times` (seconds, share, calls) are of nodes by name, as the steps of `timeline` are. `flames`
    are of the profile by "scope" and by "line".
    """

    title: str
    stages: Sequence[Stage]
    times: Mapping[str, tuple[float, float, int]] = field(default_factory=dict, hash=False)
    timeline: MemoryTimeline | None = None
    flames: Mapping[str, Flame] = field(default_factory=dict, hash=False)
    listings: Sequence[Listing] = ()

    @property
    def written(self) -> GraphView:
        """The whole graph as the program wrote it: with its gradient, before all passes."""
        named = {stage.name: stage.view for stage in reversed(self.stages)}
        return named.get(GRADIENT, self.stages[0].view)

    @property
    def kind(self) -> str:
        """Graph or tape."""
        return self.stages[-1].view.kind


@dataclass(slots=True)
class Step:
    """A stage with numbers that hold in all: nodes in order, and those that it removed.

    `replaces` has for a new node the removed one whose place it takes.
    """

    name: str
    note: str
    nodes: list[FlatNode]
    removed: list[FlatNode] = field(default_factory=list)
    new: set[int] = field(default_factory=set)
    replaces: dict[int, int] = field(default_factory=dict)
    groups: list[list[int]] = field(default_factory=list)

    @property
    def fused(self) -> set[int]:
        """The nodes that are computed together with others."""
        return {n.id for n in self.nodes if n.node.op in FUSED} | {
            i for group in self.groups for i in group
        }

    def group(self, named: Sequence[Sequence[str]]) -> None:
        """Note groups, of nodes by name; a group of one is none."""
        numbers = {n.path: n.id for n in self.nodes} if named else {}
        groups = [[numbers[name] for name in names if name in numbers] for names in named]
        self.groups = [group for group in groups if len(group) > 1]


def key_of(n: FlatNode) -> Hashable:
    """Equal for nodes that are the same. See Note [Identity]."""
    node = n.node
    return n.path, node.op, node.shape, node.dtype, tuple(node.attrs.items())


class History:
    """All nodes of a sequence of stages, numbered once, and its steps."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.nodes: dict[int, FlatNode] = {}
        self.folders: list[Folder] = []
        self.known: dict[Hashable, int] = {}
        self.folder_numbers: dict[tuple[int, str, int], int] = {}
        self.steps: list[Step] = []
        for stage in stages:
            flat = Flattened(stage.view)
            if len(stages) == 1:
                self.nodes = {n.id: n for n in flat.nodes}
                self.folders = flat.folders
                self.steps.append(Step(stage.name, stage.note, flat.nodes))
            else:
                self.steps.append(self.step(stage, flat))
            self.steps[-1].group(stage.groups)

    def step(self, stage: Stage, flat: Flattened) -> Step:
        """The step to a stage from the one before."""
        numbers: dict[int, int] = {}
        for n in flat.nodes:
            numbers[n.id] = self.known.setdefault(key_of(n), len(self.known))
        folders = self.folders_of(flat, numbers)
        nodes = [renumbered(n, numbers, folders) for n in flat.nodes]
        self.nodes |= {n.id: n for n in nodes}
        step = Step(stage.name, stage.note, nodes)
        if self.steps:
            before = {n.id: n for n in self.steps[-1].nodes}
            after = {n.id for n in nodes}
            step.removed = [n for i, n in before.items() if i not in after]
            step.new = after - before.keys()
            gone = {n.path: n.id for n in step.removed}
            step.replaces = {
                n.id: gone[n.path] for n in nodes if n.id in step.new and n.path in gone
            }
        return step

    def folders_of(self, flat: Flattened, numbers: Mapping[int, int]) -> list[int]:
        """The numbers of a stage's folders among those of all stages."""
        result: list[int] = []
        for f in flat.folders:
            parent = result[f.parent] if f.parent >= 0 else -1
            owner = numbers.get(f.owner, -1)
            key = parent, f.title, owner
            if key not in self.folder_numbers:
                self.folder_numbers[key] = len(self.folders)
                self.folders.append(Folder(f.title, parent, owner))
            result.append(self.folder_numbers[key])
        return result


def renumbered(n: FlatNode, numbers: Mapping[int, int], folders: Sequence[int]) -> FlatNode:
    """A node with the numbers that hold in all stages."""
    return FlatNode(
        numbers[n.id], n.node, n.path, tuple([numbers[i] for i in n.reads]),
        tuple([numbers[i] for i in n.inputs]), n.role,
        None if n.cause is None else numbers[n.cause], folders[n.folder] if n.folder >= 0 else -1,
    )  # fmt: skip


def subjects(picture: Picture) -> list[Subject]:
    """The nodes of the last stage as search has them; ids are the numbers of the page."""
    step = History(picture.stages).steps[-1]
    readers = Counter(i for n in step.nodes for i in dict.fromkeys(n.reads))
    result = []
    for n in step.nodes:
        node = replace(n.node, id=n.id, inputs=n.reads, role=n.role)
        seconds, share, _ = picture.times.get(n.path, (None, None, 0))
        result.append(Subject(node, readers[n.id], seconds, share))
    return result
