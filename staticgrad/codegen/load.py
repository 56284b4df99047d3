"""Loading source: a function whose lines show up in tracebacks and debuggers."""

import linecache
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from types import CodeType
from typing import Any, overload

from .parts import PART
from .source import Source


class Document(Sequence[str]):
    """The lines of a source, written when they are read: a program may never show them."""

    def __init__(self, length: int, write: Callable[[], str]) -> None:
        self.length, self.write = length, write

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> list[str]: ...

    def __getitem__(self, i: int | slice) -> str | list[str]:
        return self.lines[i]

    @cached_property
    def lines(self) -> list[str]:
        """The lines, each with its end."""
        return self.write().splitlines(keepends=True)


def load(source: Source, document: Callable[[], str] | None = None) -> Callable[..., Any]:
    """The function that the source defines, which tracebacks show as the text `document()`."""
    filename = f"<staticgrad {next(reversed(source.starts))} {id(source.scope):x}>"
    lines = Document(len(source.lines), document or (lambda: source.text))
    linecache.cache[filename] = 0, None, lines, filename  # type: ignore[assignment]
    scope = source.scope
    for start, stop in pieces(source):
        code = compile("\n".join(source.lines[start:stop]), filename, "exec")
        exec(moved(code, start), scope)
    function, *_inner = [scope.pop(name) for name in reversed(source.starts)]
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function  # a function in its own globals would be a cycle


def pieces(source: Source) -> Iterator[tuple[int, int]]:
    """The lines of whole functions that are compiled at once: as many as a part has, or one."""
    first = 0
    for start in [*source.starts.values()][1:]:
        if start - first >= PART:
            yield first, start
            first = start
    yield first, len(source.lines)


def moved(code: CodeType, lines: int) -> CodeType:
    """The code of functions as if as many lines were before it; they are relative to the first."""
    if not lines:
        return code
    constants = [moved(x, lines) if isinstance(x, CodeType) else x for x in code.co_consts]
    return code.replace(co_consts=tuple(constants), co_firstlineno=code.co_firstlineno + lines)
