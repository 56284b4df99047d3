"""Holders, operands that hold a value, and how a tracer replaces the value.

A holder, such as a tensor, states three methods, and so neither of two packages need know the
other: `__gradop_held__()` gives what it holds, `__gradop_hold__(value)` another like itself that
holds `value`, and `__gradop_write__(value)` lets it hold `value` from now on. Where it has a
gradient, that is its attribute `grad`, a holder again or None.

How a tracer captures holders, and records a compiled program as one operation on their tape, is in
the functions of `__gradop_kind__`, which all holders of one kind share; see `Kind`. An object that
keeps holders and is no holder, such as an optimizer, may state `__gradop_stateful__()`, which gives
their names and themselves, and `__gradop_kept__()`, dicts that a program must leave as they are.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from ..typing import AnyArray


class Holder(Protocol):
    """An operand that holds a value, such as a tensor."""

    __gradop_kind__: "Kind"

    def __gradop_held__(self) -> Any:
        """The value."""

    def __gradop_hold__(self, value: Any) -> "Holder":
        """Another holder like this one, of another value."""

    def __gradop_write__(self, value: Any) -> None:
        """Hold another value from now on."""


class Kind(Protocol):
    """The functions by which a tracer handles holders of a kind."""

    def base(self, x: Holder) -> Holder | None:
        """The holder of whose memory `x` is a view, None if it is no view."""

    def state(self, x: Holder) -> object:
        """All that a trace changes of a holder, to be given to `restore`."""

    def restore(self, x: Holder, state: object) -> bool:
        """Give a holder its state back; whether something had been written to it."""

    def signature(self, x: Holder) -> object:
        """The properties of a holder, beside its entries, that a program may depend on."""

    def gradient(self, x: Holder) -> Holder | None:
        """The holder that is the gradient of `x`, None if it has none."""

    def set_gradient(self, x: Holder, grad: Holder | None) -> None:
        """Let `x` have a gradient, or none."""

    def stand_in(self, x: Holder, value: AnyArray, grad: Holder | None) -> Holder:
        """A holder like `x` that holds `value`, a leaf if `x` requires gradients."""

    def enter(self, x: Holder, value: AnyArray, grad: Holder | None) -> None:
        """Let a holder be a leaf that holds `value`, whose gradient, if it has one, is `grad`."""

    def enter_view(self, x: Holder, grad: Holder | None) -> None:
        """Let a view be one of what its base holds now."""

    def memory(self, x: Holder) -> object:
        """The identity of the memory of a holder, until it is given another."""

    def copied(self, x: Holder) -> Holder:
        """Another handle on what a holder holds, with its history."""

    def viewed(self, x: Holder, base: Holder) -> Holder:
        """The view of another base that `x` is of its own."""

    def are_sharing(self, written: Sequence[Holder], others: Sequence[Holder]) -> bool:
        """Whether holders of `written` share memory with others."""

    def holder(self, value: AnyArray) -> Holder:
        """A holder of a value that requires no gradient."""

    def leaf(self, value: AnyArray) -> Holder:
        """A holder that gradients with respect to can be had of."""

    def time(self) -> int:
        """A number later than that of all that was recorded and written."""

    def values(self, xs: Sequence[Holder]) -> list[Any]:
        """The values of holders."""

    def looks(self, xs: Sequence[Holder]) -> list[Any]:
        """The properties of holders, beside values and types, that a program may depend on."""

    def vertex(self, x: Holder) -> object:
        """Where gradients with respect to a holder arrive, None if it requires none."""

    def pulled(
        self, outputs: Sequence[Holder], ends: Sequence[object], seeds: Sequence[Holder]
    ) -> Any:
        """The gradients at vertices, recorded, for cotangents of outputs; None where is none."""

    def is_recording(self) -> bool:
        """Whether operations are recorded now."""

    def recorded(
        self, inputs: Sequence[Holder], outputs: Sequence[Holder], call: "Recorded"
    ) -> None:
        """Let holders be outputs of one operation, whose backward is the call's."""

    def freed_by(self, x: Holder) -> object:
        """The mark of a history of `x` that was used up, None if it was not."""

    def spent(self, inputs: Sequence[Holder], x: Holder, name: str, freed: object) -> None:
        """Let a holder be an output of an operation whose history was used up."""


class Recorded(Protocol):
    """One call of a compiled program, as the tape knows it."""

    name: str
    number: int

    def needed(self, wanted: Sequence[int], given: Sequence[int]) -> Sequence[int]:
        """The inputs whose values the gradients of inputs, for cotangents of outputs, depend on."""

    def gradients(
        self, wanted: Sequence[int], given: Sequence[int], seeds: Sequence[Any]
    ) -> list[Any]:
        """The gradients of inputs for the cotangents of outputs, None where there is none."""

    def recorded_gradients(
        self,
        wanted: Sequence[int],
        given: Sequence[int],
        seeds: Sequence[Holder | None],
        inputs: Sequence[Holder],
    ) -> list[Holder | None]:
        """The gradients as holders whose history leads to `inputs` and the cotangents."""


def is_holder(x: object) -> bool:
    """Whether `x` holds a value."""
    return hasattr(type(x), "__gradop_hold__")


def held(x: Any) -> Any:
    """The value that a holder holds; anything else is returned as it is."""
    return x.__gradop_held__() if is_holder(x) else x


def holding(x: Any, value: Any) -> Any:
    """A holder like `x` of another value; the value itself if `x` is not a holder."""
    return x.__gradop_hold__(value) if is_holder(x) else value


def signature(x: Any) -> Any:
    """Properties that a program may depend on besides entries: type, kind, gradient."""
    if not is_holder(x):
        return x.shape, x.dtype
    return type(x), x.__gradop_kind__.signature(x)
