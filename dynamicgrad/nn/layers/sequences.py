"""Recurrent layers as one operation: see Note [Sequences] in `gradops/nn/sequences.py`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops.nn.recurrent_layers import GRUStep, LSTMStep, State, Step
from gradops.nn.sequences import gru_pull_back, gru_run, lstm_pull_back, lstm_run

from ...custom_function.function import Function
from ...engine.backward import grad
from ...engine.grad_mode import is_recording
from ...engine.tensor import Tensor, handle
from ...ops.unbind import entries

FLOATS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})
Outputs = tuple[Any, State]


def loop(step: Step, state: State, xs: Tensor, reverse: bool) -> Outputs:
    """The first parts of all states, and the last state, of a loop over the entries of `xs`."""
    if type(step) is LSTMStep and step.shown is None and are_arrays(xs, *state, step.u):
        outputs, *last = LSTMSequence.apply(reverse, xs, *state, step.u)
        return outputs, tuple(last)
    if type(step) is GRUStep and are_arrays(xs, *state, step.u, *present(step.b)):
        outputs, *last = GRUSequence.apply(reverse, xs, *state, step.u, *present(step.b))
        return outputs, tuple(last)
    return step_by_step(step, state, xs, reverse)


def step_by_step(step: Step, state: State, xs: Tensor, reverse: bool) -> Outputs:
    """`loop`, in which each step is recorded."""
    outputs = []
    for x in entries(xs)[:: -1 if reverse else 1]:
        state = step(state, x)
        outputs.append(state[0])
    return ops.stack(outputs[:: -1 if reverse else 1]), state


def present(x: Any) -> tuple[Any, ...]:
    """An operand in a tuple, or none if it is None."""
    return () if x is None else (x,)


def are_arrays(*tensors: Any) -> bool:
    """True for tensors that hold arrays of one dtype of floats."""
    values = [t.value for t in tensors if type(t) is Tensor]
    same = len(values) == len(tensors) and all(type(x) is np.ndarray for x in values)
    return same and values[0].dtype in FLOATS and len({x.dtype for x in values}) == 1


class LSTMSequence(Function):
    """All steps of an LSTM, from the contributions of inputs, first states, and a matrix."""

    @staticmethod
    def forward(ctx: Any, reverse: bool, xs: Tensor, h: Tensor, c: Tensor, u: Tensor) -> Any:
        """The outputs, and the last states."""
        run = ctx.run = lstm_run(xs.value, h.value, c.value, u.value, reverse)
        return outputs_of(ctx, reverse, (xs, h, c, u), run.hidden, run.memory)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The cotangents of the tensors."""
        step = lambda u: LSTMStep(u, None)
        return cotangents(ctx, grads, lstm_pull_back, step, 2)


class GRUSequence(Function):
    """All steps of a GRU, from the contributions of inputs, a state, a matrix, and a bias."""

    @staticmethod
    def forward(
        ctx: Any, reverse: bool, xs: Tensor, h: Tensor, u: Tensor, b: Tensor | None = None
    ) -> Any:
        """The outputs, and the last state."""
        bias = None if b is None else b.value
        run = ctx.run = gru_run(xs.value, h.value, u.value, bias, reverse)
        return outputs_of(ctx, reverse, (xs, h, u, *present(b)), run.states)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The cotangents of the tensors."""
        step = lambda u, b=None: GRUStep(u, b)
        return cotangents(ctx, grads, gru_pull_back, step, 1)


def outputs_of(ctx: Any, reverse: bool, operands: Any, *states: Any) -> Any:
    """The outputs at all steps, which are saved along with the operands, and the last states."""
    ctx.reverse, outputs, last = reverse, handle(states[0]), 0 if reverse else -1
    ctx.save_for_backward(*operands, outputs)
    ctx.set_materialize_grads(False)
    return outputs, *[handle(s[last].copy()) for s in states]


def cotangents(ctx: Any, grads: Any, pull_back: Any, step: Any, states: int) -> Any:
    """The cotangents of operands; where they are recorded, those of a loop of recorded steps."""
    *operands, _ = ctx.saved_tensors
    if is_recording():
        return None, *recorded_cotangents(ctx.reverse, operands, grads, step, states)
    values = [None if g is None else g.value for g in grads]
    found = pull_back(ctx.run, ctx.reverse, *values)
    return None, *map(handle, found[: len(operands)])


def recorded_cotangents(
    reverse: bool, operands: Sequence[Any], grads: Any, step: Any, states: int
) -> list[Any]:
    """The gradients by copies of the operands, of a loop whose steps are recorded."""
    copies = [ops.copy(t) if t.node is not None else t for t in operands]
    xs, *rest = copies
    outputs, last = step_by_step(step(*rest[states:]), tuple(rest[:states]), xs, reverse)
    pairs = [(y, g) for y, g in zip((outputs, *last), grads, strict=True) if g is not None]
    ys, gs = zip(*pairs, strict=True)
    wanted = [t for t in copies if t.node is not None]
    found = iter(grad(ys, wanted, gs, create_graph=True, allow_unused=True))
    return [None if t.node is None else next(found) for t in copies]
