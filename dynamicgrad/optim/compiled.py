"""Steps of optimizers in traced programs: the same rules, one parameter at a time.

Note [Compiled steps]. The parameters, the state and the rate are read in each call; the other
options are part of the program, which is traced again when one of them changes. State that begins
with the step is put into the optimizer after each call.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from gradops import GraphError, astype
from gradops.core.types import type_of

from ..engine.storage import storage_of
from ..engine.tensor import Tensor, handle
from ..tracing.captured_writes import carry
from .blocks import State, Updated, require_like

if TYPE_CHECKING:
    from .first_order import FirstOrder
    from .optimizer import Optimizer

RATE = "lr"  # the option that schedules change from step to step


class Tracing(Protocol):
    """The trace of a program that is being compiled."""

    def capture(self, t: Tensor, name: str) -> object: ...
    def remember(self, state: dict[str, Any], name: str) -> object: ...
    def guard(self, facts: Callable[[], object]) -> object: ...
    def with_each_call(self, action: Callable[[], None]) -> object: ...
    def entry(self, state: dict[str, Any], name: str, value: Tensor) -> object: ...
    def number(self, group: dict[str, Any], name: str) -> object: ...


def capture(optimizer: "Optimizer", tracing: Tracing) -> None:
    """Capture an optimizer's tensors and options in the program that is traced."""
    if not hasattr(tracing, "capture"):
        raise GraphError(
            f"{type(optimizer).__name__}.step() inside {tracing} would change parameters that are"
            " constants of the graph\n  hint: sg.function captures them"
        )
    for name, t in optimizer.__gradop_stateful__():
        if isinstance(t, Tensor):
            tracing.capture(t, name)
    for i, p in enumerate(optimizer.parameters()):
        tracing.remember(optimizer.state[p], f"state[{i}] of {type(optimizer).__name__}")
    tracing.guard(lambda: dependencies(optimizer))
    tracing.with_each_call(lambda: count(optimizer))


def count(optimizer: "Optimizer") -> None:
    """Count a step of a compiled program."""
    optimizer.steps_done += 1


def dependencies(optimizer: "Optimizer") -> Any:
    """The facts that a program depends on: the parameters, their state, and most options."""
    states = [optimizer.state.get(p) for p in optimizer.parameters()]
    own = hasattr(optimizer, "options")
    options = [(k, id(v) if isinstance(v, Tensor) else v) for group in optimizer.param_groups
               for k, v in group.items() if k != "params" and not (own and k == RATE)]  # fmt: skip
    sizes = [len(group["params"]) for group in optimizer.param_groups]
    params = [*map(id, optimizer.parameters())]
    # those that require no gradient may have one all the same
    has = [p.grad is None for p in optimizer.parameters() if not p.requires_grad]
    kept = [len(s) for s in states if s is not None]
    return options, sizes, params, [*map(id, states)], kept, has


def step(optimizer: "FirstOrder", tracing: Tracing) -> None:
    """Build the updates of all parameters that have gradients, then assign them."""
    found = []
    for group in optimizer.param_groups:
        options = {name: option(group, name, tracing) for name in optimizer.options}
        for p in group["params"]:
            if p.grad is not None:
                state = optimizer.state[p]
                found.append((p, state, update(optimizer, p, state, options)))
    for p, state, (param, new) in found:
        replace(p, param)
        for name, value in new.items():
            if name in state:
                replace(state[name], value)
            else:
                value = astype(value, dtype="float32") if name == "step" else value
                tracing.entry(state, name, handle(value))


def option(group: dict[str, Any], name: str, tracing: Tracing) -> Any:
    """An option of a group; for the learning rate, the expression of its value in each call."""
    value = group[name]
    if isinstance(value, Tensor):
        return value.value
    return tracing.number(group, name) if name == RATE else value


def update(optimizer: "FirstOrder", p: Tensor, state: State, options: State) -> Updated:
    """The results of the rule for a parameter and its state."""
    grad = p.grad
    require_like(p, type_of(grad.value))
    values = {name: t.value for name, t in state.items()}
    if "step" in values:
        values["step"] = astype(values["step"], dtype="int64")
    return type(optimizer).rule(p.value, grad.value, values, **options)


def replace(t: Tensor, value: Any) -> None:
    """Give a tensor the value that a step computed."""
    carry(t, value if type_of(value).dtype == t.dtype else astype(value, dtype=t.dtype))
    storage_of(t).write()
