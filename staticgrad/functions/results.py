"""The results of a traced program: computed ones, arguments, captures and views."""

from collections.abc import Mapping, Sequence
from typing import Any

from gradops.core.tracer_protocol import is_holder

from ..build.effects import is_run_only
from ..ir.expr import Expr
from .captures import TracedHolder
from .python_state import is_value

View = tuple[Any, TracedHolder | None, int]  # the view, the holder it views, or a result's number


class Results:
    """The leaves that a program returned, each with its source in a call.

    An argument or a captured tensor that is returned is returned itself, and a view of one is a
    view of it. `templates` are the distinct values that the graph computes.
    """

    def __init__(
        self,
        leaves: Sequence[Any],
        known: Mapping[int, TracedHolder],
        outside: Mapping[int, object],
    ) -> None:
        self.templates: list[Any] = []
        self.sources: list[tuple[str, Any]] = []
        places: dict[int, int] = {}
        for x in leaves:
            if id(x) in known:
                self.sources.append(("given", known[id(x)]))
            elif is_run_only(x) or not is_computed(x) or id(x) in outside:
                self.sources.append(("constant", None if is_run_only(x) else x))
            elif (view := view_among(x, known, leaves)) is not None:
                self.sources.append(("view", view))
            else:
                k = places.setdefault(id(x), len(self.templates))
                self.templates += [x] * (k == len(self.templates))
                self.sources.append(("computed", k))
        self.in_order = self.sources == [("computed", k) for k in range(len(self.templates))]
        self.holds = [x.__gradop_hold__ if is_holder(x) else None for x in self.templates]
        self.are_arrays = not any(self.holds)

    def held(self, computed: Sequence[object]) -> list[object]:
        """The computed results, as holders where the program returned holders."""
        if self.are_arrays:
            return list(computed[: len(self.holds)])
        return [v if hold is None else hold(v) for hold, v in zip(self.holds, computed)]

    def arranged(self, leaves: Sequence[object], made: Sequence[object]) -> Sequence[object]:
        """The results of a call in order: computed ones, arguments, and views of these."""
        if self.in_order:
            return made
        result: list[object] = []
        for source, x in self.sources:
            if source == "computed":
                x = made[x]
            elif source == "given":
                x = x.of(leaves)
            result.append(x)
        for i, (source, x) in enumerate(self.sources):
            if source == "view":
                y, given, k = x
                base = result[k] if given is None else given.of(leaves)
                result[i] = y.__gradop_kind__.view_of_base(y, base)
        return result


def view_among(x: Any, known: Mapping[int, TracedHolder], leaves: Sequence[object]) -> View | None:
    """The view that `x` is of an argument, a capture or another result; None otherwise."""
    base = x.__gradop_kind__.base(x) if is_holder(x) else None
    if base is None:
        return None
    if id(base) in known:
        return x, known[id(base)], 0
    places = [i for i, y in enumerate(leaves) if y is base]
    return (x, None, places[0]) if places else None


def is_computed(x: object) -> bool:
    """Whether a result is computed by the graph, not a constant of the program."""
    return is_value(x) or isinstance(x, Expr)
