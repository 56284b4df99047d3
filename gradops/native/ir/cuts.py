"""Runs of lines of a long function as functions of their own.

Note [Cuts]. LLVM's passes take more than linear time for a function, so long ones are cut where
nothing but memory is alive. What runs once in a call is cut sooner than the body of a loop, in
which calls cost time: threads compile its pieces at once. A run of lines takes the pointers and
numbers that it does not define as arguments. Memory of the frame that one run alone uses is of its
own frame. Loops that LLVM is to vectorize are cut off, too, if calls of them cost nothing beside
their work: so the others need few of its passes.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, pairwise
from typing import NamedTuple

from .scalars import NotNative
from .text import ADDING, PARALLEL, SUMMING, FunctionText

LONGEST = 3000  # lines of a function that is not cut
LONGEST_ONCE = 600  # the same of what runs once in a call: threads compile its pieces at once
PIECES = 3  # into which so many lines are cut at most
REST = 200  # lines of a function that is worth to be kept apart from those that need all passes
VECTORIZED = tuple(f"!llvm.loop !{tag}" for tag in (PARALLEL, ADDING, SUMMING))
CUT = "cut"  # with which names of such functions begin
NAME = re.compile(r"%([A-Za-z][\w.]*)")
LABEL = re.compile(r"^([\w.]+):", re.MULTILINE)
DEFINITION = re.compile(r"^  %([\w.]+) = (.*)", re.MULTILINE)
IN_ARENA = re.compile(r"getelementptr inbounds i8, ptr %arena, i64 \d+$")
BASE = re.compile(r"getelementptr inbounds \S+, ptr %([\w.]+)")
POINTERS = ("getelementptr", "alloca", "inttoptr", "load ptr", "call ptr")
NUMBERS = re.compile(r"[ni]\d+|begin|end|thread")
NAMED = 1 << 40  # from where on names are new in a function made of lines of others


def names_taken(text: str) -> list[str]:
    """The names that lines use, but do not define."""
    known = {*LABEL.findall(text), *[name for name, _ in DEFINITION.findall(text)], "start"}
    return [name for name in dict.fromkeys(NAME.findall(text)) if name not in known]


class Spot(NamedTuple):
    """A line before which a function may be cut, and the block that goes on there."""

    line: int
    label: str


class Run:
    """Lines that become a function, and the block in which they begin."""

    def __init__(self, label: str, lines: list[str]) -> None:
        self.label, self.lines = label, lines

    @cached_property
    def taken(self) -> list[str]:
        """The names of the function around that the lines use."""
        return names_taken("\n".join([f"{self.label}:", *self.lines]))

    @cached_property
    def returns(self) -> bool:
        """True if the lines may return before they end."""
        return any(line.startswith("  ret ") for line in self.lines)


def needs_all(lines: Sequence[str]) -> bool:
    """True if LLVM is to vectorize a loop. See Note [Modules] in `modules.py`."""
    return any(line.endswith(VECTORIZED) for line in lines)


def cut(f: FunctionText, framed: int, spots: Sequence[Spot], runs_once: bool = False) -> None:
    """Make functions of the runs of lines between some spots, if there are many.

    `framed` is the number of lines that the frame had before. What `runs_once` is cut into shorter
    ones. See Note [Cuts].
    """
    longest = LONGEST_ONCE if runs_once else LONGEST
    if len(f.lines) - spots[0].line > longest:
        make_functions(f, framed, chosen(spots, -(-longest // PIECES)), lambda lines: True)


def set_apart(f: FunctionText, framed: int, spots: list[Spot]) -> list[Spot]:
    """Make functions of the runs that need all of LLVM's passes, where others do not.

    Returns the spots after that.
    """
    lines = [f.lines[a.line : b.line] for a, b in pairwise(spots)]
    rest = sum(len(run) for run in lines if not needs_all(run))
    if rest < REST or not any(map(needs_all, lines)):
        return spots
    return make_functions(f, framed, spots, needs_all)


def make_functions(
    f: FunctionText, framed: int, spots: Sequence[Spot], is_apart: Callable[[Sequence[str]], bool]
) -> list[Spot]:
    """Make functions of some of the runs between spots; returns the spots after that."""
    runs = [Run(a.label, f.lines[a.line : b.line]) for a, b in pairwise(spots)]
    apart = [is_apart(run.lines) for run in runs]
    del f.lines[spots[0].line :]
    f.label = spots[0].label
    taken = frozenset(chain.from_iterable(run.taken for run in compress(runs, apart)))
    memory = own_memory(f.frame[framed:], runs)
    memory = {name: line for name, line in memory.items() if name in taken}
    f.frame[framed:] = [line for line in f.frame[framed:] if defined(line) not in memory]
    memory |= {defined(line): line for line in f.frame if IN_ARENA.search(line)}
    found, result = Definitions(f.lines, f.frame, taken), [spots[0]]
    for run, is_cut, after in zip(runs, apart, spots[1:], strict=True):
        if is_cut:
            write_run(f, run, {name: memory[name] for name in run.taken if name in memory}, found)
        else:
            f.lines += run.lines
            f.label = after.label
        if f.label != after.label and run.label != after.label:
            f.jump(after.label)
            f.start(after.label)
        result.append(Spot(len(f.lines), f.label))
    return result


def chosen(spots: Sequence[Spot], length: int) -> list[Spot]:
    """The spots between which runs have so many lines."""
    result = [spots[0]]
    for spot in spots[1:]:
        if spot.line - result[-1].line >= length:
            result.append(spot)
    return [*(result[:-1] or result), spots[-1]]


def own_memory(frame: Sequence[str], runs: Sequence[Run]) -> dict[str, str]:
    """The memory of a frame that only one of some runs uses, and its definitions."""
    users = Counter(name for run in runs for name in run.taken)
    memory = {defined(line): line for line in frame if " = alloca " in line}
    set_before = {n for line in frame if not defined(line) for n in NAME.findall(line)}
    return {name: line for name, line in memory.items()
            if users[name] == 1 and name not in set_before}  # fmt: skip


def defined(line: str) -> str:
    """The name that a line defines; empty if it defines none."""
    found = DEFINITION.match(line)
    return found[1] if found else ""


class Definitions:
    """The types of names of a function, and what they point into."""

    def __init__(self, lines: Sequence[str], frame: Sequence[str], wanted: Iterable[str]) -> None:
        rest = {name for name in wanted if name[0] in "ta"}
        self.made: dict[str, str] = {}
        for line in chain(reversed(lines), frame):
            if not rest:
                break
            if (found := DEFINITION.match(line)) and found[1] in rest:
                rest.remove(found[1])
                self.made[found[1]] = found[2]
                if base := BASE.match(found[2]):
                    rest |= {base[1]} - self.made.keys()

    def type_of(self, name: str) -> str:
        """The type of a name: an address or a number of passes."""
        if NUMBERS.fullmatch(name):
            return "i64"
        made = self.made.get(name, "alloca")
        if not made.startswith(POINTERS):
            raise NotNative(f"a function takes {made}")
        return "ptr"

    def base_of(self, name: str) -> str:
        """The array that an address points into."""
        while base := BASE.match(self.made.get(name, "")):
            name = base[1]
        return name


def parameters(taken: Sequence[str], found: Definitions) -> tuple[list[str], list[str]]:
    """The parameters of a function, for what it takes, and what is given for them."""
    shared = Counter(found.base_of(name) for name in taken)
    heads, given = [], []
    for name in taken:
        type, is_alone = found.type_of(name), shared[found.base_of(name)] == 1
        is_distinct = type == "ptr" and name != "context" and is_alone
        heads.append(f"{type}{' noalias' * is_distinct} %{name}")
        given.append(f"{type} %{name}")
    return heads, given


def write_run(f: FunctionText, run: Run, frame: Mapping[str, str], found: Definitions) -> None:
    """Write the function of a run, and its call."""
    taken = [name for name in run.taken if name not in frame and name != "noted"]
    if frame and "arena" not in taken and any(IN_ARENA.search(line) for line in frame.values()):
        taken.append("arena")
    heads, given = parameters(taken, found)
    name = f"@{CUT}{f.fresh('')}"
    f.parts.append(function(name, heads, run, frame))
    call = f"call i32 {name}({', '.join(given)})"
    if run.returns or "noted" in run.taken:
        f.require_zero(f.emit(call))
    else:
        f.do(call)


def function(name: str, given: list[str], run: Run, frame: Mapping[str, str]) -> str:
    """The text of a function of lines."""
    inner = FunctionText(f"define internal i32 {name}({', '.join(given)}) noinline nounwind")
    inner.frame, inner.lines, inner.count = list(frame.values()), run.lines, NAMED
    if run.label != "start":
        inner.lines = [f"  br label %{run.label}", f"{run.label}:", *run.lines]
    inner.notes = "noted" in run.taken
    inner.end()
    return inner.text()
