"""Custom operations with a forward and a backward: PyTorch's `autograd.Function`.

Note [Function outputs]. An output of forward gets a new handle with the history, so that a context
that keeps an output (`ctx.y = y`) does not keep its own node alive. A saved output is kept as its
value, and becomes a tensor again when it is read.
"""

import functools
import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar

import numpy as np

from gradops import ArrayType, Batched, Dual, MissingRuleError, Series, ShapeError, TapeError
from gradops.transforms.several_outputs import Parts
from gradops.typing import AnyArray

from ..engine.array import Array
from ..engine.grad_mode import call_unrecorded, is_recording
from ..engine.handle import Handle, face_of, on_face
from ..engine.node import Node, Part, SavedOperands, Vertex
from ..engine.record import CallNode, node_of_call
from ..engine.saved_tensors import Freed
from ..engine.tensor import Tensor, handle, tensor_of
from ..engine.views import refuse_leaf
from ..hooks.tensor_hooks import call, shared_memory
from .context import FunctionCtx, Values
from .outputs import check_dirty, unrecorded_outputs, with_history
from .transforms import apply_jvp, apply_vmap, outermost

APPLIED: ContextVar[Callable[[type["Function"], Sequence[object]], None] | None] = ContextVar(
    "applied", default=None
)
"""Called with each custom function that is applied, and its arguments; for `gradcheck`."""
Gradients = list[AnyArray | None]
Types = list[ArrayType | None]
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
    """A custom operation with a forward and a backward; called as `apply`.

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

    node_type: ClassVar[type[Node]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        name, slots = f"{cls.__name__}Backward", {"__slots__": (), "__module__": __name__}
        cls.node_type = type(name, (FunctionNode,), slots)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record the operation; backward returns a gradient for each argument."""
        if kwargs or has_defaults(cls):
            args = by_position(cls, args, kwargs)
        if any(type(a) is Array for a in args):
            return on_arrays(cls, args)
        outer = outermost(args)
        if isinstance(outer, Dual):
            if cls.jvp is Function.jvp:
                raise MissingRuleError(cls.__name__, "jvp", WITHOUT_JVP)
            return apply_jvp(cls, args, outer)
        if isinstance(outer, Series):
            raise MissingRuleError(cls.__name__, "jet", WITHOUT_JET)
        if isinstance(outer, Batched) and cls.vmap is not Function.vmap:
            return apply_vmap(cls, args, outer)
        return cls.called(args)[1]

    @classmethod
    def called(cls, args: Sequence[Any]) -> tuple[FunctionCtx, Any]:
        """Run forward and record the call; return its context and its outputs."""
        args = tuple(args)
        if (note := APPLIED.get()) is not None:
            note(cls, args)
        ctx = FunctionCtx(cls.__name__)
        ctx.needs_input_grad = tuple(isinstance(a, Handle) and a.node is not None for a in args)
        outputs = call_unrecorded(run_forward, cls, ctx, args)
        several = isinstance(outputs, tuple | list)
        outs = tuple(outputs) if several else (outputs,)
        check_dirty(ctx, outs)
        if any(ctx.needs_input_grad) and is_recording():
            results = recorded_outputs(cls, ctx, args, outs)
        else:
            results = unrecorded_outputs(ctx, args, outs)
        return ctx, tuple(results) if several else results[0]


def on_arrays(cls: type[Function], args: Sequence[object]) -> object:
    """The outputs for arguments that are arrays: forward gets tensors, the outputs are arrays."""
    face = face_of(args)
    outputs = cls.apply(*[tensor_of(a) if type(a) is Array else a for a in args])
    if not isinstance(outputs, tuple):
        return on_face(face, outputs) if isinstance(outputs, Handle) else outputs
    return tuple(on_face(face, y) if isinstance(y, Handle) else y for y in outputs)


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
    """True if forward has default arguments, which `setup_context` gets too."""
    apart = cls.setup_context is not Function.setup_context
    return apart and bool(getattr(cls.forward, "__defaults__", True))


def by_position(cls: type[Function], args: Values, kwargs: dict[str, object]) -> tuple[Any, ...]:
    """All arguments of forward by position, keywords and defaults included."""
    takes_ctx = cls.setup_context is Function.setup_context
    bound = inspect.signature(cls.forward).bind(*([None] * takes_ctx), *args, **kwargs)
    bound.apply_defaults()
    return bound.args[takes_ctx:]


def run_forward(cls: type[Function], ctx: FunctionCtx, args: tuple[object, ...]) -> Any:
    """The outputs of forward, called with `ctx`, or without it and followed by `setup_context`."""
    if cls.setup_context is Function.setup_context:
        return cls.forward(ctx, *args)
    outputs = cls.forward(*args)
    cls.setup_context(ctx, args, outputs)
    return outputs


