"""The changes that each call of a traced program makes outside."""

from collections.abc import Sequence
from typing import Any

from gradops.core.tracer_protocol import held, holding

from .captures import Given


class Effect:
    """A change that each call makes: `apply` makes it, and gives the holder that has it."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Make the change in a call with these arguments."""
        raise NotImplementedError


class Write(Effect):
    """A holder is written to, or given other memory."""

    def __init__(self, given: Given, source: Any) -> None:
        super().__init__(source)
        self.given, self.is_replaced = given, given.is_replaced

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Write what the program left there."""
        x = self.given.of(leaves)
        if self.is_replaced:
            x.data = holding(self.source, value)
        else:
            x.__gradop_write__(value)
        return x


class Gradient(Effect):
    """A holder gets another gradient, none if there is no source, or its gradient is written to."""

    def __init__(self, given: Given, source: Any, is_same: bool) -> None:
        super().__init__(source)
        self.given, self.is_same = given, is_same

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Give it the gradient."""
        x, kind = self.given.of(leaves), self.given.kind
        if not self.is_same:
            grad = None if self.source is None else holding(self.source, value)
            kind.set_gradient(x, grad)
            return grad
        grad = kind.gradient(x)
        grad.__gradop_write__(value)
        return grad


class Entry(Effect):
    """A dict gets a new holder under a key."""

    def __init__(self, mapping: Any, key: Any, source: Any) -> None:
        super().__init__(source)
        self.mapping, self.key = mapping, key

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Put it there."""
        result = self.mapping[self.key] = holding(self.source, value)
        return result


def effects_of(g: Given) -> list[Effect]:
    """The changes that the program made to a holder."""
    result: list[Effect] = []
    if g.is_replaced or (g.feed is not None and held(g.inside) is not g.feed):
        result.append(Write(g, g.inside))
    grad = g.kind.gradient(g.inside)
    is_same = grad is g.grad
    if not is_same or (grad is not None and held(grad) is not g.grad_feed):
        result.append(Gradient(g, grad, is_same))
    return result
