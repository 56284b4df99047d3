"""Custom functions under forward mode and batching: their own `jvp` and `vmap`.

Without a `vmap`, forward runs on batched values. Without a `jvp` there is an error: the derivative
of the operations of forward may differ from the function's own backward.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradops import Batched, Dual, Series, moveaxis, zeros_like

from ..engine.handle import Handle
from ..engine.tensor import Tensor, handle
from .context import FunctionCtx

if TYPE_CHECKING:
    from .function import Function

Transformed = Dual | Batched | Series


class VmapInfo(NamedTuple):
    """The number of examples and the randomness of a `vmap`; an argument of `Function.vmap`."""

    batch_size: int
    randomness: str


def outermost(args: Sequence[object]) -> Transformed | None:
    """The value of highest level among those of transforms that tensors hold."""
    values = [a.value for a in args if isinstance(a, Handle)]
    transformed = [v for v in values if isinstance(v, Dual | Batched | Series)]
    return max(transformed, key=lambda v: v.gradop_level, default=None)


def is_at(a: object, outer: Transformed) -> bool:
    """True if the value of an argument is from the same transform as `outer`."""
    if not isinstance(a, Handle) or type(a.value) is not type(outer):
        return False
    return bool(a.value.gradop_level == outer.gradop_level)


def apply_jvp(cls: type["Function"], args: Sequence[Any], outer: Dual) -> object:
    """The outputs with the tangents that the function's own `jvp` computes."""
    at = [is_at(a, outer) for a in args]
    primals = [handle(a.value.primal) if d else a for a, d in zip(args, at, strict=True)]
    ctx, outputs = cls.called(primals)
    tangents = cls.jvp(ctx, *[tangent_of(a, d, ctx) for a, d in zip(args, at, strict=True)])
    if not isinstance(outputs, tuple):
        return dual(outputs, tangents, outer.gradop_level)
    return tuple(dual(y, t, outer.gradop_level) for y, t in zip(outputs, tangents, strict=True))


def tangent_of(a: Any, is_dual: bool, ctx: FunctionCtx) -> Tensor | None:
    """The tangent of an argument: zeros for other floats, unless `ctx` wants none; else None."""
    if is_dual:
        return handle(a.value.tangent)
    if not (isinstance(a, Handle) and a.dtype.kind in "fc" and ctx._materialize):
        return None
    return handle(zeros_like(a.value))


def dual(y: Tensor, t: Tensor | None, level: float) -> Tensor:
    """An output with its tangent."""
    return y if t is None else handle(Dual(y.value, t.value, level))


def apply_vmap(cls: type["Function"], args: Sequence[Any], outer: Batched) -> object:
    """The outputs of the function's own `vmap`, for all examples."""
    at = [is_at(a, outer) for a in args]
    stacks = [handle(a.value.stack) if b else a for a, b in zip(args, at, strict=True)]
    info = VmapInfo(outer.stack.shape[0], "error")
    outputs, dims = cls.vmap(info, tuple(0 if b else None for b in at), *stacks)
    if not isinstance(outputs, tuple):
        return batch(outputs, dims, outer.gradop_level)
    return tuple(batch(y, d, outer.gradop_level) for y, d in zip(outputs, dims, strict=True))


def batch(y: Tensor, dim: int | None, level: float) -> Tensor:
    """An output as a batched value with its examples along `dim`."""
    return y if dim is None else handle(Batched(moveaxis(y.value, dim, 0), level))
