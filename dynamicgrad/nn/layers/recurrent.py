"""Recurrent networks: layers over whole sequences, and single cells.

Weights, their names and their order are PyTorch's. Sequences of different lengths in one batch
(PyTorch's PackedSequence) are not offered: pad them, and mask the loss.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import gradops as ops
from gradops.nn import CELLS, Weights, recurrent
from gradops.nn.recurrent_layers import State
from gradops.typing import DTypeLike

from ...engine.tensor import Tensor, as_tensor
from ...ops.creation import empty
from .. import functional as F
from ..functional.dropout import require_probability
from ..modules.module import Module
from ..modules.parameter import Parameter
from .parameters import add_parameter, draw_uniformly
from .sequences import loop

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"]


class Recurrent(Module):
    """Base class of recurrent networks: their weights, initial and final states."""

    mode: str

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        require_probability(dropout)
        if min(hidden_size, num_layers) < 1:
            raise ValueError("hidden_size and num_layers must be greater than zero")
        if not 0 <= proj_size < hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if dropout and num_layers == 1:
            idle = "dropout is applied between layers, so with num_layers=1 it does nothing"
            warnings.warn(idle, stacklevel=3)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self.suffixes = [["", "_reverse"][: 1 + bidirectional] for _ in range(num_layers)]
        self.make_weights(dtype)
        self.reset_parameters()

    def make_weights(self, dtype: DTypeLike) -> None:
        """Parameters under PyTorch's names, in its order."""
        rows, shown = CELLS[self.mode].gates * self.hidden_size, self.proj_size or self.hidden_size
        size = self.input_size
        for k, directions in enumerate(self.suffixes):
            shapes: dict[str, Any] = {"weight_ih": (rows, size), "weight_hh": (rows, shown)}
            if self.bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            if self.proj_size:
                shapes["weight_hr"] = (shown, self.hidden_size)
            for suffix in directions:
                for name, shape in shapes.items():
                    add_parameter(self, f"{name}_l{k}{suffix}", shape, dtype)
            size = shown * len(directions)

    def reset_parameters(self) -> None:
        """Reinitialize all weights, uniform up to 1 / sqrt(hidden_size)."""
        draw_uniformly(self, self.hidden_size)

    def weights(self) -> list[list[Weights]]:
        """The weights of each layer in each direction."""

        def named(end: str) -> Weights:
            return Weights(*(getattr(self, name + end, None) for name in Weights._fields))

        return [[named(f"_l{k}{d}") for d in ends] for k, ends in enumerate(self.suffixes)]

    def forward(
        self, input: Tensor, hx: Tensor | State | None = None
    ) -> tuple[Tensor, Tensor | State]:
        """The outputs of the last layer for all steps, and the last states of all layers."""
        x = as_tensor(input)
        self.check(x)
        batched, axis = x.ndim == 3, int(self.batch_first)
        x = ops.moveaxis(x, axis, 0) if batched else ops.expand_dims(x, axis=1)
        start = None if hx is None else self._initial_states(hx, x, batched)
        cell = CELLS[self.mode]
        outputs, last = recurrent(cell, x, self.weights(), loop, start, self._drop)
        if batched:
            outputs = ops.moveaxis(outputs, 0, axis)
        else:
            outputs = ops.squeeze(outputs, axis=(1,))
            last = tuple(ops.squeeze(s, axis=(1,)) for s in last)
        return outputs, last if cell.states > 1 else last[0]

    def _drop(self, x: Tensor) -> Tensor:
        """The input of the next layer, after dropout."""
        return F.dropout(x, self.dropout, self.training)

    def check(self, x: Tensor) -> None:
        """Refuse inputs of another rank or number of features."""
        name = type(self).__name__
        if x.ndim not in (2, 3):
            raise ops.ShapeError(
                name, [x.type], "the input has two dimensions, or three with those of a batch",
                known_as=f"{name}: Expected input to be 2D or 3D, got {x.ndim}D",
            )  # fmt: skip
        if x.shape[-1] != self.input_size or not x.shape[0 if x.ndim == 2 else self.batch_first]:
            raise ops.ShapeError(
                name, [x.type],
                f"the layer takes {self.input_size} features in the last dimension, at one step or"
                " more",
                known_as=f"input.size(-1) must be equal to input_size. Expected {self.input_size},"
                f" got {x.shape[-1]}",
            )  # fmt: skip

    def _initial_states(self, hx: Tensor | State, x: Tensor, batched: bool) -> State:
        """The first states, with a dimension of a batch."""
        several = CELLS[self.mode].states > 1
        if several and not isinstance(hx, tuple | list):
            raise ops.OptionError(
                type(self).__name__, [x.type], "the initial state is a pair (h, c), not one tensor"
            )
        given = [as_tensor(s) for s in (hx if several else (hx,))]
        states = [s if batched else ops.expand_dims(s, axis=1) for s in given]
        count = sum(map(len, self.suffixes))
        for s, size in zip(states, (self.proj_size or self.hidden_size, self.hidden_size)):
            require_shape(self, [s], (count, x.shape[1], size))
        return tuple(states)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the default ones."""
        said = [f"{self.input_size}, {self.hidden_size}"]
        options = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False,
                   "dropout": 0.0, "bidirectional": False}  # fmt: skip
        said += [f"{k}={getattr(self, k)}" for k, v in options.items() if getattr(self, k) != v]
        return ", ".join(said)


def require_shape(module: Module, states: Sequence[Tensor], shape: tuple[int, ...]) -> None:
    """Refuse states of another shape."""
    for s in states:
        if s.shape != shape:
            raise ops.ShapeError(
                type(module).__name__, [s.type], f"a state has the shape {shape}",
                known_as=f"Expected hidden size {shape}, got {list(s.shape)}",
            )  # fmt: skip


class RNN(Recurrent):
    """Layers of h' = tanh(W_ih x + b_ih + W_hh h + b_hh), over sequences (steps, batch, features).

    With `batch_first` the batch comes first; without a batch there is no such dimension. `forward`
    takes the input and the first states (layers * directions, batch, size), by default zeros, and
    gives the outputs for all steps and the last states.

    >>> outputs, last = dg.nn.RNN(3, 4, num_layers=2)(dg.ones(5, 2, 3))
    >>> outputs.shape, last.shape
    ((5, 2, 4), (2, 2, 4))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        self.nonlinearity, self.mode = nonlinearity, kind_of(nonlinearity)
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            dtype=dtype,
        )  # fmt: skip


