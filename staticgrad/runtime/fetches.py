"""Fetches: structures of expressions, and of names of expressions."""

from collections.abc import Callable
from typing import Any

from gradops import FetchError, flatten
from gradops.tree import children, only


def flattened_fetches(fetches: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    """The fetches in a structure, and how to make it again of values; None is no fetch."""
    leaves, rebuild = flatten(fetches)
    if not (rebuild is only or rebuild is list or rebuild is tuple):  # there may be None in it
        stack = [fetches]
        while stack:
            node = stack.pop()
            if node is None:
                raise FetchError(
                    "None is neither an expression nor the name of one"
                    "\n  hint: a gradient is None where nothing depends on the variable"
                )
            parts = children(node)
            stack += parts[0] if parts else ()
    return leaves, rebuild
