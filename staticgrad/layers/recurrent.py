"""Recurrent networks: scans over sequences, with PyTorch's weights."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.nn import CELLS, Weights, recurrent
from gradops.typing import DTypeLike, Operand

from ..build.graph import name_scope
from ..build.inputs import as_expression
from ..control.loops import map_accumulate
from ..ir.expr import Expr
from ..ops.declarations import implemented_by
from .dense import dropout as drop_layer
from .weights import Training, count, features, uniform, variable

Make = Callable[[str, int], Weights]
AllWeights = list[list[Weights]]  # of each layer in each direction
States = tuple[Any, ...]
Start = Operand | Sequence[Operand] | None


def loop(step: Callable[..., States], state: States, xs: Any, reverse: bool) -> tuple[Any, States]:
    """Scan over the entries of `xs`: the first part of each state, and the last state."""

    def accumulated(state: States, x: Expr) -> tuple[States, Any]:
        new = step(state, x)
        return new, new[0]

    last, outputs = map_accumulate(accumulated, state, xs, reverse)
    return outputs, last


def recurrent_layer(mode: str) -> Callable[..., tuple[Expr, Any]]:
    """The layer of recurrent networks of a kind, with the parameters of `lstm`."""
    cell = CELLS[mode]
    several = cell.states > 1

    def layer(
        inputs: Operand, units: int, num_layers: int = 1, bidirectional: bool = False,
        dropout: float = 0.0, training: Training = False, use_bias: bool = True,
        time_major: bool = False, initial_state: Start = None, proj_size: int = 0,
        trainable: bool = True, name: str = mode.lower(),
    ) -> tuple[Expr, Any]:  # fmt: skip
        x, units = as_expression(inputs), count(name, "units", units)
        size, depth = input_size(name, x, units, proj_size), count(name, "num_layers", num_layers)
        if several and not isinstance(initial_state, tuple | list | None):
            raise OptionError(name, [x.label], "initial_state is a pair (h, c), not one of them")
        with name_scope(name):
            make = partial(weights_of, cell.gates, units, proj_size, use_bias, x.dtype, trainable)
            weights = all_weights(make, depth, 1 + bidirectional, size, proj_size or units)
            start: Any = initial_state if initial_state is None or several else (initial_state,)
            start = start and tuple(map(as_expression, start))
            between = partial(drop_layer, rate=dropout, training=training)
            xs = x if time_major else ops.swapaxes(x, 0, 1)
            outputs, last = recurrent(cell, xs, weights, loop, start, between)
            outputs = outputs if time_major else ops.swapaxes(outputs, 0, 1)
            return outputs, last if several else last[0]

    return layer


def input_size(name: str, x: Expr, units: int, proj_size: int) -> int:
    """The number of input features; raises for inputs or sizes that do not fit."""
    if len(x.shape) != 3:
        raise ShapeError(name, [x.label], "inputs have the axes batch, steps and features")
    if not 0 <= proj_size < units:
        raise OptionError(name, [x.label], f"proj_size={proj_size} is not smaller than units")
    return features(name, x)


def all_weights(make: Make, depth: int, directions: int, size: int, width: int) -> AllWeights:
    """The variables of each layer in each direction; `width` is the features per direction.

    `make(suffix, size)` creates those of one direction of a layer with `size` input features.
    """
    sizes = [size] + [width * directions] * (depth - 1)
    suffixes = ("", "_reverse")[:directions]
    return [[make(f"l{k}{suffix}", n) for suffix in suffixes] for k, n in enumerate(sizes)]


def weights_of(
    gates: int, units: int, proj_size: int, use_bias: bool, dtype: DTypeLike, trainable: bool,
    suffix: str, size: int,
) -> Weights:  # fmt: skip
    """The variables of one layer in one direction."""
    rows, hidden = gates * units, proj_size or units
    shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, size), "weight_hh": (rows, hidden)}
    if use_bias:
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
    if proj_size:
        shapes["weight_hr"] = (proj_size, units)
    result = {
        name: variable(f"{name}_{suffix}", shape, dtype, uniform(units), trainable)
        for name, shape in shapes.items()
    }
    return Weights(**result)


def rnn(
    inputs: Operand, units: int, num_layers: int = 1, nonlinearity: str = "tanh",
    bidirectional: bool = False, dropout: float = 0.0, training: Training = False,
    use_bias: bool = True, time_major: bool = False, initial_state: Start = None,
    trainable: bool = True, name: str = "rnn",
) -> tuple[Expr, Expr]:  # fmt: skip
    """The outputs of layers of h' = tanh(W_ih x + b_ih + W_hh h + b_hh), and their last states.

    Inputs have the shape (batch, steps, features), or with `time_major` (steps, batch, features);
    batch and steps may be unknown. States have the shape (layers * directions, batch, units); the
    first is `initial_state`, or zeros. The outputs of two directions are concatenated. In training,
    entries between layers are dropped with the probability `dropout`. Variables have PyTorch's
    names and shapes.

    >>> x = sg.placeholder("float32", ["batch", "steps", 3], name="x")
    >>> outputs, state = sg.layers.rnn(x, 4)
    >>> outputs.shape, state.shape
    ((batch, steps, 4), (1, batch, 4))
    >>> [v.name for v in sg.trainable_variables()][:2]
    ['rnn/weight_ih_l0', 'rnn/weight_hh_l0']
    """
    if nonlinearity not in ("tanh", "relu"):
        raise OptionError("rnn", [], f"nonlinearity is tanh or relu, not {nonlinearity!r}")
    return recurrent_layer(f"RNN_{nonlinearity.upper()}")(
        inputs, units, num_layers, bidirectional, dropout, training, use_bias, time_major,
        initial_state, trainable=trainable, name=name,
    )  # fmt: skip


@implemented_by(recurrent_layer("LSTM"))
def lstm() -> None:
    """The outputs of layers of long short-term memory, and their last states; see `rnn`.

    States are pairs, hidden state and memory. With `proj_size` the hidden state is projected to
    that size.

    >>> x = sg.placeholder("float32", ["batch", "steps", 3], name="x")
    >>> outputs, (h, c) = sg.layers.lstm(x, 4, bidirectional=True)
    >>> outputs.shape, h.shape, c.shape
    ((batch, steps, 8), (2, batch, 4), (2, batch, 4))
    """


def gru(
    inputs: Operand, units: int, num_layers: int = 1, bidirectional: bool = False,
    dropout: float = 0.0, training: Training = False, use_bias: bool = True,
    time_major: bool = False, initial_state: Start = None, trainable: bool = True,
    name: str = "gru",
) -> tuple[Expr, Expr]:  # fmt: skip
    """The outputs of layers of gated recurrent units, and their last states; see `rnn`.

    >>> x = sg.placeholder("float32", ["batch", "steps", 3], name="x")
    >>> outputs, state = sg.layers.gru(x, 4, num_layers=2)
    >>> outputs.shape, state.shape
    ((batch, steps, 4), (2, batch, 4))
    """
    return recurrent_layer("GRU")(
        inputs, units, num_layers, bidirectional, dropout, training, use_bias, time_major,
        initial_state, trainable=trainable, name=name,
    )  # fmt: skip
