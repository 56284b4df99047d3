"""Shared memory: the storage of tensors, and the alias that leads from a base to its view.

Note [Order]. Kernels choose the memory layout of their results: convolutions have the channels
last, and so have the results computed from them (decision 0023). Users expect C order, as in
PyTorch; so when the memory is exposed, or a `view` is taken, the entries are copied into C order,
once. The result of `x.t() * 2` keeps the order of its operand, as in PyTorch.
"""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import Op
from gradops.typing import AnyArray, Attrs

from .grad_mode import INFERENCE, is_recording
from .node import InferenceStorage, Storage

if TYPE_CHECKING:
    from .handle import Handle

MADE_UNRECORDED = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled.\n"
    "  hint: make the view while recording, or write to it under no_grad()"
)
MADE_IN_INFERENCE = (
    "A view was created in inference mode and is being modified inplace in normal mode.\n"
    "  hint: make the view while recording, or write to it in inference mode too"
)


def storage_of(t: Handle) -> Storage:
    """The storage of `t`, created at first use."""
    if t.storage is None:
        node = None if t.is_leaf else t.node
        t.storage = Storage() if node is None or node.storage is None else node.storage
        if node is not None:
            node.storage = t.storage
    return t.storage


def memory(t: Handle) -> Any:
    """The array that `t` holds, in the order that users expect: see Note [Order].

    A NumPy scalar, which has no memory to share, becomes an array.
    """
    base = t if t.alias is None else t.alias.base
    if isinstance(t.value, np.generic):
        t.value = np.asarray(t.value)
    elif type(base.value) is np.ndarray and not base.value.flags.c_contiguous:
        put_in_order(base)
    return t.value


def put_in_order(base: Handle) -> None:
    """Copy a result to C order, for it and its views, unless PyTorch would keep its order."""
    value, storage = base.value, base.storage
    if keeps_order(value) or (storage is not None and storage.lent):
        return
    views = live_views(base)
    if any(v.alias.steps is None for v in views):
        return
    base.value = np.ascontiguousarray(value)
    for view in views:
        view.value = view.alias.view_of(base.value)


def live_views(base: Handle) -> list[Any]:
    """The views of a base that are alive and still on its memory."""
    refs = list(base.storage.views.values()) if base.storage is not None else []
    views = [ref() for ref in refs]
    return [v for v in views if v is not None and v.alias is not None and v.alias.base is base]


def keeps_order(value: np.ndarray) -> bool:
    """True if PyTorch would have this memory layout: C order, or a dense permutation of it.

    A layout with the channels last, or with gaps, was chosen by a kernel of ours.
    """
    if 3 <= value.ndim <= 5 and np.moveaxis(value, 1, -1).flags.c_contiguous:
        return bool(value.flags.c_contiguous)
    step = value.itemsize
    for s, n in sorted((s, n) for s, n in zip(value.strides, value.shape, strict=True) if n != 1):
        if s != step:
            return not value.size
        step *= n
    return True


Step = tuple[Op, Attrs]


class Alias:
    """The view ops, with attributes, that lead from a base to its view.

    A non-empty `refusal` is the error for writes to the view while recording. `steps` are None
    for a view that cannot be replayed, such as one from a custom function.
    """

    __slots__ = ("base", "refusal", "steps")
    follows = True  # a write to the base gives the view a new history

    def __init__(self, base: Handle, steps: tuple[Step, ...] | None, refusal: str) -> None:
        self.base, self.steps, self.refusal = base, steps, refusal

    def onward(self, step: Step, refusal: str, kind: type[Alias] | None = None) -> Alias:
        """The alias of a view of the view, with one more step."""
        steps = None if self.steps is None else (*self.steps, step)
        return (kind or type(self))(self.base, steps, self.refusal or refusal)

    @property
    def attrs(self) -> Attrs:
        """The steps in the form of the attributes of `copy_slices`."""
        return {"steps": tuple((op.name, tuple(attrs.items())) for op, attrs in self.steps or ())}

    def view_of(self, value: AnyArray) -> Any:
        """Apply the steps to `value`, the base's or one in its place."""
        for op, attrs in self.steps or ():
            value = op(value, **attrs)
        return value


class DetachedAlias(Alias):
    """The alias of a tensor detached from a tracer: it follows the value, not the history."""

    __slots__ = ()
    follows = False


def alias(base: Handle, view: Handle, op: Op, attrs: Attrs) -> None:
    """Make `view` share the storage of `base`, if it shares its memory."""
    mode, known, step = is_recording(), base.alias, (op, attrs)
    refusal = "" if mode else MADE_IN_INFERENCE if mode is INFERENCE else MADE_UNRECORDED
    found = Alias(base, (step,), refusal) if known is None else known.onward(step, refusal)
    if not may_share(base.value, view.value, found):
        return
    if isinstance(base.value, np.generic) and view.value.dtype != base.value.dtype:
        return  # the real part of a NumPy scalar is a new scalar
    if isinstance(base.value, np.generic) and view.value.size == 1:
        view.value = np.asarray(view.value)
        base.value = view.value.reshape(())  # a NumPy scalar has no memory to share
    view.storage = storage = storage_of(base)
    storage.viewed = True
    if not view.is_leaf:
        view.node.storage = storage
    inferred = type(storage) is InferenceStorage and type(view.value) is np.ndarray
    if op.vjp[0] is not None and not inferred:  # without gradients there is no history to replay
        enter(view, found)


def enter(view: Handle, alias: Alias) -> None:
    """Set the alias of a view, and register the view in the shared storage."""
    view.alias, views, key = alias, storage_of(view).views, id(view)
    views[key] = weakref.ref(view, partial(views.pop, key))


def may_share(base: AnyArray, value: AnyArray, alias: Alias) -> bool:
    """True if a view shares the memory of `base`; False where NumPy had to copy."""
    if type(value) is not np.ndarray or type(base) is not np.ndarray:
        return would_share(alias) if alias.steps and alias.steps[-1][0].name == "reshape" else True
    if not value.size:
        return not alias.steps or alias.steps[-1][0].name != "astype"
    return owner(value) is owner(base) or np.may_share_memory(value, base)


def would_share(alias: Alias) -> bool:
    """True if a view of a tracer would share memory with its base if the base was an array."""
    shape = alias.base.shape
    if not all(isinstance(n, int) for n in shape):
        return True
    whole = np.empty(shape, bool)
    return not whole.size or np.may_share_memory(whole, alias.view_of(whole))


def owner(array: np.ndarray) -> object:
    """The array that owns the memory: views of NumPy refer to it directly."""
    return array if array.base is None else array.base
