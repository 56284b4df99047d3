"""Files of graphs: an archive with the text of the graph, its large constants and its variables.

Nothing in a file is executed or evaluated: the text is parsed and checked as `parse` does, and the
arrays are read as `gradops/archive.py` does.
"""

import os
from typing import Any

from gradops import GraphFormatError, type_of
from gradops.archive import Archive, Format, read_archive, write_archive
from gradops.places import Place, line_number

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.parse import parse_sections
from ..ir.text import inner_graphs, to_text, unique_names

GRAPH = Format("staticgrad graph", 2, "saved graph", GraphFormatError)


def save(graph: FrozenGraph, file: Any) -> None:
    """Save a frozen graph, with its constants, the initial values of its variables, and lines.

    `file` is a path, or a file open for writing bytes. A file that is there is replaced only when
    the new one is complete.

    >>> import io
    >>> file = io.BytesIO()
    >>> x = sg.placeholder("float32", ["n"], name="x")
    >>> sg.save(sg.freeze([x * 2], [x]), file)
    >>> sg.compile(sg.load(file))([1.0, 2.0])
    (array([2., 4.], dtype=float32),)
    """
    arrays: list[Any] = []
    names = unique_names(graph)
    text = to_text(graph, lines=False, aside=arrays)
    variables: dict[str, int] = {}
    for e in graph.inputs:
        if e.kind is Kind.VARIABLE and e.value is not None:
            variables[names[e]] = len(arrays)
            arrays.append(e.value)
    lines = {name: lines_of(each) for each, name in inner_graphs(graph).items()}
    lines[""] = lines_of(graph)
    manifest = {"graph": text, "variables": variables, "lines": lines}
    write_archive(file, GRAPH, manifest, arrays)


def lines_of(graph: FrozenGraph) -> dict[str, list[Any]]:
    """Where the expressions of a graph were written, by name."""
    known: dict[tuple[int, int], list[Any]] = {}

    def found(place: Place) -> list[Any]:
        key = id(place[0]), place[1]  # to hash code takes as long as the code is
        if key not in known:
            known[key] = written(place)
        return known[key]

    return {name: list(map(found, graph.places(e))) for e, name in unique_names(graph).items()}


def load(file: Any) -> FrozenGraph:
    """The graph that `save` wrote; raises GraphFormatError for a file that holds none."""
    return read_archive(file, GRAPH, loaded)


def loaded(archive: Archive, manifest: dict[str, Any]) -> FrozenGraph:
    """The graph that a manifest describes."""
    text, variables = manifest.get("graph"), manifest.get("variables")
    places = read_lines(archive, manifest.pop("lines", None))  # which frees most of the manifest
    if not isinstance(text, str) or not isinstance(variables, dict):
        archive.refuse("its manifest lacks the graph or the variables")
    graphs = parse_sections(text, archive.array)
    by_name = {e.name: e for e in graphs[""].order}
    for name, i in variables.items():
        set_variable(archive, by_name.get(name), i)
    for section, found in places.items():
        if section in graphs:
            set_places(graphs[section], found)
    return graphs[""]


def read_lines(archive: Archive, lines: Any) -> dict[str, dict[str, tuple[Place, ...]]]:
    """The places in a manifest, by section and by name; equal ones are one object."""
    if not isinstance(lines, dict):
        archive.refuse("its manifest lacks the lines")
    known: dict[Any, tuple[Place, ...]] = {}
    found: dict[str, dict[str, tuple[Place, ...]]] = {}
    for section, by_name in lines.items():
        if not isinstance(by_name, dict):
            archive.refuse(f"{str(by_name)[:80]} are no lines")
        found[section] = {
            name: read_places(archive, places, known) for name, places in by_name.items()
        }
    return found


def set_places(graph: FrozenGraph, places: dict[str, tuple[Place, ...]]) -> None:
    """Give the expressions of a graph the lines where they were written."""
    assert isinstance(graph.merged, dict)
    for e in graph.order:
        found = places.get(e.name)
        if found:
            e.place = found[0]
            if found[1:]:
                graph.merged[e] = dict.fromkeys(found[1:])


def set_variable(archive: Archive, e: Expr | None, i: Any) -> None:
    """Give a variable its initial value."""
    if e is None or e.kind is not Kind.VARIABLE or not isinstance(i, int):
        archive.refuse(f"{str(i)[:80]} is the value of no variable")
    value = archive.array(i)
    if type_of(value) != e.type:
        archive.refuse(f"the value of {e.label} is {type_of(value)}")
    e.value = value


def written(place: Place) -> list[Any]:
    """A place as a file has it: the name of the source file, the line and the function."""
    filename = os.path.basename(place[0].co_filename).strip("<>")
    return [filename, line_number(place), place[0].co_name]


def read_places(
    archive: Archive, places: Any, known: dict[Any, tuple[Place, ...]]
) -> tuple[Place, ...]:
    """The places of one expression from a file, of which some are `known`."""
    if not isinstance(places, list):
        archive.refuse(f"{str(places)[:80]} are no lines")
    found: tuple[Place, ...] = ()
    for place in places:
        found += read_place(archive, place, known)
    return found


def read_place(
    archive: Archive, place: Any, known: dict[Any, tuple[Place, ...]]
) -> tuple[Place, ...]:
    """A place from a file: an empty piece of code that says where it was.

    Its name stands in brackets, as that of what is no file: nothing is looked up under it.
    """
    match place:
        case [str(filename), int(line), str(function)] if 0 <= line < 2**31 - 1:
            if (filename, line, function) not in known:
                name = f"<{os.path.basename(filename)}>"
                code = EMPTY.replace(co_filename=name, co_firstlineno=line, co_name=function)
                known[filename, line, function] = ((code, OFFSET),)
            return known[filename, line, function]
    archive.refuse(f"{str(place)[:80]} is no line")


EMPTY = compile("0", "", "exec")
OFFSET = next(start for start, _, line in EMPTY.co_lines() if line == 1)
