"""Verification: a frozen graph is well formed, expression by expression."""

from gradops import GraphError
from gradops.core.dims import UNKNOWN

from .expr import Expr
from .graph import FrozenGraph, require_frozen
from .kinds import Kind


def verify(graph: FrozenGraph) -> None:
    """Raise GraphError, naming the expression, unless the graph is well formed.

    Inputs come before their users, leaves have none, every type is what the op gives for its
    inputs, and updates give variables values of their own type.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> sg.verify(sg.freeze([sg.tanh(x)], [x]))
    """
    seen: set[Expr] = set()
    for e in require_frozen("verify", graph).order:
        if not seen.issuperset(e.inputs):
            raise GraphError(f"{e.label} comes before one of its inputs")
        check_expression(e)
        seen.add(e)
    for variable, new in graph.updates:
        if variable.kind is not Kind.VARIABLE or variable.type != new.type:
            raise GraphError(f"{variable.label} is updated with {new.label}")


def check_expression(e: Expr) -> None:
    """Check one expression by itself."""
    if e.op is None:
        if e.inputs or e.kind in (Kind.OP, Kind.ASSIGN):
            raise GraphError(f"{e.label} is a {e.kind.value} and cannot stand in a frozen graph")
        return
    inferred = e.op.infer(*[x.type for x in e.inputs], **e.attrs)
    sizes = zip(inferred.shape, e.shape, strict=False)
    same = inferred.ndim == len(e.shape) and all(m in (n, UNKNOWN) for m, n in sizes)
    if not same or inferred.dtype != e.dtype:
        raise GraphError(f"{e.label} has another type than {e.op} gives: {inferred}")
