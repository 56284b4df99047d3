"""Long functions in parts, since Python's compiler takes more than its share for long ones.

Note [Parts]. A function of tens of thousands of lines takes twice the time per line to compile, and
many times the memory, of one that is split. Names are assigned before they are read, in the order
of the lines, so a part needs the names that it has in common with earlier parts. It takes each from
the part that had it before, and gives it to the next one that has it: what a part takes is held by
nothing else, so an array is freed where it is deleted. The beginning and the end stay in the
function itself.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ir.expr import Expr

if TYPE_CHECKING:
    from .writer import Writer

LONG = 2000  # lines of a body from which it is split
PART = 1000  # lines of a part: the compiler's time per line is least from 200 to 2,000
NAME = re.compile(r"[^\W\d]\w*")


@dataclass
class Segment:
    """Lines of a function: the names in them, and those taken from and given to other segments."""

    start: int
    stop: int
    names: dict[str, None]
    taken: dict[int, list[str]] = field(default_factory=dict)
    given: dict[int, list[str]] = field(default_factory=dict)


def split(w: "Writer") -> None:
    """Put the body of a long function into functions of their own, which it calls in order."""
    assigned = {**w.taken, **dict.fromkeys(["pool", "arena"] if w.plan.types else (), -1)}
    code = [w.bare.get(line, line) for line in w.lines]  # names in comments are no names
    every = segments(code, w.owners, assigned, *w.body)
    frame, parts = w.fresh("frame"), list[str]()
    for k, s in enumerate(every[1:-1], 1):
        parts.append(w.fresh_in_scope(f"{w.name}_{k}"))
        before, after = list(taking(s, frame, k)), list(giving(s, frame, k))
        lines = [*before, *w.lines[s.start : s.stop], *after]
        owners = [*[None] * len(before), *w.owners[s.start : s.stop], *[None] * len(after)]
        called = [name for name in w.called if name in s.names]
        w.module.add(parts[-1], [frame], called, lines, owners)
    calls = [f"    {frame} = {{}}", *giving(every[0], frame, 0)]
    calls += [
        *(f"    {part}({frame})" for part in parts),
        *taking(every[-1], frame, len(parts) + 1),
    ]
    start, stop = w.body
    w.lines[start:stop], w.owners[start:stop] = calls, [None] * len(calls)
    w.called = dict.fromkeys([*w.called, *parts])


def segments(
    lines: Sequence[str], owners: Sequence[Expr | None], assigned: Mapping[str, int],
    start: int, stop: int,
) -> list[Segment]:  # fmt: skip
    """The beginning, the parts between `start` and `stop`, and the end of a function.

    `assigned` has for each name the line from which on it may be assigned, -1 for parameters.
    """
    bounds = [0, start, *boundaries(lines, owners, start, stop), stop, len(lines)]
    result = [Segment(i, j, names_in(lines[i:j])) for i, j in itertools.pairwise(bounds)]
    last = {name: 0 for name, line in assigned.items() if line < start}
    for k, segment in enumerate(result[1:], 1):
        for name in segment.names:
            if assigned.get(name, segment.stop) >= segment.stop:
                continue
            before = last.get(name, k)
            last[name] = k
            if before < k and (before > 0 or k < len(result) - 1):
                segment.taken.setdefault(before, []).append(name)
                result[before].given.setdefault(k, []).append(name)
    return result


def boundaries(
    lines: Sequence[str], owners: Sequence[Expr | None], start: int, stop: int
) -> Iterator[int]:
    """The lines at which parts begin: none is inside a block or between lines of one expression."""
    previous = start
    for i in range(start, stop):
        if i - previous >= PART and owners[i] is not owners[i - 1] and lines[i][4:5] != " ":
            yield i
            previous = i


def names_in(lines: Sequence[str]) -> dict[str, None]:
    """The names in lines, with those of attributes and functions."""
    return dict.fromkeys(NAME.findall("\n".join(lines)))


def taking(segment: Segment, frame: str, k: int) -> Iterator[str]:
    """The lines that take the names of segment `k` out of the frame."""
    for before, names in segment.taken.items():
        yield f"    {', '.join(names)}, = {frame}.pop(({before}, {k}))"


def giving(segment: Segment, frame: str, k: int) -> Iterator[str]:
    """The lines that put names of segment `k` into the frame, for later segments."""
    for after, names in segment.given.items():
        yield f"    {frame}[{k}, {after}] = {', '.join(names)},"
