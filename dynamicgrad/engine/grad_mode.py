"""Whether operations are recorded: a mode per thread and asyncio task.

Note [Modes]. `RECORDING` holds True or False on the common path. Other objects may stand there
instead: `Packing`, which is true and whose hooks pack what nodes save; `Watching`, which is true
and looks at results; `Counting`, which is true and keeps the nodes; `Differentiating`, which is
true while backward is recorded; and `INFERENCE`, which is false and marks what is made. So an
operation looks at one variable, once.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from .decorators import decorated


class Packing(NamedTuple):
    """Recording while saved tensors go through hooks: `pack` when saved, `unpack` when read."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


class Watching(NamedTuple):
    """Recording, and stopping at the first result that is not finite."""

    packing: Packing | None


class Counting:
    """Recording, and keeping the nodes in order, as `checkpoint` wants them.

    After `last` of them comes `Enough`. What it counts, an outer one counts as well.
    """

    __slots__ = ("last", "nodes", "outer", "packing")

    def __init__(self, last: int | None = None) -> None:
        outer = is_recording()
        self.nodes: list[Any] = []
        self.outer = outer if isinstance(outer, Counting) else None
        self.packing, self.last = PACKING.get(), last

    def note(self, node: Any) -> None:
        """Take down a new node."""
        self.nodes.append(node)
        if self.outer is not None:
            self.outer.note(node)
        if len(self.nodes) == self.last:
            raise Enough


class Enough(BaseException):
    """What was to be computed again is there; no `except Exception` of users stops it."""


class Differentiating:
    """Recording a gradient: what is recorded counts as called where the forward operation was.

    So an error of the second order names the line whose derivative failed, and not that of the
    backward at which all of them were recorded.
    """

    __slots__ = ("cause", "caller", "packing")

    def __init__(self, caller: Any, packing: Packing | None) -> None:
        self.caller, self.packing = caller, packing
        self.cause: Any = None  # the node whose rules run

    def place(self, node: Any) -> None:
        """Give a node that a rule recorded the place of the operation the rule belongs to."""
        place = None if self.cause is None else self.cause.place
        caller = self.caller
        if place and caller and node.code is caller[0] and node.offset == caller[1]:
            node.code, node.offset = place


class Inference:
    """Recording nothing, for good: what is made cannot be used for gradients later."""

    def __bool__(self) -> bool:
        return False


INFERENCE = Inference()
Mode = bool | Packing | Watching | Counting | Differentiating | Inference
RECORDING: ContextVar[Mode] = ContextVar("recording", default=True)
PACKING: ContextVar[Packing | None] = ContextVar("packing", default=None)
FINISHING: ContextVar[list[Any] | None] = ContextVar("finishing", default=None)
"""Functions to call at the end of the backward that runs; None outside of backward."""
RANDOMNESS: ContextVar[tuple[Any, ...]] = ContextVar("randomness", default=())
"""What each `vmap` in force, the outermost first, says of random numbers; its level and size."""
is_recording = RECORDING.get


def chosen(on: bool) -> Mode:
    """The mode that stands for recording or not, given what else is in force."""
    if is_recording() is INFERENCE:
        return INFERENCE
    return (PACKING.get() or True) if on else False


def is_grad_enabled() -> bool:
    """Whether operations on tensors that require gradients are recorded now.

    >>> dg.is_grad_enabled()
    True
    """
    return bool(is_recording())


def is_inference_mode_enabled() -> bool:
    """Whether `inference_mode` is in force.

    >>> dg.is_inference_mode_enabled()
    False
    """
    return is_recording() is INFERENCE


class Switch:
    """A mode in force inside a `with` block, or inside a decorated function."""

    def __init__(self) -> None:
        self.before: list[Mode] = []  # values, not tokens: one object may serve several threads

    def mode(self) -> Mode:
        """What is in force inside."""
        raise NotImplementedError

    def __enter__(self) -> None:
        self.before.append(is_recording())
        RECORDING.set(self.mode())

    def __exit__(self, *exception: object) -> None:
        RECORDING.set(self.before.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, lambda: RECORDING.set(self.mode()), RECORDING.reset)


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

    def mode(self) -> Mode:
        return chosen(False)


class enable_grad(BareSwitch):
    """Record, also inside `no_grad`. A context manager and a decorator.

    >>> w = dg.ones(2, requires_grad=True)
    >>> with dg.no_grad(), dg.enable_grad():
    ...     (w * 2).requires_grad
    True
    """

    def mode(self) -> Mode:
        return chosen(True)


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
        self.wanted = bool(mode)
        self.outer = is_recording()
        RECORDING.set(self.mode())

    def mode(self) -> Mode:
        return chosen(self.wanted)

    def __enter__(self) -> None:
        RECORDING.set(self.mode())

    def __exit__(self, *exception: object) -> None:
        RECORDING.set(self.outer)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        RECORDING.set(self.outer)  # as a decorator it says nothing of the code around
        return super().__call__(function)


class inference_mode(BareSwitch):
    """Record nothing, and refuse what is made to gradients later: for evaluation only.

    A context manager and a decorator; `inference_mode(False)` leaves an outer one. Results inside
    cannot be saved for backward, nor written to in place outside.

    >>> with dg.inference_mode():
    ...     (dg.ones(2, requires_grad=True) * 2).is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        return cls()(mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.wanted = mode

    def mode(self) -> Mode:
        if self.wanted:
            return INFERENCE
        return (PACKING.get() or True) if is_recording() is INFERENCE else is_recording()
