"""Displays of graphs, executables and sessions in notebooks."""

from typing import Any

from gradops.core.errors import GradError
from gradops.inspection import notebook
from gradops.inspection.model import GraphView, Role

from .freezable import frozen_graph
from .view import graph_view


def mimebundle(x: Any, **formats: object) -> notebook.Bundle:
    """The forms of a graph, frozen or under construction: text, and a picture or a table."""
    try:
        view = graph_view(frozen_graph("display", x))
    except GradError:  # of a graph that cannot be run as it is, or not yet
        return notebook.bundle(repr(x))
    return notebook.bundle(repr(x), notebook.view_html(view))


def executable_mimebundle(x: Any, **formats: object) -> notebook.Bundle:
    """The forms of an executable: text, and its graph before and after the passes."""
    made = graph_view(x.graph)
    html = f"{notebook.preformatted(repr(x))}{folded('compiled', made)}"
    return notebook.bundle(repr(x), html + folded("as written", graph_view(x.written)))


def session_mimebundle(session: Any, **formats: object) -> notebook.Bundle:
    """The forms of a session: text, and its variables and its graph."""
    try:
        graph = frozen_graph("display", session)
    except GradError:
        return notebook.bundle(repr(session))
    view = graph_view(graph, values=session.snapshot().values)
    variables = [n for n in view.nodes if n.role is Role.PARAMETER]
    html = notebook.preformatted(repr(session)) + notebook.arrays_table(variables)
    return notebook.bundle(repr(session), html + folded("graph", view))


def folded(title: str, view: GraphView) -> str:
    """A graph that is shown by a click."""
    return notebook.folded(f"{title}: {len(view):,} nodes", notebook.view_html(view))
