"""Holders, operands that hold a value, and how a tracer replaces the value.

A holder, such as a tensor, states three methods, and so neither of two packages need know the
other: `__gradop_held__()` gives what it holds, `__gradop_hold__(value)` another like itself that
holds `value`, and `__gradop_write__(value)` lets it hold `value` from now on. Where it has a
gradient, that is its attribute `grad`, a holder again or None.

How a tracer captures holders, and records a compiled program as one operation on their tape, is in
the functions of `__gradop_kind__`, which all holders of one kind share; see `Kind`. An object that
owns holders, such as an optimizer, may have `__gradop_stateful__()`, which returns them by name,
and `__gradop_kept__()`, which returns dicts that a program must not change.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..typing import AnyArray


class Holder(Protocol):
    """An operand that holds a value, such as a tensor."""

    __gradop_kind__: "Kind"

    def __gradop_held__(self) -> Any:
        """The value."""

    def __gradop_hold__(self, value: Any) -> "Holder":
        """A holder like this one with another value."""

    def __gradop_write__(self, value: Any) -> None:
        """Hold another value from now on."""


Holders = Sequence[Holder]
Positions = Sequence[int]  # of inputs or outputs of a call


class Kind(Protocol):
    """The functions by which a tracer handles holders of a kind."""

    def base(self, x: Holder) -> Holder | None:
        """The holder of whose memory `x` is a view; None if it is not a view."""

    def state(self, x: Holder) -> object:
        """The state of a holder that a trace may change, as an argument of `restore`."""

    def restore(self, x: Holder, state: object) -> bool:
        """Restore the state of a holder; return True if it had been written to."""

    def signature(self, x: Holder) -> object:
        """The properties of a holder, beside its entries, that a program may depend on."""

    def gradient(self, x: Holder) -> Holder | None:
        """The holder that is the gradient of `x`, None if it has none."""

    def set_gradient(self, x: Holder, grad: Holder | None) -> None:
        """Set or remove the gradient of `x`."""

    def stand_in(self, x: Holder, value: AnyArray, grad: Holder | None) -> Holder:
        """A holder like `x` that holds `value`, a leaf if `x` requires gradients."""

    def enter(self, x: Holder, value: AnyArray, grad: Holder | None) -> None:
        """Make a holder a leaf that holds `value`, with the gradient `grad` if there is one."""

    def enter_view(self, x: Holder, grad: Holder | None) -> None:
        """Compute a view again from the present value of its base."""

    def memory(self, x: Holder) -> object:
        """The identity of the memory of a holder, until it is given another."""

    def shallow_copy(self, x: Holder) -> Holder:
        """Another holder of the same value and history."""

    def view_of_base(self, x: Holder, base: Holder) -> Holder:
        """The view of `base` by the steps that make `x` a view of its own base."""

    def are_sharing(self, written: Holders, others: Holders) -> bool:
        """True if holders of `written` share memory with others."""

    def holder(self, value: AnyArray) -> Holder:
        """A holder of a value that requires no gradient."""

    def leaf(self, value: AnyArray) -> Holder:
        """A holder of a value that requires gradients."""

    def time(self) -> int:
        """A number greater than those of all recorded operations and writes."""

    def values(self, xs: Holders) -> list[Any]:
        """The values of holders."""

    def looks(self, xs: Holders) -> list[Any]:
        """The properties of holders, beside values and types, that a program may depend on."""

    def argument_looks(self, xs: Holders) -> list[Any]:
        """`looks` of arguments, and whether those that require no gradient have one."""

    def vertex(self, x: Holder) -> object:
        """Where gradients with respect to a holder arrive, None if it requires none."""

    def pull(self, outputs: Holders, ends: Sequence[object], seeds: Holders) -> Any:
        """The gradients at vertices, recorded, for cotangents of outputs; None where is none."""

    def is_recording(self) -> bool:
        """True if operations are recorded now."""

    def record_call(self, inputs: Holders, outputs: Holders, call: "CompiledCall") -> None:
        """Record `outputs` as the outputs of one operation with the backward of `call`."""

    def freed_by(self, x: Holder) -> object:
        """The mark of the backward that has freed the history of `x`; None if it was not freed."""

    def record_freed(self, inputs: Holders, x: Holder, name: str, freed: object) -> None:
        """Record a holder as an output of an operation whose history was freed."""


class Tape(Protocol):
    """The functions by which an op takes what its function captures from a tape as operands.

    An operand that is recorded has them as `__gradop_tape__`. See `gradops.transforms.layers`.
    """

    def vertex(self, x: Any) -> Any:
        """The recorded operation that gave `x`; None if it has no history."""

    def value(self, x: Any) -> Any:
        """The operand of a lower level that `x` holds."""

    def plain(self, x: Any) -> Any:
        """`x` as derivative rules see it, with NumPy's semantics."""

    def alike(self, like: Any, x: Any) -> Any:
        """`x` as an operand of the class of `like`, with the history that it has."""

    def before(self, outputs: Sequence[Any], began: int) -> list[Any]:
        """Operands on what is older than `began` and was read to compute outputs."""

    def pull(
        self, outputs: Sequence[Any], ends: Sequence[Any], seeds: Sequence[Any], stop: Sequence[Any]
    ) -> list[Any]:
        """The cotangents of vertices for those of outputs; None where there is none.

        Vertices in `stop` count as constants.
        """

    def recording(self, on: bool) -> AbstractContextManager[None]:
        """Record operations, or not, in the block."""

    def sparse_jacobian(self, body: Any) -> Any:
        """The function of a body's operands that gives the entries of its Jacobian, by pattern."""


class CompiledCall(Protocol):
    """One call of a compiled program, with its backward for the tape."""

    name: str
    number: int

    def needed(self, wanted: Positions, given: Positions) -> Positions:
        """The inputs on whose values the gradients of inputs for cotangents of outputs depend."""

    def gradients(self, wanted: Positions, given: Positions, seeds: Sequence[Any]) -> list[Any]:
        """The gradients of inputs for the cotangents of outputs, None where there is none."""

    def recorded_gradients(
        self, wanted: Positions, given: Positions, seeds: Sequence[Holder | None], inputs: Holders
    ) -> list[Holder | None]:
        """The gradients as holders whose history leads to `inputs` and the cotangents."""


def is_holder(x: object) -> bool:
    """True if `x` holds a value."""
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
