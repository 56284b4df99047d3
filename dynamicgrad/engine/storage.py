"""Memory that tensors share: who has it, and how a view comes from its base.

Note [Order]. Kernels lay out their results as they like: those of convolution have the channels
last, and so has what follows (see decision 0023). To users a result lies in memory row by row, as
in PyTorch; so when someone looks at its memory, or takes a `view` of it, it is copied into that
order, once. What `x.t() * 2` gives keeps the order of its operand, here as there.
"""

import weakref
from functools import partial
from typing import Any

import numpy as np

from gradops import Op

from .grad_mode import INFERENCE, is_recording
from .node import InferenceStorage, Storage

MADE_UNRECORDED = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled.\n"
    "  hint: make the view while recording, or write to it under no_grad()"
)
MADE_IN_INFERENCE = (
    "A view was created in inference mode and is being modified inplace in normal mode.\n"
    "  hint: make the view while recording, or write to it in inference mode too"
)


def storage_of(t: Any) -> Storage:
    """The record of writes to the memory of `t`, made if there is none."""
    if t.storage is None:
        node = None if t.is_leaf else t.node
        t.storage = Storage() if node is None or node.storage is None else node.storage
        if node is not None:
            node.storage = t.storage
    return t.storage


def memory(t: Any) -> Any:
    """The array that `t` holds, in the order in which users count on it. See Note [Order].

    A number, which has no memory to share, becomes an array.
    """
    base = t if t.alias is None else t.alias.base
    if isinstance(t.value, np.generic):
        t.value = np.asarray(t.value)
    elif type(base.value) is np.ndarray and not base.value.flags.c_contiguous:
        put_in_order(base)
    return t.value


def put_in_order(base: Any) -> None:
    """Copy the entries of a result into memory row by row, for it and its views, if need be."""
    value, storage = base.value, base.storage
    if keeps_order(value) or (storage is not None and storage.lent):
        return
    views = [ref() for ref in list(storage.views.values())] if storage is not None else []
    views = [v for v in views if v is not None and v.alias is not None and v.alias.base is base]
    if any(v.alias.steps is None for v in views):
        return
    base.value = np.ascontiguousarray(value)
    for view in views:
        view.value = view.alias.view_of(base.value)


def keeps_order(value: Any) -> bool:
    """Whether PyTorch would have entries in memory as they are: row by row, or in another order.

    An order with the channels last is one that kernels choose here. So is one with gaps.
    """
    if 3 <= value.ndim <= 5 and np.moveaxis(value, 1, -1).flags.c_contiguous:
        return bool(value.flags.c_contiguous)
    step = value.itemsize
    for s, n in sorted((s, n) for s, n in zip(value.strides, value.shape, strict=True) if n != 1):
        if s != step:
            return not value.size
        step *= n
    return True


class Alias:
    """How a view comes from its base: by these ops, each with its attributes, one after another.

    `refusal` says why it is not to be written to while recording, if it is not. `steps` are None
    for what came about in a way that cannot be gone again, as inside a custom function.
    """

    __slots__ = ("base", "refusal", "steps")
    follows = True  # whether the history of the view follows that of its base

    def __init__(self, base: Any, steps: tuple[Any, ...] | None, refusal: str) -> None:
        self.base, self.steps, self.refusal = base, steps, refusal

    def onward(self, step: Any, refusal: str, kind: "type[Alias] | None" = None) -> "Alias":
        """How a view of the view comes from the base, by one more step."""
        steps = None if self.steps is None else (*self.steps, step)
        return (kind or type(self))(self.base, steps, self.refusal or refusal)

    @property
    def attrs(self) -> dict[str, Any]:
        """The steps, as the op `copy_slices` has them."""
        return {"steps": tuple((op.name, tuple(attrs.items())) for op, attrs in self.steps or ())}

    def view_of(self, value: Any) -> Any:
        """The view of `value`, which is the base's or stands for it, that the steps lead to."""
        for op, attrs in self.steps or ():
            value = op(value, **attrs)
        return value


class Apart(Alias):
    """How what was detached from a value without memory comes from it: without its history."""

    __slots__ = ()
    follows = False


def alias(base: Any, view: Any, op: Op, attrs: dict[str, Any]) -> None:
    """Let `view` know the base whose memory it shares, and share its record of writes."""
    mode, known, step = is_recording(), base.alias, (op, attrs)
    refusal = "" if mode is True else refusal_in(mode)
    found = Alias(base, (step,), refusal) if known is None else known.onward(step, refusal)
    if not may_share(base.value, view.value, found):
        return
    if isinstance(base.value, np.generic) and view.value.dtype != base.value.dtype:
        return  # the real part of a number is another number
    if isinstance(base.value, np.generic) and view.value.size == 1:
        view.value = np.asarray(view.value)
        base.value = view.value.reshape(())  # a number had no memory to share
    view.storage = storage = storage_of(base)
    storage.viewed = True
    if not view.is_leaf:
        view.node.storage = storage
    if op.vjp[0] is None or (type(storage) is InferenceStorage and is_array(view.value)):
        return  # without gradients there is no history to follow, and the memory is one
    enter(view, found)


def refusal_in(mode: Any) -> str:
    """Why a view that is made in a mode is not to be written to while recording, if it is not."""
    return "" if mode else MADE_IN_INFERENCE if mode is INFERENCE else MADE_UNRECORDED


def is_array(value: Any) -> bool:
    """Whether a value lies in memory, which others can share."""
    return type(value) is np.ndarray


def enter(view: Any, alias: Alias) -> None:
    """Let `view` know how it comes from its base, and the shared storage know the view."""
    view.alias, views, key = alias, view.storage.views, id(view)
    views[key] = weakref.ref(view, partial(views.pop, key))


def may_share(base: Any, value: Any, alias: Alias) -> bool:
    """Whether a view of `base` lies in its memory; not so where NumPy had to copy."""
    if type(value) is not np.ndarray or type(base) is not np.ndarray:
        return would_share(alias) if alias.steps and alias.steps[-1][0].name == "reshape" else True
    if not value.size:
        return not alias.steps or alias.steps[-1][0].name != "astype"  # no entries can tell
    return owner(value) is owner(base) or np.may_share_memory(value, base)


def would_share(alias: Alias) -> bool:
    """Whether a view of what has no memory would lie in its base's, if that was an array."""
    shape = alias.base.shape
    if not all(isinstance(n, int) for n in shape):
        return True
    whole = np.empty(shape, bool)
    return not whole.size or np.may_share_memory(whole, alias.view_of(whole))


def owner(array: Any) -> Any:
    """What owns the memory of an array: NumPy lets views refer to it directly."""
    return array if array.base is None else array.base
