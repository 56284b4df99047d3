"""The tape in the formats of other tools: a function per format, all of one model of pictures.

Each takes the tensors whose history is shown, or a view that `from_json` has read; `part` is
"forward", "backward" or "both": a tape is shown with the backward that will run. Parameters have
their paths in modules, other tensors the names of the caller's variables; `names` gives others.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gradops.inspection.formats import as_json, dot, mermaid, networkx, svg, text, xml_graphs
from gradops.inspection.model import NOTHING, GraphView, PartName

from ..engine.handle import Handle
from .view import forward_view, tape_view

__all__ = [
    "from_json", "to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid", "to_networkx",
    "to_svg", "to_text",
]  # fmt: skip

Names = Mapping[str, Any]


def view_of(call: str, tensors: tuple[Any, ...], part: PartName, names: Names) -> GraphView:
    """The view of what a user wants to see."""
    if len(tensors) == 1 and isinstance(tensors[0], GraphView):
        return tensors[0].part(part)
    require_tensors(call, tensors)
    if part == "forward":
        return forward_view(*tensors, names=names)
    return tape_view(*tensors, names=names).part(part)


def require_tensors(call: str, tensors: Sequence[Any]) -> None:
    """Raise TypeError for what has no tape."""
    for t in tensors:
        if not isinstance(t, Handle):
            raise TypeError(
                f"{call} takes tensors, whose history it shows, not {t!r}"
                "\n  hint: of a module, give what it computes, such as the loss"
            )


def to_text(*tensors: Any, part: PartName = "forward", names: Names = NOTHING) -> str:
    """The recorded operations that tensors depend on, one a line, with the memory they save.

    >>> x = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> print(dg.to_text((x * x).sum()))  # doctest: +ELLIPSIS
    tape(x: float32[2])
      mul: float32[2] = mul(x, x)  # ...keeps 8 bytes
      sum: float32[] = sum(mul...)  # ...
      return sum
      8 bytes kept for backward
    """
    return text.to_text(view_of("to_text", tensors, part, names))


def to_dot(*tensors: Any, part: PartName = "both", names: Names = NOTHING) -> str:
    """The tape in DOT, for Graphviz: leaves are ellipses, operations boxes, backward hexagons.

    >>> x = dg.ones(2, requires_grad=True)
    >>> print(dg.to_dot(x * x).splitlines()[0])
    digraph graph_ {
    """
    return dot.to_dot(view_of("to_dot", tensors, part, names))


def to_mermaid(
    *tensors: Any, part: PartName = "both", names: Names = NOTHING, limit: int = mermaid.LIMIT
) -> str:
    """The tape as a Mermaid flowchart, which Markdown pages show as a picture.

    Raises OptionError for more than `limit` nodes or edges: Mermaid refuses more than 500 edges.

    >>> x = dg.ones(2, requires_grad=True)
    >>> print(dg.to_mermaid(x * x).splitlines()[1])
      n0(["x<br>float32#91;2#93;"]):::parameter
    """
    return mermaid.to_mermaid(view_of("to_mermaid", tensors, part, names), limit)


def to_json(*tensors: Any, part: PartName = "both", names: Names = NOTHING) -> str:
    """The tape as JSON, which `from_json` reads back as a view.

    The document is described by the JSON schema `gradops/inspection/formats/schema.json`.

    >>> import json
    >>> x = dg.ones(2, requires_grad=True)
    >>> json.loads(dg.to_json(x * x))["nodes"][1]["saved"]
    [['x', 8]]
    """
    return as_json.to_json(view_of("to_json", tensors, part, names))


def from_json(document: str) -> GraphView:
    """The view of the tape or graph that `to_json` wrote, which other formats take.

    >>> x = dg.ones(2, requires_grad=True)
    >>> y = x.exp()
    >>> dg.to_dot(dg.from_json(dg.to_json(y))) == dg.to_dot(y)
    True
    """
    return as_json.from_json(document)


def to_networkx(*tensors: Any, part: PartName = "both", names: Names = NOTHING) -> Any:
    """The tape as a `networkx.MultiDiGraph` that has all facts of its nodes as words and numbers.

    The `position` of an edge is the number of the operand.

    >>> x = dg.ones(2, requires_grad=True)
    >>> sorted(dg.to_networkx(1 - x, part="forward").edges(data="position"))
    [(0, 2, 1), (1, 2, 0)]
    """
    return networkx.to_networkx(view_of("to_networkx", tensors, part, names))


def to_graphml(*tensors: Any, part: PartName = "both", names: Names = NOTHING) -> str:
    """The tape as GraphML, which networkx, yEd and Gephi read.

    >>> x = dg.ones(2, requires_grad=True)
    >>> dg.to_graphml(x * x).startswith("<?xml")
    True
    """
    return xml_graphs.to_graphml(view_of("to_graphml", tensors, part, names))


def to_gexf(*tensors: Any, part: PartName = "both", names: Names = NOTHING) -> str:
    """The tape as GEXF, which Gephi reads.

    >>> x = dg.ones(2, requires_grad=True)
    >>> "<gexf" in dg.to_gexf(x * x)
    True
    """
    return xml_graphs.to_gexf(view_of("to_gexf", tensors, part, names))


def to_svg(*tensors: Any, part: PartName = "both", names: Names = NOTHING) -> str:
    """The tape as a picture: what was recorded at the left, its backward at the right.

    >>> x = dg.ones(2, requires_grad=True)
    >>> dg.to_svg(x * x).startswith("<svg")
    True
    """
    return svg.to_svg(view_of("to_svg", tensors, part, names))
