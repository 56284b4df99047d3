"""Steps of optimizers in traced programs, by the same rules.

Note [Compiled steps]. The parameters, the state and the rate are read in each call; the other
options are part of the program, which is traced again when one of them changes. State that begins
with the step is put into the optimizer after each call. Small parameters are updated together, as
in Note [Blocks], if they have one count of steps.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any, Protocol

from gradops import GraphError, astype, concatenate, reshape
from gradops.core.types import type_of

from ..engine.storage import storage_of
from ..engine.tensor import Tensor, handle
from ..tracing.captured_writes import carry
from .blocks import SMALL, State, Updated, require_like

if TYPE_CHECKING:
    from .first_order import FirstOrder
    from .optimizer import Optimizer

FEWEST = 4  # parameters that are worth being put together
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
    kept = [*map(id, chain.from_iterable(map(dict.values, filter(None, states))))]
    return options, sizes, params, [*map(id, states)], kept, has


def step(optimizer: "FirstOrder", tracing: Tracing) -> None:
    """Build the updates of all parameters that have gradients, then assign them."""
    found: list[tuple[Tensor, Updated]] = []
    for group in optimizer.param_groups:
        options = {name: option(group, name, tracing) for name in optimizer.options}
        active = [p for p in group["params"] if p.grad is not None]
        for params in updated_together(optimizer, active, group.get("foreach") is not False):
            found += zip(params, updates(optimizer, params, options), strict=True)
    kept = counts_without_gradient(optimizer)
    counts: dict[int, Tensor] = {}
    for p, (param, new) in found:
        state = optimizer.state[p]
        replace(p, param)
        for name, value in new.items():
            if name in state and id(state[name]) not in kept:
                replace(state[name], value)
            elif name == "step":
                made = counts.setdefault(id(value), handle(astype(value, dtype="float32")))
                tracing.entry(state, name, made)
            else:
                tracing.entry(state, name, handle(value))


def counts_without_gradient(optimizer: "FirstOrder") -> set[int]:
    """The counts of parameters that this step leaves alone, which others may have shared so far."""
    idle = [optimizer.state.get(p) for p in optimizer.parameters() if p.grad is None]
    return {id(state["step"]) for state in idle if state and "step" in state}


def updated_together(
    optimizer: "FirstOrder", params: Sequence[Tensor], join: bool
) -> list[list[Tensor]]:
    """The parameters in groups: small ones of a dtype with one count of steps, and others alone."""
    groups: dict[Hashable, list[Tensor]] = {}
    for i, p in enumerate(params):
        state = optimizer.state[p]
        known = all(isinstance(n, int) for n in p.shape)
        is_small = join and known and 0 < math.prod(p.shape) < SMALL
        kind = (p.dtype, id(state.get("step")), tuple(state)) if is_small else i
        groups.setdefault(kind, []).append(p)
    several = [g if len(g) >= FEWEST else [[p] for p in g] for g in groups.values()]
    return [g for each in several for g in (each if isinstance(each[0], list) else [each])]


def option(group: dict[str, Any], name: str, tracing: Tracing) -> Any:
    """An option of a group; for the learning rate, the expression of its value in each call."""
    value = group[name]
    if isinstance(value, Tensor):
        return value.value
    return tracing.number(group, name) if name == RATE else value


def updates(optimizer: "FirstOrder", params: list[Tensor], options: State) -> list[Updated]:
    """The results of the rule for parameters of equal kind and their states."""
    for p in params:
        require_like(p, type_of(p.grad.value))
    states = [optimizer.state[p] for p in params]
    values = {
        name: astype(t.value, dtype="int64") if name == "step"
        else joined([state[name].value for state in states]) for name, t in states[0].items()
    }  # fmt: skip
    grads = joined([p.grad.value for p in params])
    param, new = type(optimizer).rule(joined([p.value for p in params]), grads, values, **options)
    if len(params) == 1:
        return [(param, new)]
    shared = {name: new[name] for name in new if name == "step"}
    columns = {name: separated(value, params) for name, value in new.items() if name not in shared}
    return [
        (value, {**shared, **{name: column[i] for name, column in columns.items()}})
        for i, value in enumerate(separated(param, params))
    ]


def joined(values: Sequence[Any]) -> Any:
    """All entries of several values in a row; of one, the value."""
    return values[0] if len(values) == 1 else concatenate([reshape(v, (-1,)) for v in values])


def separated(flat: Any, params: Sequence[Tensor]) -> list[Any]:
    """The parts of a row that belong to each parameter, in the parameter's shape."""
    ends = accumulate(math.prod(p.shape) for p in params)
    return [
        reshape(flat[end - math.prod(p.shape) : end], p.shape)
        for p, end in zip(params, ends, strict=True)
    ]


def replace(t: Tensor, value: Any) -> None:
    """Give a tensor the value that a step computed."""
    carry(t, value if type_of(value).dtype == t.dtype else astype(value, dtype=t.dtype))
    storage_of(t).write()
