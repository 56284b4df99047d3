"""Hooks: functions that backward calls with the gradients that pass a tensor or a node.

Note [Hooks]. Hooks on a tensor sit in the `watch` of its vertex, which the reverse loop passes each
complete cotangent through. A node with hooks of its own becomes a `HookedNode`, whose gradients are
computed all at once, so that hooks see them together; nodes without hooks pay nothing.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import DTypeError, ShapeError, TapeError
from gradops.core.rules import Together
from gradops.core.source_location import short
from gradops.core.traits import Trait
from gradops.transforms.reverse import fit

from ..engine.grad_mode import PACKING, is_recording
from ..engine.handle import Handle, on_face
from ..engine.node import Leaf, Node, new
from ..engine.saved_tensors import Freed, reader, tensors
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
    """Stands where an op does on a node whose gradients are computed all at once."""

    vjp = Together(lambda g, node, gradients: gradients(g).__getitem__)

    def __init__(self, name: str, traits: frozenset[Trait] = frozenset()) -> None:
        self.name, self.traits = name, traits

    def __str__(self) -> str:
        return self.name


class NodeHooks:
    """The hooks of a node, and what stands where its operands do."""

    __slots__ = ("after", "before", "kind")

    def __init__(self, kind: type[Node]) -> None:
        self.kind = kind  # the class that the node had
        self.before: Hooks = OrderedDict()
        self.after: Hooks = OrderedDict()

    def read(self, node: "HookedNode", freed: Freed | None) -> Any:
        """The node, and the function that computes its gradients, between its hooks."""
        plain = node.plain()
        operands = (tensors if is_recording() else reader(freed))(plain)
        if type(plain.operands) is Freed:
            SET_OPERANDS(node, plain.operands)
        return node, lambda g: self.gradients(plain, g, operands)

    def gradients(self, node: Node, g: Any, operands: Any) -> Sequence[Any]:
        """The gradients of the inputs, between the hooks before and after."""
        for hook in list(self.before.values()):
            found = call(hook, (tensor_of(g),))
            g = g if found is None else returned(hook, sole(hook, found, 1)[0], g)
        gs = shares(node, g, operands)
        for hook in list(self.after.values()):
            shown = tuple(None if c is None else tensor_of(c) for c in gs)
            if (found := call(hook, shown, (tensor_of(g),))) is not None:
                found = sole(hook, found, len(gs))
                gs = [c if c is None else returned(hook, f, c) for c, f in zip(gs, found)]
        return gs


def shares(node: Node, g: Any, operands: Any) -> list[Any]:
    """The gradients of the inputs of a node by the op's own rules, None where there is none."""
    op, attrs = node.op, node.attrs
    together = op.vjp.shares(g, *operands, **attrs) if type(op.vjp) is Together else None
    found: list[Any] = []
    for i, x in enumerate(node.inputs):
        rule = None if x is None or together else op.rule("vjp", i)
        ct = rule(g, *operands, **attrs) if rule else None
        if together is not None and x is not None:
            ct = together(i)
        found.append(None if ct is None else fit(ct, x))
    return found


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


SET_OPERANDS = Node.__dict__["operands"].__set__


class HookedNode(Node):
    """A node with hooks of its own. Its class was changed: its slots hold what a `Node`'s do."""

    __slots__ = ()

    @property
    def op(self) -> Any:
        """Stands where an op does."""
        op = self.plain().op
        return Whole(op.name, op.traits)

    @property
    def operands(self) -> Any:
        """What stands where operands do: the hooks, unless a backward freed the node."""
        found = self.plain().operands
        return found if type(found) is Freed else self.hooks

    @property
    def attrs(self) -> dict[str, Any]:  # type: ignore[override]
        """Nothing: attributes go to the op's own rules."""
        return {}

    def __getattr__(self, name: str) -> Any:
        if name in Node.__slots__:
            raise AttributeError(name)  # one that is not set
        return getattr(self.plain(), name)

    def plain(self) -> Node:
        """The node as it is without its hooks."""
        node: Node = new(self.hooks.kind)
        for slot in SLOTS:
            setattr(node, slot, getattr(Node, slot).__get__(self))
        return node

    def name(self) -> str:
        """The node's name, as PyTorch calls it."""
        return self.plain().name()


SLOTS = ("op", "inputs", "operands", "attrs", "number", "shape", "dtype", "output", "storage",
         "watch", "code", "offset")  # fmt: skip


def hooked(kind: Any) -> type[HookedNode]:
    """The class of nodes of a kind that have hooks; that of a custom function has its name."""
    if kind is Node:
        return HookedNode
    if "hooked" not in kind.__dict__:
        kind.hooked = type(kind.__name__, (HookedNode,), {"__slots__": ()})
    found: type[HookedNode] = kind.hooked
    return found


def hooks_of(node: Any) -> NodeHooks:
    """The hooks of a node, which becomes a hooked one."""
    if not isinstance(node, HookedNode):
        node.hooks, node.__class__ = NodeHooks(type(node)), hooked(type(node))
    hooks: NodeHooks = node.hooks
    return hooks


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
