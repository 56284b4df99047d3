"""Mermaid, which Markdown pages show as a picture."""

from ..ir.graph import FrozenGraph, inner_graphs
from .drawing import DrawnNode, drawing

SHAPES = {
    "input": '(["{}"])', "constant": '["{}"]', "forward": '["{}"]', "backward": '{{{{"{}"}}}}',
}  # fmt: skip
CLASSES = """\
  classDef input fill:#dbeafe,stroke:#1e3a8a,color:#000
  classDef constant fill:#fff,stroke:#999,color:#000
  classDef forward fill:#dcfce7,stroke:#14532d,color:#000
  classDef backward fill:#fee2e2,stroke:#7f1d1d,color:#000"""


def to_mermaid(graph: FrozenGraph) -> str:
    """The graph as a Mermaid flowchart: inputs are rounded, backward nodes hexagons.

    A dotted edge joins a backward node and the forward node that caused it. The graphs of loops and
    branches stand in boxes of their own.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.to_mermaid(sg.freeze([sg.exp(x)], [x])).splitlines()[1])
      n0(["x<br>float32#91;3#93;"]):::input
    """
    lines = ["flowchart TD", *graph_lines(graph, "n")]
    for i, (each, name) in enumerate(inner_graphs(graph).items()):
        lines += [f'  subgraph g{i}["{escape(name)}"]', *graph_lines(each, f"n{i}_"), "  end"]
    return "\n".join([*lines, CLASSES]) + "\n"


def graph_lines(graph: FrozenGraph, prefix: str) -> list[str]:
    """The nodes and edges of a graph, whose ids begin with `prefix`."""
    nodes = drawing(graph).values()
    lines = [node_line(n, prefix) for n in nodes]
    lines += [f"  {prefix}{i} --> {prefix}{n.id}" for n in nodes for i in n.inputs]
    caused = [n for n in nodes if n.cause is not None]
    return lines + [f"  {prefix}{n.cause} -.- {prefix}{n.id}" for n in caused]


def node_line(n: DrawnNode, prefix: str) -> str:
    """One node, with its type."""
    label = "<br>".join(escape(text) for text in (n.title, str(n.expr.type)))
    return f"  {prefix}{n.id}{SHAPES[n.role].format(label)}:::{n.role}"


def escape(text: str) -> str:
    """Text inside Mermaid's quotes: characters that are not plain become their codes."""
    return "".join(c if c.isalnum() or c in " _.,-+*" else f"#{ord(c)};" for c in text)
