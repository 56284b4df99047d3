"""Custom functions under forward mode and batching: their own `jvp` and `vmap`.

Without a `vmap`, forward is run on what is batched. Without a `jvp` there is an error: to
differentiate the operations of forward would not be what the function's backward does.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gradops import Batched, Dual, Series, moveaxis, zeros_like

from ..engine.handle import Handle
from ..engine.tensor import handle


class VmapInfo(NamedTuple):
    """What `vmap` of a function is told: how many examples there are, and how random numbers go."""

    batch_size: int
    randomness: str


def outermost(args: Sequence[Any]) -> Any:
    """The value of highest level among those that tensors hold, if it is transformed."""
    values = [a.value for a in args if isinstance(a, Handle)]
    found = [v for v in values if isinstance(v, Dual | Batched | Series)]
    return max(found, key=lambda v: v.gradop_level, default=None)


def is_at(a: Any, outer: Any) -> bool:
    """Whether an argument is transformed as `outer` is, by the same transform."""
    if not isinstance(a, Handle) or type(a.value) is not type(outer):
        return False
    return bool(a.value.gradop_level == outer.gradop_level)


def pushed(cls: Any, args: Sequence[Any], outer: Dual) -> Any:
    """The outputs with the tangents that the function's own `jvp` gives."""
    at = [is_at(a, outer) for a in args]
    primals = [handle(a.value.primal) if d else a for a, d in zip(args, at, strict=True)]
    ctx, outputs = cls.called(primals)
    found = cls.jvp(ctx, *[tangent_of(a, d, ctx) for a, d in zip(args, at, strict=True)])
    if not isinstance(outputs, tuple):
        return joined(outputs, found, outer.gradop_level)
    return tuple(joined(y, t, outer.gradop_level) for y, t in zip(outputs, found, strict=True))


def tangent_of(a: Any, is_dual: bool, ctx: Any) -> Any:
    """The tangent of an argument: zeros for other floats, unless `ctx` wants none; else None."""
    if is_dual:
        return handle(a.value.tangent)
    if not (isinstance(a, Handle) and a.dtype.kind in "fc" and ctx._materialize):
        return None
    return handle(zeros_like(a.value))


def joined(y: Any, t: Any, level: float) -> Any:
    """An output with its tangent."""
    return y if t is None else handle(Dual(y.value, t.value, level))


def batched(cls: Any, args: Sequence[Any], outer: Batched) -> Any:
    """The outputs of the function's own `vmap`, for all examples."""
    at = [is_at(a, outer) for a in args]
    stacks = [handle(a.value.stack) if b else a for a, b in zip(args, at, strict=True)]
    info = VmapInfo(outer.stack.shape[0], "error")
    found, dims = cls.vmap(info, tuple(0 if b else None for b in at), *stacks)
    if not isinstance(found, tuple):
        return stacked(found, dims, outer.gradop_level)
    return tuple(stacked(y, d, outer.gradop_level) for y, d in zip(found, dims, strict=True))


def stacked(y: Any, dim: int | None, level: float) -> Any:
    """An output whose examples lie along `dim`, as one that is batched."""
    return y if dim is None else handle(Batched(moveaxis(y.value, dim, 0), level))
