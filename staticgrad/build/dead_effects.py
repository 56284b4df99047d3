"""Checks and prints that nothing runs, though what they look at is computed."""

import warnings
from collections.abc import Iterable, Sequence

from gradops import UnreachedWarning
from gradops.core.source_location import depth_of_user, describe

from ..ir.expr import Expr
from ..ir.reachability import reachable
from .graph import Graph


def warn_of_unreached(graph: Graph, fetches: Iterable[Expr], feeds: Sequence[Expr]) -> None:
    """Warn of checks and prints of what is computed that are not run, each once."""
    if not graph.checks:
        return
    needed = reachable(fetches, stop=feeds)
    left = []
    for check in graph.checks:
        if check in needed:
            continue
        if any(x in needed for x in operands_of(check)):
            warnings.warn(unreached(check), UnreachedWarning, stacklevel=depth_of_user())
        else:
            left.append(check)
    graph.checks[:] = left


def operands_of(check: Expr) -> Iterable[Expr]:
    """What a check or print looks at, as `effect` built it."""
    applied = check.control_inputs[0].inputs[1]
    return applied.inputs[1:]


def unreached(check: Expr) -> str:
    """What is said of a check or print that nothing runs."""
    return (
        f"{check.name} is not run, though what it looks at is computed: nothing that is fetched"
        f" depends on it\n  made at {describe(check.place)}\n  hint: fetch it too, use what Print"
        " returns, or build what follows under control_dependencies([...])"
    )
