"""Recurrent layers over whole sequences of arrays, forward and backward.

Note [Sequences]. A tape that records each step of a recurrent layer spends most of its time on the
records. These functions run all steps at once, in machine code as one call. They compute what the
tape's ops and their rules compute, in the same order, so that all bits are the same. A cotangent
that is missing is -0.0, which changes no bits of a sum.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.native_kernels import native, resolved
from ..library.nn.layer_product import is_ours, layer_product_kernel  # noqa: F401 - in `when`
from ..library.nn.recurrent import (
    gru_gates_kernel,
    gru_state_kernel,
    hidden_kernel,
    lstm_gates_kernel,
    memory_kernel,
)  # fmt: skip

Array = Any


class LSTMRun(NamedTuple):
    """The outputs, memories and gates of an LSTM at all steps, and what it was given."""

    hidden: Array
    memory: Array
    gates: Array
    h: Array
    c: Array
    u: Array


class LSTMCotangents(NamedTuple):
    """The cotangents of the contributions of inputs, of the first states, and of the matrix."""

    xs: Array
    h: Array
    c: Array
    u: Array


def in_order(reverse: bool, *arrays: Array) -> Iterator[Sequence[Array]]:
    """The entries of arrays along the first axis, side by side."""
    return zip(*[a[::-1] if reverse else a for a in arrays], strict=True)


def before_steps(states: Array, first: Array, reverse: bool) -> Array:
    """The states before each step."""
    parts = [states[1:], first[None]] if reverse else [first[None], states[:-1]]
    return np.concatenate(parts)


def backwards(x: Array, reverse: bool) -> Array:
    """Entries in the order in which a backward pass goes through the steps, as new memory."""
    return x.copy() if reverse else np.ascontiguousarray(x[::-1])


@native(
    "sequences", "sum_of_products", "states, first, ds, reverse, None",
    when="is_ours(states.shape[-1], ds[0])",
)  # fmt: skip
def sum_of_products(states: Array, first: Array, ds: Array, reverse: bool) -> Array:
    """The sum of the products of transposed states and cotangents, in the order of the tape."""
    total: Any = None
    for state, d in in_order(not reverse, before_steps(states, first, reverse), ds):
        share = layer_product_kernel(state.T, d)
        total = share if total is None else np.add(total, share, out=total)
    return total


@native("gates", "lstm_step", "x, z, c, gates, memory, hidden")
def lstm_step(x: Array, z: Array, c: Array, gates: Array, memory: Array, hidden: Array) -> None:
    """One step of an LSTM, from the contributions of input and state, into given arrays."""
    lstm_gates_kernel(x, z, gates)
    memory_kernel(gates, c, memory)
    hidden_kernel(gates, memory, hidden)


def lstm_run(xs: Array, h: Array, c: Array, u: Array, reverse: bool) -> LSTMRun:
    """An LSTM from the contributions of its inputs (steps, rows, 4 n), states, and a matrix."""
    xs, h, c = map(np.ascontiguousarray, (xs, h, c))
    gates, memory, hidden = lstm_states(xs, u, h, c, reverse)
    return LSTMRun(hidden, memory, gates, h, c, u)


@native(
    "sequences", "lstm_sequence", "xs, np.ascontiguousarray(u), h, c, reverse, None, None, None",
    when="is_ours(len(h), u)",
)  # fmt: skip
def lstm_states(
    xs: Array, u: Array, h: Array, c: Array, reverse: bool
) -> tuple[Array, Array, Array]:
    """Gates, memories and outputs at all steps."""
    gates, shape = np.empty_like(xs), (*xs.shape[:2], xs.shape[2] // 4)
    hidden, memory = np.empty(shape, xs.dtype), np.empty(shape, xs.dtype)
    step, state, cell = resolved(lstm_step), h, c
    for x, a, m, y in in_order(reverse, xs, gates, memory, hidden):
        step(x, layer_product_kernel(state, u), cell, a, m, y)
        state, cell = y, m
    return gates, memory, hidden


@native("gates", "lstm_step_back", "gates, c, t, g, r, of_c, d, before")
def lstm_step_back(
    gates: Array, c: Array, t: Array, g: Array, r: Array, of_c: Array, d: Array, before: Array
) -> None:
    """The cotangents `d` of x + z and `before` of the memory before a step.

    `t` is tanh of the new memory; its cotangent is `of_c`, and g + r that of the output.
    """
    n = c.shape[-1]
    i, f, cell, o = (gates[..., k * n : (k + 1) * n] for k in range(4))
    dh = g + r
    dc = dh * o * (1 - t * t) + of_c
    for k, v in enumerate((dc * cell, dc * c, dc * i, dh * t)):
        y = gates[..., k * n : (k + 1) * n]
        np.multiply(v + 0.0, (1 - y) * (y + (k == 2)), out=d[..., k * n : (k + 1) * n])
    np.multiply(dc, f, out=before)


def lstm_pull_back(run: LSTMRun, reverse: bool, g: Array, g_h: Array, g_c: Array) -> LSTMCotangents:
    """The cotangents of an LSTM's operands, from those of its outputs and last states."""
    g, g_h, g_c = given(run.hidden, g), given(run.h, g_h), given(run.c, g_c)
    d, of_h, of_c = lstm_cotangents(run, np.tanh(run.memory), g, g_h, g_c, reverse)
    return LSTMCotangents(d, of_h, of_c, sum_of_products(run.hidden, run.h, d, reverse))


