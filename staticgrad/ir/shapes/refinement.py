"""Refinement of shapes: sizes that a program knows and type inference does not.

Note [Refining]. An expression is immutable once it is used: by another expression, by a fetch or
by a feed. Until then `set_shape` may change its type, and `name=` its name. A shape that says more
than inference can is checked: that of a placeholder when it is fed; any other expression becomes
`ensure_shape` of what it was, which is computed under a name of its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradops import ArrayType, GraphError, ShapeError
from gradops.core.dims import Shape
from gradops.core.types import as_shape, as_size, conflict
from gradops.library.shape.ensure_shape import ensure_shape
from gradops.library.shape.movement import shape_text
from gradops.typing import ShapeLike, SizeLike

from ..errors import made_lines
from ..kinds import Kind

if TYPE_CHECKING:
    from ..expr import Expr

PartialShape = ShapeLike | Sequence[SizeLike | None] | None
"""A shape in which None is a size that nothing is said of; None says nothing of any."""


def refine(e: "Expr", shape: PartialShape) -> None:
    """Give an unused expression the shape that is now known. See Note [Refining]."""
    known = refined_shape(e, shape)
    if known == e.shape:
        return
    refuse_used(e)
    if e.kind is not Kind.PLACEHOLDER:
        check_when_run(e, known)
    e.type = ArrayType(known, e.dtype)


def refined_shape(e: "Expr", shape: PartialShape) -> Shape:
    """The shape of `e` with its unknown sizes replaced by those given."""
    if shape is None:
        return e.shape
    sizes = shape if isinstance(shape, list | tuple) else as_shape(shape)
    given = tuple([None if n is None else as_size(n) for n in sizes])
    known = [(n, m) for n, m in zip(given, e.shape) if isinstance(n, int)]
    if len(given) != e.ndim or any(n < 0 or conflict([n], [m]) for n, m in known):
        reason = f"it cannot have the shape {shape_text(tuple(sizes))}"
        error = ShapeError("set_shape", [e.label], reason)
        error.add_note(made_lines([e]))
        raise error
    return tuple([m if n is None or isinstance(m, int) else n for n, m in zip(given, e.shape)])


def refuse_used(e: "Expr") -> None:
    """Raise GraphError if something depends on the shape that `e` has had."""
    graph = e.graph
    users = graph.members.values() if graph is not None else ()
    user = next((u for u in users if any(x is e for x in (*u.inputs, *u.control_inputs))), None)
    if user is not None:
        why = f"{user.label} uses it"
    elif graph is not None and e in graph.frozen:
        why = "it has been fetched or fed"
    elif e.kind not in (Kind.OP, Kind.PLACEHOLDER) or type(e.type) is not ArrayType:
        why = f"it is a {e.what}"
    else:
        return
    raise GraphError(
        f"the shape of {e.label} cannot be refined: {why}"
        f"\n{made_lines([e] if user is None else [e, user])}"
        "\n  hint: go on with y = ensure_shape(x, shape)"
    )


def check_when_run(e: "Expr", shape: Shape) -> None:
    """Turn `e` into the check of a new expression, which computes what `e` did."""
    assert e.names is not None
    with e.names.scope(""):
        name = e.names.unique(f"{e.name}/unchecked")
    unchecked = e._replace(name=name, names=e.names, control_inputs=e.control_inputs)
    unchecked.number, e.number = e.number, unchecked.number
    e.names.add(unchecked)
    e.op, e.inputs, e.attrs = ensure_shape, (unchecked,), {"shape": shape}
