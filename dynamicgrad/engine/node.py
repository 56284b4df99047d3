"""Nodes of the tape: one for each recorded operation, and one for each leaf.

A node refers to the nodes of its operands and to the values that its rules read, never to its
output tensor; a tensor refers to its node. So references run backwards only, and dropping an output
frees its graph.

Note [Versions]. Saved values must not change before backward. Nodes and in-place writes take their
numbers from one clock, so a saved value was overwritten if its storage changed at a time later than
the node's own number. A tensor gets a `Storage` at its first write or view.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from gradops import ArrayType, Op
from gradops.core.dims import Shape
from gradops.core.levels import clock as clock
from gradops.core.source_location import Place, here
from gradops.core.traits import Trait
from gradops.transforms.reverse import VertexOp
from gradops.transforms.several_outputs import GATHER
from gradops.typing import Attrs

if TYPE_CHECKING:
    from types import CodeType

    import numpy as np

    from .handle import Handle

NOTHING: Attrs = {}
new = object.__new__


FEW = 16


class Storage:
    """The writes to memory that tensors share, and the views on it: see Note [Versions]."""

    __slots__ = ("changed", "crowded", "kept", "lent", "place", "version", "viewed", "views")

    def __init__(self) -> None:
        self.kept: Any = None  # saved values to copy before a write: see Note [Copy on write]
        self.changed, self.version = 0, 0
        self.viewed = self.lent = False  # by views or others; by others than views
        self.place: Place | None = None
        self.views: list[weakref.ref[Any]] = []  # some may be dead, but at most half and a few
        self.crowded = FEW  # the number of views at which dead ones are dropped

    def lend(self) -> None:
        """Record that the memory is shared with others than views."""
        self.viewed = self.lent = True

    def add_view(self, view: Any) -> None:
        """Register a view."""
        if len(self.views) >= self.crowded:
            self.views = [ref for ref in self.views if ref() is not None]
            self.crowded = 2 * len(self.views) + FEW
        self.views.append(weakref.ref(view))

    def write(self, place: Place | None = None) -> None:
        """Record a write, and the line of the user's program that it is called from."""
        self.changed, self.place = next(clock), place or here()
        self.version += 1


class InferenceStorage(Storage):
    """The storage of tensors that were computed in inference mode; no gradient may depend on it."""

    __slots__ = ()


class Cut(NamedTuple):
    """The reason why a tensor has no history although one of its operands has one."""

    reason: str
    op: Op | None
    place: Place | None


class SavedOperands:
    """The operands of a node that are more than a tuple: packed, freed, or the user's own.

    Most nodes have a tuple: a tensor for each operand that a rule reads, and an object that has its
    type for the others. An object of this class computes the values when backward reads them.
    """

    __slots__ = ()

    def read(self, node: Node, freed: Any) -> Sequence[Any]:
        """The output and the operands as values; a `freed` that is given then replaces them."""
        raise NotImplementedError

    def tensors(self, node: Node) -> Sequence[Any]:
        """The output and the operands as arrays with history, for a backward that is recorded."""
        return self.read(node, None)


class Node:
    """One recorded operation: the op, the nodes of its operands, and what its rules read."""

    __slots__ = (
        "__weakref__", "attrs", "code", "dtype", "inputs", "kept_metadata", "number", "offset",
        "op", "operands", "output", "shape", "storage", "wanted", "watch",
    )  # fmt: skip
    op: VertexOp
    inputs: Vertices
    operands: Any  # a tuple, or `SavedOperands`
    attrs: Attrs
    number: int
    shape: Any  # a `Shape`, or SEVERAL
    dtype: Any
    output: Any
    storage: Storage | None
    wanted: Sequence[int]
    watch: Any
    code: CodeType
    offset: int
    kept_metadata: dict[str, object]

    @property
    def place(self) -> Place:
        """The place in the user's program that called the operation."""
        return self.code, self.offset

    @property
    def type(self) -> ArrayType:
        """The type of the output."""
        return ArrayType(self.shape, self.dtype)

    @property
    def next_functions(self) -> tuple[tuple[Node | Leaf | None, int], ...]:
        """The nodes of the operands, None for constants, each with an output number."""
        return tuple(edge(x) for x in self.inputs)

    @property
    def metadata(self) -> dict[str, object]:
        """A dictionary for the user's own data about the node."""
        if not hasattr(self, "kept_metadata"):
            self.kept_metadata = {}
        return self.kept_metadata

    if TYPE_CHECKING:  # set by `installation`

        def name(self) -> str: ...

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class TapeOp:
    """An op that occurs on the tape only: a name, and the function that computes cotangents."""

    traits = frozenset[Trait]()

    def __init__(self, name: str, pull: Callable[..., Sequence[Any]]) -> None:
        self.name, self.pull = name, pull

    def __str__(self) -> str:
        return self.name


