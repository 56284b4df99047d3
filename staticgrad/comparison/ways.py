"""The ways to run a function: plain NumPy, the tape, and graphs on each backend.

A way is created for a subject, which does all that happens once: nothing for NumPy and the tape,
tracing and compiling for a graph. `run` is one call, `outcome` its results as arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gradops.core.tracer_protocol import held, is_holder
from gradops.inspection.traced_memory import peak_of

from ..build.tracing import expression, trace
from ..ir.graph import FrozenGraph
from ..runtime.compilation import compile
from ..runtime.executable import Executable
from ..transform.reverse import gradients
from .outputs import as_arrays, is_result, outputs_of
from .subject import Subject, is_operand

Array = np.ndarray


@dataclass(frozen=True)
class Outcome:
    """The results of one call: the leaves of the value, which of them is the loss, gradients."""

    values: list[Array]
    loss: int
    gradients: list[Array] | None

    @property
    def value(self) -> Array:
        """The loss."""
        return self.values[self.loss]


class OnNumPy:
    """The function called with the arrays: values, and no gradient."""

    title, stage, starts_alike = "NumPy", "while it runs", True

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.args = subject.arguments(subject.arrays())

    def run(self) -> Any:
        """One call."""
        return self.subject.function(*self.args)

    def outcome(self, result: Any) -> Outcome:
        """The results of a call as arrays."""
        leaves, loss = outputs_of(result, self.subject.name)
        if is_holder(leaves[loss]):  # a function that makes tensors of arrays
            self.title = "no tape"
        return outcome_of(leaves, loss, None)

    def peak(self) -> int:
        """The most memory that a call takes, in bytes."""
        return peak_of(self.run)

    @property
    def nodes(self) -> str:
        """Nothing is recorded."""
        return "0"


class OnGraph:
    """The function traced to a graph, with its gradient, and compiled."""

    stage: ClassVar[str] = "while the graph is built"
    starts_alike: ClassVar[bool] = True
    optimize: ClassVar[int] = 0
    backend: ClassVar[str] = "numpy"

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.graph, self.loss, self.count = graph_of(subject)
        self.executable: Executable = compile(
            self.graph, optimize=self.optimize, backend=self.backend
        )
        self.feeds = [np.asarray(x) for x in subject.arrays() if is_operand(x)]

    def run(self) -> Any:
        """One call."""
        return self.executable(*self.feeds)

    def outcome(self, result: Sequence[Any]) -> Outcome:
        """The results of a call as arrays."""
        arrays = [np.asarray(x) for x in result]
        return Outcome(arrays[: self.count], self.loss, arrays[self.count :])

    def peak(self) -> int:
        """The most memory that a call takes, in bytes, with the memory kept between calls."""
        return self.executable.report.measure(*self.feeds).measured_peak or 0

    @cached_property
    def nodes(self) -> str:
        """The number of expressions that compute something, built once."""
        return str(sum(e.op is not None for e in self.executable.graph.order))


class AsWritten(OnGraph):
    """The graph as it was written, computed by generated NumPy code."""

    title = "graph, optimize=0"


class Optimized(OnGraph):
    """The graph after all passes, computed by generated NumPy code."""

    title, optimize = "graph, optimize=2", 2


class InMachineCode(OnGraph):
    """The graph as machine code."""

    title, optimize, backend = "graph, native", 2, "native"
    starts_alike = False  # the second time, machine code is on disk

    def peak(self) -> int:
        kept: int = self.executable.native.workspace  # type: ignore[attr-defined]
        return peak_of(self.run) + kept


def graph_of(subject: Subject) -> tuple[FrozenGraph, int, int]:
    """The graph of the values and gradients, which value is the loss, and their number."""
    found: list[int] = []

    def both(*operands: Any) -> list[Any]:
        given = iter(operands)
        leaves = [next(given) if is_operand(x) else x for x in subject.leaves]
        result, loss = outputs_of(subject.function(*subject.arguments(leaves)), subject.name)
        values = [y for y in result if is_result(y)]
        found[:] = sum(map(is_result, result[:loss])), len(values)
        by = [held(leaves[i]) for i in subject.active]
        return [*values, *gradients(expression(result[loss]), by, unconnected="zero")]

    specs = [x for x in subject.leaves if is_operand(x)]
    labels = [n for n, x in zip(subject.labels, subject.leaves, strict=True) if is_operand(x)]
    both.__signature__ = signature_of(labels)  # type: ignore[attr-defined]
    graph = trace(both, specs)
    return graph, found[0], found[1]


def signature_of(names: Sequence[str]) -> Any:
    """The signature of a function of these positional arguments."""
    import inspect

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind) for name in names])


def outcome_of(leaves: Sequence[Any], loss: int, grads: Sequence[Any] | None) -> Outcome:
    """The outcome with leaves and gradients as arrays."""
    before = sum(map(is_result, leaves[:loss]))
    return Outcome(as_arrays(leaves), before, None if grads is None else as_arrays(grads))
