"""Files of graphs: an archive with the text of the graph, its large constants and its variables.

Nothing in a file is executed or evaluated: the text is parsed and checked as `parse` does, and the
arrays are read as `gradops/serialization.py` does.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from gradops import GraphError, GraphFormatError, type_of
from gradops.core.notebook_cells import cell_of
from gradops.core.source_location import Place, describe, line_number
from gradops.serialization import Archive, Format, read_archive, write_archive

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, all_expressions, has_graphs, inner_graphs, require_frozen
from ..text.budget import EXPRESSION, MENTION, PLACE, SAFE, Budget
from ..text.parser import parse_sections
from ..text.printer import to_text, unique_names

GRAPH = Format("staticgrad graph", 3, "saved graph", GraphFormatError)


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
    refuse_python(require_frozen("save", graph))
    names = unique_names(graph)
    text = to_text(graph, lines=False, aside=arrays)
    variables: dict[str, int] = {}
    for e in graph.inputs:
        if e.kind is Kind.VARIABLE and e.value is not None:
            variables[names[e]] = len(arrays)
            arrays.append(e.value)
    places = Places()
    sections = {**{name: each for each, name in inner_graphs(graph).items()}, "": graph}
    manifest = {
        "graph": text, "variables": variables, "places": places.written,
        "lines": {name: places.lines_of(each) for name, each in sections.items()},
        "origins": {name: origins_of(each) for name, each in sections.items()},
        "labels": list(graph.labels), "derivatives": dict(graph.derivatives),
    }  # fmt: skip
    write_archive(file, GRAPH, manifest, arrays)


def refuse_python(graph: FrozenGraph) -> None:
    """Raise GraphError for a graph that calls a Python function, which no file can hold."""
    for e in all_expressions(graph):
        for value in e.attrs.values() if has_graphs(e) else ():
            if (found := python_in(value)) is not None:
                raise GraphError(
                    f"save: {e.label} calls {found!r}, a Python function, which no file can hold"
                    f"\n  made at {describe(e.place)}"
                    "\n  hint: use a solver of gradops.scipy, which is saved by its name"
                )


def python_in(value: object) -> object:
    """A Python function in the value of an attribute; None if there is none."""
    if type(value) is tuple:
        return next((x for x in map(python_in, value) if x is not None), None)
    return value if callable(value) and not isinstance(value, FrozenGraph) else None


def origins_of(graph: FrozenGraph) -> dict[str, str]:
    """The names of the forward expressions that the expressions of gradients belong to."""
    names = unique_names(graph)
    forward = {e.name: name for e, name in names.items()}
    return {
        name: forward.get(e.origin.name, e.origin.name)
        for e, name in names.items()
        if e.origin is not None
    }


class Places:
    """The source locations of expressions, each once, and their numbers."""

    def __init__(self) -> None:
        self.written: list[list[Any]] = []
        self.numbers: dict[tuple[int, int], int] = {}

    def number(self, place: Place) -> int:
        """The number of a place."""
        key = id(place[0]), place[1]  # to hash code takes as long as the code is
        if key not in self.numbers:
            self.numbers[key] = len(self.written)
            self.written.append(as_list(place))
        return self.numbers[key]

    def lines_of(self, graph: FrozenGraph) -> dict[str, Any]:
        """The numbers of the locations of each expression by name: one, or a list of several."""
        names = unique_names(graph)
        result = {name: list(map(self.number, graph.places(e))) for e, name in names.items()}
        return {name: n[0] if len(n) == 1 else n for name, n in result.items() if n}


def load(file: Any, limit: float = SAFE) -> FrozenGraph:
    """The graph that `save` wrote; raises GraphFormatError for a file without one.

    It has the names, lines, labels of outputs and the two sides, forward and backward.

    A manifest of more than `limit` bytes is refused, and one that asks for more work than that of
    an ordinary graph of so many, so that a file from anywhere takes neither long nor much memory.
    The default is enough for about 100,000 expressions; give more for a larger graph from a source
    that you trust.
    """
    format = GRAPH._replace(limit=limit)
    return read_archive(file, format, partial(graph_of, budget=Budget(limit)))


def graph_of(archive: Archive, manifest: dict[str, Any], budget: Budget) -> FrozenGraph:
    """The graph that a manifest describes."""
    wanted = {"graph": str, "variables": dict, "places": list, "lines": dict}
    if not all(isinstance(manifest.get(key), kind) for key, kind in wanted.items()):
        archive.refuse(f"its manifest lacks some of {', '.join(wanted)}")
    array = cache(archive.array)  # one that is named often takes its memory once
    graphs = parse_sections(manifest["graph"], array, budget)
    by_name = {e.name: e for e in graphs[""].order}
    for name, i in manifest["variables"].items():
        budget.spend(EXPRESSION)
        set_variable(archive, by_name.get(name), i, array)
    budget.spend(PLACE * len(manifest["places"]))
    places = [read_place(archive, place) for place in manifest["places"]]
    for section, lines in manifest["lines"].items():
        if section in graphs:
            budget.spend(MENTION * mentions(lines))
            set_lines(archive, graphs[section], lines, places)
    for section, origins in dict_of(archive, manifest, "origins").items():
        if section in graphs:
            set_origins(archive, graphs[section], origins, budget)
    labels = manifest.get("labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        archive.refuse(f"{str(labels)[:80]} are not labels")
    derivatives = dict_of(archive, manifest, "derivatives")
    if not all(isinstance(label, str) for label in derivatives.values()):
        archive.refuse(f"{str(derivatives)[:80]} are not labels")
    return replace(graphs[""], labels=tuple(labels), derivatives=derivatives)


def dict_of(archive: Archive, manifest: dict[str, Any], key: str) -> dict[str, Any]:
    """An object that a manifest may have; empty if it has none, as older files have not."""
    result = manifest.get(key, {})
    if not isinstance(result, dict):
        archive.refuse(f"its {key} are {str(result)[:80]}")
    return result


def set_origins(archive: Archive, graph: FrozenGraph, origins: Any, budget: Budget) -> None:
    """Say of the expressions of gradients which forward expression they belong to.

    One that does not come before it in the graph is known by its name and line only.
    """
    if not isinstance(origins, dict) or not all(isinstance(n, str) for n in origins.values()):
        archive.refuse(f"{str(origins)[:80]} are not origins")
    budget.spend(EXPRESSION * len(origins))
    before: dict[str, Expr] = {}
    for e in graph.order:
        if (name := origins.get(e.name)) is not None:
            if name not in before:
                before[name] = Expr(Kind.PLACEHOLDER, e.type, name, None, place=e.place)
            e.origin = before[name]
        before.setdefault(e.name, e)


def set_lines(archive: Archive, graph: FrozenGraph, lines: Any, places: Sequence[Place]) -> None:
    """Give the expressions of a graph the lines where they were written."""
    if not isinstance(lines, dict):
        archive.refuse(f"{str(lines)[:80]} are not lines")
    assert isinstance(graph.merged, dict)
    for e in graph.order:
        numbers = lines.get(e.name, [])
        result = [place_at(archive, places, i) for i in several(numbers)]
        if result:
            e.place = result[0]
        if result[1:]:
            graph.merged[e] = dict.fromkeys(result[1:])


def mentions(lines: Any) -> int:
    """The number of times that expressions refer to locations."""
    return sum(len(several(n)) for n in lines.values()) if isinstance(lines, dict) else 0


def several(numbers: Any) -> list[Any]:
    """One or several numbers as a list."""
    return numbers if isinstance(numbers, list) else [numbers]


def place_at(archive: Archive, places: Sequence[Place], i: Any) -> Place:
    """The place of a number."""
    if type(i) is not int or not 0 <= i < len(places):
        archive.refuse(f"{str(i)[:80]} is the number of no place")
    return places[i]


def set_variable(archive: Archive, e: Expr | None, i: Any, array: Callable[[int], Any]) -> None:
    """Give a variable its initial value, which is `array(i)`."""
    if e is None or e.kind is not Kind.VARIABLE or type(i) is not int:
        archive.refuse(f"{str(i)[:80]} is the value of no variable")
    value = array(i)
    if type_of(value) != e.type:
        archive.refuse(f"the value of {e.label} is {type_of(value)}")
    e.value = value


def as_list(place: Place) -> list[Any]:
    """A location as a file has it: the name of the source file, the line and the function."""
    file = place[0].co_filename
    filename = cell_of(file) or os.path.basename(file).strip("<>")
    return [filename, line_number(place), place[0].co_name]


def read_place(archive: Archive, place: Any) -> Place:
    """A source location from a file: empty code with the names and the line.

    The name of its file is in brackets, so that nothing is looked up under it.
    """
    match place:
        case [str(filename), int(line), str(function)] if 0 <= line < 2**31 - 1:
            name = f"<{os.path.basename(filename)}>"
            code = EMPTY.replace(co_filename=name, co_firstlineno=line, co_name=function)
            return code, OFFSET
    archive.refuse(f"{str(place)[:80]} is not a line")


EMPTY = compile("0", "", "exec")
OFFSET = next(start for start, _, line in EMPTY.co_lines() if line == 1)
