"""Entrywise parts of recurrent cells, with all gates in one op.

A row has the gates side by side, in PyTorch's order: input, forget, cell and output gate of an
LSTM; reset gate, update gate and new state of a GRU. One op for all of them costs a third of the
calls that slices, activations and products would.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...core import flops
from ...core.errors import DTypeError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, is_inexact, result_dtype, shape_of
from ...kernels.native_kernels import native
from ...typing import AnyArray, Arrays, Operand, Wanted
from ..elementwise.arithmetic import square
from ..elementwise.trigonometric import tanh
from ..families import invalid, zeros_like
from ..shape.broadcasting import batch_as_is
from ..shape.joining import concatenate_op
from .activation import sigmoid

__all__: list[str] = []  # cells are offered by `gradops.nn`


def block(x: Any, i: int, count: int) -> Any:
    """Gate number `i` of `count`."""
    n = shape_of(x)[-1] // count
    return x[..., i * n : (i + 1) * n]


def blocks(x: Operand, count: int) -> list[Any]:
    """All gates."""
    return [block(x, i, count) for i in range(count)]


def join_gates(*parts: Any) -> AnyArray:
    """Gates concatenated along the last axis."""
    return concatenate_op(*parts, axis=-1)


def gate_size(op: str, count: int, x: ArrayType, *others: ArrayType) -> int:
    """The size of a gate; raises for operands that do not fit."""
    n = x.shape[-1] if x.ndim else None
    if not isinstance(n, int) or n % count:
        raise ShapeError(op, [x, *others], f"the last axis has no known size of {count} gates")
    for other in others:
        wanted = (*x.shape[:-1], n // count)
        if other.ndim != x.ndim or conflict(other.shape, wanted):
            raise ShapeError(op, [x, *others], f"the last operand is not of shape {wanted}")
    return n // count


@lru_cache(maxsize=64)
def is_cell_gate(size: int, dtype: Any) -> Any:
    """1 where a row of an LSTM has its cell gate, which uses tanh, and 0 elsewhere."""
    row = np.zeros(size, dtype)
    block(row, 2, 4)[...] = 1
    row.flags.writeable = False
    return row


def gates_infer(op: str, count: int) -> Callable[[ArrayType, ArrayType], ArrayType]:
    """The type of gates, from the contributions of input and state."""

    def infer(x: ArrayType, h: ArrayType) -> ArrayType:
        gate_size(op, count, x)
        if h.ndim != x.ndim or conflict(h.shape, x.shape):
            raise ShapeError(op, [x, h], "the two operands have different shapes")
        dtype = np.result_type(x.dtype, h.dtype)
        if not is_inexact(dtype):
            raise DTypeError(op, [x, h], "a cell computes with floats")
        return ArrayType(x.shape, dtype)

    return infer


def wrong_gates(count: int) -> list[ErrorSample]:
    """Error samples of operands that are not gates."""
    odd, even = np.ones((2, 5)), np.ones((2, 12))
    return [
        ErrorSample([odd, odd], {}, ShapeError, f"size of {count} gates"),
        ErrorSample([even, np.ones((2, 3))], {}, ShapeError, "different shapes"),
        ErrorSample([even.astype(int), even.astype(int)], {}, DTypeError, "with floats"),
    ]


@lru_cache(maxsize=64)
def scales_and_shifts(shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
    """Rows s and b such that s tanh(s x) + b is the sigmoid, but tanh where the cell gate is.

    For an `x` of one row they have its shape: ufuncs take three times as long to broadcast a row.
    """
    cell = is_cell_gate(shape[-1], dtype)
    if math.prod(shape) == shape[-1]:
        cell = cell.reshape(shape)
    rows = (1 + cell) / 2, (1 - cell) / 2
    for row in rows:
        row.flags.writeable = False
    return rows


@native("gates", "lstm_gates", "x, h, out")
def lstm_gates_kernel(x: Any, h: Any, out: Any = None) -> Any:
    """All gates by one tanh: the sigmoid of x is (1 + tanh(x / 2)) / 2.

    A kernel of a cell is called in each step: `out` is given by position, which costs half as much.
    """
    y = np.add(x, h, out)
    shape = y.shape
    if shape != x.shape or shape != h.shape or shape[-1] % 4 or y.dtype.kind not in "fc":
        raise ValueError  # type inference then says why
    scales, shifts = scales_and_shifts(shape if shape[0] == 1 else shape[-1:], y.dtype)
    np.tanh(np.multiply(y, scales, y), y)
    return np.add(np.multiply(y, scales, y), shifts, y)


def lstm_gates_vjp(wanted: Wanted, v: AnyArray, y: AnyArray, x: AnyArray, h: AnyArray) -> Arrays:
    """y (1 - y) for sigmoid, (1 + y) (1 - y) for tanh; the same for both operands."""
    return [lstm_gates_rule(v, y, x, h)] * len(wanted)


def lstm_gates_rule(v: AnyArray, y: AnyArray, x: AnyArray, h: AnyArray) -> AnyArray:
    return v * ((1 - y) * (y + is_cell_gate(shape_of(x)[-1], y.dtype)))


def joined(*parts: AnyArray) -> Any:
    """Gates side by side."""
    return concatenate_op(*parts, axis=-1)


def lstm_gates_formula(x: AnyArray, h: AnyArray) -> Any:
    y = x + h
    return joined(*[(tanh if i == 2 else sigmoid)(gate) for i, gate in enumerate(blocks(y, 4))])


lstm_gates = Op(
    "lstm_gates", lstm_gates_kernel, traits=[Trait.LIKE_OPERAND],
    arity=2, infer=gates_infer("lstm_gates", 4),
    flops=flops.per_operand(1),
    vjp=JointVJP(lstm_gates_vjp), jvp=[lstm_gates_rule, lstm_gates_rule], batch=batch_as_is,
    source="lstm_gates({0}, {1}{out})",
    samples=cases(reals((3, 8), (3, 8)), reals((2, 3, 4), (2, 3, 4)), reals((0, 8), (0, 8)),
                  reals((20, 12), (20, 12))),
    error_samples=wrong_gates(4),
    formula=lstm_gates_formula,
    doc="The gates of an LSTM, from the contributions of input and state: tanh of the third"
    " quarter of each row, sigmoid of the others.",
)


def pair_infer(op: str, count: int) -> Callable[[ArrayType, ArrayType], ArrayType]:
    """The type of a state, from gates and a state."""

    def infer(a: ArrayType, s: ArrayType) -> ArrayType:
        gate_size(op, count, a, s)
        return ArrayType(s.shape, result_dtype(np.multiply, (a.dtype, s.dtype)))

    return infer


@native("gates", "lstm_memory", "a, c, out")
def memory_kernel(a: Any, c: Any, out: Any = None) -> np.ndarray:
    shape = c.shape
    n = shape[-1]
    if a.shape != (*shape[:-1], 4 * n):
        raise ValueError
    y = np.multiply(a[..., n : 2 * n], c, out)
    return np.add(y, a[..., :n] * a[..., 2 * n : 3 * n], y)


def memory_left(g: AnyArray, y: AnyArray, a: AnyArray, c: AnyArray) -> AnyArray:
    """The gradients of the gates; that of the output gate is zero."""
    return join_gates(g * block(a, 2, 4), g * c, g * block(a, 0, 4), zeros_like(g))


def memory_tangent(t: Operand, y: Operand, a: Operand, c: Operand) -> Operand:
    return block(t, 0, 4) * block(a, 2, 4) + block(t, 2, 4) * block(a, 0, 4) + block(t, 1, 4) * c


pairs = cases(reals((3, 8), (3, 2)), reals((2, 3, 4), (2, 3, 1)), reals((0, 8), (0, 2)))
wrong_pairs = [
    invalid((2, 6), (2, 2), says="no known size of 4 gates"),
    invalid((2, 8), (1, 2), says="not of shape (2, 2)"),
    invalid((2, 8), (2,), says="not of shape (2, 2)"),
]

lstm_memory = Op(
    "lstm_memory", memory_kernel, traits=[Trait.LIKE_OPERAND],
    arity=2, infer=pair_infer("lstm_memory", 4),
    flops=flops.per_result(3),
    vjp=[memory_left, lambda g, y, a, c: g * block(a, 1, 4)],
    jvp=[memory_tangent, lambda t, y, a, c: t * block(a, 1, 4)], batch=batch_as_is,
    samples=pairs, error_samples=wrong_pairs,
    formula=lambda a, c: block(a, 1, 4) * c + block(a, 0, 4) * block(a, 2, 4),
    doc="The new memory of an LSTM, from its gates and its memory: i g + f c.",
)


@native("gates", "lstm_hidden", "a, c, out")
def hidden_kernel(a: Any, c: Any, out: Any = None) -> Any:
    shape = c.shape
    n = shape[-1]
    if a.shape != (*shape[:-1], 4 * n):
        raise ValueError
    y = np.tanh(c, out)
    return np.multiply(y, a[..., 3 * n :], y)


def hidden_vjp(wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, c: AnyArray) -> Arrays:
    t, zeros = tanh(c), zeros_like(g)
    return [
        g * block(a, 3, 4) * (1 - t * t) if i else join_gates(zeros, zeros, zeros, g * t)
        for i in wanted
    ]


lstm_hidden = Op(
    "lstm_hidden", hidden_kernel, traits=[Trait.LIKE_OPERAND],
    arity=2, infer=pair_infer("lstm_hidden", 4),
    flops=flops.per_result(2),
    vjp=JointVJP(hidden_vjp),
    jvp=[
        lambda t, y, a, c: block(t, 3, 4) * tanh(c),
        lambda t, y, a, c: t * block(a, 3, 4) * (1 - square(tanh(c))),
    ],
    batch=batch_as_is, samples=pairs, error_samples=wrong_pairs,
    formula=lambda a, c: block(a, 3, 4) * tanh(c),
    doc="The output of an LSTM from its gates and new memory: o tanh(c).",
)


@lru_cache(maxsize=16)
def one_half(dtype: Any) -> Any:
    """0.5 as an array without axes, which ufuncs take faster than a number."""
    return np.array(0.5, dtype)


@native("gates", "gru_gates", "x, h, out")
def gru_gates_kernel(x: np.ndarray, h: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    y = np.add(x, h, out)  # see `lstm_gates_kernel`
    shape = y.shape
    if shape != x.shape or shape != h.shape or shape[-1] % 3 or y.dtype.kind not in "fc":
        raise ValueError
    n = shape[-1] // 3
    m, half = 2 * n, one_half(y.dtype)
    gates, new = y[..., :m], y[..., m:]
    np.tanh(np.multiply(gates, half, gates), gates)
    np.add(np.multiply(gates, half, gates), half, gates)
    np.tanh(np.add(np.multiply(y[..., :n], h[..., m:], new), x[..., m:], new), new)
    return y


def gru_gates_vjp(wanted: Wanted, g: AnyArray, y: AnyArray, x: AnyArray, h: AnyArray) -> Arrays:
    """The cotangents of the contributions of input and state."""
    (r, z, n), (gr, gz, gn) = blocks(y, 3), blocks(g, 3)
    dn, dz = gn * (1 - n * n), gz * (z * (1 - z))
    dr = (gr + dn * block(h, 2, 3)) * (r * (1 - r))
    return [join_gates(dr, dz, dn * r if i else dn) for i in wanted]


def gru_gates_tangent(t: AnyArray, y: AnyArray, h: AnyArray, from_state: bool) -> AnyArray:
    r, z, n = blocks(y, 3)
    tr, tz, tn = blocks(t, 3)
    dr = tr * (r * (1 - r))
    tn = tn * r if from_state else tn
    return join_gates(dr, tz * (z * (1 - z)), (tn + dr * block(h, 2, 3)) * (1 - n * n))


def gru_gates_formula(x: AnyArray, h: AnyArray) -> Any:
    (a, b, c), (d, e, f) = blocks(x, 3), blocks(h, 3)
    r = sigmoid(a + d)
    return joined(r, sigmoid(b + e), tanh(c + r * f))


def gru_state_formula(a: AnyArray, h: AnyArray) -> Any:
    _, z, n = blocks(a, 3)
    return z * (h - n) + n


gru_gates = Op(
    "gru_gates", gru_gates_kernel, traits=[Trait.LIKE_OPERAND],
    arity=2, infer=gates_infer("gru_gates", 3),
    flops=flops.per_operand(1),
    vjp=JointVJP(gru_gates_vjp),
    jvp=[
        lambda t, y, x, h: gru_gates_tangent(t, y, h, False),
        lambda t, y, x, h: gru_gates_tangent(t, y, h, True),
    ],
    batch=batch_as_is,
    samples=cases(reals((3, 6), (3, 6)), reals((2, 3, 3), (2, 3, 3)), reals((0, 6), (0, 6)),
                  reals((20, 9), (20, 9))),
    error_samples=wrong_gates(3),
    formula=gru_gates_formula,
    doc="Reset gate, update gate and proposed state of a GRU, from the contributions of input and"
    " state: sigmoid, sigmoid, and tanh(x + r h).",
)


@native("gates", "gru_state", "a, h, out")
def gru_state_kernel(a: Any, h: Any, out: Any = None) -> Any:
    shape = h.shape
    size = shape[-1]
    if a.shape != (*shape[:-1], 3 * size):
        raise ValueError
    n = a[..., 2 * size :]
    y = np.subtract(h, n, out)
    return np.add(np.multiply(y, a[..., size : 2 * size], y), n, y)


def gru_state_left(g: AnyArray, y: AnyArray, a: AnyArray, h: AnyArray) -> AnyArray:
    _, z, n = blocks(a, 3)
    return join_gates(zeros_like(g), g * (h - n), g * (1 - z))


def gru_state_tangent(t: AnyArray, y: AnyArray, a: AnyArray, h: AnyArray) -> AnyArray:
    (_, z, n), (_, tz, tn) = blocks(a, 3), blocks(t, 3)
    return tz * (h - n) + tn * (1 - z)


gru_state = Op(
    "gru_state", gru_state_kernel, traits=[Trait.LIKE_OPERAND],
    arity=2, infer=pair_infer("gru_state", 3),
    flops=flops.per_result(3),
    vjp=[gru_state_left, lambda g, y, a, h: g * block(a, 1, 3)],
    jvp=[gru_state_tangent, lambda t, y, a, h: t * block(a, 1, 3)], batch=batch_as_is,
    samples=cases(reals((3, 6), (3, 2)), reals((2, 3, 3), (2, 3, 1)), reals((0, 6), (0, 2))),
    error_samples=[invalid((2, 6), (2, 3), says="not of shape (2, 2)")],
    formula=gru_state_formula,
    doc="The new state of a GRU, from its gates and its state: n + z (h - n).",
)
