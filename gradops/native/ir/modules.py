"""The functions of a long module as several modules, which are compiled at the same time.

Note [Modules]. LLVM takes a millisecond for a few lines, and one thread for a module. So functions
are dealt out to modules of similar length, by their texts alone: as many as there are on any
machine. What a function calls of others is declared; functions of floats are copied to where they
are called. Most need few of LLVM's passes, as their loops are written with vectors. Others have
loops whose state LLVM is to keep in registers, for which it takes most of its passes, or loops that
it is to turn into vectors. Those that need the same passes are together. For functions that are
known to be cold, as they do little of the work, instructions are selected quickly, in a fifth of
the time.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

from .text import ADDING, CARRYING, METADATA, PARALLEL, SUMMING

LENGTH = 700  # lines of a module, about
NAME = re.compile(r"@([\w.]+)")
HEAD = re.compile(r"^define (?:internal )?(.+?) @([\w.]+)\(([^)]*)\)", re.MULTILINE)
DECLARED = re.compile(r"declare |@[\w.]+ = external ")
COPIED = ("own.", "check")
Passes = Literal["least", "few", "most", "all"]
DEMANDS: Mapping[int, Passes] = MappingProxyType(
    {PARALLEL: "all", ADDING: "all", SUMMING: "all", CARRYING: "most"}
)
"""The passes that kinds of loops ask for, the most demanding ones first."""
COSTS: Mapping[Passes, int] = MappingProxyType({"all": 5, "most": 2, "few": 2, "least": 1})
"""The time that LLVM takes for a line, about, as a multiple of that for cold code."""


class Module(NamedTuple):
    """The text of a module, and how many of LLVM's passes it needs: `least` is for cold code."""

    text: str
    passes: Passes = "all"

    @property
    def cost(self) -> int:
        """The time that LLVM takes for it, to be compared with that of others."""
        return COSTS[self.passes] * self.text.count("\n")

    @property
    def declared(self) -> list[str]:
        """The names of others that it refers to, but those of LLVM."""
        lines = [line for line in self.text.split("\n") if DECLARED.match(line)]
        return [name for name in map(name_in, lines) if not name.startswith("llvm.")]

    @property
    def defined(self) -> list[str]:
        """The names of its functions."""
        return [name for _, name, _ in HEAD.findall(self.text)]


def passes_for(text: str) -> Passes:
    """The passes that loops ask for, given their lines."""
    found = (p for tag, p in DEMANDS.items() if f"!llvm.loop !{tag}\n" in text)
    return next(found, "few")


class Function:
    """The text of a function, perhaps after globals of its own."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def head(self) -> re.Match[str]:
        """Its first line."""
        found = HEAD.search(self.text)
        assert found is not None
        return found

    @property
    def name(self) -> str:
        """Its name."""
        return self.head[2]

    @property
    def is_copied(self) -> bool:
        """True for a function that each module has which calls it."""
        return self.name.startswith(COPIED)

    @cached_property
    def passes(self) -> Passes:
        """The passes that its loops ask for."""
        return passes_for(self.text)

    @cached_property
    def length(self) -> int:
        """The number of its lines."""
        return self.text.count("\n")

    @cached_property
    def used(self) -> frozenset[str]:
        """The names that it refers to."""
        return frozenset(NAME.findall(self.text))

    @property
    def declaration(self) -> str:
        """The line by which other modules know it."""
        types = [given.split()[0] for given in self.head[3].split(",") if given.strip()]
        return f"declare {self.head[1]} @{self.name}({', '.join(types)})"


def modules_in(text: str, length: int) -> list[Module]:
    """The modules of a text, in which only functions are defined. See Note [Modules]."""
    known, functions = [], []
    for part in text.split("\n}\n"):
        before, head, body = part.partition("define ")
        known += [line for line in before.split("\n") if DECLARED.match(line)]
        if head:
            functions.append(f"{head}{body}\n}}\n")
    return modules_of(known, functions, length)


def modules_of(
    known: Sequence[str], texts: Sequence[str], length: int = LENGTH,
    cold: Container[str] = (),
) -> list[Module]:  # fmt: skip
    """Modules of functions, given lines that declare or define other names. See Note [Modules].

    They have so many lines, about; those that take longest to compile are first. Functions may be
    known to be cold, by their names.
    """
    functions = {f.name: f for f in map(Function, texts)}
    lines = {name_in(line): line for line in known}
    own: dict[Passes, list[Function]] = {"all": [], "most": [], "few": [], "least": []}
    for f in functions.values():
        if not f.is_copied:
            own["least" if f.passes == "few" and f.name in cold else f.passes].append(f)
    modules = [
        Module(text_of(part, functions, lines), passes)
        for passes, some in own.items() for part in dealt(some, length)
    ]  # fmt: skip
    return sorted(modules, key=lambda m: -m.cost)


def name_in(line: str) -> str:
    """The name that a line declares or defines."""
    found = NAME.search(line)
    assert found is not None, line
    return found[1]


def dealt(functions: Sequence[Function], length: int) -> list[list[Function]]:
    """Functions in lists of similar length: the longest first, each to the shortest list."""
    total = sum(f.length for f in functions)
    parts: list[list[Function]] = [[] for _ in range(min(len(functions), 1 + total // length))]
    lengths = [0] * len(parts)
    for f in sorted(functions, key=lambda f: -f.length):
        k = lengths.index(min(lengths))
        parts[k].append(f)
        lengths[k] += f.length
    return parts


def text_of(
    part: Sequence[Function], functions: Mapping[str, Function], lines: Mapping[str, str]
) -> str:
    """The text of a module with some of all functions."""
    here = {f.name: f for f in part}
    used = dict.fromkeys(used_by(part, functions))
    copies = [functions[name] for name in used if name in functions and functions[name].is_copied]
    others = [functions[n] for n in used if n in functions and n not in here]
    declared = [lines[name] for name in used if name in lines]
    declared += [f.declaration for f in others if not f.is_copied]
    shared = [f.text.replace("define internal ", "define ", 1) for f in part]
    return "\n".join([*declared, *[f.text for f in copies], *shared, METADATA])


def used_by(part: Sequence[Function], functions: Mapping[str, Function]) -> Iterator[str]:
    """The names that functions use, and those that copies use which they call."""
    todo, seen = list(part), set[str]()
    while todo:
        for name in sorted(todo.pop().used - seen):
            seen.add(name)
            yield name
            if name in functions and functions[name].is_copied:
                todo.append(functions[name])


def functions_in(text: str) -> list[str]:
    """The functions of a text, one after another."""
    return [f"{part}\n}}\n" for part in text.split("\n}\n") if part.strip()]
