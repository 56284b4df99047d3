"""Runs of lines of a long function as functions of their own.

Note [Cuts]. LLVM's passes take more than linear time for a function, so long ones are cut where
nothing but memory is alive. A run of lines takes the pointers and numbers that it does not define
as arguments. Memory of the frame that one run alone uses is of its own frame.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from .scalars import NotNative
from .text import FunctionText

LONGEST = 3000  # lines of a function that is not cut
PIECE = 1000  # lines from which a run is a function
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


@dataclass
class Run:
    """Lines that become a function, and the block in which they begin."""

    label: str
    lines: list[str]

    @cached_property
    def taken(self) -> list[str]:
        """The names of the function around that the lines use."""
        return names_taken("\n".join([f"{self.label}:", *self.lines]))

    @property
    def fails(self) -> bool:
        """True if the lines may return before they end."""
        return "noted" in self.taken or any("ret i32" in line for line in self.lines)


class Cutter:
    """Cuts the lines of a function that are written from now on. See Note [Cuts]."""

    def __init__(self, f: FunctionText) -> None:
        self.f, self.framed, self.spots = f, len(f.frame), [(len(f.lines), f.label)]

    def allow(self) -> None:
        """Here the function may be cut."""
        self.spots.append((len(self.f.lines), self.f.label))

    def cut(self) -> None:
        """Make functions of the runs between some spots, if there are many lines."""
        f, (first, label) = self.f, self.spots[0]
        if len(f.lines) - first <= LONGEST:
            return
        runs = [Run(a[1], f.lines[a[0] : b[0]]) for a, b in pairwise(self.chosen())]
        del f.lines[first:]
        f.label = label
        frames = self.split_frame(runs)
        found = Definitions(f, chain.from_iterable(run.taken for run in runs))
        for run, frame in zip(runs, frames, strict=True):
            write_run(f, run, frame, found)

    def chosen(self) -> list[tuple[int, str]]:
        """The spots between which runs are long enough."""
        result = self.spots[:1]
        for spot in self.spots[1:]:
            if spot[0] - result[-1][0] >= PIECE:
                result.append(spot)
        return [*(result[:-1] or result), self.spots[-1]]

    def split_frame(self, runs: list[Run]) -> list[dict[str, str]]:
        """Take out of the frame what one run alone uses, and for each what lies in the arena."""
        f, framed = self.f, self.f.frame[self.framed :]
        users = Counter(name for run in runs for name in run.taken)
        set_before = {
            n for line in framed if not DEFINITION.match(line) for n in NAME.findall(line)
        }
        moved = {name for name, count in users.items() if count == 1} - set_before
        here, kept = {}, []
        for line in framed:
            found = DEFINITION.match(line)
            if found and found[1] in moved and found[2].startswith("alloca"):
                here[found[1]] = line
            else:
                kept.append(line)
        f.frame[self.framed :] = kept
        here |= {found[1]: found[0] for line in f.frame
                 if (found := DEFINITION.match(line)) and IN_ARENA.match(found[2])}  # fmt: skip
        return [{name: here[name] for name in run.taken if name in here} for run in runs]


class Definitions:
    """The types of names of a function, and what they point into."""

    def __init__(self, f: FunctionText, wanted: Iterable[str]) -> None:
        rest = {name for name in wanted if name[0] in "ta"}
        self.made: dict[str, str] = {}
        for line in chain(reversed(f.lines), f.frame):
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


def write_run(f: FunctionText, run: Run, frame: Mapping[str, str], found: Definitions) -> None:
    """Write the function of a run, and its call."""
    taken = [name for name in run.taken if name not in frame and name != "noted"]
    if frame and "arena" not in taken and any(IN_ARENA.search(line) for line in frame.values()):
        taken.append("arena")
    shared = Counter(found.base_of(name) for name in taken)
    types = [found.type_of(name) for name in taken]
    given = [f"{type} %{name}" for type, name in zip(types, taken, strict=True)]
    alone = [
        type == "ptr" and n != "context" and shared[found.base_of(n)] == 1
        for type, n in zip(types, taken)
    ]
    heads = [x.replace("ptr", "ptr noalias", 1) if a else x for x, a in zip(given, alone)]
    name = f"@cut{f.fresh('')}"
    f.parts.append(function(name, heads, run, frame))
    call = f"call i32 {name}({', '.join(given)})"
    if run.fails:
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
