"""Executables as pages: the stages of their graph, generated code, times and memory."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradops.inspection.page.stages import Lifetime, Listing, Picture
from gradops.inspection.page.template import page

from ..export.pages import PathLike, paths, pictures_of, stages, write
from ..ir.expr import Expr

if TYPE_CHECKING:
    from .executable import Executable


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
    picture = Picture(
        title,
        stages(executable.written, title, executable.pipeline),
        {} if feeds is None else times(executable, feeds, names),
        lifetimes(executable, names),
        [
            source_listing(executable, names),
            *([Listing("LLVM IR", executable.ir.splitlines())] if ir else []),
            *([Listing("assembly", executable.assembly.splitlines())] if assembly else []),
        ],
    )
    return page([picture, *pictures_of(beside)], title)


def source_listing(executable: "Executable", names: Mapping[Expr, str]) -> Listing:
    """The generated NumPy code, and the node of each line."""
    emitted = executable.emitted
    owners = [None if e is None else names.get(e) for e in emitted.owners]
    return Listing("NumPy source", emitted.text.splitlines(), owners)


def times(
    executable: "Executable", feeds: Any, names: Mapping[Expr, str]
) -> dict[str, tuple[float, float, int]]:
    """Seconds, share and calls of each node in a run, by name."""
    by_name: dict[str, str] = {}
    for e, path in names.items():
        by_name.setdefault(e.name, path)
    rows = executable.profile(feeds).rows
    found = [(by_name[row.name], row) for row in rows if row.op and row.name in by_name]
    return {path: (row.seconds, row.share, row.count) for path, row in reversed(found)}


def lifetimes(executable: "Executable", names: Mapping[Expr, str]) -> dict[str, Lifetime]:
    """From which step to which each value is in memory, by name."""
    by_name: dict[str, str] = {}
    for e, path in names.items():
        by_name.setdefault(e.name, path)
    result: dict[str, Lifetime] = {}
    for row in executable.report.buffers:
        members: Sequence[str] = row.name.split(", ")
        for name in members:
            if row.function == "run" and name in by_name:
                result.setdefault(by_name[name], Lifetime(row.first, row.last, row.bytes))
    return result
