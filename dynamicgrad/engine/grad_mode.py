"""Recording modes: whether operations are recorded, per thread and asyncio task.

Note [Modes]. `RECORDING` holds True or False on the common path. Other values: `Packing`, which is
true and whose hooks pack saved tensors; `Watching`, which is true and refuses results that are not
finite; `Counting`, which is true and keeps the nodes; `Differentiating`, which is true while
backward is recorded; and `INFERENCE`, which is false and marks results. So an operation reads one
variable, once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .decorators import call_around

if TYPE_CHECKING:
    from gradops.core.source_location import Place

    from .node import Node

__all__ = [
    "enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "no_grad",
    "set_grad_enabled",
]  # fmt: skip


Callbacks = list[Callable[[], None]]


class Packing(NamedTuple):
    """Recording while saved tensors go through hooks: `pack` when saved, `unpack` when read."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


class Watching(NamedTuple):
    """Recording, and stopping at the first result that is not finite."""

    packing: Packing | None


class Counting:
    """Recording, and keeping the nodes in order, for `checkpoint`.

    Raises `Enough` after the node number `last`. An outer `Counting` gets the nodes as well.
    """

    __slots__ = ("last", "nodes", "outer", "packing")

    def __init__(self, last: int | None = None) -> None:
        outer = is_recording()
        self.nodes: list[Node] = []
        self.outer = outer if isinstance(outer, Counting) else None
        self.packing, self.last = PACKING.get(), last

    def note(self, node: Node) -> None:
        """Keep a new node."""
        self.nodes.append(node)
        if self.outer is not None:
            self.outer.note(node)
        if len(self.nodes) == self.last:
            raise Enough


class Enough(BaseException):
    """Ends a recomputation that is complete; no `except Exception` of users catches it."""


class Differentiating:
    """Recording a gradient: new nodes get the source location of the forward operation.

    So an error of the second order names the line whose derivative failed, and not the line of the
    backward that recorded all of them.
    """

    __slots__ = ("cause", "caller", "packing")

    def __init__(self, caller: Place | None, packing: Packing | None) -> None:
        self.caller, self.packing = caller, packing
        self.cause: Node | None = None  # whose rules run

    def place(self, node: Node) -> None:
        """Give a node that a rule recorded the source location of the rule's operation."""
        caller, cause = self.caller, self.cause
        if caller is None or node.code is not caller[0] or node.offset != caller[1]:
            return
        if cause is not None and (place := cause.place):
            node.code, node.offset = place


class Inference:
    """Recording nothing; results cannot be used for gradients later."""

    def __bool__(self) -> bool:
        return False


INFERENCE = Inference()
Mode = bool | Packing | Watching | Counting | Differentiating | Inference
RECORDING: ContextVar[Mode] = ContextVar("recording", default=True)
PACKING: ContextVar[Packing | None] = ContextVar("packing", default=None)
FINISHING: ContextVar[Callbacks | None] = ContextVar("finishing", default=None)
"""Functions to call at the end of the backward that runs; None outside of backward."""
RANDOMNESS: ContextVar[tuple[Any, ...]] = ContextVar("randomness", default=())
"""The randomness, level and size of each `vmap` in force, the outermost first."""
is_recording = RECORDING.get


def saves_values(mode: Mode) -> bool:
    """True if nodes may save the values of tensors: no hook gets the tensors themselves."""
    return mode is True or (type(mode) is Differentiating and mode.packing is None)


def mode_for(on: bool) -> Mode:
    """The mode for recording or not, inside the modes in force."""
    if is_recording() is INFERENCE:
        return INFERENCE
    return (PACKING.get() or True) if on else False


def call_unrecorded(function: Callable[..., Any], *args: Any) -> Any:
    """The result of `function`, with nothing recorded, in inference mode too."""
    mode = RECORDING.set(False)
    try:
        return function(*args)
    finally:
        RECORDING.reset(mode)


def is_grad_enabled() -> bool:
    """True if operations on tensors that require gradients are recorded now.

    >>> dg.is_grad_enabled()
    True
    """
    return bool(is_recording())


def is_inference_mode_enabled() -> bool:
    """True if `inference_mode` is in force.

    >>> dg.is_inference_mode_enabled()
    False
    """
    return is_recording() is INFERENCE


class Switch:
    """A mode in force inside a `with` block, or inside a decorated function."""

    _records: bool

    def __init__(self) -> None:
        self.before: list[Mode] = []  # values, not tokens: one object may serve several threads

    def mode(self) -> Mode:
        """The mode that is in force inside."""
        return mode_for(self._records)

    def __enter__(self) -> None:
        self.before.append(is_recording())
        RECORDING.set(self.mode())

    def __exit__(self, *exception: object) -> None:
        RECORDING.set(self.before.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return call_around(function, lambda: RECORDING.set(self.mode()), RECORDING.reset)


class BareSwitch(Switch):
    """A mode that also decorates without parentheses: `@no_grad` as well as `@no_grad()`."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(BareSwitch):
    """Record nothing: for evaluation, and for updates of parameters.

    A context manager and a decorator. Results inside do not require gradients.

    >>> w = dg.ones(2, requires_grad=True)
    >>> with dg.no_grad():
    ...     (w * 2).requires_grad
    False
    """

    _records = False


class enable_grad(BareSwitch):
    """Record, also inside `no_grad`. A context manager and a decorator.

    >>> w = dg.ones(2, requires_grad=True)
    >>> with dg.no_grad(), dg.enable_grad():
    ...     (w * 2).requires_grad
    True
    """

    _records = True


class set_grad_enabled(Switch):
    """Record or not, as `mode` says: from this call on, or inside a `with` block.

    >>> with dg.set_grad_enabled(False):
    ...     dg.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        if not isinstance(mode, bool | np.bool_):
            raise TypeError(f"set_grad_enabled() takes True or False, not {mode!r}")
        self._records, self.outer = bool(mode), is_recording()
        RECORDING.set(self.mode())

    def __enter__(self) -> None:
        RECORDING.set(self.mode())

    def __exit__(self, *exception: object) -> None:
        RECORDING.set(self.outer)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        RECORDING.set(self.outer)  # as a decorator it says nothing of the code around
        return super().__call__(function)


class inference_mode(BareSwitch):
    """Record nothing, and make results unusable for gradients: for evaluation only.

    A context manager and a decorator; `inference_mode(False)` leaves an outer one. Results inside
    cannot be saved for backward, nor written to in place outside.

    >>> with dg.inference_mode():
    ...     (dg.ones(2, requires_grad=True) * 2).is_inference()
    True
    """

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        return cls()(mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.infers = mode

    def mode(self) -> Mode:
        if self.infers:
            return INFERENCE
        return (PACKING.get() or True) if is_recording() is INFERENCE else is_recording()
