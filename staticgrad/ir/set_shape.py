"""Refining: what a program knows of a shape, and type inference does not.

Note [Refining]. An expression is built once and does not change; its shape alone may become better
known, in place and before anything uses it. What claims more than inference can has to check it: a
placeholder when it is fed, and any other expression by becoming `ensure_shape` of what it was,
which computes it under a name of its own.
"""

from typing import Any

from gradops import ArrayType, GraphError, ShapeError
from gradops.core.dims import Shape
from gradops.core.types import as_shape, as_size, conflict
from gradops.library.shape.ensure_shape import ensure_shape
from gradops.library.shape.movement import shape_text

from .errors import made_lines
from .expr import Expr, Kind, clock


def refine(e: Expr, shape: Any) -> None:
    """Let `e` have the shape that is known of it now. See Note [Refining]."""
    known = merged(e, shape)
    if known == e.shape:
        return
    refuse_used(e)
    if e.kind is not Kind.PLACEHOLDER:
        check_when_run(e, known)
    e.type = ArrayType(known, e.dtype)


def merged(e: Expr, shape: Any) -> Shape:
    """The shape of `e` with sizes in it that were not known; None says nothing."""
    if shape is None:
        return e.shape
    sizes: Any = shape if isinstance(shape, list | tuple) else as_shape(shape)
    given = tuple([None if n is None else as_size(n) for n in sizes])
    wrong = any(
        isinstance(n, int) and (n < 0 or conflict([n], [m])) for n, m in zip(given, e.shape)
    )
    if wrong or len(given) != e.ndim:
        error = ShapeError(
            "set_shape", [e.label], f"it cannot have the shape {shape_text(tuple(sizes))}"
        )
        error.add_note(made_lines([e]))
        raise error
    return tuple([m if n is None or isinstance(m, int) else n for n, m in zip(given, e.shape)])


def refuse_used(e: Expr) -> None:
    """Raise GraphError if something was built on `e`, with the shape it has had."""
    graph = None if e.names is None else e.names.graph()
    users = graph.members.values() if graph is not None else ()
    used = [u for u in users if any(x is e for x in (*u.inputs, *u.control_inputs))]
    if used or e.kind not in (Kind.OP, Kind.PLACEHOLDER) or type(e.type) is not ArrayType:
        why = f"{used[0].label} uses it" if used else f"it is a {e.what}"
        raise GraphError(
            f"the shape of {e.label} cannot be refined: {why}\n{made_lines([e, *used[:1]])}"
            "\n  hint: go on with y = ensure_shape(x, shape)"
        )


def check_when_run(e: Expr, shape: Shape) -> None:
    """Make of `e` the check of what it was."""
    assert e.names is not None
    with e.names.opened(""):
        name = e.names.unique(f"{e.name}/unchecked")
    was = Expr(
        e.kind, e.type, name, e.names, op=e.op, inputs=e.inputs, attrs=e.attrs, place=e.place,
        origin=e.origin, control_inputs=e.control_inputs,
    )  # fmt: skip
    was.number, e.number = e.number, next(clock)
    e.names.add(was)
    e.op, e.inputs, e.attrs = ensure_shape, (was,), {"shape": shape}
