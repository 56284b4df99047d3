"""Operations of one's own: a forward and a backward, as PyTorch's `autograd.Function` has them.

Note [Function outputs]. What forward returns gets a new handle with the history, so that a context
that keeps an output (`ctx.y = y`) does not keep its own node alive. An output that is saved is kept
as its value, and rebuilt as a tensor when it is read.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar

import numpy as np

from gradops import Batched, Dual, MissingRuleError, Series, ShapeError, TapeError

from ..engine.array import Array
from ..engine.grad_mode import RECORDING, is_recording
from ..engine.handle import Handle, cut_off, face_of, on_face
from ..engine.node import NOTHING, SEVERAL, Node, Part, Parts, SavedOperands
from ..engine.record import node_of, present
from ..engine.saved_tensors import Freed
from ..engine.storage import MADE_UNRECORDED, Alias, enter, memory, storage_of
from ..engine.tensor import Tensor, handle, tensor_of
from ..engine.views import refuse_leaf, set_history
from ..hooks.tensor_hooks import Whole, call, shared_memory
from .context import FunctionCtx
from .transforms import batched, outermost, pushed

MADE_INSIDE = (
    "Output {i} of {op} is a view and is being modified inplace. This view was created inside a"
    " custom Function (or because an input was returned as-is), whose backward the write would go"
    " around"
    "\n  hint: return a clone() from forward, or write `y = y * 2` for `y *= 2`"
)

APPLIED: ContextVar[Callable[[Any, Any], None] | None] = ContextVar("applied", default=None)
"""What is told of each custom function that is applied, and its arguments; for `gradcheck`."""
SLOTS = frozenset(Node.__slots__)
WITHOUT_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use"
    " it with backward mode AD, as a static method backward(ctx, *grad_outputs)"
)
WITHOUT_JVP = (
    "You must implement the jvp function for custom autograd.Function to use it with forward mode"
    " AD, as a static method jvp(ctx, *tangents)"
)

WITHOUT_JET = (
    "Taylor mode goes through operations; nest jvp for high derivatives of a custom function"
)


class Function:
    """An operation with a forward and a backward of one's own; called as `apply`.

    A subclass states `forward(ctx, *args)` and `backward(ctx, *grad_outputs)` as static methods, or
    `forward(*args)` and `setup_context(ctx, inputs, output)`. Forward runs without recording, and
    may use NumPy; backward gets a tensor per output and gives a tensor or None per argument.

    >>> class Cube(dg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x * x
    >>> x = dg.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: tensors, or tuples of tensors and other things."""
        raise NotImplementedError("a Function needs a static method `forward`")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs, where `forward` does not take `ctx`."""
        raise NotImplementedError

    @staticmethod
    def backward(ctx: FunctionCtx, *grad_outputs: Any) -> Any:
        """Compute the gradient of each argument of `forward`, None where there is none."""
        raise NotImplementedError(WITHOUT_BACKWARD)

    @staticmethod
    def vjp(ctx: FunctionCtx, *grad_outputs: Any) -> Any:
        """Another name for `backward`; a subclass has one of the two."""
        raise NotImplementedError(WITHOUT_BACKWARD)

    @staticmethod
    def jvp(ctx: FunctionCtx, *tangents: Any) -> Any:
        """Compute the tangents of the outputs, from one per argument; for forward mode."""
        raise NotImplementedError

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        """Compute the outputs for a batch, whose axis in each argument is given, and their axes."""
        raise NotImplementedError

    node_type: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name, slots = f"{cls.__name__}Backward", {"__slots__": (), "__module__": __name__}
        cls.node_type = type(name, (FunctionNode,), slots)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record the operation; backward gives a gradient for each argument."""
        if kwargs or has_defaults(cls):
            args = by_position(cls, args, kwargs)
        if any(type(a) is Array for a in args):
            return on_arrays(cls, args)
        outer = outermost(args)
        if isinstance(outer, Dual):
            if cls.jvp is Function.jvp:
                raise MissingRuleError(cls.__name__, "jvp", WITHOUT_JVP)
            return pushed(cls, args, outer)
        if isinstance(outer, Series):
            raise MissingRuleError(cls.__name__, "jet", WITHOUT_JET)
        if isinstance(outer, Batched) and cls.vmap is not Function.vmap:
            return batched(cls, args, outer)
        return cls.called(args)[1]

    @classmethod
    def called(cls, args: Sequence[Any]) -> tuple[FunctionCtx, Any]:
        """The context and the outputs of a call, which is recorded."""
        args = tuple(args)
        if (note := APPLIED.get()) is not None:
            note(cls, args)
        ctx = FunctionCtx(cls.__name__)
        ctx.needs_input_grad = tuple(isinstance(a, Handle) and a.node is not None for a in args)
        mode = RECORDING.set(False)
        try:
            outputs = run_forward(cls, ctx, args)
        finally:
            RECORDING.reset(mode)
        several = isinstance(outputs, tuple | list)
        outs = tuple(outputs) if several else (outputs,)
        check_dirty(ctx, outs)
        records = any(ctx.needs_input_grad) and is_recording()
        found = recorded(cls, ctx, args, outs) if records else unrecorded(ctx, args, outs)
        return ctx, tuple(found) if several else found[0]


def on_arrays(cls: type[Function], args: Sequence[Any]) -> Any:
    """The outputs for arrays of a function, which is written for tensors."""
    face = face_of(args)
    found = cls.apply(*[tensor_of(a) if type(a) is Array else a for a in args])
    several = isinstance(found, tuple)
    outs = [
        on_face(face, y) if isinstance(y, Handle) else y for y in (found if several else (found,))
    ]
    return tuple(outs) if several else outs[0]


def pullback_of(cls: type[Function]) -> Callable[..., Any]:
    """The `backward` of a function, or its `vjp`."""
    if cls.vjp is Function.vjp:
        return cls.backward
    if cls.backward is not Function.backward:
        raise TapeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You"
            f" should only implement one of them.\n  hint: {cls.__name__} has both"
        )
    return cls.vjp


def has_defaults(cls: type[Function]) -> bool:
    """Whether forward may leave out arguments that `setup_context` is to get."""
    apart = cls.setup_context is not Function.setup_context
    return apart and bool(getattr(cls.forward, "__defaults__", True))


def by_position(cls: type[Function], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """All arguments of forward in their order, also those given by name and those left out."""
    takes_ctx = cls.setup_context is Function.setup_context
    bound = inspect.signature(cls.forward).bind(*([None] * takes_ctx), *args, **kwargs)
    bound.apply_defaults()
    return bound.args[takes_ctx:]


def run_forward(cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...]) -> Any:
    """What forward returns, called in the one or the other form."""
    if cls.setup_context is Function.setup_context:
        return cls.forward(ctx, *args)
    outputs = cls.forward(*args)
    cls.setup_context(ctx, args, outputs)
    return outputs


def check_dirty(ctx: FunctionCtx, outs: Sequence[Any]) -> None:
    """Refuse tensors marked as written to that are not returned; note the writes to the others."""
    for t in ctx._dirty:
        if not any(t is y for y in outs):
            raise TapeError(
                "some elements marked as dirty during the forward method were not returned as"
                f" output by {ctx._name}\n  hint: return each tensor that forward writes to"
            )
        storage_of(t).write()


def unrecorded(ctx: FunctionCtx, args: Sequence[Any], outs: Sequence[Any]) -> list[Any]:
    """The outputs when nothing is recorded."""
    tracked = any(ctx.needs_input_grad)
    return [
        y if not isinstance(y, Handle) or any(y is t for t in ctx._dirty)
        else cut_off(sharing(fresh(y), y, args, MADE_UNRECORDED), None, tracked)
        for y in outs
    ]  # fmt: skip


def fresh(y: Handle) -> Handle:
    """A new handle on the memory of an output, without history."""
    found = handle(y.value)
    found.storage = y.storage
    return found


def sharing(found: Handle, y: Handle, args: Sequence[Any], refusal: str) -> Handle:
    """The new handle of an output `y`, which may be one of the arguments or a view of one."""
    if any(y is a for a in args):  # returned as it came: another tensor on the same memory
        found.value, found.storage = memory(y), storage_of(y)
        found.storage.lend()
        enter(found, Alias(y if y.alias is None else y.alias.base, None, refusal))
    elif y.alias is not None and any(y.storage is getattr(a, "storage", None) for a in args):
        enter(found, Alias(y.alias.base, None, refusal))
    return found


def recorded(
    cls: type[Function], ctx: FunctionCtx, args: Sequence[Any], outs: Sequence[Any]
) -> list[Any]:
    """The outputs with the history of one new node."""
    for t in ctx._dirty:
        refuse_leaf(t)
    vertices = tuple(a.node if isinstance(a, Handle) else None for a in args)
    call = Call(cls, ctx, [y.type if isinstance(y, Handle) else None for y in outs])
    one = len(outs) == 1 and isinstance(outs[0], Tensor)
    shape, dtype = (outs[0].shape, outs[0].dtype) if one else (SEVERAL, SEVERAL)
    node = node_of(
        Whole(cls.__name__), vertices, call, NOTHING, None, present(vertices), shape, dtype,
        cls.node_type,
    )  # fmt: skip
    ctx._save(node, outs)
    return [
        attached(ctx, y, args, node if one else Part(node, i, y.shape, y.dtype))
        if isinstance(y, Handle) else y
        for i, y in enumerate(outs)
    ]  # fmt: skip


def attached(ctx: FunctionCtx, y: Handle, args: Sequence[Any], vertex: Any) -> Handle:
    """An output with the vertex that stands for it, unless no gradient passes through it."""
    if any(y is t for t in ctx._dirty):
        return set_history(y, vertex)
    found = sharing(
        fresh(y), y, args, MADE_INSIDE.format(i=getattr(vertex, "index", 0), op=ctx._name)
    )
    if y.dtype.kind in "fc" and not any(y is t for t in ctx._constant):
        found.node = vertex
    return found


class FunctionNode(Node):
    """The node of a `Function`, which has one output or several; it has what its `ctx` has."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in SLOTS and isinstance(self.operands, Call):
            return getattr(self.operands.ctx, name)
        raise AttributeError(f"{self.name()} has no attribute {name!r}")

    def name(self) -> str:
        """The node's name, as PyTorch calls it."""
        return f"{self.op}Backward"


class Call(SavedOperands):
    """A call of a `Function`: what stands where its node's operands do."""

    __slots__ = ("cls", "ctx", "types")

    def __init__(self, cls: type[Function], ctx: FunctionCtx, types: list[Any]) -> None:
        self.cls, self.ctx, self.types = cls, ctx, types

    def read(self, node: Node, freed: Freed | None) -> Any:
        """The node, and the function that computes its gradients."""
        if self.ctx._freed is not None:
            self.ctx._freed.read(node, None)

        def run(g: Any) -> Sequence[Any]:
            try:
                return self.gradients(node, g)
            finally:
                if freed is not None and self.ctx._saved:
                    self.ctx._saved, self.ctx._freed = (), freed

        return node, run

    def gradients(self, node: Node, g: Any) -> Sequence[Any]:
        """What the function's backward gives for the inputs, checked."""
        by_index = g.by_index if isinstance(g, Parts) else {0: g}
        given = [self.cotangent(by_index.get(i), type) for i, type in enumerate(self.types)]
        found = call(pullback_of(self.cls), self.ctx, *given)
        found = tuple(found) if isinstance(found, tuple | list) else (found,)
        return self.checked(node, found)

    def cotangent(self, g: Any, type: Any) -> Tensor | None:
        """The gradient of an output as backward gets it: zeros where it was not used."""
        if g is not None:
            return tensor_of(g)
        if type is None or not self.ctx._materialize:
            return None
        return handle(np.zeros(type.shape, type.dtype)[()])

    def checked(self, node: Node, found: tuple[Any, ...]) -> list[Any]:
        """One gradient per argument, each of them what it can be."""
        name, count = f"function {node.name()}", len(node.inputs)
        if len(found) < count or any(x is not None for x in found[count:]):
            raise TapeError(
                f"{name} returned an incorrect number of gradients (expected {count}, got"
                f" {len(found)})\n  hint: backward returns one for each argument of forward,"
                " None where there is none"
            )
        tracked = self.ctx.needs_input_grad
        return [checked(name, i, x, node.inputs[i], tracked[i]) for i, x in
                enumerate(found[:count])]  # fmt: skip


def checked(name: str, i: int, x: Any, vertex: Any, tracked: bool) -> Any:
    """The gradient that backward returned for argument i, whose vertex is given."""
    if x is None or vertex is None:
        return None
    if not isinstance(x, Handle):
        raise TypeError(
            f"{name} returned a gradient at index {i} that is no Tensor: expected a Tensor or None"
            f" (got {type(x).__name__})"
        )
    extra = len(x.shape) - len(vertex.shape)
    if extra < 0 or any(n not in (1, m) for m, n in zip(x.shape[extra:], vertex.shape)):
        raise ShapeError(
            name, [x.type], f"an invalid gradient at index {i}: got {x.shape} but expected shape"
            f" compatible with {vertex.shape}",
        )  # fmt: skip
    return on_face(Array, x) if is_recording() else shared_memory(x.value)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Let a `backward` be differentiated through only once: it may use NumPy.

    Differentiating its result again raises TapeError, instead of giving a wrong derivative.
    """

    @functools.wraps(backward)
    def once(ctx: FunctionCtx, *grads: Any) -> Any:
        mode = RECORDING.set(False)
        try:
            found = backward(ctx, *grads)
        finally:
            RECORDING.reset(mode)
        if not is_recording():
            return found
        return Refused.apply(found, *grads, *(t for t in ctx.saved_tensors if t is not None))

    return once


class Refused(Function):
    """The result of a backward that cannot be differentiated."""

    @staticmethod
    def forward(ctx: FunctionCtx, found: Any, *sources: Any) -> Any:
        """What was found, which depends on the sources in a way that is not known."""
        return found

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        """Refuse."""
        raise TapeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
