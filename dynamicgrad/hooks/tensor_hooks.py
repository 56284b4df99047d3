"""Hooks: functions that backward calls with the gradients of tensors and nodes.

Note [Hooks]. Hooks on a tensor are in the `watch` of its vertex; the reverse loop passes each
complete cotangent through it. The op of a node with hooks of its own becomes a `HookedOp`, which
calls them around the op's rules; nodes without hooks pay nothing.
"""

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from gradops import DTypeError, ShapeError, TapeError
from gradops.core.source_location import short
from gradops.transforms.reverse import ancestors, blame, fit
from gradops.typing import AnyArray, Attrs

from ..engine.grad_mode import PACKING
from ..engine.handle import Handle, on_face
from ..engine.node import Active, Leaf, Node, Vertex
from ..engine.tensor import Tensor, tensor_of
from .saved_tensor_hooks import DISABLED

Hook = Callable[..., Any]
Hooks = OrderedDict[int, Hook]
Arrive = Callable[[Leaf, AnyArray], None] | None
counter = itertools.count()


class RemovableHandle:
    """Removes a hook; as a context manager, at the end of the block.

    >>> layer = dg.nn.Identity()
    >>> with layer.register_forward_hook(lambda module, args, output: output + 1):
    ...     layer(dg.ones(1))
    tensor([2.])
    >>> layer(dg.ones(1))
    tensor([1.])
    """

    __slots__ = ("__weakref__", "hooks", "id")

    def __init__(self, hooks: OrderedDict[int, Any]) -> None:
        self.hooks = weakref.ref(hooks)  # a handle that is kept keeps nothing else alive
        self.id = next(counter)

    def remove(self) -> None:
        """Remove the hook; a second time does nothing."""
        if (hooks := self.hooks()) is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def add_hook(hooks: OrderedDict[int, Any], hook: object, first: bool = False) -> RemovableHandle:
    """Add a hook after the others, or before them, and return the handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


def add_function(hooks: Hooks, hook: Hook) -> RemovableHandle:
    """Add a hook after the others; raises TypeError if it is not a function."""
    if not callable(hook):
        raise TypeError(f"a hook is a function, not a {type(hook).__name__}")
    return add_hook(hooks, hook)


def call(hook: Hook, *args: object) -> Any:
    """Call a hook; blocks of saved-tensor hooks that it enters end with it."""
    packing, disabled = PACKING.get(), DISABLED.get()
    try:
        return hook(*args)
    finally:
        PACKING.set(packing)
        DISABLED.set(disabled)


class Watch:
    """The hooks that a complete cotangent passes through, and the gradient if it is retained."""

    __slots__ = ("grad", "hooks", "retains")

    def __init__(self) -> None:
        self.hooks, self.retains = Hooks(), False
        self.grad: Tensor | None = None

    def __call__(self, g: AnyArray) -> AnyArray:
        for hook in list(self.hooks.values()):
            if (replacement := call(hook, tensor_of(g))) is not None:
                g = checked_replacement(hook, replacement, g)
        if self.retains:
            grad = tensor_of(g.copy() if isinstance(g, np.ndarray) else g)
            self.grad = grad if self.grad is None else self.grad + grad
        return shared_memory(g) if self.hooks else g


def shared_memory(g: AnyArray) -> AnyArray:
    """`g` as a view, so that a leaf copies it before adding: a user may have kept its memory."""
    return g.view() if type(g) is np.ndarray else g


def checked_replacement(hook: Hook, found: object, g: AnyArray) -> AnyArray:
    """The result of a hook in place of the gradient `g`; raises unless it has the same type."""
    name, want = describe_hook(hook), tensor_of(g).type
    if not isinstance(found, Tensor):
        raise TypeError(f"{name} must return a Tensor or None, not a {type(found).__name__}")
    sizes, dtypes = (found.shape, want.shape), (found.dtype, want.dtype)
    for error, part, (given, wanted) in ((ShapeError, "size", sizes), (DTypeError, "type", dtypes)):
        if given != wanted:
            reason = f"the hook has changed the {part} of value: the gradient is a {want}"
            raise error(name, [found.type], reason)
    return on_face(type(g), found) if isinstance(g, Handle) else found.value


def describe_hook(hook: Hook) -> str:
    """A hook in an error text: its name and where it is defined."""
    code = getattr(hook, "__code__", None)
    name = getattr(hook, "__qualname__", type(hook).__name__)
    return f"hook {name!r}" + (f" ({short((code, 0))})" if code else "")


def watch_of(vertex: Vertex) -> Watch:
    """The watch of a vertex, created at first use."""
    watch: Watch = vertex.watch or Watch()
    vertex.watch = watch
    return watch


class HookCalls:
    """Calls the hooks of vertices that have a `watch`, during one backward.

    The hooks of a leaf run as soon as its gradient is complete, as in PyTorch, and `arrive` gets
    it. `kept` has the cotangents of the inner vertices in `keep` as they were before hooks.
    """

    __slots__ = ("active", "arrive", "ends", "keep", "kept", "turns")

    def __init__(
        self, ends: Iterable[Vertex], active: Active, keep: Container[Vertex], arrive: Arrive
    ) -> None:
        self.ends, self.active, self.keep, self.arrive = ends, active, keep, arrive
        self.kept: dict[Vertex, AnyArray] | None = None
        self.turns: dict[Leaf, float] | None = None

    def visit(self, v: Vertex, cotangents: dict[Vertex, AnyArray]) -> None:
        """Pass the cotangent of `v` through its hooks, and that of a leaf on to `arrive`."""
        g = cotangents[v]
        try:
            cotangents[v] = watch_of(v)(g)
        except Exception as error:
            blame(error, "a hook on", v)
            raise
        if v.op is None:
            if self.arrive is not None:
                self.arrive(v, cotangents.pop(v))
        elif v in self.keep and not (self.active and self.active.isdisjoint(v.inputs)):
            self.kept = {**(self.kept or {}), v: g}

    def turn(self, leaf: Leaf) -> float:
        """When to visit a leaf: right after the oldest of its users."""
        if self.turns is None:
            self.turns = turns_of_leaves(self.ends, self.active)
        return self.turns.get(leaf, -leaf.number)


def turns_of_leaves(ends: Iterable[Vertex], active: Active) -> dict[Leaf, float]:
    """The sort key of each leaf that has a `watch`, among the negated numbers of the vertices.

    Of several leaves of one user, the earlier operands come first.
    """
    users = sorted(ancestors(ends), key=attrgetter("number"), reverse=True)
    turns: dict[Leaf, float] = {}
    for user in users if active is None else [v for v in users if v in active]:
        for i, x in enumerate(user.inputs):
            if x is not None and x.op is None and x.watch is not None:
                turns[x] = (i + 1) / (len(user.inputs) + 1) - user.number
    return turns


def register_hook(t: Tensor, hook: Hook) -> RemovableHandle:
    """Call `hook` with each gradient with respect to this tensor; its result replaces the gradient.

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
    return add_function(watch_of(t.node).hooks, hook)


