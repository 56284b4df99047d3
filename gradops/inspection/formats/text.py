"""Views as text, one node a line."""

from collections.abc import Mapping

from ..model import GraphView, NodeView, Role
from .labels import shown, visible

Names = Mapping[int, str]


def to_text(view: GraphView, lines: bool = True) -> str:
    """The view as text: leaves in the first line, then a line for each node, then the results.

    The line of a tape's node says what it keeps for its backward, and with `lines` each says where
    in the program its node was made.
    """
    names = {n.id: visible(n.name) for n in view.nodes}
    leaves = [n for n in view.nodes if n.is_leaf and n.role is not Role.CONSTANT]
    given = ", ".join(f"{names[n.id]}: {shown(n.type)}" for n in leaves)
    result = [f"{view.kind}({given})"]
    result += [line_of(n, names, view, lines) for n in view.nodes if not n.is_leaf]
    for v, new in view.updates:
        result.append(f"  update {names[v]} = {names[new]}")
    result.append(f"  return {', '.join(names[i] for i in view.outputs)}".rstrip())
    if view.kind == "tape":
        result.append(f"  {saved_bytes(view)} bytes kept for backward")
    return "\n".join(result)


def line_of(n: NodeView, names: Names, view: GraphView, with_line: bool) -> str:
    """A node with its operands, what it is, its line in the program and the memory it saves."""
    operands = [operand_text(view.by_id[i], names) for i in n.inputs]
    attrs = [f"{shown(k)}={shown(v)}" for k, v in n.attrs.items() if k != "freed"]
    text = f"  {names[n.id]}: {shown(n.type)} = {shown(n.op)}({', '.join([*operands, *attrs])})"
    size = sum(nbytes for _, nbytes in n.saved)
    notes = [
        shown(n.line) if with_line else "",
        "freed" if "freed" in n.attrs else f"keeps {size} bytes" if size else "",
        *(visible(label) for label in n.outputs if label != n.name),
    ]  # fmt: skip
    comment = ", ".join(filter(None, notes))
    return f"{text}  # {comment}" if comment else text


def operand_text(n: NodeView, names: Names) -> str:
    """An operand: its name, or the value of a constant."""
    if n.role is Role.CONSTANT and n.value is not None:
        return shown(n.value)
    return names[n.id]


def saved_bytes(view: GraphView) -> int:
    """The bytes of all saved values; those of one name are the same memory."""
    return sum({s.name: s.nbytes for n in view.nodes for s in n.saved}.values())
