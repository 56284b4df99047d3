"""Files of graphs: an archive with the text of the graph, its large constants and its variables.

Nothing in a file is executed or evaluated: the text is parsed and checked as `parse` does, and the
arrays are read as `gradops/archive.py` does.
"""

import json
import os
from collections.abc import Callable
from functools import cache
from typing import Any

from gradops import GraphFormatError, type_of
from gradops.archive import Archive, Format, read_archive, write_archive
from gradops.places import Place, line_number

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, require_frozen
from ..ir.parse import parse_sections
from ..ir.text import inner_graphs, printed_names, to_text

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
    names = plain_names(require_frozen("save", graph))
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


def plain_names(graph: FrozenGraph) -> dict[Expr, str]:
    """The names of expressions in a graph's text, as they are without quotes."""
    return {e: unquoted(name) for e, name in printed_names(graph).items()}


def lines_of(graph: FrozenGraph) -> dict[str, list[Any]]:
    """Where the expressions of a graph were written, by name."""
    names = plain_names(graph)
    return {names[e]: [written(p) for p in graph.places(e)] for e in graph.order}


def load(file: Any) -> FrozenGraph:
    """The graph that `save` wrote; raises GraphFormatError for a file that holds none."""
    return read_archive(file, GRAPH, loaded)


def loaded(archive: Archive, manifest: dict[str, Any]) -> FrozenGraph:
    """The graph that a manifest describes."""
    text, variables, lines = (manifest.get(key) for key in ("graph", "variables", "lines"))
    if not isinstance(text, str) or not isinstance(variables, dict) or not isinstance(lines, dict):
        archive.refuse("its manifest lacks the graph, the variables or the lines")
    array = cache(archive.array)  # one that is named often takes its memory once
    graphs = parse_sections(text, array)
    by_name = {e.name: e for e in graphs[""].order}
    for name, i in variables.items():
        set_variable(archive, by_name.get(name), i, array)
    for section, found in lines.items():
        if section in graphs:
            set_all_lines(archive, graphs[section], found)
    return graphs[""]


def set_all_lines(archive: Archive, graph: FrozenGraph, lines: Any) -> None:
    """Give the expressions of a graph the lines where they were written."""
    if not isinstance(lines, dict):
        archive.refuse(f"{str(lines)[:80]} are no lines")
    by_name = {e.name: e for e in graph.order}
    for name, places in lines.items():
        if name in by_name:
            set_lines(archive, graph, by_name[name], places)


def set_variable(archive: Archive, e: Expr | None, i: Any, array: Callable[[int], Any]) -> None:
    """Give a variable its initial value, which is `array(i)`."""
    if e is None or e.kind is not Kind.VARIABLE or not isinstance(i, int):
        archive.refuse(f"{str(i)[:80]} is the value of no variable")
    value = array(i)
    if type_of(value) != e.type:
        archive.refuse(f"the value of {e.label} is {type_of(value)}")
    e.value = value


def set_lines(archive: Archive, graph: FrozenGraph, e: Expr, places: Any) -> None:
    """Give an expression the lines where it was written."""
    if not isinstance(places, list):
        archive.refuse(f"{str(places)[:80]} are no lines")
    found = [read_place(archive, place) for place in places]
    if found:
        e.place = found[0]
    if found[1:]:
        assert isinstance(graph.merged, dict)
        graph.merged[e] = dict.fromkeys(found[1:])


def written(place: Place) -> list[Any]:
    """A place as a file has it: the name of the source file, the line and the function."""
    filename = os.path.basename(place[0].co_filename).strip("<>")
    return [filename, line_number(place), place[0].co_name]


def read_place(archive: Archive, place: Any) -> Place:
    """A place from a file: an empty piece of code that says where it was.

    Its name stands in brackets, as that of what is no file: nothing is looked up under it.
    """
    match place:
        case [str(filename), int(line), str(function)] if 0 <= line < 2**31 - 1:
            name = f"<{os.path.basename(filename)}>"
            code = EMPTY.replace(co_filename=name, co_firstlineno=line, co_name=function)
            return code, OFFSET
    archive.refuse(f"{str(place)[:80]} is no line")


EMPTY = compile("0", "", "exec")
OFFSET = next(start for start, _, line in EMPTY.co_lines() if line == 1)


def unquoted(name: str) -> str:
    """A printed name as it is."""
    return str(json.loads(name)) if name.startswith('"') else name
