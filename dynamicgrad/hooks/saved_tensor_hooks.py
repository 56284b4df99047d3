"""Hooks through which saved tensors go: packed when a node saves them, unpacked when it reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from gradops import TapeError
from gradops.core.source_location import describe

from ..engine.grad_mode import (
    PACKING,
    RECORDING,
    Counting,
    Differentiating,
    Packing,
    Watching,
    is_recording,
)
from ..engine.handle import ARRAYS, Handle
from ..engine.node import Node, SavedOperands, Storage
from ..engine.plain_arrays import is_plain, keep_plain
from ..engine.saved_tensors import reader, tensors
from ..engine.tensor import handle

DISABLED: ContextVar[str | None] = ContextVar("disabled", default=None)


class Packed:
    """What a hook made of a saved tensor."""

    __slots__ = ("content", "node", "storage", "type", "unpack")

    def __init__(self, t: Handle, hooks: Packing) -> None:
        mode = RECORDING.set(False)
        try:
            self.content = hooks.pack(t)
        finally:
            RECORDING.reset(mode)
        self.unpack, self.type, self.node, self.storage = hooks.unpack, t.type, t.node, t.storage

    @property
    def is_safe(self) -> bool:
        """Whether the value was copied before a write. See Note [Copy on write]."""
        return getattr(self.content, "safe", False)

    def value(self) -> Any:
        """The value of the tensor, unpacked."""
        mode = RECORDING.set(False)
        try:
            found = self.unpack(self.content)
        finally:
            RECORDING.reset(mode)
        if not isinstance(found, Handle) or found.type != self.type:
            what = found.type if isinstance(found, Handle) else type(found).__name__
            raise TapeError(
                f"the unpack hook of a saved {self.type} must give a tensor of that type,"
                f" not {what}"
            )
        return found.value


class PackedOperands(SavedOperands):
    """What stands where a node's operands do when hooks have packed what it saves."""

    __slots__ = ("operands", "output")

    def __init__(self, node: Node, hooks: Packing) -> None:
        self.operands = tuple(
            Packed(x, hooks) if isinstance(x, Handle) and not is_plain(x) else x
            for x in node.operands
        )
        self.output = None if node.output is None else Packed(shared_output(node), hooks)

    def unpacked(self) -> tuple[tuple[Any, ...], Any]:
        """The operands, and the output, as they were before."""
        output = None if self.output is None else self.output.value()
        return tuple(as_it_was(x) if isinstance(x, Packed) else x for x in self.operands), output

    @contextmanager
    def laid_out(self, node: Node, keep: bool) -> Iterator[None]:
        """The node as if nothing had been packed; with `keep` it is as it was afterwards."""
        node.operands, node.output = self.unpacked()
        storage = node.storage
        if self.output is not None and self.output.is_safe:
            node.storage = None
        try:
            yield
        finally:
            node.storage = storage
            if keep:
                node.operands, node.output = self, None

    def read(self, node: Node, freed: Any) -> Any:
        """The arrays that were saved, unpacked."""
        with self.laid_out(node, keep=freed is None):
            return reader(freed)(node)

    def tensors(self, node: Node) -> Any:
        """The arrays on the saved values, for rules that are recorded."""
        with self.laid_out(node, keep=True):
            return tensors(node)


def as_it_was(x: Packed) -> Handle:
    """A packed tensor as it was when it was saved, but for being another handle."""
    t = handle(x.value(), x.node)
    t.storage = None if x.is_safe else x.storage
    return t


def shared_output(node: Node) -> Handle:
    """What a node saved of its output, as a tensor that shares the record of writes to it."""
    if node.storage is None:
        node.storage = Storage()
    t = handle(node.output)
    t.storage = node.storage
    return t


def noted(t: Handle, mode: Any) -> None:
    """What a mode other than plain recording does with a new result. See Note [Modes]."""
    if isinstance(mode, Differentiating):
        mode.place(t.node)
        mode = mode.packing
    elif isinstance(mode, Watching):
        require_finite(t)
        mode = mode.packing
    counting = mode if isinstance(mode, Counting) else None
    if counting is not None:
        mode = counting.packing
    if mode is not None:
        pack(t.node, mode)
    if counting is not None:
        counting.note(t.node)


def settle(t: Handle, mode: Any) -> None:
    """Keep the plain arrays that a new node saves; a mode may ask for more. See Note [Modes]."""
    if np.ndarray in map(type, t.node.operands):
        keep_plain(t.node)
    if mode is not True:
        noted(t, mode)


Handle._settle = staticmethod(settle)


def require_finite(t: Handle) -> None:
    """Refuse a result with a NaN or an infinity in it."""
    if type(t.value) in ARRAYS and not np.isfinite(t.value).all():
        count = int(t.value.size - np.isfinite(t.value).sum())
        raise TapeError(
            f"{t.node.op} gave the first values that are not finite: {count} of {t.value.size}, in"
            f" {t.type}\n  called at {describe(t.node.place)}"
            "\n  hint: look at its operands there: all results before it were finite"
        )


def pack(node: Node, hooks: Packing) -> None:
    """Pack what a new node saves."""
    if node.output is not None or any(isinstance(x, Handle) for x in node.operands):
        node.operands = PackedOperands(node, hooks)
        node.output = None


class saved_tensors_hooks:
    """Let what operations save for backward go through hooks, inside a `with` block.

    `pack_hook` takes a tensor when it is saved and gives anything; `unpack_hook` takes that when
    backward reads it and gives a tensor of the same entries. The innermost hooks are in force.
    Raises TapeError where hooks are disabled.

    >>> x = dg.ones(2, requires_grad=True)
    >>> with dg.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), dg.tensor):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.hooks = Packing(pack_hook, unpack_hook)
        self.tokens: list[Any] = []

    def __enter__(self) -> None:
        if (message := DISABLED.get()) is not None:
            raise TapeError(message)
        inner = PACKING.set(self.hooks)
        self.tokens.append((RECORDING.set(self.hooks if is_recording() else is_recording()), inner))

    def __exit__(self, *exception: object) -> None:
        outer, inner = self.tokens.pop()
        RECORDING.reset(outer)
        PACKING.reset(inner)


class save_on_cpu(saved_tensors_hooks):
    """Keep what is saved for backward in the memory of the CPU, where all tensors are.

    Here for programs that are written for several devices.
    """

    def __init__(self, pin_memory: bool = False) -> None:
        super().__init__(lambda t: t, lambda t: t)


class disable_saved_tensors_hooks:
    """Refuse saved-tensor hooks inside a `with` block, with a message of one's own."""

    def __init__(self, error_message: str) -> None:
        self.message, self.tokens = error_message, list[Any]()

    def __enter__(self) -> None:
        if PACKING.get() is not None:
            raise TapeError(self.message)
        self.tokens.append(DISABLED.set(self.message))

    def __exit__(self, *exception: object) -> None:
        DISABLED.reset(self.tokens.pop())