def register_post_accumulate_grad_hook(t: Tensor, hook: Hook) -> RemovableHandle:
    """Call `hook` with this leaf each time a gradient was added to its `.grad`.

    Raises TapeError unless the tensor is a leaf that requires gradients.

    >>> x = dg.ones(2, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
    >>> x.sum().backward()
    tensor([1., 1.])
    """
    if t.node is None:
        raise TapeError("cannot register a hook on a tensor that doesn't require gradient")
    if type(t.node) is not Leaf:
        raise TapeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return add_function(hooks_of_leaf(t.node).accumulated, hook)


class LeafHooks:
    """The hooks of a leaf, in the order of their calls: before `.grad` is added to, and after."""

    __slots__ = ("accumulated", "after", "before")

    def __init__(self) -> None:
        self.before, self.accumulated, self.after = Hooks(), Hooks(), Hooks()

    def run_prehooks(self, g: AnyArray) -> AnyArray:
        """The gradient to be added, after the hooks that run before."""
        return shared_memory(apply_prehooks(self.before, g))

    def finish(self, leaf: Leaf, g: AnyArray) -> None:
        """Call the hooks after the gradient `g` was added."""
        for hook in list(self.accumulated.values()):
            result = call(hook, leaf.variable)
            if not (result is None or isinstance(result, Tensor)):
                kind = type(result).__name__
                raise TypeError(f"{describe_hook(hook)} must return None, not a {kind}")
        for hook in list(self.after.values()):
            if (result := call(hook, (), (tensor_of(g),))) is not None:
                require_tuple(hook, result)
                as_tuple(hook, result, 0)