class Part:
    """One output of a node that has several; the node gets the cotangents of all at once."""

    __slots__ = ("__weakref__", "dtype", "index", "inputs", "number", "shape", "storage", "watch")
    op = GATHER
    attrs = NOTHING
    wanted = (0,)
    output = None  # the value of the output is not saved

    def __init__(self, owner: Node, index: int, shape: Shape, dtype: np.dtype) -> None:
        self.inputs, self.index, self.number = (owner,), index, next(clock)
        self.shape, self.dtype = shape, dtype
        self.watch = self.storage = None

    @property
    def owner(self) -> Node:
        """The node that the output belongs to."""
        return self.inputs[0]

    @property
    def operands(self) -> tuple[int]:
        """The number of the output, which the rule of the op reads."""
        return (self.index,)

    @property
    def place(self) -> Place:
        """The place in the user's program that called the operation."""
        return self.owner.place

    @property
    def type(self) -> ArrayType:
        """The type of the output."""
        return ArrayType(self.shape, self.dtype)

    def name(self) -> str:
        """The node's name."""
        return self.owner.name()


def edge(vertex: Vertex | None) -> tuple[Node | Leaf | None, int]:
    """An input as `next_functions` has it: the node, and the number of its output."""
    return (vertex.owner, vertex.index) if isinstance(vertex, Part) else (vertex, 0)


REPEATED: ContextVar[int] = ContextVar("repeated", default=0)
"""The time at which a checkpointed part of a program ran first; 0 outside of recomputation."""


class Run:
    """The times between which a transform runs the function that it differentiates."""

    __slots__ = ("began", "ended")

    def __init__(self) -> None:
        self.began, self.ended = next(clock), 0

    def goes_on(self) -> bool:
        """True if the function runs now, or ran when the recomputed part ran first."""
        return not self.ended or self.began < REPEATED.get() < self.ended


class Leaf:
    """The node of a tensor that the user created; gradients are accumulated in its `grad`."""

    __slots__ = (
        "__weakref__", "dtype", "grad", "handle", "hooks", "number", "run", "shape", "storage",
        "watch",
    )  # fmt: skip
    op = None
    place = None
    inputs: tuple[()] = ()
    next_functions: tuple[()] = ()
    attrs = NOTHING

    def __init__(self, shape: Shape, dtype: np.dtype) -> None:
        self.shape, self.dtype, self.number = shape, dtype, next(clock)
        self.grad: Any = None
        self.watch: Any = None
        self.storage: Storage | None = None  # of its tensor
        self.handle: weakref.ref[Handle] | None = None
        self.hooks: Any = None  # called before and after a gradient is accumulated
        self.run: Run | None = None  # of the transform whose argument the leaf is

    @property
    def type(self) -> ArrayType:
        """The type of the tensor."""
        return ArrayType(self.shape, self.dtype)

    @property
    def variable(self) -> Handle | None:
        """The tensor whose gradients are accumulated here."""
        return self.handle() if self.handle is not None else None

    def name(self) -> str:
        """The node's name, as PyTorch calls it."""
        return "AccumulateGrad"

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self):#x}>"


Vertex = Node | Part | Leaf
Vertices = tuple[Vertex | None, ...]
"""The vertices of operands, None for those that require no gradient."""

Active = AbstractSet[Vertex] | None
"""The vertices that may get cotangents; None for all."""
