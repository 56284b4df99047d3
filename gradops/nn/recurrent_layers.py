"""Recurrent layers: cells, and how layers and directions are combined.

The contribution of the inputs is computed for all steps at once, so that a step has one matrix
product, of the state. The caller supplies the loop over the steps: Python's on a tape, a scan in a
graph.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ..core.types import shape_of
from ..library.elementwise.trigonometric import tanh
from ..library.nn.activation import relu
from ..library.nn.layer_product import layer_product
from ..library.nn.recurrent import gru_gates, gru_state, lstm_gates, lstm_hidden, lstm_memory
from ..library.shape.creation import zeros_like
from ..library.shape.joining import concatenate, stack
from ..library.shape.movement import copy, transpose
from ..typing import AnyArray
from .layers import linear

State = tuple[Any, ...]
Step = Callable[[State, Any], State]


class Weights(NamedTuple):
    """The weights of one layer in one direction, with PyTorch's shapes and names.

    `ih` weights apply to the input, `hh` to the state; `weight_hr` projects the state of an LSTM.
    """

    weight_ih: Any
    weight_hh: Any
    bias_ih: Any = None
    bias_hh: Any = None
    weight_hr: Any = None


def tanh_cell(x: AnyArray, w: Weights) -> tuple[Any, Step]:
    """h' = tanh(x + u h)."""
    return simple_cell(tanh, x, w)


def relu_cell(x: AnyArray, w: Weights) -> tuple[Any, Step]:
    """h' = relu(x + u h)."""
    return simple_cell(relu, x, w)


def simple_cell(activation: Callable[[Any], Any], x: AnyArray, w: Weights) -> tuple[Any, Step]:
    """A cell that applies an activation to the sum of its input and state."""
    u = transpose(w.weight_hh)
    return linear(x, w.weight_ih, total_bias(w)), lambda s, x: (activation(x + s[0] @ u),)


def total_bias(w: Weights) -> Any:
    """The sum of the two biases, if there are any."""
    return None if w.bias_ih is None else w.bias_ih + w.bias_hh


def lstm(x: AnyArray, w: Weights) -> tuple[Any, Step]:
    """The long short-term memory of Hochreiter and Schmidhuber (1997), with forget gates."""
    shown = None if w.weight_hr is None else transpose(w.weight_hr)
    return linear(x, w.weight_ih, total_bias(w)), LSTMStep(transpose(w.weight_hh), shown)


@dataclass(frozen=True)
class LSTMStep:
    """A step of an LSTM: the matrix for the state, and the projection of the state, if any."""

    u: Any
    shown: Any

    def __call__(self, state: State, x: AnyArray) -> State:
        """The state after an input."""
        h, c = state
        gates = lstm_gates(x, layer_product(h, self.u))
        c = lstm_memory(gates, c)
        h = lstm_hidden(gates, c)
        return (h if self.shown is None else h @ self.shown), c


def gru(x: AnyArray, w: Weights) -> tuple[Any, Step]:
    """The gated recurrent unit of Cho et al. (2014), with the reset gate after the product."""
    return linear(x, w.weight_ih, w.bias_ih), GRUStep(transpose(w.weight_hh), w.bias_hh)


@dataclass(frozen=True)
class GRUStep:
    """A step of a GRU: the matrix for the state, and the bias of their product, if any."""

    u: Any
    b: Any

    def __call__(self, state: State, x: AnyArray) -> State:
        """The state after an input."""
        h = copy(state[0])  # one user, so that a loop adds gradients up in a scan's order
        y = layer_product(h, self.u)
        return (gru_state(gru_gates(x, y if self.b is None else y + self.b), h),)


class Cell(NamedTuple):
    """A kind of cell: its numbers of gates and of state arrays, and how to run it.

    `prepare(x, weights)` gives the contribution of the inputs at all steps, and the step function.
    """

    prepare: Callable[[Any, Weights], tuple[Any, Step]]
    gates: int
    states: int = 1


CELLS = {
    "RNN_TANH": Cell(tanh_cell, 1), "RNN_RELU": Cell(relu_cell, 1),
    "LSTM": Cell(lstm, 4, 2), "GRU": Cell(gru, 3),
}  # fmt: skip
"""The kinds of cells, by PyTorch's names of them."""

Loop = Callable[[Step, State, Any, bool], tuple[Any, State]]


def recurrent(
    cell: Cell, x: AnyArray, weights: Sequence[Sequence[Weights]], loop: Loop,
    start: State | None = None, between: Callable[[Any], Any] = lambda x: x,
) -> tuple[Any, State]:  # fmt: skip
    """The outputs of stacked recurrent layers at all steps, and their last states.

    `x` has the shape (steps, rows, features). `weights` has for each layer those of the forward
    direction and, if there is one, of the backward direction, whose outputs are concatenated.
    States have the shape (layers * directions, rows, size); without `start` they begin with zeros.
    `loop(step, state, xs, reverse)` applies `step(state, x)` to each entry along the first axis of
    `xs`, and gives the first parts of all states, and the last state. `between` is applied between
    layers.

    >>> w = Weights(np.ones((4, 3)), np.ones((4, 1)))
    >>> def loop(step, state, xs, reverse):
    ...     states = [state := step(state, x) for x in (xs[::-1] if reverse else xs)]
    ...     return np.stack([s[0] for s in (states[::-1] if reverse else states)]), state
    >>> y, (h, c) = recurrent(CELLS["LSTM"], np.ones((5, 2, 3)), [[w]], loop)
    >>> y.shape, h.shape, c.shape
    ((5, 2, 1), (1, 2, 1), (1, 2, 1))
    """
    last: list[State] = []
    for k, directions in enumerate(weights):
        if k:
            x = between(x)
        outputs = []
        for reverse, w in enumerate(directions):
            xs, step = cell.prepare(x, w)
            state = zero_state(cell, xs, w) if start is None else state_at(start, len(last))
            found, state = loop(step, state, xs, bool(reverse))
            outputs.append(found)
            last.append(state)
        x = outputs[0] if len(outputs) == 1 else concatenate(outputs, axis=-1)
    return x, tuple(map(partial(stack, axis=0), zip(*last)))


def state_at(states: State, i: int) -> State:
    """The states of the layer and direction number `i`."""
    return tuple(s[i] for s in states)


def zero_state(cell: Cell, xs: Sequence[AnyArray], w: Weights) -> State:
    """The initial state of a cell: zeros for each row of the inputs."""
    size, shown = (shape_of(w.weight_hh)[0] // cell.gates, shape_of(w.weight_hh)[1])
    of_zeros = [zeros_like(xs[0][..., :n]) for n in (shown, size)]
    return tuple(of_zeros[: cell.states])
