"""Outputs of custom functions: new handles, which may share memory with arguments."""

from gradops import TapeError

from ..engine.handle import Handle, cut_off
from ..engine.node import NOTHING, Node, Part
from ..engine.storage import MADE_UNRECORDED, Alias, enter, memory, storage_of
from ..engine.tensor import handle
from ..engine.views import set_history
from .context import FunctionCtx, Values

MADE_INSIDE = (
    "Output {i} of {op} is a view and is being modified inplace. This view was created inside a"
    " custom Function (or because an input was returned as-is), whose backward the write would go"
    " around"
    "\n  hint: return a clone() from forward, or write `y = y * 2` for `y *= 2`"
)


def check_dirty(ctx: FunctionCtx, outs: Values) -> None:
    """Raise TapeError if a dirty tensor is not returned; record the writes to the others."""
    for t in ctx._dirty:
        if not any(t is y for y in outs):
            raise TapeError(
                "some elements marked as dirty during the forward method were not returned as"
                f" output by {ctx._name}\n  hint: return each tensor that forward writes to"
            )
        storage_of(t).write()


def unrecorded_outputs(ctx: FunctionCtx, args: Values, outs: Values) -> Values:
    """The outputs of an unrecorded call."""
    tracked = any(ctx.needs_input_grad)
    return [
        y if not isinstance(y, Handle) or any(y is t for t in ctx._dirty)
        else cut_off(share_memory(fresh(y), y, args, MADE_UNRECORDED), None, tracked)
        for y in outs
    ]  # fmt: skip


def fresh(y: Handle) -> Handle:
    """A new handle on the memory of an output, without history."""
    t = handle(y.value)
    t.storage = y.storage
    return t


def share_memory(t: Handle, y: Handle, args: Values, refusal: str) -> Handle:
    """Make `t`, the new handle of an output `y`, a view if `y` is an argument or a view of one."""
    if any(y is a for a in args):  # an argument itself: another tensor on the same memory
        t.value, t.storage = memory(y), storage_of(y)
        t.storage.lend()
        enter(t, Alias(y if y.alias is None else y.alias.base, None, NOTHING, refusal))
    elif y.alias is not None and any(y.storage is getattr(a, "storage", None) for a in args):
        enter(t, Alias(y.alias.base, None, NOTHING, refusal))
    return t


def with_history(ctx: FunctionCtx, y: Handle, args: Values, vertex: Node | Part) -> Handle:
    """A new handle of an output on `vertex`, or without one if no gradient passes through it."""
    if any(y is t for t in ctx._dirty):
        return set_history(y, vertex)
    index = vertex.index if isinstance(vertex, Part) else 0
    t = share_memory(fresh(y), y, args, MADE_INSIDE.format(i=index, op=ctx._name))
    if y.dtype.kind in "fc" and not any(y is c for c in ctx._constant):
        t.node = vertex
    return t