def recorded_outputs(cls: type[Function], ctx: FunctionCtx, args: Values, outs: Values) -> Values:
    """The outputs with the history of one new node."""
    for t in ctx._dirty:
        refuse_leaf(t)
    vertices = tuple(a.node if isinstance(a, Handle) else None for a in args)
    call = Call(cls, ctx, [y.type if isinstance(y, Handle) else None for y in outs])
    one = outs[0] if len(outs) == 1 and isinstance(outs[0], Tensor) else None
    node = node_of_call(cls.__name__, call, vertices, one, cls.node_type)
    ctx._save(node, outs)
    return [
        with_history(ctx, y, args, Part(node, i, y.shape, y.dtype) if one is None else node)
        if isinstance(y, Handle) else y
        for i, y in enumerate(outs)
    ]  # fmt: skip


class FunctionNode(CallNode):
    """The node of a call of a `Function`, with the attributes of its `ctx`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in SLOTS and isinstance(self.operands, Call):
            return getattr(self.operands.ctx, name)
        raise AttributeError(f"{self.name()} has no attribute {name!r}")


class Call(SavedOperands):
    """A call of a `Function`, as the operands of its node."""

    __slots__ = ("cls", "ctx", "types")

    def __init__(self, cls: type[Function], ctx: FunctionCtx, types: Types) -> None:
        self.cls, self.ctx, self.types = cls, ctx, types

    def read(self, node: Node, freed: Freed | None) -> Sequence[Any]:
        """The node, and the function that computes its gradients."""
        if self.ctx._freed is not None:
            self.ctx._freed.read(node, None)

        def run(g: AnyArray | Parts) -> Gradients:
            try:
                return self.gradients(node, g)
            finally:
                if freed is not None and self.ctx._saved:
                    self.ctx._saved, self.ctx._freed = (), freed

        return node, run

    def gradients(self, node: Node, g: AnyArray | Parts) -> Gradients:
        """The gradients of the inputs that the function's backward returns, checked."""
        by_index = g.by_index if isinstance(g, Parts) else {0: g}
        given = [self.cotangent(by_index.get(i), type) for i, type in enumerate(self.types)]
        result = call(pullback_of(self.cls), self.ctx, *given)
        gs = tuple(result) if isinstance(result, tuple | list) else (result,)
        return self.checked_gradients(node, gs)

    def cotangent(self, g: AnyArray | None, type: ArrayType | None) -> Tensor | None:
        """The gradient of an output as backward gets it: zeros for an output that is not used."""
        if g is not None:
            return tensor_of(g)
        if type is None or not self.ctx._materialize:
            return None
        return handle(np.zeros(type.shape, type.dtype)[()])

    def checked_gradients(self, node: Node, gs: tuple[object, ...]) -> Gradients:
        """One gradient per argument; raises if their number, type or shape is wrong."""
        name, count = f"function {node.name()}", len(node.inputs)
        if len(gs) < count or any(g is not None for g in gs[count:]):
            raise TapeError(
                f"{name} returned an incorrect number of gradients (expected {count}, got"
                f" {len(gs)})\n  hint: backward returns one for each argument of forward,"
                " None where there is none"
            )
        return [checked_gradient(name, i, *pair) for i, pair in enumerate(zip(gs, node.inputs))]


def checked_gradient(name: str, i: int, x: object, vertex: Vertex | None) -> AnyArray | None:
    """The gradient that backward returned for argument i, which has the given vertex."""
    if x is None or vertex is None:
        return None
    if not isinstance(x, Handle):
        raise TypeError(
            f"{name} returned a gradient at index {i} that is not a Tensor: expected a Tensor or"
            f" None (got {type(x).__name__})"
        )
    extra = len(x.shape) - len(vertex.shape)
    if extra < 0 or any(n not in (1, m) for m, n in zip(x.shape[extra:], vertex.shape)):
        raise ShapeError(
            name, [x.type], f"an invalid gradient at index {i}: got {x.shape} but expected shape"
            f" compatible with {vertex.shape}",
        )  # fmt: skip
    return on_face(Array, x) if is_recording() else shared_memory(x.value)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Make a `backward` differentiable only once: it may use NumPy.

    Differentiating its result again raises TapeError, instead of giving a wrong derivative.
    """

    @functools.wraps(backward)
    def once(ctx: FunctionCtx, *grads: Tensor | None) -> object:
        gradients = call_unrecorded(backward, ctx, *grads)
        if not is_recording():
            return gradients
        return OnceDifferentiable.apply(
            gradients, *grads, *(t for t in ctx.saved_tensors if t is not None)
        )

    return once


class OnceDifferentiable(Function):
    """Returns the result of a backward; its own backward raises."""

    @staticmethod
    def forward(ctx: FunctionCtx, result: object, *sources: object) -> object:
        """Return the result, which depends on the sources in an unknown way."""
        return result

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Tensor | None) -> object:
        """Raise TapeError."""
        raise TapeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