@native(
    "sequences", "lstm_sequence_back",
    "run.gates, run.memory, run.c, tanh, g, np.ascontiguousarray(run.u.T), g_h, g_c, reverse,"
    " None, None, None", when="is_ours(len(g_h), run.u)",
)  # fmt: skip
def lstm_cotangents(
    run: LSTMRun, tanh: Array, g: Array, g_h: Array, g_c: Array, reverse: bool
) -> tuple[Array, Array, Array]:
    """The cotangents of the contributions of inputs at all steps, and of the first states."""
    d, w, of_c = np.empty_like(run.gates), run.u.T, g_c.copy()
    cells, step, r = before_steps(run.memory, run.c, reverse), resolved(lstm_step_back), g_h
    for a, cell, t, dy, dz in in_order(not reverse, run.gates, cells, tanh, g, d):
        step(a, cell, t, dy, r, of_c, dz, of_c)
        r = layer_product_kernel(dz, w)
    return d, r, of_c


def given(like: Array, g: Array | None) -> Array:
    """A cotangent as memory of its own order, or -0.0 in the place of one that is missing."""
    return np.full_like(like, -0.0) if g is None else np.ascontiguousarray(g)


class GRURun(NamedTuple):
    """The states and gates of a GRU at all steps, and what it was given."""

    states: Array
    gates: Array
    sums: Array
    h: Array
    u: Array


@native("gates", "gru_step", "x, y, b, h, z, gates, new")
def gru_step(x: Array, y: Array, b: Array, h: Array, z: Array, gates: Array, new: Array) -> None:
    """One step of a GRU, from the contributions of input and state, into given arrays."""
    np.add(y, b, out=z)
    gru_gates_kernel(x, z, gates)
    gru_state_kernel(gates, h, new)


def gru_run(xs: Array, h: Array, u: Array, b: Array | None, reverse: bool) -> GRURun:
    """A GRU from the contributions of its inputs (steps, rows, 3 n), a state, a matrix, a bias."""
    xs, h = np.ascontiguousarray(xs), np.ascontiguousarray(h)
    sums, gates, states = gru_states(xs, u, given(xs[0, 0], b), h, reverse)
    return GRURun(states, gates, sums, h, u)


@native(
    "sequences", "gru_sequence", "xs, np.ascontiguousarray(u), b, h, reverse, None, None, None",
    when="is_ours(len(h), u)",
)  # fmt: skip
def gru_states(
    xs: Array, u: Array, b: Array, h: Array, reverse: bool
) -> tuple[Array, Array, Array]:
    """The sums of products and bias, gates and states at all steps."""
    gates, sums = np.empty_like(xs), np.empty_like(xs)
    states = np.empty((*xs.shape[:2], xs.shape[2] // 3), xs.dtype)
    step, state = resolved(gru_step), h
    for x, a, z, new in in_order(reverse, xs, gates, sums, states):
        step(x, layer_product_kernel(state, u), b, state, z, a, new)
        state = new
    return sums, gates, states


@native("gates", "gru_step_back", "gates, z, h, g, r, q, d, e, before")
def gru_step_back(
    gates: Array, z: Array, h: Array, g: Array, r: Array, q: Array, d: Array, e: Array,
    before: Array,
) -> None:  # fmt: skip
    """The cotangents `d` of x, `e` of z and `before` of the state before a step.

    That of the new state is g + (r + q).
    """
    n = h.shape[-1]
    parts = [slice(k * n, (k + 1) * n) for k in range(3)]
    reset, update, new = (gates[..., part] for part in parts)
    v = g + (r + q)
    dn = v * (1 - update) * (1 - new * new)
    dz = v * (h - new) * (update * (1 - update))
    dr = (dn * z[..., parts[2]] + 0.0) * (reset * (1 - reset))
    for part, of_x, of_z in zip(parts, (dr, dz, dn), (dr, dz, dn * reset), strict=True):
        d[..., part], e[..., part] = of_x, of_z
    np.multiply(v, update, out=before)


def gru_pull_back(
    run: GRURun, reverse: bool, g: Array, g_h: Array
) -> tuple[Array, Array, Array, Array]:
    """The cotangents of inputs, state, matrix and bias, from those of states and the last one."""
    g, g_h, none = given(run.states, g), given(run.h, g_h), given(run.h, None)
    d, e, before, q = gru_cotangents(run, g, g_h, none, reverse)
    u = sum_of_products(run.states, run.h, e, reverse)
    return d, before + q, u, sum_of_rows(backwards(e, reverse))


@native(
    "sequences", "gru_sequence_back",
    "run.gates, run.sums, run.states, run.h, g, np.ascontiguousarray(run.u.T), g_h, none, reverse,"
    " None, None, None, None", when="is_ours(len(g_h), run.u)",
)  # fmt: skip
def gru_cotangents(
    run: GRURun, g: Array, g_h: Array, none: Array, reverse: bool
) -> tuple[Array, Array, Array, Array]:
    """The cotangents of inputs and sums at all steps, and two terms of that of the first state."""
    d, e, w = np.empty_like(run.gates), np.empty_like(run.gates), run.u.T
    states = before_steps(run.states, run.h, reverse)
    step, before, q = resolved(gru_step_back), g_h.copy(), none
    for a, z, h, dy, dx, dz in in_order(not reverse, run.gates, run.sums, states, g, d, e):
        step(a, z, h, dy, before, q, dx, dz, before)
        q = layer_product_kernel(dz, w)
    return d, e, before, q


def sum_of_rows(ds: Array) -> Array:
    """The sums over rows, added up step by step."""
    shares = [np.add.reduce(d, axis=0) for d in ds] if ds.shape[1] > 1 else ds[:, 0]
    return np.add.reduce(np.asarray(shares), axis=0)