def hooks_of_leaf(leaf: Leaf) -> LeafHooks:
    """The hooks of a leaf, created at first use; backward visits the leaf to call them."""
    watch_of(leaf)
    hooks: LeafHooks = leaf.hooks or LeafHooks()
    leaf.hooks = hooks
    return hooks


class HookedOp:
    """The op of a node with hooks, which see the gradients of all inputs together."""

    def __init__(self, node: Node) -> None:
        self.op, self.inputs, self.wanted = node.op, node.inputs, node.wanted
        self.before, self.after = Hooks(), Hooks()

    def pull(self, wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> list[Any]:
        """The cotangents of the wanted inputs, between the hooks before and after."""
        g = apply_prehooks(self.before, g)
        gs: list[AnyArray | None] = [None] * len(self.inputs)
        cts = self.op.pull(self.wanted, g, values, attrs)
        for i, ct in zip(self.wanted, cts, strict=True):
            gs[i] = None if ct is None else fit(ct, self.inputs[i])
        for hook in list(self.after.values()):
            grad_inputs = tuple(None if c is None else tensor_of(c) for c in gs)
            if (replaced := call(hook, grad_inputs, (tensor_of(g),))) is not None:
                pairs = zip(gs, as_tuple(hook, replaced, len(gs)))
                gs = [c if c is None else checked_replacement(hook, r, c) for c, r in pairs]
        return [gs[i] for i in wanted]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __str__(self) -> str:
        return str(self.op)


def apply_prehooks(hooks: Hooks, g: AnyArray) -> AnyArray:
    """The cotangent of an output after the hooks that run before the node."""
    for hook in list(hooks.values()):
        if (result := call(hook, (tensor_of(g),))) is not None:
            g = checked_replacement(hook, as_tuple(hook, result, 1)[0], g)
    return g


def as_tuple(hook: Hook, result: object, count: int) -> tuple[object, ...]:
    """The result of a hook as a tuple; raises TapeError unless it has `count` values."""
    values = result if isinstance(result, tuple) else (result,)
    if len(values) != count:
        raise TapeError(
            f"{describe_hook(hook)} has returned an incorrect number of values (got {len(values)},"
            f" but expected {count})"
        )
    return values


def require_tuple(hook: Hook, result: object) -> None:
    """Raise TypeError if a hook returned something other than a tuple."""
    if not isinstance(result, tuple):
        kind = type(result).__name__
        raise TypeError(f"{describe_hook(hook)} must return a tuple or None, not a {kind}")


def hooks_of(node: Node) -> HookedOp:
    """The op of a node, replaced by one with hooks at first use."""
    if not isinstance(node.op, HookedOp):
        node.op = HookedOp(node)
    return node.op


def node_hook(node: Node, hook: Hook) -> RemovableHandle:
    """Call `hook(grad_inputs, grad_outputs)` when the gradients of the node's inputs are known.

    Both are tuples of tensors, with None for inputs that require no gradient; a tuple that the
    hook returns replaces `grad_inputs`.
    """
    return add_function(hooks_of(node).after, hook)


def node_prehook(node: Node, hook: Hook) -> RemovableHandle:
    """Call `hook(grad_outputs)` before the node runs; a returned tuple replaces them."""
    return add_function(hooks_of(node).before, hook)


def leaf_hook(leaf: Leaf, hook: Hook) -> RemovableHandle:
    """Call `hook((), grad_outputs)` after the gradient is accumulated."""
    return add_function(hooks_of_leaf(leaf).after, hook)


def leaf_prehook(leaf: Leaf, hook: Hook) -> RemovableHandle:
    """Call `hook(grad_outputs)` before the gradient is accumulated; a tuple replaces them."""
    return add_function(hooks_of_leaf(leaf).before, hook)


Node.register_hook, Node.register_prehook = node_hook, node_prehook  # type: ignore[attr-defined]
Leaf.register_hook, Leaf.register_prehook = leaf_hook, leaf_prehook  # type: ignore[attr-defined]
