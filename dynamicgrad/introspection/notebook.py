"""Displays of tensors and modules in notebooks."""

from collections import Counter
from typing import Any

from gradops.inspection import notebook
from gradops.inspection.formats.text import saved_bytes
from gradops.inspection.model import NodeView, Role

from .view import array_of, tape_view, type_facts, vertices_of


def tensor_mimebundle(t: Any, include: object = None, exclude: object = None) -> notebook.Bundle:
    """The forms of a tensor: text, and if it has a history, its tape below the text."""
    text = repr(t)
    if t.grad_fn is None:
        return notebook.bundle(text)
    return notebook.bundle(text, notebook.preformatted(text) + tape_html(t))


def tape_html(t: Any) -> str:
    """The tape of a tensor, which opens by a click."""
    order = vertices_of([t])
    if len(order) > notebook.LIMIT:
        counts = Counter(str(v.op) for v in order if v.op is not None)
        title = f"tape of {sum(counts.values()):,} operations"
        return notebook.folded(title, notebook.counts_table(counts))
    view = tape_view(t)
    count = len([n for n in view.nodes if n.role is Role.FORWARD])
    title = f"tape of {count} operations, {saved_bytes(view)} bytes kept"
    return notebook.folded(title, notebook.view_html(view))


def module_mimebundle(m: Any, include: object = None, exclude: object = None) -> notebook.Bundle:
    """The forms of a module: text, and its parameters in a table."""
    nodes: list[NodeView] = []
    for name, p in m.named_parameters():
        shape, dtype, nbytes = type_facts(p)
        nodes.append(
            NodeView(
                len(nodes), name, "parameter", (), shape, dtype, Role.PARAMETER, nbytes=nbytes,
                data=array_of(p),
            )
        )  # fmt: skip
    text = repr(m)
    count = sum(p.numel() for p in m.parameters())
    title = f"{len(nodes)} parameters of {count:,} entries"
    parameters = notebook.folded(title, notebook.arrays_table(nodes)) if nodes else ""
    return notebook.bundle(text, notebook.preformatted(text) + parameters)
