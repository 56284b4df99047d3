"""A step of training in two graphs: gradients over rows, and the update that reads them.

Note [Two graphs]. The expressions that `gradients` built for the loss and its variables are where a
step is cut. What comes before is a sum over rows, which workers compute on their blocks; what comes
after, such as clipping by a norm, slots of the optimizer or a schedule, is computed once, here. So
an update that reads data in any other way cannot be cut, and is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradops import FeedError, FetchError
from gradops.core.source_location import describe

from ..freezing.freezer import freeze
from ..ir.derivatives import y_text
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.reachability import by_age, forward_dependencies, reachable
from ..runtime.compilation import compile
from ..runtime.executable import Executable
from ..train.optimizer import graph_of


@dataclass(frozen=True)
class Step:
    """The graphs of a step: `gradient` of variables and columns, `update` of what it gives.

    `gradient` gives the loss and the gradients. `update` takes these, and then variables, and gives
    the new values of the variables that it updates.
    """

    gradient: FrozenGraph
    update: FrozenGraph
    columns: int

    @cached_property
    def read(self) -> list[str]:
        """The names of the variables that workers are sent."""
        return [e.name for e in self.gradient.inputs[: len(self.gradient.inputs) - self.columns]]

    @cached_property
    def updating(self) -> list[str]:
        """The names of the variables that the update reads."""
        return [e.name for e in self.update.inputs[len(self.gradient.outputs) :]]

    @cached_property
    def initial(self) -> dict[str, np.ndarray]:
        """The initial values of all variables of the step."""
        inputs = (*self.gradient.inputs, *self.update.inputs)
        return {e.name: np.asarray(e.value) for e in inputs if e.kind is Kind.VARIABLE}

    @cached_property
    def run_update(self) -> Executable:
        """The executable of the update."""
        return compile(self.update)

    def updated(
        self, state: dict[str, np.ndarray], results: Sequence[np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The variables after an update by a loss and gradients."""
        values = self.run_update(*results, *[state[name] for name in self.updating])
        new = values[len(self.update.outputs) :]
        names = [v.name for v, _ in self.update.updates]
        return state | dict(zip(names, map(np.asarray, new), strict=True))


def step_of(step: Any, feeds: Sequence[Expr]) -> Step:
    """The graphs of a step, given as its loss and the operation that trains."""
    loss, train = loss_and_operation(step)
    derivatives = derivatives_of(loss, train)
    whole = freeze([loss, *derivatives], feeds)
    if whole.updates:
        names = ", ".join(v.label for v, _ in whole.updates)
        raise FeedError(
            f"distributed.train: the loss changes {names}\n  hint: a loss that draws random numbers"
            " or assigns to variables has no value that is the same on all blocks"
        )
    read = [graph_of(loss).members[e.name] for e in whole.inputs[len(feeds) :]]
    gradient = freeze([loss, *derivatives], [*read, *feeds])
    return Step(gradient, update_of(loss, train, derivatives, feeds), len(feeds))


def loss_and_operation(step: Any) -> tuple[Expr, Expr]:
    """The two expressions of a step; raises FetchError for anything else."""
    parts = list(step) if isinstance(step, list | tuple) else []
    if len(parts) != 2 or not all(isinstance(e, Expr) for e in parts):
        raise FetchError(
            f"distributed.train: a step is a loss and what trains it, not {step!r}"
            "\n  hint: train([loss, optimizer.minimize(loss)], {x: columns})"
        )
    return parts[0], parts[1]


def derivatives_of(loss: Expr, train: Expr) -> list[Expr]:
    """The gradients of a loss that an operation reads; raises FetchError if there are none."""
    start = f"d {y_text([loss])} / d "
    known = graph_of(loss).derivatives
    needed = reachable([train], dependencies=forward_dependencies)
    found = [e for e in needed if any(text.startswith(start) for text in known.get(e, ()))]
    if not found:
        raise FetchError(
            f"distributed.train: {train.label}, made at {describe(train.place)}, reads no gradient"
            f" of {loss.label}\n  hint: give the loss that was minimized, without grad_loss"
        )
    return sorted(found, key=by_age)


def update_of(
    loss: Expr, train: Expr, derivatives: Sequence[Expr], feeds: Sequence[Expr]
) -> FrozenGraph:
    """The graph of the update; raises FeedError if it reads columns besides the gradients."""
    needed = reachable([train], [loss, *derivatives], forward_dependencies)
    if direct := [e for e in feeds if e in needed]:
        names = ", ".join(e.label for e in direct)
        raise FeedError(
            f"distributed.train: the update reads {names} by other ways than the gradients of"
            f" {loss.label}\n  hint: see the gradients of one loss as all that an update reads"
        )
    return freeze([train], [loss, *derivatives])
