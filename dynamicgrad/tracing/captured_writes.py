"""In-place writes of a batch or a tangent of a transform into a captured tensor.

Note [Captured writes]. A tensor that the function under `vmap` or `jvp` creates may be written to
like that; it is gone after the call. A captured tensor would be left with a batch in it. At the
write the two look alike, as a tensor without history has no time of creation. So a tensor that is
still alive when the function has returned gets its old value back, and raises.
"""

import gc
import weakref
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from gradops import OPS, TransformError
from gradops.core.levels import at_level
from gradops.core.source_location import Place, describe, here
from gradops.core.tree import flatten
from gradops.typing import AnyArray

from ..engine.handle import ARRAYS, Handle
from ..engine.storage import live_views

OUT_OF_REACH = (
    "a custom function gave a view of its operand, which a write to either cannot follow inside"
    " vmap, jvp or another transform\n  hint: return a clone() from forward, or write to clones"
)


class Change(NamedTuple):
    """A tensor that got a value of a transform, its value before, and the place of the write."""

    tensor: "weakref.ref[Handle]"
    before: Any
    place: Place | None


CHANGES: ContextVar[list[Change] | None] = ContextVar("changes", default=None)


def carry(t: Handle, value: AnyArray) -> None:
    """Set the value of `t` after a write to it."""
    changes = CHANGES.get()
    if changes is not None and level_of(value) > level_of(t.value):
        refuse_shared(t)
        changes.append(Change(weakref.ref(t), t.value, here()))
    t.value = value
    if t.storage is not None and t.storage.views and type(value) not in ARRAYS:
        update_views(t)


def update_views(t: Handle) -> None:
    """Set the values of tensors that share memory with `t`, after a write to it.

    Values of transforms have no memory, so views of them are separate values.
    """
    base = t if t.alias is None else t.alias.base
    if t.alias is not None:
        if t.alias.steps is None:
            raise TransformError(OUT_OF_REACH)
        base.value = OPS["copy_slices"](base.value, t.value, **t.alias.attrs)
    for view in live_views(base):
        if view is t:
            continue
        if view.alias.steps is None:
            raise TransformError(OUT_OF_REACH)
        view.value = view.alias.view_of(base.value)


def level_of(value: object) -> float:
    """The level of the transform that a value belongs to; arrays have -1."""
    return float(getattr(value, "gradop_level", -1.0))


def refuse_shared(t: Handle) -> None:
    """Raise TransformError if `t` shares memory with other tensors, which would not change."""
    if t.alias is not None or (t.storage is not None and t.storage.viewed):
        raise TransformError(
            f"a Tensor of type {t.type} that shares its memory with others cannot be written to"
            " with a value that vmap, jvp or another transform carries"
            "\n  hint: make what is written to from an argument, zeros_like(x), or write before"
            " there are views of it"
        )


def run_at(level: float, func: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The results of `func` at a level; raises TransformError if it changed captured tensors."""
    changes: list[Change] = []
    token = CHANGES.set(changes)
    try:
        with at_level(level):
            returned = func(*args)
    except BaseException:
        restore(changes)
        raise
    finally:
        CHANGES.reset(token)
    if changes:
        refuse_captures(changes, flatten(returned)[0], level)
    return returned


def refuse_captures(changes: list[Change], outputs: Sequence[object], level: float) -> None:
    """Raise TransformError for changed captures; those of outer levels are checked there."""
    remaining = [c for c in changes if is_captured(c, outputs)]
    if remaining:
        gc.collect()  # a function that refers to itself keeps what it made for a while
        remaining = [c for c in remaining if is_captured(c, outputs)]
    mine = [c for c in remaining if level_of(getattr(c.tensor(), "value", None)) >= level]
    outer = CHANGES.get()
    if outer is not None:
        outer += [c for c in remaining if c not in mine]
    if mine:
        restore(mine)
        raise TransformError(
            "during a transform such as vmap or jvp, the function mutated a captured Tensor in"
            f" place, with a value that the transform carries\n  at {describe(mine[0].place)}"
            "\n  hint: pass the tensor as an argument, or write to a clone() of it"
        )


def is_captured(change: Change, outputs: Sequence[object]) -> bool:
    """True if the tensor is alive, other than as an output."""
    t = change.tensor()
    return t is not None and not any(t is y for y in outputs)


def restore(changes: Sequence[Change]) -> None:
    """Give the tensors back the values before, the latest change first."""
    for change in reversed(changes):
        if (t := change.tensor()) is not None:
            t.value = change.before
