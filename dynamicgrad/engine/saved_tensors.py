"""Reading of saved tensors: as values to compute with, or as arrays whose use is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from gradops import TapeError
from gradops.core.source_location import Place, describe

from .array import Array
from .handle import Handle, hold
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


def check_unchanged(node: Node, x: Any, what: str) -> None:
    """Raise TapeError if a saved value was overwritten, or computed in inference mode."""
    if is_plain(x) and x.storage.differs(x.value):
        raise TapeError(WRITTEN.format(type=x.type, op=node.op, saved=describe(node.place)))
    if x.storage.changed > node.number:
        raise TapeError(changed_text(node, what, x.type, x.storage))
    if isinstance(x.storage, InferenceStorage):
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
        operands, output, number = node.operands, node.output, node.number
        if type(operands) is not tuple:
            return operands.read(node, freed)
        saves = output is not None
        if not saves:
            output = node
        elif node.storage is not None:
            check_unchanged(node, node, "the output")
        found = [output]
        for x in operands:
            if isinstance(x, Handle):
                saves = True
                storage = x.storage
                if storage is not None and (
                    storage.changed > number or type(storage) is not Storage
                ):
                    check_unchanged(node, x, "the operand")
                x = x.value
            found.append(x)
        if saves and freed is not None:
            node.operands, node.output = freed, None
        return found

    return read


values = reader(None)


def tensors(node: Node) -> Sequence[Any]:
    """The saved output and operands of a node as arrays with history."""
    if type(node.operands) is not tuple:
        return node.operands.tensors(node)
    found = values(node)
    operands = [
        saved_array(saved, x) if isinstance(saved, Handle) else value
        for saved, x, value in zip(node.operands, node.inputs, found[1:], strict=True)
    ]
    return (node if node.output is None else output_of(node), *operands)


def constants(node: Node) -> Sequence[Any]:
    """The saved output and operands as arrays without history: only cotangents are recorded."""
    return [hold(Array, x.value) if isinstance(x, Handle) else x for x in tensors(node)]


def saved_array(saved: Handle, node: Vertex | None) -> Array:
    """A saved operand with the node it had when it was saved, on its storage."""
    if saved.node is node and type(saved) is Array:
        return saved
    x = hold(Array, saved.value, node)
    x.storage = storage_of(saved)
    return x


def output_of(node: Node) -> Array:
    """The saved output of a node as an array with its storage."""
    y = hold(Array, node.output, node)
    y.storage = node.storage = node.storage or Storage()
    return y
