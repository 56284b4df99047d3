"""Hooks: functions that backward calls with the gradients that pass a tensor or a node.

Note [Hooks]. Hooks on a tensor sit in the `watch` of its vertex, which the reverse loop passes each
complete cotangent through. The op of a node with hooks of its own becomes a `HookedOp`, which calls
them around the op's rules; nodes without hooks pay nothing.
"""

from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import Any

import numpy as np

from gradops import DTypeError, ShapeError, TapeError
from gradops.core.source_location import short
from gradops.core.traits import Trait
from gradops.transforms.reverse import ancestors, blame, fit

from ..engine.grad_mode import PACKING
from ..engine.handle import Handle, on_face
from ..engine.node import Leaf, Node
from ..engine.tensor import Tensor, tensor_of
from .removable_handle import RemovableHandle, registered
from .saved_tensor_hooks import DISABLED

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]


def added(hooks: Hooks, hook: Hook) -> RemovableHandle:
    """Add a hook, which is a function, to others."""
    require_callable(hook)
    return registered(hooks, hook)


def require_callable(hook: Any) -> None:
    """Refuse a hook that is no function."""
    if not callable(hook):
        raise TypeError(f"a hook is a function, not a {type(hook).__name__}")


def call(hook: Hook, *args: Any) -> Any:
    """Call a hook; blocks of saved-tensor hooks that it enters end with it."""
    packing, disabled = PACKING.get(), DISABLED.get()
    try:
        return hook(*args)
    finally:
        PACKING.set(packing)
        DISABLED.set(disabled)


class Watch:
    """What a cotangent passes when it is complete: hooks in order, then what keeps it."""

    __slots__ = ("grad", "hooks", "retains")

    def __init__(self) -> None:
        self.hooks: Hooks = OrderedDict()
        self.retains = False
        self.grad: Tensor | None = None

    def __call__(self, g: Any) -> Any:
        for hook in list(self.hooks.values()):
            if (found := call(hook, tensor_of(g))) is not None:
                g = returned(hook, found, g)
        if self.retains:
            arrived = tensor_of(g.copy() if isinstance(g, np.ndarray) else g)
            self.grad = arrived if self.grad is None else self.grad + arrived
        return shared_memory(g) if self.hooks else g


def shared_memory(g: Any) -> Any:
    """The gradient `g`, marked as one whose memory a user may have kept: a leaf adds to a copy."""
    return g.view() if type(g) is np.ndarray else g


def returned(hook: Hook, found: Any, g: Any) -> Any:
    """What a hook gave in place of the gradient `g`, after checking that it can stand there."""
    name, want = named(hook), tensor_of(g).type
    if not isinstance(found, Tensor):
        raise TypeError(f"{name} must return a Tensor or None, not a {type(found).__name__}")
    if found.shape != want.shape:
        raise ShapeError(
            name, [found.type], f"the hook has changed the size of value: the gradient is a {want}"
        )
    if found.dtype != want.dtype:
        raise DTypeError(
            name, [found.type], f"the hook has changed the type of value: the gradient is a {want}"
        )
    return on_face(type(g), found) if isinstance(g, Handle) else found.value


def named(hook: Hook) -> str:
    """How an error calls a hook: by its name and where it is defined."""
    code = getattr(hook, "__code__", None)
    name = getattr(hook, "__qualname__", type(hook).__name__)
    return f"hook {name!r}" + (f" ({short((code, 0))})" if code else "")


def watch_of(vertex: Any) -> Watch:
    """The watch of a vertex, made if there is none."""
    if vertex.watch is None:
        vertex.watch = Watch()
    watch: Watch = vertex.watch
    return watch


