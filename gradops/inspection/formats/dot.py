"""DOT, the language of Graphviz.

Note [Mirror in DOT]. Graphviz ranks by edges, forwards. So edges between backward nodes are written
against their direction, with the arrow at the other end: the backward flows upwards beside the
forward, and what reads across has no say in ranks.
"""

from collections.abc import Iterator

from ..model import GraphView, NodeView, Role
from .labels import label_lines, shown, tooltip

STYLES = {
    Role.INPUT: 'shape=ellipse, fillcolor="#dbeafe"',
    Role.PARAMETER: 'shape=ellipse, fillcolor="#fde68a"',
    Role.CONSTANT: 'shape=plaintext, fillcolor="#ffffff"',
    Role.FORWARD: 'shape=box, fillcolor="#dcfce7"',
    Role.BACKWARD: 'shape=hexagon, fillcolor="#fee2e2"',
    Role.UPDATE: 'shape=octagon, fillcolor="#ede9fe"',
}
SIDES = (Role.FORWARD, Role.BACKWARD, Role.UPDATE)
CAUSED = '[style=dotted, arrowhead=none, constraint=false, color="#9ca3af"]'
ACROSS = '[constraint=false, color="#6b7280"]'


def to_dot(view: GraphView) -> str:
    """The view in DOT: leaves are ellipses, forward nodes boxes, backward nodes hexagons.

    Forward, backward and updates have a box each. A dotted edge leads from a backward node to the
    forward node that caused it. Results have a bold outline; the graphs of loops and branches stand
    in boxes of their own.
    """
    lines = ["digraph graph_ {", "  node [style=filled, fontname=Helvetica];"]
    for i, (name, inner) in enumerate(view.graphs.items()):
        lines += [f"  subgraph cluster_graph_{i} {{", f"    label={quoted(name)};"]
        lines += [*(f"  {line}" for line in graph_lines(inner, f"g{i}_")), "  }"]
    return "\n".join([*lines, *graph_lines(view, ""), "}"]) + "\n"


def graph_lines(view: GraphView, prefix: str) -> Iterator[str]:
    """The nodes and edges of a graph, whose ids begin with `prefix`."""
    sides = {role: [n for n in view.nodes if n.role is role] for role in SIDES}
    several = sum(map(bool, sides.values())) > 1
    results = view.results
    for n in view.nodes:
        if n.is_leaf or not several:
            yield node_line(n, prefix, n.id in results)
    for role, nodes in sides.items() if several else ():
        if nodes:
            yield f"  subgraph cluster_{prefix}{role} {{"
            yield f'    label="{role}"; style=rounded; color="#9ca3af";'
            for n in nodes:
                yield f"  {node_line(n, prefix, n.id in results)}"
            yield "  }"
    yield from edge_lines(view, prefix)


def edge_lines(view: GraphView, prefix: str) -> Iterator[str]:
    """The edges of operands and of causes. See Note [Mirror in DOT]."""
    roles = {n.id: n.role for n in view.nodes}
    mirrored = Role.FORWARD in roles.values()
    for n in view.nodes:
        node = f"{prefix}n{n.id}"
        for i in n.inputs:
            if n.role is not Role.BACKWARD or not mirrored:
                yield f"  {prefix}n{i} -> {node};"
            elif roles[i] is Role.BACKWARD:
                yield f"  {node} -> {prefix}n{i} [dir=back];"
            else:
                yield f"  {prefix}n{i} -> {node} {ACROSS};"
        if n.cause is not None:
            yield f"  {node} -> {prefix}n{n.cause} {CAUSED};"


def node_line(n: NodeView, prefix: str, is_result: bool) -> str:
    """One node, with its type and line; results have a bold outline."""
    lines = [*label_lines(n), shown(n.line)] if n.line else label_lines(n)
    label = "\\n".join(map(escape, lines))
    bold = ", penwidth=2" if is_result else ""
    said = escape(tooltip(n))
    return f'  {prefix}n{n.id} [label="{label}", tooltip="{said}", {STYLES[n.role]}{bold}];'


def escape(text: str) -> str:
    """Text inside DOT's quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def quoted(text: str) -> str:
    """Text as DOT has it, in quotes."""
    return f'"{escape(shown(text))}"'