def kind_of(nonlinearity: str) -> str:
    """The kind of cell that has an activation function."""
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    return f"RNN_{nonlinearity.upper()}"


class LSTM(Recurrent):
    """Layers of long short-term memory; see `RNN`. The states are a pair, hidden state and memory.

    With `proj_size` the hidden state is projected to that size.

    >>> outputs, (h, c) = dg.nn.LSTM(3, 4, bidirectional=True)(dg.ones(5, 2, 3))
    >>> outputs.shape, h.shape, c.shape
    ((5, 2, 8), (2, 2, 4), (2, 2, 4))
    """

    mode = "LSTM"


class GRU(Recurrent):
    """Layers of gated recurrent units; see `RNN`.

    >>> outputs, last = dg.nn.GRU(3, 4, batch_first=True)(dg.ones(2, 5, 3))
    >>> outputs.shape, last.shape
    ((2, 5, 4), (1, 2, 4))
    """

    mode = "GRU"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            dtype=dtype,
        )  # fmt: skip


class RecurrentCell(Module):
    """Base class of cells: weights for one step."""

    mode: str

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, dtype: DTypeLike = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = CELLS[self.mode].gates * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            add_parameter(self, name, (rows,) if bias else None, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialize all weights, uniform up to 1 / sqrt(hidden_size)."""
        draw_uniformly(self, self.hidden_size)

    def forward(self, input: Tensor, hx: Tensor | State | None = None) -> Tensor | State:
        """The state after one step; it begins with zeros."""
        x, cell = as_tensor(input), CELLS[self.mode]
        if x.ndim not in (1, 2) or x.shape[-1] != self.input_size:
            raise ops.ShapeError(
                type(self).__name__, [x.type],
                f"the input has one or two dimensions, and {self.input_size} features in the last",
            )  # fmt: skip
        weights = Weights(self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        xs, step = cell.prepare(x, weights)
        if hx is None:
            state = (ops.zeros_like(xs[..., : self.hidden_size]),) * cell.states
        else:
            state = tuple(map(as_tensor, hx if cell.states > 1 else (hx,)))
            require_shape(self, state, (*x.shape[:-1], self.hidden_size))
        state = step(state, xs)
        return state if cell.states > 1 else state[0]

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RecurrentCell):
    """One step of an `RNN`: the new state, of the shape (batch, hidden_size) or (hidden_size,).

    >>> dg.nn.RNNCell(3, 4)(dg.ones(2, 3)).shape
    (2, 4)
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        self.nonlinearity, self.mode = nonlinearity, kind_of(nonlinearity)
        super().__init__(input_size, hidden_size, bias, dtype)


class LSTMCell(RecurrentCell):
    """One step of an `LSTM`: the new hidden state and the new memory.

    >>> h, c = dg.nn.LSTMCell(3, 4)(dg.ones(2, 3))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """

    mode = "LSTM"


class GRUCell(RecurrentCell):
    """One step of a `GRU`: the new state.

    >>> dg.nn.GRUCell(3, 4)(dg.ones(2, 3)).shape
    (2, 4)
    """

    mode = "GRU"