class HookCalls:
    """The calls of hooks that one backward makes, at vertices that have a `watch`.

    The hooks of a leaf run as soon as its gradient is complete, as in PyTorch, and `arrive` gets
    it. `kept` has the cotangents of inner vertices that were asked for, as they were before hooks.
    """

    def __init__(
        self,
        ends: Sequence[Any],
        active: AbstractSet[Any] | None,
        keep: Container[Any],
        arrive: Callable[[Leaf, Any], None] | None,
    ) -> None:
        self.ends, self.active, self.keep, self.arrive = ends, active, keep, arrive
        self.kept: dict[Any, Any] = {}
        self.turns: dict[Any, float] | None = None

    def visit(self, v: Any, cotangents: dict[Any, Any]) -> None:
        """Pass the cotangent of `v` through its hooks, and that of a leaf on to `arrive`."""
        g = cotangents[v]
        try:
            cotangents[v] = v.watch(g)
        except Exception as error:
            blame(error, "a hook on", v)
            raise
        if v.op is None:
            if self.arrive is not None:
                self.arrive(v, cotangents.pop(v))
        elif v in self.keep and not (self.active and self.active.isdisjoint(v.inputs)):
            self.kept[v] = g

    def turn(self, leaf: Leaf) -> float:
        """When to visit a leaf: right after the oldest of its users."""
        if self.turns is None:
            self.turns = turns_of_leaves(self.ends, self.active)
        return self.turns.get(leaf, -leaf.number)


def turns_of_leaves(ends: Sequence[Any], active: AbstractSet[Any] | None) -> dict[Any, float]:
    """When to visit each leaf that has a `watch`, among the negative numbers of the vertices.

    Of several leaves of one user, the earlier operands come first.
    """
    users = sorted(ancestors(ends), key=attrgetter("number"), reverse=True)
    turns: dict[Any, float] = {}
    for user in users if active is None else [v for v in users if v in active]:
        for i, x in enumerate(user.inputs):
            if x is not None and x.op is None and x.watch is not None:
                turns[x] = (i + 1) / (len(user.inputs) + 1) - user.number
    return turns


def register_hook(t: Tensor, hook: Hook) -> RemovableHandle:
    """Call `hook` with each gradient with respect to this tensor; what it returns replaces it.

    The hook gets a tensor and gives one of the same shape and dtype, or None to leave the gradient
    as it is. It runs before the gradient is added to `.grad`, and before it goes further back.
    Raises TapeError if the tensor requires no gradient.

    >>> x = dg.ones(2, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 10)
    >>> x.sum().backward()
    >>> x.grad
    tensor([10., 10.])
    """
    if t.node is None:
        raise TapeError("cannot register a hook on a tensor that doesn't require gradient")
    return added(watch_of(t.node).hooks, hook)


def register_post_accumulate_grad_hook(t: Tensor, hook: Hook) -> RemovableHandle:
    """Call `hook` with this leaf each time a gradient was added to its `.grad`.

    Raises TapeError if the tensor is no leaf that requires gradients.

    >>> x = dg.ones(2, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
    >>> x.sum().backward()
    tensor([1., 1.])
    """
    if t.node is None:
        raise TapeError("cannot register a hook on a tensor that doesn't require gradient")
    if type(t.node) is not Leaf:
        raise TapeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return added(hooks_of_leaf(t.node).accumulated, hook)


class LeafHooks:
    """The hooks of a leaf, in the order of their calls: before `.grad` is added to, and after."""

    __slots__ = ("accumulated", "after", "before")

    def __init__(self) -> None:
        self.before: Hooks = OrderedDict()
        self.accumulated: Hooks = OrderedDict()
        self.after: Hooks = OrderedDict()

    def replaced(self, g: Any) -> Any:
        """The gradient that is to be added, which the hooks before may replace."""
        for hook in list(self.before.values()):
            if (found := call(hook, (tensor_of(g),))) is not None:
                g = returned(hook, sole(hook, found, 1)[0], g)
        return shared_memory(g)

    def finish(self, leaf: Leaf, g: Any) -> None:
        """Call the hooks after the gradient `g` was added."""
        for hook in list(self.accumulated.values()):
            found = call(hook, leaf.variable)
            if not (found is None or isinstance(found, Tensor)):
                raise TypeError(f"{named(hook)} must return None, not a {type(found).__name__}")
        for hook in list(self.after.values()):
            if (found := call(hook, (), (tensor_of(g),))) is not None:
                require_tuple(hook, found)
                sole(hook, found, 0)


