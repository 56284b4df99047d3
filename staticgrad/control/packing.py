"""The ops of residuals: what a call or branch saves for its backward, packed into one value.

Note [Packing]. The backward of a function reads intermediate values of it. If each were an operand,
a function that calls another one twice would pass on twice as many, and the text of ten nested
functions would grow a thousandfold. So a call or branch returns its residuals as one value, of a
type that does not list its contents; the backward unpacks it, and the residuals of an inner call
are again one value in it. The cotangent of such a value has the same form.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, Op, ShapeError
from gradops.core.rules import JointJVP, JointVJP
from gradops.typing import Attrs

from ..ir.expr import Expr, apply, new_constant
from ..ir.names import Names
from ..ir.tuple_types import ResidualsType, carries_derivatives
from .stacks import (
    CONTROL,
    Cotangent,
    Flags,
    PartialCotangent,
    Value,
    add_batch_axes,
    all_batched,
    as_expr,
    batch_size,
    cotangent_like,
    no_samples,
    with_batch_axis,
    zeros,
    zeros_like,
)


def as_tuple(*values: Value, type: ArrayType) -> tuple[Value, ...]:
    """The kernel of `pack`."""
    return values


def pack_infer(*types: ArrayType, type: ArrayType) -> ArrayType:
    """The type of residuals."""
    return require_residuals("pack", type)


def require_residuals(op: str, type: ArrayType) -> ResidualsType:
    """The type; raises ShapeError unless it is one of residuals."""
    if not isinstance(type, ResidualsType):
        raise ShapeError(op, [type], "it is not the type of residuals")
    return type


def pack_vjp(
    wanted: Sequence[int], g: Cotangent, y: Expr, *values: Expr, type: ArrayType
) -> list[Cotangent | None]:
    """Cotangents of the packed values."""
    return [unpacked_cotangent(as_expr(g), i, values[i]) for i in wanted]


def unpacked_cotangent(g: Expr, index: int, x: Expr) -> Cotangent | None:
    """The cotangent of `x`, value `index` of residuals with cotangent `g`; None for integers."""
    if not carries_derivatives(x.type):
        return None
    return cotangent_like(x, unpack(g, index=index, type=x.type))


def pack_jvp(tangents: Mapping[int, Expr], y: Expr, *values: Expr, type: ArrayType) -> Expr:
    """Tangents of all values, zeros for those that have none."""
    moved = [tangents[i] if i in tangents else zeros_like(x) for i, x in enumerate(values)]
    return pack(*moved, type=type)


def pack_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch residuals: all values get a leading batch axis."""
    size = batch_size(stacks, batched)
    type = with_batch_axis(attrs["type"], size)
    return op(*add_batch_axes(stacks, batched, size), type=type)


pack: Op = Op(
    name="pack", kernel=as_tuple, infer=pack_infer, arity=None, traits=CONTROL,
    source="({operands},)", vjp=JointVJP(pack_vjp), jvp=JointJVP(pack_jvp), batch=pack_batch,
    doc="The residuals of a call or branch as one value.", samples=no_samples,
)  # fmt: skip


def pack_values(names: Names, values: Sequence[Expr]) -> Expr:
    """Values packed as residuals; if there are none, a constant is packed."""
    type = ResidualsType(())
    return apply(names, pack, tuple(values) or (unused_value(names),), {"type": type}, type)


def unused_value(names: Names) -> Expr:
    """A constant in the place of a value that is never read."""
    return new_constant(names, np.zeros((), np.bool_), "nothing")


def unpack_values(residuals: Expr, like: Sequence[Expr]) -> list[Expr]:
    """The values in residuals, which have the types of `like`."""
    return [unpack(residuals, index=i, type=e.type) for i, e in enumerate(like)]


def get_value(values: Sequence[Value], index: int, type: ArrayType) -> Value:
    """The kernel of `unpack`."""
    return values[index]


def unpack_infer(residuals: ArrayType, index: int, type: ArrayType) -> ArrayType:
    """The type that the attribute says; residuals do not list their contents."""
    require_residuals("unpack", residuals)
    if not isinstance(type, ArrayType) or not isinstance(index, int) or index < 0:
        raise ShapeError("unpack", [residuals], f"there is no value {index} of type {type}")
    return type


def unpack_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch an unpacked value, whose batch axis comes first."""
    size = batch_size(stacks, batched)
    return op(stacks[0], index=attrs["index"], type=with_batch_axis(attrs["type"], size))


def unpack_vjp(
    g: Cotangent, y: Expr, residuals: Expr, index: int, type: ArrayType
) -> PartialCotangent:
    """The cotangent of residuals of which one value has a cotangent."""
    return PartialCotangent(residuals, {index: g})


def unpack_jvp(t: Expr, y: Expr, residuals: Expr, index: int, type: ArrayType) -> Expr | None:
    """The tangent of one value, None for integers."""
    return unpack(t, index=index, type=type) if carries_derivatives(type) else None


unpack: Op = Op(
    name="unpack", kernel=get_value, infer=unpack_infer, traits=CONTROL, source="{0}[{index}]",
    vjp=[unpack_vjp], jvp=[unpack_jvp], batch=unpack_batch,
    doc="One of the values in residuals.", samples=no_samples,
)  # fmt: skip


def with_zeros(*operands: Any, places: tuple[int, ...]) -> tuple[Value, ...]:
    """Values at `places`, and zeros like those of the first operand elsewhere."""
    result = dict(zip(places, operands[1:], strict=True))
    return tuple([result[i] if i in result else zeros(x) for i, x in enumerate(operands[0])])


def zero_but_infer(values: ArrayType, *given: ArrayType, places: tuple[int, ...]) -> ArrayType:
    """The type of the residuals."""
    if len(given) != len(places):
        raise ShapeError("zero_but", [values, *given], f"{len(places)} places are named")
    return require_residuals("zero_but", values)


def zero_but_vjp(
    wanted: Sequence[int], g: Cotangent, y: Expr, *values: Expr, places: tuple[int, ...]
) -> list[Cotangent | None]:
    """Cotangents of the given values."""
    return [unpacked_cotangent(as_expr(g), places[i - 1], values[i]) if i else None for i in wanted]


def zero_but_jvp(
    tangents: Mapping[int, Expr], y: Expr, *values: Expr, places: tuple[int, ...]
) -> Expr | None:
    """Tangents of the given values."""
    given = [i for i in tangents if i]
    if not given:
        return None
    return zero_but(
        values[0], *(tangents[i] for i in given), places=tuple([places[i - 1] for i in given])
    )


zero_but: Op = Op(
    name="zero_but", kernel=with_zeros, infer=zero_but_infer, arity=None, traits=CONTROL,
    source="zero_but({operands}, places={places})",
    vjp=JointVJP(zero_but_vjp), jvp=JointJVP(zero_but_jvp), batch=all_batched,
    doc="Zeros like residuals, except for some values.", samples=no_samples,
)  # fmt: skip
