"""Recurrent layers over whole sequences of arrays, forward and backward.

Note [Sequences]. A tape that records each step of a recurrent layer spends most of its time on the
records. These functions run all steps at once. They compute what the tape's ops and their rules
compute, in the same order, so that all bits are the same. A cotangent that is missing is -0.0,
which changes no bits of a sum.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.native_kernels import native
from ..library.linalg.contraction import matmul_kernel
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


@native("gates", "lstm_step", "x, z, c, gates, memory, hidden")
def lstm_step(x: Array, z: Array, c: Array, gates: Array, memory: Array, hidden: Array) -> None:
    """One step of an LSTM, from the contributions of input and state, into given arrays."""
    lstm_gates_kernel(x, z, gates)
    memory_kernel(gates, c, memory)
    hidden_kernel(gates, memory, hidden)


def lstm_run(xs: Array, h: Array, c: Array, u: Array, reverse: bool) -> LSTMRun:
    """An LSTM from the contributions of its inputs (steps, rows, 4 n), states, and a matrix."""
    gates, shape = np.empty_like(xs), (*xs.shape[:2], xs.shape[2] // 4)
    hidden, memory = np.empty(shape, xs.dtype), np.empty(shape, xs.dtype)
    state, cell = h, c
    for x, a, m, y in in_order(reverse, xs, gates, memory, hidden):
        lstm_step(x, matmul_kernel(state, u), cell, a, m, y)
        state, cell = y, m
    return LSTMRun(hidden, memory, gates, h, c, u)


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
    nothing = np.full_like(run.h, -0.0)
    back = not reverse  # the last step comes first
    d, tanh = np.empty_like(run.gates), np.tanh(run.memory)
    g = np.broadcast_to(nothing, run.hidden.shape) if g is None else g
    r, of_c, total, w = (
        nothing if g_h is None else g_h,
        nothing if g_c is None else g_c,
        None,
        run.u.T,
    )
    before = shifted(run.hidden, run.h, reverse), shifted(run.memory, run.c, reverse)
    steps = zip(in_order(back, run.gates, tanh, g, d), *[x[::-1] for x in before], strict=True)
    for (a, t, dy, dz), state, cell in steps:
        cell_before = np.empty_like(run.c)
        lstm_step_back(a, cell, t, np.ascontiguousarray(dy), r, of_c, dz, cell_before)
        share = matmul_kernel(state.T, dz)
        total = share if total is None else np.add(total, share, out=total)
        r, of_c = matmul_kernel(dz, w), cell_before
    return LSTMCotangents(d, r, of_c, total)


def shifted(states: Array, first: Array, reverse: bool) -> list[Array]:
    """The states before each step, in the order of the steps."""
    found = list(states[::-1] if reverse else states)
    return [first, *found[:-1]]


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
    gates, sums = np.empty_like(xs), np.empty_like(xs)
    states = np.empty((*xs.shape[:2], xs.shape[2] // 3), xs.dtype)
    b = np.full(xs.shape[2:], -0.0, xs.dtype) if b is None else b
    state = h
    for x, a, z, new in in_order(reverse, xs, gates, sums, states):
        gru_step(x, matmul_kernel(state, u), b, state, z, a, new)
        state = new
    return GRURun(states, gates, sums, h, u)


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
    nothing = np.full_like(run.h, -0.0)
    d, e, w = np.empty_like(run.gates), np.empty_like(run.gates[0]), run.u.T
    g = np.broadcast_to(nothing, run.states.shape) if g is None else g
    r, q = nothing if g_h is None else g_h, nothing
    totals: list[Array] = []
    steps = zip(in_order(not reverse, run.gates, run.sums, g, d),
                shifted(run.states, run.h, reverse)[::-1], strict=True)  # fmt: skip
    for (a, z, dy, dx), state in steps:
        before = np.empty_like(run.h)
        gru_step_back(a, z, state, np.ascontiguousarray(dy), r, q, dx, e, before)
        shares = [matmul_kernel(state.T, e), np.add.reduce(e, axis=0)]
        totals = [np.add(t, s, out=t) for t, s in zip(totals, shares)] or shares
        r, q = before, matmul_kernel(e, w)
    return d, r + q, totals[0], totals[1]
