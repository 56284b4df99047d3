"""The tape: what an operation leaves behind for backward.

A node holds what its rules will read and the nodes of its operands, never the tensor it made; a
tensor holds its node. So references run backwards only, and dropping an output frees its graph.

Note [Versions]. Saved values must not change before backward. Nodes and in-place writes take their
numbers from one clock, so a saved value was overwritten if its storage changed at a time later than
the node's own number. Storage is made at the first write or alias; untouched tensors have none.
"""

import itertools
from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from gradops import ArrayType, Op
from gradops.core.source_location import Place, here
from gradops.core.traits import Trait
from gradops.transforms.reverse import VertexOp
from gradops.typing import Attrs

clock = itertools.count(1)
NOTHING: dict[str, Any] = {}
new = object.__new__


class Storage:
    """When memory that tensors share was last written in place, where, how often; who shares it."""

    __slots__ = ("changed", "kept", "lent", "place", "version", "viewed", "views")

    def __init__(self) -> None:
        self.kept: Any = None  # what is to be copied before a write: see Note [Copy on write]
        self.changed, self.version = 0, 0
        self.viewed = self.lent = False  # whether others see the memory; others than its views
        self.place: Place | None = None
        self.views: dict[int, Any] = {}

    def lend(self) -> None:
        """Note that others than views see the memory."""
        self.viewed = self.lent = True

    def write(self, place: Place | None = None) -> None:
        """Note a write that happens now, and where in the user's program."""
        self.changed, self.place = next(clock), place or here()
        self.version += 1


class InferenceStorage(Storage):
    """The record of memory made in inference mode, which no gradient may depend on."""

    __slots__ = ()


class Cut(NamedTuple):
    """Why a tensor has no history though something it was computed from has one."""

    reason: str
    op: Op | None
    place: Place | None


class SavedOperands:
    """The operands of a node that are more than a tuple: packed, freed, or the user's own.

    Most nodes have a tuple, with a tensor for each operand that a rule reads, else something that
    only has its type. An object of this kind gives what the rules see when they ask for it.
    """

    __slots__ = ()

    def read(self, node: "Node", freed: Any) -> Any:
        """The output and the operands as values; with `freed`, which then takes their place."""
        raise NotImplementedError

    def tensors(self, node: "Node") -> Any:
        """The output and the operands for rules that are recorded."""
        return self.read(node, None)


class Node:
    """One recorded operation: the op, the nodes of its operands, and what its rules read."""

    __slots__ = (
        "__weakref__",
        "attrs",
        "code",
        "dtype",
        "hooks",
        "inputs",
        "kept_metadata",
        "number",
        "offset",
        "op",
        "operands",
        "output",
        "shape",
        "storage",
        "wanted",
        "watch",
    )
    op: VertexOp
    inputs: tuple[Any, ...]
    operands: Any  # a tuple, or `SavedOperands`
    attrs: Attrs
    number: int
    shape: Any
    dtype: Any
    output: Any
    storage: Storage | None
    wanted: Sequence[int]
    watch: Any
    code: Any
    offset: int
    hooks: Any
    kept_metadata: dict[Any, Any]

    @property
    def place(self) -> Place:
        """Where in the user's program the operation was called."""
        return self.code, self.offset

    @property
    def type(self) -> ArrayType:
        """The type of the output."""
        return ArrayType(self.shape, self.dtype)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The nodes that made the operands, None for constants, each with an output number."""
        return tuple(edge(x) for x in self.inputs)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for what users want to remember of the node."""
        if not hasattr(self, "kept_metadata"):
            self.kept_metadata = {}
        return self.kept_metadata

    if TYPE_CHECKING:  # set by `installation`

        def name(self) -> str: ...

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class Part:
    """One output of a node that has several, whose cotangents the node gets all at once."""

    __slots__ = ("__weakref__", "dtype", "index", "inputs", "number", "shape", "storage", "watch")
    attrs = NOTHING
    wanted = (0,)

    def __init__(self, owner: Node, index: int, shape: Any, dtype: Any) -> None:
        self.inputs, self.index, self.number = (owner,), index, next(clock)
        self.shape, self.dtype, self.watch, self.storage = shape, dtype, None, None

    @property
    def owner(self) -> Node:
        """The node that has the output."""
        return self.inputs[0]

    @property
    def op(self) -> Any:
        """Stands where an op does: hands its cotangent to the node, with the output's number."""
        return GATHER

    @property
    def operands(self) -> tuple[Any, ...]:
        """What the rule reads: which output this is."""
        return (self.index,)

    @property
    def output(self) -> None:
        """Nothing is saved."""

    @property
    def place(self) -> Any:
        """Where in the user's program the node's operation was called."""
        return self.owner.place

    @property
    def type(self) -> ArrayType:
        """The type of the output."""
        return ArrayType(self.shape, self.dtype)

    def name(self) -> str:
        """The node's name."""
        return self.owner.name()


SEVERAL = "of several outputs"  # stands for the shape and dtype of a node that has several


class Parts:
    """Cotangents of several outputs of a node, by their numbers."""

    shape = dtype = SEVERAL

    def __init__(self, by_index: dict[int, Any]) -> None:
        self.by_index = by_index

    def __add__(self, other: "Parts") -> "Parts":
        found = self.by_index  # which nobody else has: sums of many parts take linear time
        for i, g in other.by_index.items():
            found[i] = found[i] + g if i in found else g
        return self


class Gather:
    """Stands where an op does on a `Part`."""

    name, traits = "gather", frozenset[Trait]()

    @staticmethod
    def pull(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Any) -> list[Parts]:
        """The cotangent of one output as one of all."""
        return [Parts({values[1]: g})]


GATHER = Gather()


def edge(vertex: Any) -> tuple[Any, int]:
    """What `next_functions` says of an input: the node that made it, and which of its outputs."""
    return (vertex.owner, vertex.index) if type(vertex) is Part else (vertex, 0)


REPEATED: ContextVar[int] = ContextVar("repeated", default=0)
"""When the part of a program that is computed again was computed first; 0 if it is not."""


class Run:
    """A run of a function that a transform differentiates: when it began, and ended if it has."""

    __slots__ = ("began", "ended")

    def __init__(self) -> None:
        self.began, self.ended = next(clock), 0

    def goes_on(self) -> bool:
        """Whether the function still runs, or ran when what is computed again was first."""
        return not self.ended or self.began < REPEATED.get() < self.ended


class Leaf:
    """Where the gradients of a tensor made by the user are added up."""

    __slots__ = (
        "__weakref__", "dtype", "grad", "handle", "hooks", "number", "run", "shape", "watch"
    )  # fmt: skip
    op = None
    place = None
    inputs: tuple[Any, ...] = ()
    attrs = NOTHING

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.shape, self.dtype, self.number = shape, dtype, next(clock)
        self.grad: Any = None
        self.watch: Any = None
        self.handle: Any = None
        self.hooks: Any = None  # what is called before and after a gradient is added
        self.run: Run | None = None  # of the transform that made this leaf for an argument

    @property
    def type(self) -> ArrayType:
        """The type of the tensor."""
        return ArrayType(self.shape, self.dtype)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Nothing comes before a leaf."""
        return ()

    @property
    def variable(self) -> Any:
        """The tensor whose gradients are added up here."""
        return self.handle()

    def name(self) -> str:
        """The node's name, as PyTorch calls it."""
        return "AccumulateGrad"

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self):#x}>"
