"""Runs of a function on the tape that are watched node by node, forward and backward."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradops import OptionError, flatten, leaves_of
from gradops.core.source_location import short
from gradops.inspection.timeline.memory import Step

from ..engine.anomaly import INSPECTING
from ..engine.array import Array
from ..engine.backward import grad
from ..engine.grad_mode import RECORDING, Counting, mode_for
from ..engine.handle import Handle, hold, make_leaf
from ..engine.node import Leaf
from ..hooks.gradient_edge import GradientEdge
from .variable_names import live_modules, models, names_of_tensors, variables
from .view import Builder, vertices_of

Inspector = Callable[[Any, Sequence[int], Sequence[Any]], None]


class NodeObserver(Counting):
    """Recording, and calling a function with each new node, which is not kept."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[Any], None]) -> None:
        super().__init__()
        self.call = call

    def note(self, node: Any) -> None:
        """Pass a new node on."""
        self.call(node)
        if self.outer is not None:
            self.outer.note(node)


def run_arguments(args: Sequence[Any]) -> list[Any]:
    """The arguments of a run: leaves for floats, arrays on NumPy's face."""
    leaves, rebuild = flatten(list(args))
    result: list[Any] = rebuild([leaf(x) for x in leaves])
    return result


def leaf(x: Any) -> Any:
    """A leaf for an array or a tensor of floats; anything else as it is."""
    if isinstance(x, Handle):
        is_new = x.node is None and x.dtype.kind in "fc"
        return make_leaf(hold(type(x), x.value)) if is_new else x
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return make_leaf(hold(Array, x))
    return x


def forward(
    call: Callable[[Any], None] | None, f: Callable[..., Any], args: Sequence[Any]
) -> Handle:
    """The loss that `f` returns, the first of its results, while `call`, if any, gets each node.

    Raises OptionError if it is not a number that was recorded.
    """
    token = RECORDING.set(mode_for(True) if call is None else NodeObserver(call))
    try:
        result = f(*args)
    finally:
        RECORDING.reset(token)
    loss = result if isinstance(result, Handle) else next(iter(leaves_of(result)), None)
    if not isinstance(loss, Handle) or loss.node is None or loss.value.size != 1:
        name = getattr(f, "__name__", type(f).__name__)
        raise OptionError(
            name, [], "it returns no number that depends on its arguments or on parameters",
            hint="its first result is the loss: a tensor with one element that was recorded",
        )  # fmt: skip
    return loss


def backward(inspect: Inspector | None, loss: Handle) -> tuple[Any, ...]:
    """The gradients of the loss by all leaves, while `inspect`, if any, sees what each node gives.

    The tape is freed; no leaf's `.grad` changes.
    """

    def see(vertex: Any, wanted: Sequence[int], cotangents: Sequence[Any]) -> Sequence[Any]:
        inspect(vertex, wanted, cotangents)  # type: ignore[misc]
        return cotangents

    leaves = [GradientEdge(v) for v in vertices_of([loss]) if type(v) is Leaf]
    token = INSPECTING.set(None if inspect is None else see)
    try:
        return grad(loss, leaves, allow_unused=True)
    finally:
        INSPECTING.reset(token)


def steps_of_run(f: Callable[..., Any], args: Sequence[Any]) -> list[Step]:
    """The operations and leaves of a run as steps. What is loaded on first use is loaded then.

    The scope of an operation is the path of the module that runs it.
    """
    scopes: dict[int, str] = {}
    with running_modules() as running:
        note = lambda node: scopes.update({node.number: running[-1]})
        loss = forward(note, f, run_arguments(args))
    order = vertices_of([loss])
    builder, result = Builder(names_of_tensors(order)), []
    for v in order:
        builder.add(v)
        n = builder.nodes[builder.ids[id(v)]]
        line = short(v.place) if v.place and v.place[0] else ""
        result.append(Step(n.name, n.op, scopes.get(v.number, "") or n.scope, line))
    backward(None, loss)
    return result


@contextmanager
def running_modules() -> Iterator[list[str]]:
    """The paths of the modules that run, `blocks/0/attn`, the innermost last. The first is empty.

    Inside the block, all modules that were alive before have hooks.
    """
    running, hooks = [""], []
    for prefix, model in models(live_modules(), variables()):
        for path, module in model.named_modules(prefix=prefix):
            enter, leave = around(running, path.replace(".", "/"))
            hooks.append(module.register_forward_pre_hook(enter))
            hooks.append(module.register_forward_hook(leave, always_call=True))
    try:
        yield running
    finally:
        for hook in hooks:
            hook.remove()


def around(running: list[str], path: str) -> tuple[Callable[..., None], Callable[..., None]]:
    """The hooks before and after the forward of the module at a path."""

    def enter(*call: object) -> None:
        running.append(path)

    def leave(*call: object) -> None:
        running.pop()

    return enter, leave
