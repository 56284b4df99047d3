"""Graphs as pages: what `inspect` writes of a graph, with its stages in the compiler."""

import os
from collections.abc import Iterator, Mapping
from operator import is_
from pathlib import Path
from typing import Any

from gradops.core.errors import OptionError
from gradops.inspection.model import NOTHING, GraphView, Role
from gradops.inspection.page.stages import GRADIENT, WRITTEN, Picture, Stage
from gradops.inspection.page.template import page

from ..build.collector import collector_paused
from ..build.graph import Graph
from ..freezing.freezer import freeze
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph, inner_graphs, named_graphs, require_frozen
from ..passes.pipeline import Pipeline
from ..text.printer import unique_names
from .freezable import frozen_graph
from .view import graph_view

PathLike = str | os.PathLike[str]
AFTER = frozenset({Role.BACKWARD, Role.UPDATE})


def inspect(
    fetches: Any, path: PathLike, feeds: Any = None, *, title: str = "graph", beside: Any = None
) -> None:
    """Write the graph that computes `fetches` as one HTML page, which needs no network.

    By default all placeholders that are needed are fed. `fetches` may be a graph, too. `beside` is
    a tensor of dynamicgrad or another graph, which the page shows beside this one. The
    documentation shows such pages: *Read a graph*.

    >>> x = sg.placeholder("float32", ["batch", 3], name="x")
    >>> sg.inspect(sg.reduce_sum(sg.tanh(x)), "sum.html")
    """
    graph = frozen_graph("inspect", fetches) if feeds is None else freeze(fetches, feeds)
    write(path, graph_page(graph, title, beside=beside))


def inspect_built(graph: Graph, path: PathLike, *, title: str = "", beside: Any = None) -> None:
    """Write all that was built so far as one HTML page, which needs no network. See `sg.inspect`.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> y = sg.tanh(x)
    >>> sg.get_default_graph().inspect("all.html")
    """
    inspect(graph, path, title=title or graph.name, beside=beside)


def write(path: PathLike, text: str) -> None:
    """Write a page."""
    Path(path).write_text(text, encoding="utf-8")


@collector_paused()
def graph_page(graph: FrozenGraph, title: str = "graph", *, beside: Any = None) -> str:
    """The page of a frozen graph as HTML, with its forward alone as the first of two stages."""
    return page([Picture(title, stages(graph, title)), *pictures_of(beside)], title)


def pictures_of(subject: Any) -> list[Picture]:
    """The picture of something that has a view, such as a tensor with its tape; none of None."""
    if subject is None:
        return []
    view = subject if isinstance(subject, GraphView) else getattr(subject, "__graph_view__", None)
    if view is None:
        hint = "give a tensor of dynamicgrad, a frozen graph or an executable"
        raise OptionError("inspect", [], f"{subject!r} has no picture to show beside", hint)
    view = view() if callable(view) else view
    return [Picture(view.title, [Stage(view.kind, view)])]


def stages(
    written: FrozenGraph,
    title: str,
    pipeline: Pipeline | None = None,
    values: Mapping[str, Any] = NOTHING,
) -> list[Stage]:
    """The graph as written, with its gradient, and after each pass that changes it."""
    view = graph_view(require_frozen("inspect", written), title, values)
    result = [Stage(GRADIENT, view)]
    if any(n.role in AFTER for n in view.nodes):
        result.insert(0, Stage(WRITTEN, view.part("forward")))
    else:
        result = [Stage(WRITTEN, view)]
    if pipeline is not None:
        result += changes(written, title, pipeline, values)
    return result


def changes(
    written: FrozenGraph, title: str, pipeline: Pipeline, values: Mapping[str, Any]
) -> Iterator[Stage]:
    """A stage for each pass that changes the graph."""
    for before, after, report in pipeline.steps(written):
        if len(before) != len(after) or not all(map(is_, before.order, after.order)):
            exactness = "exact" if report.bound == 0 else f"bound {report.bound:g}"
            note = f"{report.seconds * 1e3:.2f} ms, {exactness}"
            yield Stage(report.name, graph_view(after, title, values), note)


def paths(graph: FrozenGraph) -> dict[Expr, str]:
    """The name in a page of each expression of a graph and of those inside it.

    One inside a graph that is in several places has the first of its names.
    """
    result: dict[Expr, str] = {}
    work = [(graph, "")]
    seen = {graph}
    names_of_graphs = inner_graphs(graph)
    while work:
        each, prefix = work.pop()
        names = unique_names(each)
        for e in each.order:
            result.setdefault(e, prefix + names[e])
            for _, inner in named_graphs(e):
                if inner not in seen:
                    seen.add(inner)
                    work.append((inner, f"{prefix}{names[e]} › {names_of_graphs[inner]} › "))
    return result
