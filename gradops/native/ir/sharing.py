"""Pieces of code that are equal but for names, as one function.

Note [Shared pieces]. LLVM takes long for each line, and graphs of small matrices have the same
product many times. Pieces between spots at which a function may be cut are compared with numbers
in the place of names; what occurs several times is a function of what it takes from outside.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from .cuts import Definitions, Run, Spot, defined, own_memory
from .text import FunctionText

LEAST, MOST = 30, 1500  # lines of a piece that is a function
MANY = 600  # lines of code from which on it is looked for pieces
NAME = re.compile(r"%([A-Za-z][\w.]*)|^([\w.]+):", re.MULTILINE)


class Piece(NamedTuple):
    """A run of lines as the text of a function's body, its parameters, and what is given for them.

    `nameless` is the text without names, `own` are the names of memory of the frame that nothing
    else uses.
    """

    nameless: str
    text: str
    heads: tuple[str, ...]
    given: tuple[str, ...]
    own: frozenset[str]

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """Equal for pieces that are one function."""
        return self.text, self.heads


def share(f: FunctionText, framed: int, spots: Sequence[Spot]) -> list[Spot]:
    """Make functions of equal runs of lines; returns the spots after that."""
    first = spots[0].line
    if len(f.lines) - first < MANY:
        return list(spots)
    runs = [Run(a.label, f.lines[a.line : b.line]) for a, b in pairwise(spots)]
    pieces = pieces_of(f, framed, runs, first)
    count = Counter(piece.key for piece in pieces if piece)
    del f.lines[first:]
    f.label = spots[0].label
    result, own = [spots[0]], set[str]()
    for run, piece, after in zip(runs, pieces, spots[1:], strict=True):
        if piece and (count[piece.key] > 1 or piece.key in f.pieces):
            write_piece(f, run, piece, after.label)
            own |= piece.own
        else:
            f.lines += run.lines
            f.label = after.label
        result.append(Spot(len(f.lines), f.label))
    f.frame[framed:] = [line for line in f.frame[framed:] if defined(line) not in own]
    return result


def pieces_of(f: FunctionText, framed: int, runs: Sequence[Run], first: int) -> list[Piece | None]:
    """The runs that may be functions, as far as others are equal to them without any names."""
    nameless = [
        NAME.sub("%", code_of(run.lines)) if LEAST <= len(run.lines) <= MOST else "" for run in runs
    ]
    count = Counter(nameless)
    memory = own_memory(f.frame[framed:], runs)
    found = Definitions(f.lines[:first], f.frame, chain.from_iterable(run.taken for run in runs))
    return [
        piece_of(run, text, memory, found) if text and (count[text] > 1 or text in f.nameless)
        else None
        for run, text in zip(runs, nameless, strict=True)
    ]  # fmt: skip


def code_of(lines: Sequence[str]) -> str:
    """Lines without comments, as a text."""
    return "\n".join([line for line in lines if not line.startswith("  ;")])


def piece_of(run: Run, nameless: str, memory: dict[str, str], found: Definitions) -> Piece:
    """A run with numbers in the place of names."""
    numbers: dict[str, int] = {}

    def number(m: re.Match[str]) -> str:
        k = numbers.setdefault(m[1] or m[2], len(numbers))
        return f"%x{k}" if m[1] else f"x{k}:"

    own = [name for name in run.taken if name in memory]
    given = [name for name in run.taken if name not in memory]
    frame = [memory[name] for name in own]
    lines = [*frame, f"  br label %{run.label}", f"{run.label}:", *run.lines]
    text = NAME.sub(number, code_of(lines))
    types = [found.type_of(name) for name in given]
    heads = [f"{type} %x{numbers[name]}" for type, name in zip(types, given, strict=True)]
    values = [f"{type} %{name}" for type, name in zip(types, given, strict=True)]
    return Piece(nameless, text, tuple(heads), tuple(values), frozenset(own))


def write_piece(f: FunctionText, run: Run, piece: Piece, label: str) -> None:
    """Write the call of a piece's function, and the function if it is new; go on in a block."""
    if piece.key not in f.pieces:
        name = f.pieces[piece.key] = f"@piece{len(f.pieces)}"
        f.nameless.add(piece.nameless)
        head = f"define internal i32 {name}({', '.join(piece.heads)}) noinline nounwind {{"
        f.parts.append("\n".join([head, "start:", piece.text, "  ret i32 0", "}", ""]))
    call = f"call i32 {f.pieces[piece.key]}({', '.join(piece.given)})"
    if run.returns:
        f.require_zero(f.emit(call))
    else:
        f.do(call)
    if f.label != label:
        f.jump(label)
        f.start(label)
