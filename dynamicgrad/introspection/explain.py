"""Explains why a tensor has the gradient it has, or has none."""

from gradops.core.source_location import describe
from gradops.inspection.formats.labels import visible
from gradops.inspection.formats.text import operand_text, saved_bytes
from gradops.inspection.model import GraphView, NodeView, Role

from ..engine.backward import why_no_history
from ..engine.node import Leaf
from ..engine.tensor import Tensor
from .view import forward_view

SHOWN = 6  # leaves that are named


def explain(t: Tensor) -> str:
    """The role of a tensor in differentiation, and the reason for its `.grad`, in words.

    Of a result it says what it was computed from, and what is kept for backward.

    >>> w = dg.tensor(3.0, requires_grad=True)
    >>> print(dg.explain(w))
    a float32[] leaf that requires gradients, whose .grad is None: no backward() has reached it
    since it was made or its .grad was set to None. Was the loss computed from this very tensor?
    If so: autograd.grad() gives gradients and leaves .grad alone, and
    backward(inputs=...) reaches its inputs only.
    """
    if t.node is None:
        return f"a {t.type} that requires no gradients: {why_no_history(t)}"
    if type(t.node) is Leaf:
        return leaf_text(t)
    view = forward_view(t)
    origin = f"a {t.type} result of {call_text(view)}, made at {describe(t.node.place)}"
    forward = "".join(f"\n  {line}" for line in forward_lines(view))
    if t.retains_grad:
        return f"{origin}, that retains its gradient{forward}"
    return (
        f"{origin}{forward}\n"
        "Only leaves keep a .grad: call retain_grad() on it before backward();\n"
        "or, if it is meant to be a parameter, update the leaf in place under no_grad() and do not"
        " rebind its name"
    )


def call_text(view: GraphView) -> str:
    """The operation that made a tensor, with its operands."""
    n = view.by_id[view.outputs[0]]
    names = {i: visible(view.by_id[i].name) for i in n.inputs}
    return f"{n.op}({', '.join(operand_text(view.by_id[i], names) for i in n.inputs)})"


def forward_lines(view: GraphView) -> list[str]:
    """What a tensor was computed from: its operands, and all that it depends on."""
    n = view.by_id[view.outputs[0]]
    operands = [view.by_id[i] for i in dict.fromkeys(n.inputs)]
    lines = [origin_text(x) for x in operands if x.role is not Role.CONSTANT]
    count = sum(not m.is_leaf for m in view.nodes)
    leaves = [m.name for m in view.nodes if m.role is Role.PARAMETER]
    more = f" and {len(leaves) - SHOWN} more" if len(leaves) > SHOWN else ""
    by = f"{count} operation" + "s" * (count > 1)
    keeps = f"; {size} bytes are kept for backward" if (size := saved_bytes(view)) else ""
    return [*lines, f"it depends on {', '.join(leaves[:SHOWN])}{more} by {by}{keeps}"]


def origin_text(n: NodeView) -> str:
    """An operand: its name, its type, and what it is."""
    if n.role is Role.PARAMETER:
        return f"{n.name}: {n.type}, a leaf"
    if n.is_leaf:
        return f"{n.name}: {n.type}, data that requires no gradient"
    return f"{n.name}: {n.type}, made at {n.line}"


def leaf_text(t: Tensor) -> str:
    """The explanation for a leaf that requires gradients."""
    what = f"a {t.type} leaf that requires gradients, whose .grad is "
    if t.node.grad is not None:
        return what + "what backward() added up since it was last None or zero"
    return what + (
        "None: no backward() has reached it\nsince it was made or its .grad was set to None. Was"
        " the loss computed from this very tensor?\nIf so: autograd.grad() gives gradients and"
        " leaves .grad alone, and\nbackward(inputs=...) reaches its inputs only."
    )
