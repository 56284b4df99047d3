"""Graphs inside graphs as one list of nodes, in folders that open and close.

Note [Folders]. A page has one list of nodes for a graph and for the graphs of its loops and
branches, so that search, selection and layout know no nesting. A folder is a level of a scope, or a
graph of a node: that node owns it, and stands for all that is inside while it is closed. The
nodes of an inner graph come before its owner, and are laid out between its operands and itself.
"""

from dataclasses import dataclass, field

from ..model import GraphView, NodeView, Role

MOST = 1_000_000  # nodes up to which inner graphs are opened: one may be in many places
ANCHORS = 8  # operands of an owner after which its graphs are laid out
LATER = frozenset({Role.BACKWARD, Role.UPDATE})


@dataclass(slots=True)
class Folder:
    """A level of a scope, or with an owner the graph of that node. Number -1 is the top."""

    title: str
    parent: int
    owner: int = -1


@dataclass(slots=True)
class FlatNode:
    """A node with its number among all. `reads` are the numbers of its operands.

    `inputs` are those after which it is laid out.
    """

    id: int
    node: NodeView
    path: str  # its name after those of the owners
    reads: tuple[int, ...]
    inputs: tuple[int, ...]
    role: Role
    cause: int | None
    folder: int


@dataclass(slots=True)
class Level:
    """A graph that is being flattened: its folder, owner and the numbers of its nodes so far."""

    view: GraphView
    folder: int = -1
    prefix: str = ""
    role: Role | None = None  # that of an owner after the forward, which its nodes take
    cause: int | None = None
    anchors: tuple[int, ...] = ()
    numbers: dict[int, int] = field(default_factory=dict)
    scopes: dict[str, int] = field(default_factory=dict)

    def results(self) -> list[int]:
        """The numbers of the results."""
        return [self.numbers[i] for i in self.view.results if i in self.numbers]


class Flattened:
    """The nodes of a view and of the graphs inside it, each after its inputs, and their folders."""

    def __init__(self, view: GraphView) -> None:
        self.nodes: list[FlatNode] = []
        self.folders: list[Folder] = []
        self.graphs = view.graphs
        self.top = Level(view)
        self.inner: dict[tuple[int, int], list[Level]] = {}  # by the level and id of the owner
        work = [(self.top, n, False) for n in reversed(view.nodes)]
        while work:
            level, n, is_open = work.pop()
            if n.graphs and not is_open and len(self.nodes) + len(work) < MOST:
                work.append((level, n, True))
                work += self.opened(level, n)
            else:
                self.add(level, n)

    def opened(self, level: Level, n: NodeView) -> list[tuple[Level, NodeView, bool]]:
        """The nodes of the graphs of an owner, the last first."""
        read = {level.numbers[i] for i in n.inputs if i in level.numbers}
        anchors = tuple(sorted(i for i in read if not self.nodes[i].node.is_leaf))
        role = level.role or (n.role if n.role in LATER else None)
        own = None if n.cause is None else level.numbers.get(n.cause)
        cause = level.cause if level.role else own
        work: list[tuple[Level, NodeView, bool]] = []
        levels = self.inner[id(level), n.id] = []
        for name in n.graphs:
            folder = self.new_folder(name, self.folder_of(level, n.scope))
            prefix = f"{level.prefix}{n.name} › {name} › "
            inner = Level(self.graphs[name], folder, prefix, role, cause, anchors[-ANCHORS:])
            levels.append(inner)
            work[:0] = [(inner, each, False) for each in reversed(inner.view.nodes)]
        return work

    def add(self, level: Level, n: NodeView) -> None:
        """Number a node, whose graphs are flattened already."""
        number = level.numbers[n.id] = len(self.nodes)
        numbers = level.numbers
        inputs = reads = tuple([numbers[i] for i in n.inputs if i in numbers])
        role, cause = n.role, None if n.cause is None else numbers.get(n.cause)
        if level.role is not None and not n.is_leaf:
            role, cause = level.role, level.cause
        if level.anchors:
            inputs += level.anchors
        for inner in self.inner.pop((id(level), n.id), ()):
            self.folders[inner.folder].owner = number
            inputs += tuple(inner.results())
        folder = self.folder_of(level, n.scope)
        path = level.prefix + n.name
        self.nodes.append(FlatNode(number, n, path, reads, inputs, role, cause, folder))

    def new_folder(self, title: str, parent: int) -> int:
        """The number of a new folder."""
        self.folders.append(Folder(title, parent))
        return len(self.folders) - 1

    def folder_of(self, level: Level, scope: str) -> int:
        """The folder of a scope, with those above it."""
        if not scope:
            return level.folder
        found = level.scopes.get(scope)
        if found is None:
            parent, path = level.folder, ""
            for title in scope.split("/"):
                path = f"{path}/{title}" if path else title
                if path not in level.scopes:
                    level.scopes[path] = self.new_folder(title, parent)
                parent = level.scopes[path]
            found = parent
        return found
