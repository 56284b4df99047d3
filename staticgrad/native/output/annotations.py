"""Machine code with comments that name the ops and the user's lines.

Note [Lines in assembly]. In the text that is compiled, a mark has the number of the unit that its
lines compute. For assembly, instructions get the mark's number as their line in a source, as
compilers of languages note it, and the assembler's directives become comments.
"""

import re
from collections.abc import Iterator, Sequence

from gradops.native.ir.modules import Module
from gradops.native.ir.subjects import MARK
from gradops.native.runtime.machine import assembly_of
from gradops.native.runtime.pool import IS_X86

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ..planning.plan import Unit

SHOWN = 4  # values of a unit that a comment names
FIRST = 1000  # number of our metadata
KIND = "DebugDirectivesOnly"
COMMENT = "#" if IS_X86 else "//"
SOURCE = f"""
!llvm.dbg.cu = !{{!{FIRST}}}
!llvm.module.flags = !{{!{FIRST + 1}}}
!{FIRST} = distinct !DICompileUnit(language: DW_LANG_C, file: !{FIRST + 2}, emissionKind: {KIND})
!{FIRST + 1} = !{{i32 2, !"Debug Info Version", i32 3}}
!{FIRST + 2} = !DIFile(filename: "graph", directory: "")
!{FIRST + 3} = !DISubroutineType(types: !{FIRST + 4})
!{FIRST + 4} = !{{}}
"""
INSTRUCTION = re.compile(r"  [^ ;\s]")
LOCATION = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
NOISE = re.compile(r"\s*\.(file|cfi_\w+)\b|\.L(tmp|func_begin|func_end)\d*:|\s*\.loc\b")


def annotated(text: str, subjects: Sequence[object]) -> str:
    """A module with comments in the place of marks."""
    lines = []
    for line in text.split("\n"):
        number = number_of(line)
        if number is None:
            lines.append(line)
        elif number >= 0:
            lines.append(f"  ; {description(subjects[number])}")
    return "\n".join(lines)


def number_of(line: str) -> int | None:
    """The number that a mark has, -1 for that of nothing; None for a line that is not a mark."""
    if not line.startswith(MARK):
        return None
    return int(line[len(MARK) :] or -1)


def description(subject: object) -> str:
    """The ops of a unit, their values, and the user's lines."""
    match subject:
        case (FrozenGraph() as graph, Unit() as unit):
            shown = [of_value(graph, e) for e in unit.members[:SHOWN]]
            more = len(unit.members) - SHOWN
            text = "; ".join([*shown, *([f"and {more} more"] if more > 0 else [])])
            return text.replace("\n", " ")
    return str(subject)


def of_value(graph: FrozenGraph, e: Expr) -> str:
    """The op of a value, its name and type, and where the user wrote it."""
    lines = graph.lines(e)
    return f"{e.what} {e.label}{f', {lines}' if lines else ''}"


def annotated_assembly(modules: Sequence[Module], subjects: Sequence[object]) -> str:
    """The instructions of modules, with comments. See Note [Lines in assembly]."""
    texts = [assembly_of(with_locations(module.text), module.passes) for module in modules]
    return "\n".join(line for text in texts for line in commented(text, subjects))


def with_locations(text: str) -> str:
    """A module whose instructions have the numbers of marks as lines of a source."""
    metadata, marked, lines = Metadata(), functions_with_marks(text), []
    scope, location = "", ""
    for line in text.split("\n"):
        if line in marked:
            scope = metadata.scope()
            location = metadata.location(0, scope)
            line = f"{line[:-2]} !dbg {scope} {{"
        elif line == "}":
            scope = ""
        elif scope and (mark := number_of(line)) is not None:
            location = metadata.location(mark + 1, scope)
        elif scope and INSTRUCTION.match(line):
            line = f"{line}, !dbg {location}"
        lines.append(line)
    return "\n".join([*lines, SOURCE, *metadata.lines])


class Metadata:
    """Metadata that says of which line of a source an instruction is."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> str:
        """The name of a new piece of metadata."""
        name = f"!{FIRST + 10 + len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def scope(self) -> str:
        """A function."""
        about = f"file: !{FIRST + 2}, unit: !{FIRST}, type: !{FIRST + 3}"
        return self.add(f"distinct !DISubprogram({about}, spFlags: DISPFlagDefinition)")

    def location(self, line: int, scope: str) -> str:
        """A line in a function."""
        return self.add(f"!DILocation(line: {line}, scope: {scope})")


def functions_with_marks(text: str) -> set[str]:
    """The first lines of functions that have marks in them."""
    result, head = set(), ""
    for line in text.split("\n"):
        if line.startswith("define "):
            head = line
        elif line.startswith(MARK):
            result.add(head)
    return result


def commented(assembly: str, subjects: Sequence[object]) -> Iterator[str]:
    """The lines of assembly, with comments in the place of the directives for lines.

    Instructions of units are mixed: what a number is of is said once.
    """
    before, said = -1, set()
    for line in assembly.split("\n"):
        if found := LOCATION.match(line):
            number = int(found[1]) - 1
            if number not in (-1, before):
                text = "" if number in said else f" {description(subjects[number])}"
                yield f"\t{COMMENT} [{number}]{text}"
                said.add(number)
                before = number
        elif not NOISE.match(line):
            yield line
