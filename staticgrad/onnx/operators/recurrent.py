"""Recurrent layers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradops as ops
from gradops import OPS

from ...control.loops import map_accumulate
from ..errors import Unsupported
from ..reading.registry import operator
from ..reading.values import Value, as_expr, filled
from . import elementwise
from .elementwise import like
from .movement import reverse_sequence

Activation = Callable[[Any], Any]
Floats = Sequence[float] | None
ACTIVATIONS: dict[str, Callable[[Any, float | None, float | None], Any]] = {
    "relu": lambda x, a, b: OPS["relu"](x),
    "tanh": lambda x, a, b: OPS["tanh"](x),
    "sigmoid": lambda x, a, b: OPS["sigmoid"](x),
    "softsign": lambda x, a, b: ops.softsign(x),
    "softplus": lambda x, a, b: OPS["softplus"](x),
    "affine": lambda x, a, b: like(1.0 if a is None else a, x) * x + like(b or 0.0, x),
    "leakyrelu": lambda x, a, b: ops.leaky_relu(x, 0.01 if a is None else a),
    "thresholdedrelu": lambda x, a, b: ops.threshold(x, 1.0 if a is None else a, 0.0),
    "scaledtanh": lambda x, a, b: (
        like(1.0 if a is None else a, x) * OPS["tanh"](like(1.0 if b is None else b, x) * x)
    ),
    "hardsigmoid": lambda x, a, b: elementwise.hard_sigmoid(
        x, alpha=0.2 if a is None else a, beta=0.5 if b is None else b
    ),
    "elu": lambda x, a, b: ops.elu(x, 1.0 if a is None else a),
}
"""The activations by their names in small letters, of a value and two numbers."""
TAKING = {"affine": 2, "leakyrelu": 1, "thresholdedrelu": 1, "scaledtanh": 2, "hardsigmoid": 2,
          "elu": 1}  # fmt: skip
"""How many of the numbers `activation_alpha` and `activation_beta` an activation takes."""


def activations_of(
    names: Sequence[str], alphas: Floats, betas: Floats, clip: float | None
) -> list[Activation]:
    """Functions for the names of activations, in their order; numbers go to those that take any."""
    alpha, beta, result = list(alphas or ()), list(betas or ()), []
    for name in names:
        key = name.lower()
        if key not in ACTIVATIONS:
            raise Unsupported(f"the activation {name!r}")
        count = TAKING.get(key, 0)
        a = alpha.pop(0) if count and alpha else None
        b = beta.pop(0) if count == 2 and beta else None
        result.append(bounded(ACTIVATIONS[key], a, b, clip))
    return result


def bounded(f: Any, a: float | None, b: float | None, clip: float | None) -> Activation:
    """An activation whose input is clipped."""
    if clip is None:
        return lambda x: f(x, a, b)
    return lambda x: f(OPS["clamp"](x, like(-clip, x), like(clip, x)), a, b)


@dataclass(frozen=True)
class Layer:
    """The options that all recurrent layers have, and inputs in the order (time, batch, ...)."""

    x: Any
    lengths: Any
    directions: list[str]
    hidden: int
    batch_first: bool

    def state(self, given: Value | None, d: int) -> Any:
        """The first state of a direction, zero if none is given."""
        if given is None:
            return as_expr(filled((self.x.shape[1], self.hidden), like(0, self.x)))
        return as_expr(given[:, d] if self.batch_first else given[d])


def layer_of(
    x: Value, r: Value, lengths: Value | None, direction: str, hidden: int | None, layout: int
) -> Layer:
    """The common options of a layer."""
    directions = ["forward", "reverse"] if direction == "bidirectional" else [direction]
    x = OPS["transpose"](x, axes=(1, 0, 2)) if layout else x
    return Layer(as_expr(x), lengths, directions, hidden or r.shape[-1], bool(layout))


def run(layer: Layer, d: int, states: list[Any], step: Callable[..., list[Any]]) -> list[Any]:
    """The states of all steps, stacked, and the last ones, in one direction."""
    is_reverse, x = layer.directions[d] == "reverse", layer.x
    turned = turn(x, layer.lengths) if is_reverse else x
    times = OPS["positions"](x, axis=0)

    def body(state: Any, entry: Any) -> tuple[Any, Any]:
        (row, t), old = entry, list(state)
        new = step(row, *old)
        if layer.lengths is None:
            return new, new[0]
        is_on = OPS["expand_dims"](OPS["less"](t, layer.lengths), axis=1)
        kept = [OPS["where"](is_on, a, b) for a, b in zip(new, old, strict=True)]
        return kept, OPS["masked"](is_on, new[0])

    last, outputs = map_accumulate(body, states, (turned, times))
    return [turn(outputs, layer.lengths) if is_reverse else outputs, *last]


def turn(x: Any, lengths: Any) -> Any:
    """The steps in reverse order, each sequence within its length."""
    if lengths is None:
        return ops.flip(x, 0)
    return reverse_sequence(x, lengths, batch_axis=1, time_axis=0)


def joined(layer: Layer, results: list[list[Any]]) -> tuple[Any, ...]:
    """The outputs of all directions: those of all steps, and the last states."""
    stacked = [OPS["stack"](*parts, axis=1 if i == 0 else 0)
               for i, parts in enumerate(zip(*results, strict=True))]  # fmt: skip
    if layer.batch_first:
        stacked[0] = OPS["transpose"](stacked[0], axes=(2, 0, 1, 3))
        stacked[1:] = [OPS["transpose"](s, axes=(1, 0, 2)) for s in stacked[1:]]
    return tuple(stacked)


def product(x: Any, w: Any) -> Any:
    """x @ w.T."""
    return OPS["matmul"](x, OPS["transpose"](w))


def halves(b: Value | None, d: int) -> tuple[Any, Any]:
    """The biases of the input and of the recurrence."""
    if b is None:
        return None, None
    n = b.shape[-1] // 2
    return b[d, :n], b[d, n:]


def plus(x: Any, b: Any) -> Any:
    """The sum, of x alone without a bias."""
    return x if b is None else x + b


@operator("RNN")
def rnn(
    x: Value, w: Value, r: Value, b: Value | None = None, lengths: Value | None = None,
    initial: Value | None = None, *,
    activation_alpha: Floats = None, activation_beta: Floats = None,
    activations: Sequence[str] | None = None, clip: float | None = None,
    direction: str = "forward", hidden_size: int | None = None, layout: int = 0,
    output_sequence: int = 0,
) -> Any:  # fmt: skip
    """A simple recurrent layer: h = f(x w + h r + b)."""
    layer = layer_of(x, r, lengths, direction, hidden_size, layout)
    names = activations or ("Tanh",) * len(layer.directions)
    functions = activations_of(names, activation_alpha, activation_beta, clip)
    results = []
    for d in range(len(layer.directions)):
        own, (b_x, b_h), f = (as_expr(w[d]), as_expr(r[d])), halves(b, d), functions[d]
        step = lambda row, h, own=own, b_x=b_x, b_h=b_h, f=f: [
            f(plus(plus(product(row, own[0]) + product(h, own[1]), b_x), b_h))
        ]
        results.append(run(layer, d, [layer.state(initial, d)], step))
    return joined(layer, results)


@operator("GRU")
def gru(
    x: Value, w: Value, r: Value, b: Value | None = None, lengths: Value | None = None,
    initial: Value | None = None, *,
    activation_alpha: Floats = None, activation_beta: Floats = None,
    activations: Sequence[str] | None = None, clip: float | None = None,
    direction: str = "forward", hidden_size: int | None = None, layout: int = 0,
    linear_before_reset: int = 0, output_sequence: int = 0,
) -> Any:  # fmt: skip
    """A layer of gated recurrent units."""
    layer = layer_of(x, r, lengths, direction, hidden_size, layout)
    names = activations or ("Sigmoid", "Tanh") * len(layer.directions)
    functions = activations_of(names, activation_alpha, activation_beta, clip)
    results = []
    for d in range(len(layer.directions)):
        f, g = functions[2 * d : 2 * d + 2]
        step = gru_step(w[d], r[d], halves(b, d), f, g, bool(linear_before_reset))
        results.append(run(layer, d, [layer.state(initial, d)], step))
    return joined(layer, results)


def gru_step(
    w: Any, r: Any, biases: tuple[Any, Any], f: Activation, g: Activation, linear_first: bool
) -> Callable[..., list[Any]]:
    """One step of gated recurrent units: update, reset, candidate, in this order of gates."""
    ws, rs = (OPS["transpose"](as_expr(v)) for v in (w, r))
    n = r.shape[-1]
    b_x, b_h = biases
    h_rest = None if b_h is None else b_h[2 * n :]

    def step(row: Any, h: Any) -> list[Any]:
        from_x = plus(OPS["matmul"](row, ws), b_x)
        gates = from_x[:, : 2 * n] + plus(
            OPS["matmul"](h, rs[:, : 2 * n]), None if b_h is None else b_h[: 2 * n]
        )
        z, reset = f(gates[:, :n]), f(gates[:, n:])
        if linear_first:
            from_h = reset * plus(OPS["matmul"](h, rs[:, 2 * n :]), h_rest)
        else:
            from_h = plus(OPS["matmul"](reset * h, rs[:, 2 * n :]), h_rest)
        candidate = g(from_x[:, 2 * n :] + from_h)
        return [(like(1, z) - z) * candidate + z * h]

    return step


@operator("LSTM")
def lstm(
    x: Value, w: Value, r: Value, b: Value | None = None, lengths: Value | None = None,
    initial_h: Value | None = None, initial_c: Value | None = None, peepholes: Value | None = None,
    *, activation_alpha: Floats = None, activation_beta: Floats = None,
    activations: Sequence[str] | None = None, clip: float | None = None,
    direction: str = "forward", hidden_size: int | None = None, input_forget: int = 0,
    layout: int = 0, output_sequence: int = 0,
) -> Any:  # fmt: skip
    """A layer of long short-term memory, with peepholes where given."""
    layer = layer_of(x, r, lengths, direction, hidden_size, layout)
    names = activations or ("Sigmoid", "Tanh", "Tanh") * len(layer.directions)
    functions = activations_of(names, activation_alpha, activation_beta, clip)
    results = []
    for d in range(len(layer.directions)):
        own = functions[3 * d : 3 * d + 3]
        peeps = None if peepholes is None else peepholes[d]
        step = lstm_step(w[d], r[d], halves(b, d), peeps, own, bool(input_forget))
        states = [layer.state(initial_h, d), layer.state(initial_c, d)]
        results.append(run(layer, d, states, step))
    return joined(layer, results)


def lstm_step(
    w: Any, r: Any, biases: tuple[Any, Any], peeps: Any, functions: list[Activation],
    input_forget: bool,
) -> Callable[..., list[Any]]:  # fmt: skip
    """One step of long short-term memory: input, output, forget, cell, in this order of gates."""
    ws, rs = (OPS["transpose"](as_expr(v)) for v in (w, r))
    n, (f, g, h_of) = r.shape[-1], functions
    bias = None if biases[0] is None else biases[0] + biases[1]

    def peep(c: Any, i: int) -> Any:
        return None if peeps is None else peeps[i * n : (i + 1) * n] * c

    def step(row: Any, h: Any, c: Any) -> list[Any]:
        gates = plus(OPS["matmul"](row, ws) + OPS["matmul"](h, rs), bias)
        i, o, forget, cell = (gates[:, k * n : (k + 1) * n] for k in range(4))
        i = f(plus(i, peep(c, 0)))
        forget = like(1, i) - i if input_forget else f(plus(forget, peep(c, 2)))
        new = forget * c + i * g(cell)
        return [f(plus(o, peep(new, 1))) * h_of(new), new]

    return step
