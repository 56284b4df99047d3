"""Executables as pages: the stages of their graph, generated code, times and memory."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gradops.inspection.page.stages import Listing, Picture, Stage
from gradops.inspection.page.template import page
from gradops.inspection.timeline.memory import MemoryTimeline
from gradops.inspection.timeline.profile import Profile

from ..export.pages import PathLike, paths, pictures_of, stages, write
from ..export.view import graph_view
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..native.output.annotations import COMMENT, number_of
from ..native.planning.plan import Unit

if TYPE_CHECKING:
    from ..native.output.native_code import NativeCode
    from .executable import Executable

UNIT = re.compile(rf"\t{COMMENT} \[(\d+)\]")


def inspect_executable(
    executable: "Executable", path: PathLike, feeds: Any = None, *, title: str = "executable",
    ir: bool = False, assembly: bool = False, beside: Any = None,
) -> None:  # fmt: skip
    """Write the page of an executable: see `Executable.inspect`."""
    write(path, executable_page(executable, feeds, title, ir, assembly, beside))


def executable_page(
    executable: "Executable", feeds: Any = None, title: str = "executable", ir: bool = False,
    assembly: bool = False, beside: Any = None,
) -> str:  # fmt: skip
    """The page of an executable as HTML."""
    names = paths(executable.graph)
    picture = Picture(title, stages(executable.written, title, executable.pipeline))
    # Runs come before machine code: that of unknown sizes is the code of the last run.
    picture = with_runs(picture, executable, feeds, names)
    native = machine_code(executable)
    picture = replace(
        picture,
        stages=[*picture.stages, *([] if native is None else [native_stage(native, title)])],
        listings=[
            source_listing(executable, names),
            *([ir_listing(executable)] if ir else []),
            *([assembly_listing(executable)] if assembly else []),
        ],
    )
    return page([picture, *pictures_of(beside)], title)


def native_stage(native: "NativeCode", title: str) -> Stage:
    """The graph of machine code, in which formulas are written out, and what a loop computes."""
    names = paths(native.graph)
    groups = [[names[e] for e in members(s) if e in names] for s in native.written.subjects]
    loops = sum(len(group) > 1 for group in groups)
    return Stage("native", graph_view(native.graph, title), f"{loops} loops of several", groups)


def members(subject: object) -> Sequence[Expr]:
    """The values that a unit of machine code computes."""
    match subject:
        case (FrozenGraph(), Unit() as unit):
            return unit.members
    return ()


def ir_listing(executable: "Executable") -> Listing:
    """The graph in LLVM's language; lines after a comment are of the unit that it names."""
    text, code = executable.ir, machine_code(executable)
    assert code is not None
    numbers = [number_of(line) for line in code.written.text.split("\n")]
    owners, now = list[str | None](), None
    first = first_values(code)
    for number in numbers:
        now = now if number is None else first.get(number)
        if number is None or number >= 0:
            owners.append(now)
    return Listing("LLVM IR", text.split("\n"), owners)


def assembly_listing(executable: "Executable") -> Listing:
    """The instructions; those after a comment are of the unit that it has the number of."""
    lines, code = executable.assembly.split("\n"), machine_code(executable)
    assert code is not None
    first = first_values(code)
    owners, now = list[str | None](), None
    for line in lines:
        if found := UNIT.match(line):
            now = first.get(int(found[1]))
        owners.append(now)
    return Listing("assembly", lines, owners)


def machine_code(executable: "Executable") -> "NativeCode | None":
    """The machine code of an executable; if sizes are unknown, that of the last run."""
    if "codes" in vars(executable):
        found: NativeCode | None = executable.codes.get(executable.last)  # type: ignore[attr-defined]
        return found
    return getattr(executable, "native", None)


def first_values(code: "NativeCode") -> dict[int, str]:
    """The name of the first value of each unit of machine code, by its number."""
    names = paths(code.graph)
    found = {k: members(subject) for k, subject in enumerate(code.written.subjects)}
    return {k: names[several[0]] for k, several in found.items() if several and several[0] in names}


def source_listing(executable: "Executable", names: Mapping[Expr, str]) -> Listing:
    """The generated NumPy code, and the node of each line."""
    emitted = executable.emitted
    owners = [None if e is None else names.get(e) for e in emitted.owners]
    return Listing("NumPy source", emitted.text.splitlines(), owners)


def with_runs(
    picture: Picture, executable: "Executable", feeds: Any, names: Mapping[Expr, str]
) -> Picture:
    """A picture with the times and the memory of a run; without feeds, with what is planned."""
    if feeds is None:
        return replace(picture, timeline=rename_nodes(executable.timeline(), names))
    profile = executable.profile(feeds)
    return replace(
        picture,
        times=times(profile, names),
        timeline=rename_nodes(executable.timeline(feeds), names),
        flames={by: profile.flame(by=by) for by in ("scope", "line")},
    )


def times(profile: Profile, names: Mapping[Expr, str]) -> dict[str, tuple[float, float, int]]:
    """Seconds, share and calls of each node in a run, by the name in a page."""
    paths = by_own_name(names)
    found = [(paths[row.name], row) for row in profile.rows if row.op and row.name in paths]
    return {path: (row.seconds, row.share, row.count) for path, row in reversed(found)}


def rename_nodes(timeline: MemoryTimeline, names: Mapping[Expr, str]) -> MemoryTimeline:
    """A timeline with the names that a page has for nodes."""
    paths = by_own_name(names)
    return replace(
        timeline,
        steps=tuple([replace(s, name=paths.get(s.name, s.name)) for s in timeline.steps]),
        allocations=tuple(
            [replace(a, name=paths.get(a.name, a.name)) for a in timeline.allocations]
        ),
    )


def by_own_name(names: Mapping[Expr, str]) -> dict[str, str]:
    """The first name in a page of the expressions of each name."""
    result: dict[str, str] = {}
    for e, path in names.items():
        result.setdefault(e.name, path)
    return result
