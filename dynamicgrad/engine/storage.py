"""Shared memory: the storage of tensors, and the alias that leads from a base to its view.

Note [Order]. Kernels choose the memory layout of their results: convolutions have the channels
last, and so have the results computed from them (decision 0023). Users expect C order, as in
PyTorch; so when the memory is exposed, or a `view` is taken, the entries are copied into C order,
once. The result of `x.t() * 2` keeps the order of its operand, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradops import Op
from gradops.typing import AnyArray, Attrs

from .grad_mode import INFERENCE, is_recording
from .node import InferenceStorage, Storage, new

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
    """The storage of `t` and of its node, created at first use."""
    if t.storage is None:
        node = t.node
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
    views = [ref() for ref in base.storage.views] if base.storage is not None else []
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
    """The view op that leads to a view from its base, or from another view of the base.

    `before` is the alias of that other view. A non-empty `refusal` is the error for writes to the
    view while recording. `op` is None if the view cannot be replayed, as one from a custom
    function.
    """

    __slots__ = ("base", "before", "op", "options", "refusal")
    follows = True  # a write to the base gives the view a new history

    def __init__(
        self, base: Handle, op: Op | None, options: Attrs, refusal: str, before: Alias | None = None
    ) -> None:
        self.base, self.op, self.options, self.before = base, op, options, before
        self.refusal = refusal

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """The ops, with attributes, that lead from the base to the view; None if one is unknown."""
        found: list[Step] = []
        alias: Alias | None = self
        while alias is not None:
            if alias.op is None:
                return None
            found.append((alias.op, alias.options))
            alias = alias.before
        return tuple(reversed(found))

    @property
    def attrs(self) -> Attrs:
        """The steps in the form of the attributes of `copy_slices`."""
        return {"steps": tuple((op.name, tuple(attrs.items())) for op, attrs in self.steps or ())}

    def view_of(self, value: AnyArray) -> Any:
        """Apply the steps to `value`, the base's or one in its place."""
        for op, attrs in self.steps or ():
            value = op(value, **attrs)
        return value


def alias_of(
    parent: Handle, op: Op, attrs: Attrs, refusal: str = "", kind: type[Alias] = Alias
) -> Alias:
    """The alias of a view of `parent` by an op."""
    if (before := parent.alias) is None:
        return kind(parent, op, attrs, refusal)
    kind = type(before) if kind is Alias else kind
    return kind(before.base, op, attrs, before.refusal or refusal, before)


class DetachedAlias(Alias):
    """The alias of a tensor detached from a tracer: it follows the value, not the history."""

    __slots__ = ()
    follows = False


def alias(base: Handle, view: Handle, op: Op, attrs: Attrs) -> None:
    """Make `view` share the storage of `base`, if it shares its memory."""
    whole, value = base.value, view.value
    if type(value) is type(whole) is np.ndarray and value.size:  # `may_share`, inlined
        owner = whole if whole.base is None else whole.base  # views of NumPy refer to it directly
        if not (value.base is owner or value is owner or np.may_share_memory(value, whole)):
            return
    elif not may_share(base, value, op, attrs):
        return
    elif isinstance(whole, np.generic):
        if value.dtype != whole.dtype:
            return  # the real part of a NumPy scalar is a new scalar
        if value.size == 1:
            value = view.value = np.asarray(value)
            base.value = value.reshape(())  # a NumPy scalar has no memory to share
    view.storage = storage = base.storage or storage_of(base)
    storage.viewed = True
    if view.node is not None:
        view.node.storage = storage
    inferred = type(storage) is InferenceStorage and type(value) is np.ndarray
    if op.vjp[0] is not None and not inferred:  # without gradients there is no history to replay
        mode, before = is_recording(), base.alias
        refusal = "" if mode else MADE_IN_INFERENCE if mode is INFERENCE else MADE_UNRECORDED
        if before is None:
            view.alias = entry = new(Alias)
            entry.base, entry.op, entry.options = base, op, attrs
            entry.before, entry.refusal = None, refusal
        else:
            view.alias = alias_of(base, op, attrs, refusal)
        storage.add_view(view)


def alias_together(
    base: Handle, views: Iterable[Handle], op: Op, attrs: Iterable[Attrs], refusals: Iterable[str]
) -> None:
    """What `alias` does, for views that certainly share the memory of an array that is no view."""
    storage = base.storage or storage_of(base)
    storage.viewed = True
    for view, options, refusal in zip(views, attrs, refusals, strict=False):
        view.storage = storage
        if view.node is not None:
            view.node.storage = storage
        view.alias = entry = new(Alias)
        entry.base, entry.op, entry.options = base, op, options
        entry.before, entry.refusal = None, refusal
        storage.add_view(view)


def enter(view: Handle, alias: Alias) -> None:
    """Set the alias of a view, and register the view in the shared storage."""
    view.alias = alias
    storage_of(view).add_view(view)


def may_share(base: Handle, value: AnyArray, op: Op, attrs: Attrs) -> bool:
    """True if a view by `op` shares the memory of `base`; False where NumPy had to copy."""
    whole = base.value
    if type(value) is not np.ndarray or type(whole) is not np.ndarray:
        return op.name != "reshape" or would_share(alias_of(base, op, attrs))
    return op.name != "astype"  # of no entries


def would_share(alias: Alias) -> bool:
    """True if a view of a tracer would share memory with its base if the base was an array."""
    shape = alias.base.shape
    if not all(isinstance(n, int) for n in shape):
        return True
    whole = np.empty(shape, bool)
    return not whole.size or np.may_share_memory(whole, alias.view_of(whole))
