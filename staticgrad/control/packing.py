"""The ops of residuals: what a call or branch keeps for its backward, as one value.

Note [Packing]. The backward of a function reads values from within it. Were each an operand, then a
function that calls another one twice would hand on twice as many as that, and the text of ten such
functions within one another would grow a thousandfold. So a call or branch gives all that it keeps
as one value, of a type that does not say what is in it; the backward takes it apart, and there,
too, what an inner call kept is one value. The cotangent of such a value has the same form.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, Op, ShapeError
from gradops.core.rules import Jointly, Selective

from ..ir.expr import Expr, apply, new_constant
from ..ir.names import Names
from ..ir.tuple_types import ResidualsType, carries_derivatives
from .stacks import (
    CONTROL,
    Flags,
    Partly,
    no_samples,
    plain,
    share_of,
    size_of,
    spread_all,
    spread_batch,
    with_examples,
    zeros,
    zeros_like,
)


def together(*values: Any, type: ArrayType) -> tuple[Any, ...]:
    """Several values as one."""
    return values


def pack_infer(*types: ArrayType, type: ArrayType) -> ArrayType:
    """The type of residuals."""
    return require_residuals("pack", type)


def require_residuals(op: str, type: Any) -> ResidualsType:
    """Refuse the type of anything but residuals."""
    if not isinstance(type, ResidualsType):
        raise ShapeError(op, [type], "it is not the type of residuals")
    return type


def pack_shares(
    wanted: Sequence[int], g: Any, y: Any, *values: Any, type: ArrayType
) -> Callable[[int], Any]:
    """The cotangents of values, taken from the cotangent of all."""
    return lambda i: taken_out(plain(g), i, values[i])


def taken_out(g: Any, index: int, x: Any) -> Any:
    """The cotangent of `x` in that of residuals of which it is value `index`; None for integers."""
    if not carries_derivatives(x.type):
        return None
    return share_of(x, unpack(g, index=index, type=x.type))


def pack_push(tangents: Mapping[int, Any], y: Any, *values: Any, type: ArrayType) -> Any:
    """The tangents of all values, zeros for those that do not move."""
    moved = [tangents[i] if i in tangents else zeros_like(x) for i, x in enumerate(values)]
    return pack(*moved, type=type)


def pack_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """Values of which all have the examples in front."""
    size = size_of(stacks, batched)
    type = with_examples(attrs["type"], size)
    return op(*spread_all(stacks, batched, size), type=type)


pack: Op = Op(
    name="pack", kernel=together, infer=pack_infer, arity=None, traits=CONTROL,
    source="({operands},)", vjp=Selective(pack_shares), jvp=Jointly(pack_push), batch=pack_batch,
    doc="What a call or branch keeps for its backward, as one value.", samples=no_samples,
)  # fmt: skip


def packed(names: Names, values: Sequence[Expr]) -> Expr:
    """Values as residuals; where there are none, `nothing` is put in."""
    type = ResidualsType(())
    return apply(names, pack, tuple(values) or (nothing(names),), {"type": type}, type)


def nothing(names: Names) -> Expr:
    """A constant in the place of a value that nobody reads."""
    return new_constant(names, np.zeros((), np.bool_), "nothing")


def unpacked(residuals: Any, like: Sequence[Expr]) -> list[Expr]:
    """The values in residuals, of the types of those that were packed."""
    return [unpack(residuals, index=i, type=e.type) for i, e in enumerate(like)]


def one_of(values: Any, index: int, type: ArrayType) -> Any:
    """One of the values."""
    return values[index]


def unpack_infer(residuals: ArrayType, index: int, type: ArrayType) -> ArrayType:
    """The type that it has by the attribute: residuals do not say what is in them."""
    require_residuals("unpack", residuals)
    if not isinstance(type, ArrayType) or not isinstance(index, int) or index < 0:
        raise ShapeError("unpack", [residuals], f"there is no value {index} of type {type}")
    return type


def unpack_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """A value that has the examples in front."""
    size = size_of(stacks, batched)
    return op(stacks[0], index=attrs["index"], type=with_examples(attrs["type"], size))


def unpack_pull(g: Any, y: Any, residuals: Any, index: int, type: ArrayType) -> Any:
    """The cotangent of residuals, of which one value is known."""
    return Partly(residuals, {index: g})


def unpack_push(t: Any, y: Any, residuals: Any, index: int, type: ArrayType) -> Any:
    """The tangent of one value."""
    return unpack(t, index=index, type=type) if carries_derivatives(type) else None


unpack: Op = Op(
    name="unpack", kernel=one_of, infer=unpack_infer, traits=CONTROL, source="{0}[{index}]",
    vjp=[unpack_pull], jvp=[unpack_push], batch=unpack_batch,
    doc="One of the values that a call or branch kept.", samples=no_samples,
)  # fmt: skip


def with_zeros(*operands: Any, places: tuple[int, ...]) -> tuple[Any, ...]:
    """Values in their places, and zeros like those in the first operand in the others."""
    result = dict(zip(places, operands[1:], strict=True))
    return tuple([result[i] if i in result else zeros(x) for i, x in enumerate(operands[0])])


def zero_but_infer(values: ArrayType, *given: ArrayType, places: tuple[int, ...]) -> ArrayType:
    """The type of the residuals."""
    if len(given) != len(places):
        raise ShapeError("zero_but", [values, *given], f"{len(places)} places are named")
    return require_residuals("zero_but", values)


def zero_but_shares(
    wanted: Sequence[int], g: Any, y: Any, *values: Any, places: tuple[int, ...]
) -> Callable[[int], Any]:
    """The cotangents of the values given."""
    return lambda i: taken_out(plain(g), places[i - 1], values[i]) if i else None


def zero_but_push(
    tangents: Mapping[int, Any], y: Any, *values: Any, places: tuple[int, ...]
) -> Any:
    """The tangents of the values given."""
    given = [i for i in tangents if i]
    if not given:
        return None
    return zero_but(
        values[0], *(tangents[i] for i in given), places=tuple([places[i - 1] for i in given])
    )


zero_but: Op = Op(
    name="zero_but", kernel=with_zeros, infer=zero_but_infer, arity=None, traits=CONTROL,
    source="zero_but({operands}, places={places})",
    vjp=Selective(zero_but_shares), jvp=Jointly(zero_but_push), batch=spread_batch,
    doc="Zeros like what a call or branch kept, but for some values.", samples=no_samples,
)  # fmt: skip
