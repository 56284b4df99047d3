"""The function on the tape. This is where the comparison needs `dynamicgrad`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import dynamicgrad as dg
from dynamicgrad.checking.observing import Observation, Operation
from dynamicgrad.engine.array import Array
from dynamicgrad.engine.handle import Handle, hold, make_leaf
from dynamicgrad.engine.node import Leaf
from dynamicgrad.engine.tensor import Tensor
from dynamicgrad.introspection.view import vertices_of
from gradops import flatten, leaves_of
from gradops.core.tracer_protocol import is_holder
from gradops.inspection.traced_memory import peak_of

from .outputs import outputs_of
from .subject import Subject, is_operand
from .ways import Outcome, outcome_of


class OnTape:
    """The function called with leaves, and `backward` through what was recorded."""

    title, stage, starts_alike = "tape", "while it runs", True

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.given = [tape_argument(like, x) for like, x in zip(subject.leaves, subject.arrays())]
        self.rebuild = flatten(subject.args)[1]
        self.loss: int | None = None  # known after the first call

    def forward(self, leaf: Callable[[Handle], Handle] = make_leaf) -> tuple[Any, Any, list[Any]]:
        """The result of a call with new leaves, the loss in it, and the leaves."""
        with dg.enable_grad():
            return self.recorded(leaf)

    def recorded(self, leaf: Callable[[Handle], Handle] = make_leaf) -> tuple[Any, Any, list[Any]]:
        """`forward`, in the current grad mode."""
        given = list(self.given)
        leaves = [leaf(given[i]) for i in self.subject.active]
        for i, x in zip(self.subject.active, leaves):
            given[i] = x
        result = self.subject.function(*self.rebuild(given))
        if self.loss is None:
            self.loss = outputs_of(result, self.subject.name)[1]
        return result, result if is_holder(result) else leaves_of(result)[self.loss], leaves

    def run(self) -> Any:
        """One call, forward and backward."""
        result, loss, leaves = self.forward()
        if getattr(loss, "node", None) is None:
            return result, [np.zeros(x.shape, x.dtype) for x in leaves]
        return result, dg.autograd.grad(loss, leaves, materialize_grads=True)

    def outcome(self, result: Any) -> Outcome:
        """The results of a call as arrays."""
        returned, grads = result
        return outcome_of(*outputs_of(returned, self.subject.name), grads)

    def peak(self) -> int:
        """The most memory that a call takes, in bytes."""
        return peak_of(self.run)

    @property
    def nodes(self) -> str:
        """The number of operations recorded in each call."""
        _, loss, _ = self.forward()
        has_history = getattr(loss, "node", None) is not None
        return str(sum(type(v) is not Leaf for v in vertices_of([loss] if has_history else [])))


def tape_argument(like: Any, x: Any) -> Any:
    """An argument's leaf on the tape: a tensor for a tensor, an array's handle for an array."""
    if not is_operand(like):
        return x
    return hold(type(like) if is_holder(like) else Array, x)


def with_tensors(subject: Subject) -> Subject:
    """The subject with tensors for its arrays, for a function that calls methods of tensors."""
    leaves = [hold(Tensor, np.asarray(x)) if is_operand(x) else x for x in subject.arrays()]
    return replace(subject, args=subject.arguments(leaves))


def observe(subject: Subject) -> tuple[list[Operation], list[Operation]]:
    """The operations of one call on the tape, with their values: forward, and backward."""
    run = Observation()
    _, loss, leaves = OnTape(subject).forward(run.leaf)
    forward = list(run.operations)
    if getattr(loss, "node", None) is not None:
        dg.autograd.grad(loss, leaves, materialize_grads=True)
    return forward, run.operations[len(forward) :]


def second_backward(subject: Subject) -> None:
    """Call `backward` twice on the same result."""
    forward = OnTape(subject).forward()
    backward(forward)
    backward(forward)


def run_checked(subject: Subject) -> None:
    """Run with checks for values that are not finite, and for NaN in backward."""
    with dg.enable_grad(), dg.autograd.detect_anomaly(check_forward=True):
        _, loss, leaves = OnTape(subject).recorded()
        dg.autograd.grad(loss, leaves, materialize_grads=True)


def backward(forward: tuple[Any, Any, list[Any]]) -> Any:
    """The gradients of the loss of a forward call."""
    _, loss, leaves = forward
    return dg.autograd.grad(loss, leaves, materialize_grads=True)
