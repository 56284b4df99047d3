"""The side effects that each call of a traced program has outside."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

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
            x.data = holding(self.source, as_array(value))
        else:
            x.__gradop_write__(as_array(value))
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
            grad = None if self.source is None else holding(self.source, as_array(value))
            kind.set_gradient(x, grad)
            return grad
        grad = kind.gradient(x)
        grad.__gradop_write__(as_array(value))
        return grad


class Entry(Effect):
    """A new holder in one or several dicts."""

    def __init__(self, places: Sequence[tuple[Any, Any]], source: Any) -> None:
        super().__init__(source)
        self.places = places

    def apply(self, leaves: Sequence[Any], value: Any) -> Any:
        """Store the holder."""
        result = holding(self.source, as_array(value))
        for mapping, key in self.places:
            mapping[key] = result
        return result


def entries_of(stored: Iterable[tuple[Any, Any, Any]]) -> list[Entry]:
    """The effects of storing holders in dicts, given as dicts, keys and holders."""
    places: dict[int, tuple[Any, list[tuple[Any, Any]]]] = {}
    for mapping, key, x in stored:
        places.setdefault(id(x), (x, []))[1].append((mapping, key))
    return [Entry(several, x) for x, several in places.values()]


def as_array(value: Any) -> Any:
    """A value that lasts: a number as an array, which compiled code takes without conversion."""
    return np.array(value) if isinstance(value, np.generic) else value


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
