"""Loading source: a function whose lines show up in tracebacks and debuggers."""

import linecache
import weakref
from collections.abc import Callable
from typing import Any

from .source import Source


def load(source: Source) -> Callable[..., Any]:
    """The function that the source defines."""
    import hashlib

    digest = hashlib.sha256(source.text.encode()).hexdigest()[:12]
    filename = f"<staticgrad {digest}-{id(source):x}>"
    lines = source.text.splitlines(keepends=True)
    linecache.cache[filename] = len(source.text), None, lines, filename
    scope = source.scope
    exec(compile(source.text, filename, "exec"), scope)
    function: Callable[..., Any] = scope.pop("run")  # a function in its own globals is a cycle
    for inner in source.functions:
        del scope[inner]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function