def hooks_of_leaf(leaf: Leaf) -> LeafHooks:
    """The hooks of a leaf, made if there are none; backward visits the leaf to call them."""
    watch_of(leaf)
    if leaf.hooks is None:
        leaf.hooks = LeafHooks()
    hooks: LeafHooks = leaf.hooks
    return hooks


class Whole:
    """The op of a node whose `operands.read` gives a function of its cotangent.

    The function gives the cotangents of all inputs, None where there is none.
    """

    def __init__(self, name: str, traits: frozenset[Trait] = frozenset()) -> None:
        self.name, self.traits = name, traits

    @staticmethod
    def pull(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Any) -> list[Any]:
        """The cotangents of the wanted inputs."""
        cts = values[1](g)
        return [cts[i] for i in wanted]

    def __str__(self) -> str:
        return self.name


class HookedOp:
    """The op of a node with hooks, which see the gradients of all inputs together."""

    def __init__(self, node: Node) -> None:
        self.op, self.inputs, self.wanted = node.op, node.inputs, node.wanted
        self.before: Hooks = OrderedDict()
        self.after: Hooks = OrderedDict()

    def pull(self, wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Any) -> list[Any]:
        """The cotangents of the wanted inputs, between the hooks before and after."""
        for hook in list(self.before.values()):
            replaced = call(hook, (tensor_of(g),))
            g = g if replaced is None else returned(hook, sole(hook, replaced, 1)[0], g)
        gs: list[Any] = [None] * len(self.inputs)
        cts = self.op.pull(self.wanted, g, values, attrs)
        for i, ct in zip(self.wanted, cts, strict=True):
            gs[i] = None if ct is None else fit(ct, self.inputs[i])
        for hook in list(self.after.values()):
            grad_inputs = tuple(None if c is None else tensor_of(c) for c in gs)
            if (replaced := call(hook, grad_inputs, (tensor_of(g),))) is not None:
                replaced = sole(hook, replaced, len(gs))
                gs = [c if c is None else returned(hook, r, c) for c, r in zip(gs, replaced)]
        return [gs[i] for i in wanted]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __str__(self) -> str:
        return str(self.op)


def sole(hook: Hook, found: Any, count: int) -> tuple[Any, ...]:
    """What a hook returned as a tuple of so many."""
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != count:
        raise TapeError(
            f"{named(hook)} has returned an incorrect number of values (got {len(found)}, but"
            f" expected {count})"
        )
    return found


def require_tuple(hook: Hook, found: Any) -> None:
    """Refuse what a hook returned if it is not a tuple."""
    if not isinstance(found, tuple):
        raise TypeError(f"{named(hook)} must return a tuple or None, not a {type(found).__name__}")


def hooks_of(node: Node) -> HookedOp:
    """The op of a node as one with hooks, which it becomes."""
    if not isinstance(node.op, HookedOp):
        node.op = HookedOp(node)
    return node.op


def node_hook(node: Any, hook: Hook) -> RemovableHandle:
    """Call `hook(grad_inputs, grad_outputs)` when the gradients of the node's inputs are known.

    Both are tuples of tensors, with None for what requires no gradient; a tuple that the hook
    returns replaces `grad_inputs`.
    """
    return added(hooks_of(node).after, hook)


def node_prehook(node: Any, hook: Hook) -> RemovableHandle:
    """Call `hook(grad_outputs)` before the node runs; a tuple that it returns replaces them."""
    return added(hooks_of(node).before, hook)


def leaf_hook(leaf: Leaf, hook: Hook) -> RemovableHandle:
    """Call `hook((), grad_outputs)` when the gradient was added up."""
    return added(hooks_of_leaf(leaf).after, hook)


def leaf_prehook(leaf: Leaf, hook: Hook) -> RemovableHandle:
    """Call `hook(grad_outputs)` before the gradient is added up; a tuple replaces them."""
    return added(hooks_of_leaf(leaf).before, hook)


Node.register_hook, Node.register_prehook = node_hook, node_prehook  # type: ignore[attr-defined]
Leaf.register_hook, Leaf.register_prehook = leaf_hook, leaf_prehook  # type: ignore[attr-defined]
