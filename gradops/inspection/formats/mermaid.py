"""Mermaid, which Markdown pages show as a picture."""

from collections.abc import Iterator

from ...core.errors import OptionError
from ..model import GraphView, NodeView, Role
from .labels import label_lines, shown

LIMIT = 500  # edges that Mermaid draws unless it is configured otherwise
CHARACTERS = 50_000  # and characters that it reads
SHAPES = {
    Role.INPUT: '(["{}"])', Role.PARAMETER: '(["{}"])', Role.CONSTANT: '["{}"]',
    Role.FORWARD: '["{}"]', Role.BACKWARD: '{{{{"{}"}}}}', Role.UPDATE: '[["{}"]]',
}  # fmt: skip
CLASSES = """\
  classDef input fill:#dbeafe,stroke:#1e3a8a,color:#000
  classDef parameter fill:#fde68a,stroke:#78350f,color:#000
  classDef constant fill:#fff,stroke:#999,color:#000
  classDef forward fill:#dcfce7,stroke:#14532d,color:#000
  classDef backward fill:#fee2e2,stroke:#7f1d1d,color:#000
  classDef update fill:#ede9fe,stroke:#4c1d95,color:#000"""
SIDES = (Role.FORWARD, Role.BACKWARD, Role.UPDATE)


def to_mermaid(view: GraphView, limit: int = LIMIT) -> str:
    """The view as a Mermaid flowchart: inputs are rounded, backward nodes hexagons.

    A dotted edge joins a backward node and the forward node that caused it. The graphs of loops and
    branches stand in boxes of their own. Raises OptionError for more than `limit` nodes or edges,
    or more text in proportion: more than 500 edges and 50,000 characters Mermaid draws only where
    it is configured to.
    """
    require_few(view, limit)
    lines = ["flowchart TD", *graph_lines(view, "")]
    for i, (name, inner) in enumerate(view.graphs.items()):
        lines += [
            f'  subgraph g{i}["{escape(shown(name))}"]',
            *graph_lines(inner, f"g{i}_"),
            "  end",
        ]
    text = "\n".join([*lines, CLASSES]) + "\n"
    if len(text) > limit * CHARACTERS // LIMIT:
        raise too_large(f"{len(text):,} characters", limit)
    return text


def require_few(view: GraphView, limit: int) -> None:
    """Raise OptionError for more nodes or edges than the limit."""
    nodes = [n for each in (view, *view.graphs.values()) for n in each.nodes]
    edges = sum(len(n.inputs) + (n.cause is not None) for n in nodes)
    for count, what in ((len(nodes), "nodes"), (edges, "edges")):
        if count > limit:
            raise too_large(f"{count:,} {what}", limit)


def too_large(size: str, limit: int) -> OptionError:
    """The error for a picture that Mermaid would refuse."""
    return OptionError(
        "to_mermaid", [], f"the picture has {size}; the limit is {limit:,}, as in Mermaid",
        hint='part="forward" or "backward" draws one side; to_svg and to_dot have no limit; a'
        " higher limit= is for a page where Mermaid's maxEdges and maxTextSize are higher",
    )  # fmt: skip


def graph_lines(view: GraphView, prefix: str) -> Iterator[str]:
    """The nodes and edges of a graph, whose ids begin with `prefix`."""
    sides = {role: [n for n in view.nodes if n.role is role] for role in SIDES}
    several = sum(map(bool, sides.values())) > 1
    yield from (node_line(n, prefix) for n in view.nodes if n.is_leaf or not several)
    for role, nodes in sides.items() if several else ():
        if nodes:
            yield f"  subgraph {prefix}{role}_side[{role}]"
            yield from (node_line(n, prefix) for n in nodes)
            yield "  end"
    for n in view.nodes:
        yield from (f"  {prefix}n{i} --> {prefix}n{n.id}" for i in n.inputs)
        if n.cause is not None:
            yield f"  {prefix}n{n.cause} -.- {prefix}n{n.id}"


def node_line(n: NodeView, prefix: str) -> str:
    """One node, with its type."""
    label = "<br>".join(map(escape, label_lines(n)))
    return f"  {prefix}n{n.id}{SHAPES[n.role].format(label)}:::{n.role}"


def escape(text: str) -> str:
    """Text inside Mermaid's quotes: characters that are not plain become their codes."""
    return "".join(c if c.isalnum() or c in " _.,-+*" else f"#{ord(c)};" for c in text)
