"""Reading of saved tensors: as values to compute with, or as arrays whose use is recorded.

Note [Saved values]. Of an operand on the tape, the fast path saves the value and not the handle:
the garbage collector has fewer objects to follow, and a handle that the program drops is freed at
once. Writes are seen in the storage of the node, which `storage_of` gives to both. A handle with
another storage than its node is saved itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from gradops import TapeError
from gradops.core.source_location import Place, describe

from .array import Array
from .handle import ARRAYS, Handle, hold
from .node import InferenceStorage, Node, SavedOperands, Storage, Vertex
from .plain_arrays import is_plain
from .storage import storage_of

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after"
    " they have already been freed): {op}, called at {forward}, was freed by the backward at"
    " {first}.\n  hint: give the first one retain_graph=True; or, if the operation was meant to be"
    " computed anew in each iteration, compute it inside the loop"
)
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace"
    " operation: {what} {type} of {op}, saved at {saved}, was changed at {changed}"
    " (it is at version {version}).\n  hint: write `x = x + 1` for `x += 1`,"
    " or change x.clone() instead"
)

WRITTEN = (
    "the plain array {type} that {op} was given at {saved} has other entries now: its gradient"
    " would be wrong\n  hint: write to a copy, or make a new array in each round of a loop"
)


class Freed(SavedOperands):
    """The operands of a node that a backward at `place` has freed; reading them raises."""

    __slots__ = ("place",)

    def __init__(self, place: Place | None) -> None:
        self.place = place

    def read(self, node: Node, freed: object) -> NoReturn:
        """Raise TapeError: an earlier backward has freed the node."""
        raise TapeError(
            SECOND_TIME.format(op=node.op, forward=describe(node.place), first=describe(self.place))
        )


def changed_text(node: Node, what: str, type: object, storage: Storage) -> str:
    """The error text for a saved value that was overwritten."""
    return CHANGED.format(
        what=what, type=type, op=node.op, saved=describe(node.place),
        changed=describe(storage.place), version=storage.version,
    )  # fmt: skip


def is_fresh(storage: Storage, node: Node) -> bool:
    """True if a saved value was not overwritten, and is none of inference mode or of the user's."""
    return storage.changed <= node.number and type(storage) is Storage


def check_unchanged(node: Node, x: Any, storage: Storage, what: str) -> None:
    """Raise TapeError if a saved value was overwritten, or computed in inference mode.

    `x` has its type: a handle, or a vertex.
    """
    if is_plain(x) and x.storage.differs(x.value):
        raise TapeError(WRITTEN.format(type=x.type, op=node.op, saved=describe(node.place)))
    if storage.changed > node.number:
        raise TapeError(changed_text(node, what, x.type, storage))
    if isinstance(storage, InferenceStorage):
        raise TapeError(
            f"Inference tensors cannot be saved for backward: {what} {x.type} of {node.op}, called"
            f" at {describe(node.place)}, was made in inference_mode()"
            "\n  hint: clone() it outside of inference mode, or make it under no_grad()"
        )


def reader(freed: Freed | None) -> Callable[[Node], Sequence[Any]]:
    """A function that returns the saved output and operands of a node as values.

    With `freed`, it also frees them: `freed` replaces the operands. Operands that are not a tuple
    are asked to `read`: see `SavedOperands`.
    """

    def read(node: Node) -> Sequence[Any]:
        operands, output, inputs = node.operands, node.output, node.inputs
        if type(operands) is not tuple:
            return operands.read(node, freed)
        saves, storage = output is not None, node.storage
        if saves and storage is not None and not is_fresh(storage, node):
            check_unchanged(node, node, storage, "the output")
        found = [output if saves else node]
        if operands is inputs:  # no operand is saved
            found += operands
        else:
            for x in operands:
                if type(x) in ARRAYS:
                    v = inputs[len(found) - 1]
                    if v is not None:
                        saves, storage = True, v.storage
                        if storage is not None and not is_fresh(storage, node):
                            check_unchanged(node, v, storage, "the operand")
                elif isinstance(x, Handle):
                    saves, storage = True, x.storage or storage_at(x)
                    if storage is not None and not is_fresh(storage, node):
                        check_unchanged(node, x, storage, "the operand")
                    x = x.value
                found.append(x)
        if saves and freed is not None:
            node.operands, node.output = freed, None
        return found

    return read


def storage_at(t: Handle) -> Storage | None:
    """The storage of the node of a tensor, if it has a node and that has a storage."""
    return None if t.node is None else t.node.storage


values = reader(None)


def tensors(node: Node) -> Sequence[Any]:
    """The saved output and operands of a node as arrays with history."""
    if type(node.operands) is not tuple:
        return node.operands.tensors(node)
    found = values(node)
    operands = map(with_history, node.operands, node.inputs, found[1:])
    return (node if node.output is None else output_of(node), *operands)


def with_history(saved: Any, vertex: Vertex | None, value: Any) -> Any:
    """A saved operand as an array with the node that it had when it was saved, on its storage."""
    if isinstance(saved, Handle):
        return saved_array(saved, vertex)
    return hold(Array, value, vertex) if is_saved_value(saved, vertex) else value


def is_saved_value(saved: Any, vertex: Vertex | None) -> bool:
    """True for the value of an operand with a node. See Note [Saved values]."""
    return vertex is not None and type(saved) in ARRAYS


def constants(node: Node) -> Sequence[Any]:
    """The saved output and operands as arrays without history: only cotangents are recorded."""
    return [hold(Array, x.value) if isinstance(x, Handle) else x for x in tensors(node)]


def saved_array(saved: Handle, node: Vertex | None) -> Array:
    """A saved operand with the node it had when it was saved, on its storage."""
    if saved.node is node and type(saved) is Array:
        return saved
    x = hold(Array, saved.value, node)
    x.storage = saved.storage if node is not None and saved.node is node else storage_of(saved)
    return x


def output_of(node: Node) -> Array:
    """The saved output of a node as an array with its storage."""
    y = hold(Array, node.output, node)
    y.storage = node.storage
    return y
