"""Lines between those of a source: functions are rewritten one by one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ...ir.expr import Expr
from ..source import Source

Lines = Iterator[tuple[str, Expr | None]]
"""Lines, each with the expression that it computes."""


def rewrite_functions(source: Source, rewrite: Callable[[str, int, int], Lines]) -> Source:
    """The source in which functions have the lines of `rewrite(name, start, stop)`."""
    lines, owners, starts = list[str](), list[Expr | None](), dict[str, int]()
    bounds = [*source.starts.values(), len(source.lines)]
    for name, start, stop in zip(source.starts, bounds, bounds[1:], strict=False):
        starts[name] = len(lines)
        for line, owner in rewrite(name, start, stop):
            lines.append(line)
            owners.append(owner)
    return replace(source, lines=lines, owners=owners, starts=starts)


def body_start(source: Source, start: int) -> int:
    """The first line of the body of the function at a line, before which a blank one may be."""
    return start + 1 + (source.lines[start] == "")


def lines_between(source: Source, start: int, stop: int) -> Lines:
    """Some lines of a source."""
    return zip(source.lines[start:stop], source.owners[start:stop], strict=True)


def runs(start: int, stop: int, begins: Callable[[int], bool]) -> Iterator[range]:
    """Ranges of lines, each up to the next line where one begins."""
    first = start
    for i in range(start + 1, stop):
        if begins(i):
            yield range(first, i)
            first = i
    if first < stop:
        yield range(first, stop)


def unused_prefix(source: Source, names: Sequence[str], prefix: str = "") -> str:
    """A prefix with which none of the names is in the source."""
    while any(f"{prefix}{name}" in line for line in source.lines for name in names):
        prefix += "_"
    return prefix
