"""`backward` and `grad`: the seeds, the reverse pass, and the accumulation in leaves."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradops import ShapeError, TapeError, copy, depending_on, ones_like, pull_back
from gradops.core.float_errors import without_float_errors
from gradops.core.source_location import describe, here
from gradops.kernels.heap import keep_freed_memory
from gradops.library.shape.movement import cast
from gradops.transforms.reverse import active_between
from gradops.typing import AnyArray

from ..hooks.gradient_edge import GradientEdge
from ..hooks.tensor_hooks import Arrive, HookCalls, watch_of
from .anomaly import inspection
from .array import Array
from .grad_mode import FINISHING, PACKING, RECORDING, Callbacks, Differentiating, Mode, mode_for
from .handle import ARRAYS, Handle, hold, on_face
from .node import Leaf, Node, Vertex
from .piecewise import add_zeros, inspect_with_kinks
from .saved_tensors import Freed, reader, values
from .saved_tensors import tensors as tensors_of
from .tensor import Tensor, handle, tensor_of

Edges = Sequence[Handle | GradientEdge]
Tensors = Handle | GradientEdge | Edges
Cotangents = dict[Vertex, Any]  # of nodes with several outputs, `Parts`
Read = Callable[[Node], Sequence[Any]]
Ends = Sequence[Vertex] | None
NO_GRAD_FN = "element 0 of tensors does not require grad and does not have a grad_fn\n  hint: {why}"


def backward(
    tensors: Tensors, grad_tensors: Tensors | None = None, retain_graph: bool | None = None,
    create_graph: bool = False, inputs: Tensors | None = None,
) -> None:  # fmt: skip
    """Add the gradients of `tensors` to the `.grad` of the leaves they depend on.

    `grad_tensors` are the cotangents of `tensors`, of their shapes; a tensor with one element needs
    none. The graph is freed unless `retain_graph`, which defaults to `create_graph`; with that, the
    gradients can be differentiated in turn. With `inputs`, only their `.grad` is accumulated, and
    only the paths to them are computed. Raises TapeError if a tensor requires no gradient, has
    several elements and no gradient is given, or was freed before.

    >>> x = dg.tensor([1.0, 2.0], requires_grad=True)
    >>> dg.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if isinstance(tensors, Handle) and grad_tensors is None and tensors.node is not None:
        seeds = {tensors.node: one(tensors)}  # the common case of `initial_cotangents`, inlined
    else:
        seeds = initial_cotangents(sequence(tensors), sequence(grad_tensors))
    ends = None if inputs is None else [vertex(t) for t in sequence(inputs)]
    if ends == []:
        raise TapeError("`inputs` argument to `backward` cannot be empty.")
    for v in ends or ():
        if type(v) is not Leaf:
            watch_of(v).retains = True  # keeps the gradient in its `.grad`
    arrive = partial(accumulate_arrived, create_graph=True) if create_graph else accumulate_arrived
    recorded = tensors_of if create_graph else None
    found: dict[Any, Any] = carry(seeds, ends, retain_graph, recorded, arrive)
    given = set(map(id, seeds.values()))
    if ends is not None:
        found = {v: found[v] for v in ends if type(v) is Leaf and v in found}
    for leaf, g in found.items():
        accumulate(leaf, g, given, create_graph)


