"""A run of a model as the nodes that TensorBoard draws: operations in the scopes of modules."""

from collections.abc import Callable, Mapping
from typing import Any

from gradops import OptionError, leaves_of
from gradops.inspection.event_files.graph_def import GraphNode
from gradops.inspection.model import NodeView, Role

from ..engine.grad_mode import RECORDING
from ..engine.handle import Handle
from .sampling import NodeObserver, running_modules
from .variable_names import names_of_tensors
from .view import Builder, vertices_of

OPS = {"leaf": "variable", "parameter": "variable", "data": "placeholder"}


def graph_nodes(model: Callable[..., Any], inputs: Any) -> list[GraphNode]:
    """The operations that a call of the model records, each after its operands.

    `inputs` are its arguments: one, or a tuple or list of several. Raises OptionError if nothing is
    recorded, as no parameter and no input requires a gradient.
    """
    args = inputs if isinstance(inputs, tuple | list) else (inputs,)
    scopes: dict[int, str] = {}
    with running_modules() as running:
        note = NodeObserver(lambda node: scopes.update({node.number: running[-1]}))
        token = RECORDING.set(note)
        try:
            outputs = [t for t in leaves_of(model(*args)) if isinstance(t, Handle) and t.node]
        finally:
            RECORDING.reset(token)
    if not outputs:
        hint = "a parameter or an input with requires_grad=True is recorded"
        raise OptionError("add_graph", [], "the call of the model records nothing", hint=hint)
    order = vertices_of(outputs)
    builder = Builder(names_of_tensors(order))
    for v in order:
        builder.add(v)
    scope_of = {builder.ids[id(v)]: scopes[v.number] for v in order if v.number in scopes}
    names = {n.id: full_name(n, scope_of) for n in builder.nodes}
    return [graph_node(n, names) for n in builder.nodes]


def full_name(n: NodeView, scopes: Mapping[int, str]) -> str:
    """The name with its scope: the path of a parameter, or of the module that runs an operation."""
    if n.role in (Role.PARAMETER, Role.INPUT):
        return n.name.replace(".", "/")
    scope = scopes.get(n.id) or n.scope
    return f"{scope}/{n.name}" if scope else n.name


def graph_node(n: NodeView, names: Mapping[int, str]) -> GraphNode:
    """A node of a tape as TensorBoard draws it."""
    line = {"line": n.line} if n.line else {}
    return GraphNode(
        names[n.id], OPS.get(n.op, n.op), [names[i] for i in n.inputs], (), n.shape,
        n.dtype or None, {**line, **n.attrs},
    )  # fmt: skip
