"""Hooks that pack tensors when a node saves them, and unpack them when backward reads them.

Note [Copy on write]. Inside `allow_mutation_on_saved_tensors` nodes save each tensor as a
`CopyOnWrite`, which is registered in the storage of the tensor. A write copies the saved values of
the storage first. A change that is made behind the library's back is not noticed in time, so the
version check refuses it.
"""

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any

import numpy as np

from gradops import TapeError
from gradops.core.source_location import describe
from gradops.typing import AnyArray

from ..engine import grad_mode
from ..engine.grad_mode import PACKING, RECORDING, Mode, Packing, call_unrecorded, is_recording
from ..engine.handle import ARRAYS, Handle
from ..engine.node import Node, SavedOperands, Storage
from ..engine.plain_arrays import is_plain, keep_plain
from ..engine.saved_tensors import Freed, reader, tensors
from ..engine.storage import storage_of
from ..engine.tensor import handle

DISABLED: ContextVar[str | None] = ContextVar("disabled", default=None)


class Packed:
    """A saved tensor as its pack hook returned it."""

    __slots__ = ("content", "node", "storage", "type", "unpack")

    def __init__(self, t: Handle, hooks: Packing) -> None:
        self.content = call_unrecorded(hooks.pack, t)
        self.unpack, self.type, self.node, self.storage = hooks.unpack, t.type, t.node, t.storage

    @property
    def is_safe(self) -> bool:
        """True if the value was copied before a write. See Note [Copy on write]."""
        return getattr(self.content, "safe", False)

    def value(self) -> AnyArray:
        """The value of the tensor, unpacked."""
        t = call_unrecorded(self.unpack, self.content)
        if not isinstance(t, Handle) or t.type != self.type:
            kind = t.type if isinstance(t, Handle) else type(t).__name__
            raise TapeError(
                f"the unpack hook of a saved {self.type} must give a tensor of that type,"
                f" not {kind}"
            )
        return t.value


class PackedOperands(SavedOperands):
    """The operands of a node whose saved tensors were packed by hooks."""

    __slots__ = ("operands", "output")

    def __init__(self, node: Node, hooks: Packing) -> None:
        self.operands = tuple(
            Packed(x, hooks) if isinstance(x, Handle) and not is_plain(x) else x
            for x in node.operands
        )
        self.output = None if node.output is None else Packed(shared_output(node), hooks)

    @contextmanager
    def unpacked(self, node: Node, keep: bool) -> Iterator[None]:
        """Unpack the operands and the output of `node`; with `keep`, pack them again at the end."""
        node.output = None if self.output is None else self.output.value()
        node.operands = tuple(unpack(x) if isinstance(x, Packed) else x for x in self.operands)
        storage = node.storage
        if self.output is not None and self.output.is_safe:
            node.storage = None
        try:
            yield
        finally:
            node.storage = storage
            if keep:
                node.operands, node.output = self, None

    def read(self, node: Node, freed: Freed | None) -> Sequence[Any]:
        """The saved output and operands as values."""
        with self.unpacked(node, keep=freed is None):
            return reader(freed)(node)

    def tensors(self, node: Node) -> Sequence[Any]:
        """The saved output and operands as arrays with history."""
        with self.unpacked(node, keep=True):
            return tensors(node)


def unpack(x: Packed) -> Handle:
    """A new handle on the value, history and storage of a packed tensor."""
    t = handle(x.value(), x.node)
    t.storage = Storage() if x.is_safe else x.storage  # its own, as its memory is
    return t


def shared_output(node: Node) -> Handle:
    """The saved output of a node as a tensor with the storage of the node."""
    t = handle(node.output)
    t.storage = node.storage = node.storage or Storage()
    return t


def apply_mode(t: Handle, mode: Any) -> None:
    """Apply a mode other than plain recording to a new result. See Note [Modes]."""
    if type(mode) is grad_mode.Differentiating:
        mode.place(t.node)
        if mode.packing is None:
            return
    elif isinstance(mode, grad_mode.Watching):
        require_finite(t)
    packing: Packing | None = mode if isinstance(mode, Packing) else mode.packing
    if packing is not None:
        pack(t.node, packing)
    if isinstance(mode, grad_mode.Counting):
        mode.note(t.node)


def settle(t: Handle, mode: Mode) -> None:
    """Protect the plain arrays that a new node saves, then apply the mode. See Note [Modes]."""
    if np.ndarray in map(type, t.node.operands):
        keep_plain(t.node)
    if mode is not True:
        apply_mode(t, mode)


Handle._settle = staticmethod(settle)


def require_finite(t: Handle) -> None:
    """Raise TapeError if a result has a NaN or an infinity."""
    if type(t.value) in ARRAYS and not np.isfinite(t.value).all():
        count = int(t.value.size - np.isfinite(t.value).sum())
        raise TapeError(
            f"{t.node.op} gave the first values that are not finite: {count} of {t.value.size}, in"
            f" {t.type}\n  called at {describe(t.node.place)}"
            "\n  hint: look at its operands there: all results before it were finite"
        )


def pack(node: Node, hooks: Packing) -> None:
    """Pack the tensors that a new node saves."""
    if node.output is not None or any(isinstance(x, Handle) for x in node.operands):
        node.operands, node.output = PackedOperands(node, hooks), None


class saved_tensors_hooks:
    """Pack the tensors that operations save for backward by hooks, inside a `with` block.

    `pack_hook` gets a tensor when it is saved and returns any object; `unpack_hook` gets that
    object when backward reads it and returns a tensor of the same type. Of nested blocks, the
    innermost applies.
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
        self.tokens: list[tuple[Token[Mode], Token[Packing | None]]] = []

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
    """Keep saved tensors in the memory of the CPU, where all tensors are: changes nothing.

    Accepted for programs that are written for several devices.
    """

    def __init__(self, pin_memory: bool = False) -> None:
        super().__init__(lambda t: t, lambda t: t)


class disable_saved_tensors_hooks:
    """Refuse saved-tensor hooks inside a `with` block, with the given message."""

    def __init__(self, error_message: str) -> None:
        self.message, self.tokens = error_message, list[Token[str | None]]()

    def __enter__(self) -> None:
        if PACKING.get() is not None:
            raise TapeError(self.message)
        self.tokens.append(DISABLED.set(self.message))

    def __exit__(self, *exception: object) -> None:
        DISABLED.reset(self.tokens.pop())


class CopyOnWrite:
    """A saved value; `safe` after it was copied."""

    __slots__ = ("__weakref__", "safe", "value")

    def __init__(self, t: Handle) -> None:
        self.value, self.safe = t.value, False
        storage = storage_of(t)
        storage.kept = [*(storage.kept or ()), weakref.ref(self)]

    def tensor(self) -> Handle:
        """The value as a tensor."""
        return handle(self.value)

    def copy(self) -> None:
        """Copy the value, whose memory is about to change."""
        self.value, self.safe = np.array(self.value)[()], True


def preserve(t: Handle) -> None:
    """Copy the values that were saved of the memory of `t`, before a write to it."""
    storage = t.storage if t.storage is not None else getattr(t.node, "storage", None)
    if storage is None or not storage.kept:
        return
    for ref in storage.kept:
        if (saved := ref()) is not None:
            saved.copy()
    storage.kept = None


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Allow writes to saved tensors inside a `with` block: a write copies them first.

    Backward gets the values as they were when they were saved.

    >>> x = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> with dg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     h = x * 1
    ...     y = (h * h).sum()
    ...     _ = h.mul_(100)
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """
    with saved_tensors_hooks(CopyOnWrite, CopyOnWrite.tensor):
        yield
