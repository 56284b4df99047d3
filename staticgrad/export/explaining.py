"""Descriptions of single expressions, in words."""

from gradops.core.source_location import describe

from ..ir.expr import Expr, Kind, require_expression

SHOWN = 6  # users that are named


def explain(e: Expr) -> str:
    """A description of an expression: its operands, the lines that made it, and its readers.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> y = sg.tanh(x, name="y")
    >>> print(sg.explain(y))  # doctest: +ELLIPSIS
    y: float32[3] = tanh(x)
      made at ...
      x: float32[3], a placeholder, made at ...
      nothing reads it
    """
    require_expression("explain", e)
    lines = [f"{e.label} = {call_text(e)}", f"  made at {describe(e.place)}"]
    if e.origin is not None:
        line = describe(e.origin.place)
        lines.append(f"  it belongs to the gradient of {e.origin.label}, made at {line}")
    for x in dict.fromkeys(e.inputs):
        lines.append(f"  {x.label}, {kind_text(x)}, made at {describe(x.place)}")
    for x in e.control_inputs:
        lines.append(f"  it is run after {x.name}, made at {describe(x.place)}")
    return "\n".join([*lines, f"  {readers_text(e)}"])


def call_text(e: Expr) -> str:
    """The call of an expression, or the kind of a leaf."""
    if e.op is None and e.kind is not Kind.ASSIGN:
        return kind_text(e)
    attrs = [f"{k}={v!r}" for k, v in e.attrs.items() if e.op and v != e.op.defaults.get(k)]
    return f"{e.what}({', '.join([*(x.name for x in e.inputs), *attrs])})"


def kind_text(e: Expr) -> str:
    """The kind of an expression, with an article."""
    word = e.what if e.op is None else f"result of {e.what}"
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def readers_text(e: Expr) -> str:
    """The names of the expressions that are computed from one."""
    graph = e.names.graph() if e.names is not None else None
    members = graph.get_operations() if graph is not None else []
    result = [u.name for u in members if any(x is e for x in u.inputs)]
    if not result:
        return "nothing reads it"
    more = f" and {len(result) - SHOWN} more" if len(result) > SHOWN else ""
    return f"read by {', '.join(result[:SHOWN])}{more}"
