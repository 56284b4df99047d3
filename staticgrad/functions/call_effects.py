"""The side effects that each call of a traced program has outside."""

from collections.abc import Sequence
from typing import Any

from gradops.core.tracer_protocol import held, holding

from .captures import TracedHolder


class Effect:
    """A side effect of each call: `apply` makes it, and returns the changed holder."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Have the effect in a call with these arguments."""
        raise NotImplementedError


class Write(Effect):
    """A write to a holder, or the replacement of its memory."""

    def __init__(self, given: TracedHolder, source: Any) -> None:
        super().__init__(source)
        self.given, self.is_replaced = given, given.is_replaced

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Write the value that the program left in the holder."""
        x = self.given.of(leaves)
        if self.is_replaced:
            x.data = holding(self.source, value)
        else:
            x.__gradop_write__(value)
        return x


class Gradient(Effect):
    """A new gradient of a holder (None without a source), or a write to its gradient."""

    def __init__(self, given: TracedHolder, source: Any, is_same: bool) -> None:
        super().__init__(source)
        self.given, self.is_same = given, is_same

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Set the gradient, or write to it."""
        x, kind = self.given.of(leaves), self.given.kind
        if not self.is_same:
            grad = None if self.source is None else holding(self.source, value)
            kind.set_gradient(x, grad)
            return grad
        grad = kind.gradient(x)
        grad.__gradop_write__(value)
        return grad


class Entry(Effect):
    """A new holder in a dict."""

    def __init__(self, mapping: Any, key: Any, source: Any) -> None:
        super().__init__(source)
        self.mapping, self.key = mapping, key

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Store the holder."""
        result = self.mapping[self.key] = holding(self.source, value)
        return result


def effects_of(g: TracedHolder) -> list[Effect]:
    """The effects of the program on a holder."""
    result: list[Effect] = []
    if g.is_replaced or (g.feed is not None and held(g.inside) is not g.feed):
        result.append(Write(g, g.inside))
    grad = g.kind.gradient(g.inside)
    is_same = grad is g.grad
    if not is_same or (grad is not None and held(grad) is not g.grad_feed):
        result.append(Gradient(g, grad, is_same))
    return result