def grad(
    outputs: Tensors, inputs: Tensors, grad_outputs: Tensors | None = None,
    retain_graph: bool | None = None, create_graph: bool = False, allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """The gradients of the sum of `outputs` with respect to each of `inputs`; no `.grad` changes.

    `grad_outputs` are the cotangents of the outputs, as in `backward`. With `create_graph` the
    results can be differentiated in turn. Raises TapeError for an input that the outputs do not
    depend on, unless `allow_unused` (it gives None) or `materialize_grads` (it gives zeros).

    >>> x = dg.tensor(3.0, requires_grad=True)
    >>> (g,) = dg.autograd.grad(x * x * x, x, create_graph=True)
    >>> dg.autograd.grad(g, x)
    (tensor(18.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads")
    wanted: list[Any] = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    if not wanted:
        raise TapeError("grad requires non-empty inputs.")
    if isinstance(outputs, Handle) and grad_outputs is None and outputs.node is not None:
        seeds = {outputs.node: one(outputs)}  # the common case of `initial_cotangents`, inlined
    else:
        seeds = initial_cotangents(sequence(outputs), sequence(grad_outputs))
    ends = [vertex(t) for t in wanted]
    found = carry(seeds, ends, retain_graph, tensors_of if create_graph else None)
    if not (allow_unused or materialize_grads):
        require_used(wanted, ends, found)
    gradients = gradients_at(wanted, ends, found, seeds)
    if materialize_grads:
        return tuple(zeros(t) if g is None else g for t, g in zip(wanted, gradients, strict=True))
    return tuple(gradients)


def gradients_at(
    wanted: Edges, ends: list[Vertex], found: Cotangents, seeds: Cotangents
) -> list[Handle | None]:
    """The cotangents of `ends`, on the faces of `wanted`; None where there is none."""
    given = {id(g) for g in seeds.values()}
    return [
        on_face(face(t), own_memory(found[v], given)) if v in found else None
        for t, v in zip(wanted, ends, strict=True)
    ]


def carry(
    seeds: Cotangents, ends: Ends, retain: bool | None, recorded: Read | None,
    arrive: Arrive = None, stop: Container[Vertex] | None = None,
) -> Cotangents:  # fmt: skip
    """The cotangents of `ends`, or of all leaves; vertices in `stop` count as constants.

    `retain` the saved tensors, or else free them. `recorded`, if given, reads them for rules that
    are recorded. `arrive` gets the cotangents of leaves with hooks as soon as they are complete.
    """
    keep_freed_memory()
    active = None if ends is None else active_between(ends, seeds)
    if stop is not None:
        active = depending_on(ends or (), seeds, stop)
    keep = () if ends is None or active is None else frozenset(ends)  # leaves need no keeping
    recording: Mode = False
    if recorded is None:
        read = values if retain else reader(Freed(here()))
    else:
        seeds = {v: on_face(Array, g) for v, g in seeds.items()}
        recording, read = differentiating(recorded)
    look = inspect_with_kinks(inspection()) if recording else inspection()
    hooks = HookCalls(seeds, active, keep, arrive)
    callbacks: Callbacks = []
    mode, finishing = RECORDING.set(recording), FINISHING.set(callbacks)
    try:
        found = without_float_errors(pull_back, seeds, read, active, keep, hooks, look)
        for callback in callbacks:
            callback()
    finally:
        FINISHING.reset(finishing)
        RECORDING.reset(mode)
    if hooks.kept:
        found.update(hooks.kept)
    return add_zeros(found, callbacks, active) if callbacks else found


def differentiating(recorded: Read) -> tuple[Mode, Read]:
    """The mode of a recorded backward, and `recorded`, which also reports whose rules run."""
    if not mode_for(True):
        return mode_for(True), recorded
    mode = Differentiating(here(), PACKING.get())

    def read(node: Node) -> Sequence[Any]:
        mode.cause = node
        return recorded(node)

    return mode, read


def sequence(x: object) -> list[Any]:
    """One object or several as a list."""
    return list(x) if isinstance(x, list | tuple) else ([] if x is None else [x])


def initial_cotangents(outputs: Edges, gradients: Sequence[AnyArray | None]) -> Cotangents:
    """The initial cotangents, by the nodes of the outputs."""
    if gradients and len(gradients) != len(outputs):
        raise TapeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    seeds: Cotangents = {}
    for t, g in zip(outputs, gradients or [None] * len(outputs), strict=True):
        if isinstance(t, GradientEdge):
            t = t.stand_in()
        if not isinstance(t, Handle):
            raise TypeError(f"expected a tensor to differentiate, got {type(t).__name__}")
        if t.node is None:
            raise TapeError(NO_GRAD_FN.format(why=why_no_history(t)))
        g = seed(t, g)
        seeds[t.node] = seeds[t.node] + g if t.node in seeds else g
    return seeds


def why_no_history(t: Handle) -> str:
    """A hint that says what cut a tensor off from the graph, where, and what to do."""
    if t.cut is None:
        return (
            "nothing it was computed from requires gradients; make a leaf with requires_grad=True"
            " and compute the result again, without item(), numpy() or tensor() on the way"
        )
    what = f" ({t.cut.op})" if t.cut.op is not None else ""
    return (
        f"it was computed from what was cut off {t.cut.reason}, at {describe(t.cut.place)}{what};"
        " compute that while recording, and without detach()"
    )


def seed(t: Handle, g: AnyArray | None) -> AnyArray:
    """The initial cotangent of `t`: the one given, or 1 for a single element."""
    if g is None:
        return one(t)
    if not isinstance(g, Handle | np.ndarray | np.generic):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    g = tensor_of(g)
    if g.shape != t.shape:
        raise ShapeError(
            "backward", [t.type, g.type],
            f"the gradient has the shape {g.shape} and the output {t.shape}",
            known_as=f"Mismatch in shape: grad_output[0] has a shape of {list(g.shape)} and"
            f" output[0] has a shape of {list(t.shape)}.",
            hint="the gradient given has the shape of the output it belongs to",
        )  # fmt: skip
    if g.node is not None:
        return g if g.dtype == t.dtype else g.to(t.dtype)
    value = g.value
    return value if value.dtype == t.dtype else cast(value, t.dtype)


def one(t: Handle) -> AnyArray:
    """The cotangent 1 of an output with a single element."""
    value = t.value
    if value.size != 1:
        raise TapeError(
            f"grad can be implicitly created only for scalar outputs; this one is {t.type}\n"
            "  hint: reduce it, as in .sum().backward(), or give backward() a gradient of its shape"
        )
    if value.dtype.kind == "c":
        raise TapeError(
            f"grad can be implicitly created only for real scalar outputs but got {value.dtype}\n"
            "  hint: differentiate its abs(), real or imag part, or give backward() a gradient"
        )
    if value.dtype.kind != "f":
        raise TapeError(f"only outputs of floating point can be differentiated, not {t.type}")
    if type(value) not in ARRAYS:
        return ones_like(value)  # an expression, whose sizes may be unknown
    return np.ones(value.shape, value.dtype) if value.shape else value.dtype.type(1)


def vertex(t: Handle | GradientEdge) -> Vertex:
    """The node of a tensor to differentiate by; raises TapeError if it requires no gradient."""
    if isinstance(t, GradientEdge):
        return t.vertex
    if not isinstance(t, Handle):
        raise TypeError(f"expected a tensor to differentiate by, got {type(t).__name__}")
    if t.node is None:
        raise TapeError(
            "One of the differentiated Tensors does not require grad\n"
            "  hint: make it a leaf with requires_grad=True before it is used"
        )
    return t.node


def require_used(wanted: Sequence[Handle], ends: Sequence[Vertex], found: Cotangents) -> None:
    """Raise TapeError for an input that the outputs do not depend on."""
    for i, v in enumerate(ends):
        if v not in found:
            raise TapeError(
                "One of the differentiated Tensors appears to not have been used in the graph:"
                f" the one at index {i}, {description(wanted[i])}\n"
                "  hint: set allow_unused=True if this is the desired behavior; if not, was the"
                " output computed from this very tensor?"
            )


def description(t: Handle) -> str:
    """A tensor as errors describe it: its type, and the call that computed it."""
    made = "a leaf" if type(t.node) is Leaf else f"made at {describe(t.node.place)}"
    return f"{t.type}, {made}"


def accumulate(leaf: Leaf, g: AnyArray, given: set[int], create_graph: bool) -> None:
    """Add a gradient to the `grad` of a leaf."""
    if leaf.grad is None:
        if type(g) is np.ndarray and g.base is None and id(g) not in given:
            given.add(id(g))
            leaf.grad = hold(Tensor, g)  # the common case of `owned`, inlined
        else:
            leaf.grad = tensor_of(own_memory(g, given))
    elif create_graph:
        leaf.grad = tensor_of(leaf.grad + g)
    else:
        mode = RECORDING.set(False)  # also if the gradient has a history
        try:
            leaf.grad.add_(hold(Tensor, g))
        finally:
            RECORDING.reset(mode)


def accumulate_arrived(leaf: Leaf, g: AnyArray, create_graph: bool = False) -> None:
    """Add a gradient to a leaf, with the hooks before and after."""
    hooks = leaf.hooks
    if hooks is not None:
        g = hooks.run_prehooks(g)
    accumulate(leaf, g, set(), create_graph)
    if hooks is not None:
        hooks.finish(leaf, g)


def face(t: Handle | GradientEdge) -> type[Handle]:
    """The face of a gradient with respect to `t`."""
    return Array if type(t) is Array else Tensor


def own_memory(g: AnyArray, given: set[int]) -> Handle:
    """A handle on a cotangent, copied if the caller or another leaf has the same memory."""
    t = g if isinstance(g, Handle) else handle(g)
    value = t.value
    if type(value) is np.ndarray and (id(value) in given or value.base is not None):
        t = handle(value.copy()) if t.node is None else copy(t)
    given.add(id(t.value))
    return t


def zeros(t: Handle) -> Handle:
    """Zeros like `t`."""
    return hold(face(t), np.zeros(t.shape, t.dtype))
