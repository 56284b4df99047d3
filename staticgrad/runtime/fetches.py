"""Fetches: structures of expressions, and of names of expressions."""

from collections.abc import Callable
from typing import Any

from gradops import FetchError, flatten
from gradops.core.tree import children, only


def flattened_fetches(fetches: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    """The fetches in a structure, and a function that rebuilds it; None is not a fetch."""
    leaves, rebuild = flatten(fetches)
    if not (rebuild is only or rebuild is list or rebuild is tuple):  # there may be None in it
        stack = [fetches]
        while stack:
            node = stack.pop()
            if node is None:
                raise FetchError(
                    f"None is neither an expression nor the name of one: {place_of_none(fetches)}"
                    "\n  hint: a gradient is None where nothing depends on the variable;"
                    " sg.why_none(y, x) says why"
                )
            parts = children(node)
            stack += parts[0] if parts else ()
    return leaves, rebuild


def place_of_none(fetches: Any) -> str:
    """The place of the first None in a structure, as a program would index it: `fetches[1]`."""
    stack = [("fetches", fetches)]
    while stack:
        path, node = stack.pop()
        if node is None:
            return path
        parts = (children(node) or ([],))[0]
        keys = list(node) if isinstance(node, dict) else range(len(parts))
        stack += [(f"{path}[{k!r}]", x) for k, x in zip(keys, parts, strict=True)][::-1]
    return "fetches"
