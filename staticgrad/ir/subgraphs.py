"""Expressions that exist only inside a loop, a branch or a function, and are refused outside.

A body becomes a graph of its own, in which what was built there is computed anew each time. The
expressions that the user's function built are then no part of what is outside: a value fed for one
would not be used, and a derivative by one would not count what happens inside.
"""

from collections.abc import Iterable

from gradops import GradError
from gradops.core.source_location import describe

from .expr import Expr, Kind

LASTING = frozenset({Kind.PLACEHOLDER, Kind.VARIABLE, Kind.TOKEN})
"""What a body captures also where it was built inside."""


def refuse_inner(error: type[GradError], expressions: Iterable[Expr], hint: str) -> None:
    """Raise an error for the first expression that was built in a function that has returned."""
    for e in expressions:
        body = None if e.graph is None or e.kind in LASTING else e.graph.inside.get(e)
        if body is not None and not body.is_open:
            raise error(
                f"{e.label}, made at {describe(e.place)}, exists only inside the {body.what}, which"
                f" computes it anew each time\n  hint: {hint}"
            )
