"""A call of a compiled program, as one operation on the tape.

Note [Compiled calls]. A traced program keeps its own tape, of expressions. A backward along it with
expressions for cotangents builds the graph of the gradient, which is compiled and runs on the
operands of the call. If the gradient is recorded, it is one operation again.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from gradops import TapeError
from gradops.transforms.reverse import ancestors
from gradops.transforms.several_outputs import Parts
from gradops.typing import AnyArray

from ..engine.array import Array
from ..engine.grad_mode import is_recording
from ..engine.handle import Handle, cut_off, hold, on_face
from ..engine.node import Node, Part, SavedOperands, Storage, Vertex, clock
from ..engine.record import node_of_call
from ..engine.saved_tensors import Freed, changed_text
from ..engine.storage import storage_of
from ..engine.views import refuse_leaf, set_history

Handles = Sequence[Handle]
Save = Callable[[], SavedOperands]


def record_call(inputs: Handles, outputs: Handles, call: Any) -> None:
    """Make `outputs` the outputs of one operation on `inputs`, or set why they have no history."""
    record(inputs, outputs, call.name, call.number, lambda: Saved(inputs, call))


def record_freed(inputs: Handles, t: Handle, name: str, freed: Freed) -> None:
    """Make `t` the output of an operation that a backward inside the program has freed."""
    record(inputs, [t], name, next(clock), lambda: freed)


def record(inputs: Handles, outputs: Handles, name: str, number: int, save: Save) -> None:
    """Make `outputs` the outputs of a new node, if one of `inputs` is on the tape."""
    tracked = any(x.node is not None for x in inputs)
    if not tracked or not is_recording():
        for t in outputs:
            if t.node is None:
                cut_off(t, None, tracked)
        return
    vertices = tuple([x.node for x in inputs])
    node = node_of_call(name, save(), vertices)
    node.number = number
    for i, t in enumerate(outputs):
        give_history(t, Part(node, i, t.value.shape, t.value.dtype))


def freed_by(t: Handle) -> Freed | None:
    """The `Freed` of the newest ancestor of `t` that was freed; None if there is none."""
    history = ancestors([] if t.node is None else [t.node])
    freed = [v for v in history if isinstance(getattr(v, "operands", None), Freed)]
    return max(freed, key=attrgetter("number")).operands if freed else None


def give_history(t: Handle, vertex: Part) -> None:
    """Set the vertex of an output: a new tensor, or one that the call has written to."""
    if t.storage is None and t.node is None:
        t.node = vertex
    else:
        refuse_leaf(t)
        set_history(t, vertex)


class Saved(SavedOperands):
    """The values that a call saves for its backward, as the operands of its node."""

    __slots__ = ("call", "storages")

    def __init__(self, inputs: Sequence[Handle], call: Any) -> None:
        self.call = call
        self.storages = [x.storage or storage_of(x) for x in inputs]

    def read(self, node: Node, freed: Freed | None) -> Sequence[Any]:
        """The node, and the function that computes its gradients."""

        def run(g: Parts) -> list[AnyArray | None]:
            gs = self.gradients(node, g)
            if freed is not None:
                node.operands = freed
            return gs

        return node, run

    def gradients(self, node: Node, g: Parts) -> list[AnyArray | None]:
        """The gradients of the inputs, recorded if gradients are."""
        given, wanted = sorted(g.by_index), node.wanted
        seeds = [g.by_index[i] for i in given]
        for i in self.call.needed(wanted, given):
            self.check_unchanged(node, i)
        if is_recording():
            origins = [origin(x, storage) for x, storage in zip(node.inputs, self.storages)]
            seeds = [on_face(Array, s) for s in seeds]
            gs = self.call.recorded_gradients(wanted, given, seeds, origins)
        else:
            values = [s.value if isinstance(s, Handle) else s for s in seeds]
            gs = self.call.gradients(wanted, given, values)
        by_input = dict(zip(wanted, gs, strict=True))
        return [by_input.get(i) for i in range(len(node.inputs))]

    def check_unchanged(self, node: Node, i: int) -> None:
        """Raise TapeError if an input was written to since the call."""
        storage, x = self.storages[i], node.inputs[i]
        if storage.changed > node.number:
            type = "a constant" if x is None else x.type
            raise TapeError(changed_text(node, "the argument", type, storage))


def origin(vertex: Vertex | None, storage: Storage) -> Handle:
    """A handle without a value on the history and the storage of an input."""
    t = hold(Array, None, vertex)
    t.storage = storage
    return t
