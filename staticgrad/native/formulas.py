"""Ops that are formulas of others: a graph in which they are written out.

Note [Formulas]. Functions of ops are applied to scalars, see `scalars.py`, and to expressions of a
graph that is being made.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replaced
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Op, Operators
from gradops.kernels.nn.activation import CUBIC, SCALE
from gradops.kernels.nn.gelu import P
from gradops.library.elementwise.arithmetic import abs, sqrt, strong_product
from gradops.library.elementwise.comparison import equal, greater, where
from gradops.library.elementwise.exponential import erf, exp, log, log1p
from gradops.library.elementwise.trigonometric import tanh
from gradops.library.index.diagonals import tril
from gradops.library.linalg.solve import solve_triangular_op as solve_triangular
from gradops.library.nn.activation import sigmoid
from gradops.library.reduce.reduction import max, mean, sum
from gradops.library.shape.movement import transpose
from gradops.library.shape.rearrange import matrix_transpose
from gradops.native.text import is_computable

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning


class Made(Operators):
    """An expression of a graph that is being made, to which ops apply."""

    gradop_level = 0.0

    def __init__(self, e: Expr, intern: Interning) -> None:
        self.e, self.intern = e, intern

    @property
    def type(self) -> ArrayType:
        """The type of the expression."""
        return self.e.type

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: Mapping[str, Any]) -> "Made":
        like = next(a for a in args if isinstance(a, Made))
        inputs = [a.e if isinstance(a, Made) else like.constant(a) for a in args]
        return Made(like.intern.apply(op.name, *inputs, like=like.e, **attrs), like.intern)

    def constant(self, value: Any) -> Expr:
        """A number in this dtype, or an array in its own."""
        array = np.array(value, None if isinstance(value, np.ndarray) else self.dtype)
        return self.intern.constant(array, like=self.e)


def shifted(x: Any, axis: int) -> Any:
    """x less its maximum."""
    return x - max(x, axis=axis, keepdims=True)


def logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    top = max(x, axis=axis, keepdims=True)
    top = where(OPS["isfinite"](top), top, 0)
    result = log(sum(exp(x - top), axis=axis, keepdims=True)) + top
    if keepdims:
        return result
    rank = len(x.shape)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {i % rank for i in axes}
    return OPS["reshape"](result, shape=tuple(n for i, n in enumerate(x.shape) if i not in gone))


def softmax(x: Any, axis: int) -> Any:
    e = exp(shifted(x, axis))
    return e / sum(e, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: int) -> Any:
    rest = shifted(x, axis)
    return rest - log(sum(exp(rest), axis=axis, keepdims=True))


def reduced(losses: Any, reduction: str) -> Any:
    if reduction == "none" or not losses.shape:
        return losses
    return (mean if reduction == "mean" else sum)(losses)


def binary_cross_entropy(z: Any, y: Any, reduction: str) -> Any:
    losses = where(greater(z, 0), z, 0) + log1p(exp(-abs(z))) - z * y
    return reduced(losses, reduction)


def chosen(logits: Any, labels: Any) -> Any:
    """True at the label of each row."""
    numbers = np.arange(logits.shape[-1]).astype(labels.dtype)
    return equal(OPS["expand_dims"](labels, axis=-1), numbers)


def sparse_cross_entropy(logits: Any, labels: Any, reduction: str) -> Any:
    rest = shifted(logits, -1)
    found = sum(where(chosen(logits, labels), rest, 0), axis=-1)
    return reduced(log(sum(exp(rest), axis=-1)) - found, reduction)


def class_error(logits: Any, labels: Any) -> Any:
    y = softmax(logits, -1)
    return where(chosen(logits, labels), y - 1, y)


def cholesky_cotangent(l: Any, g: Any) -> Any:
    l = tril(l)
    right = matrix_transpose(l)
    inner = right @ tril(g)
    both = tril(inner) + matrix_transpose(tril(inner, k=-1))
    half = matrix_transpose(solve_triangular(right, both, lower=False, checked=False))
    return 0.5 * matrix_transpose(solve_triangular(right, half, lower=False, checked=False))


def block(x: Any, i: int, count: int) -> Any:
    n = x.shape[-1] // count
    rank = len(x.shape)
    index = (*[("slice", None, None, None)] * (rank - 1), ("slice", i * n, (i + 1) * n, None))
    return OPS["slice"](x, index=index)


def joined(*parts: Any) -> Any:
    return OPS["concatenate"](*parts, axis=-1)


def gru_gates(x: Any, h: Any) -> Any:
    r = sigmoid(block(x, 0, 3) + block(h, 0, 3))
    z = sigmoid(block(x, 1, 3) + block(h, 1, 3))
    return joined(r, z, tanh(block(x, 2, 3) + r * block(h, 2, 3)))


def gru_state(a: Any, h: Any) -> Any:
    z, n = block(a, 1, 3), block(a, 2, 3)
    return z * (h - n) + n


def lstm_gates(x: Any, h: Any) -> Any:
    y = x + h
    return joined(*[(tanh if i == 2 else sigmoid)(block(y, i, 4)) for i in range(4)])


def lstm_memory(a: Any, c: Any) -> Any:
    return block(a, 1, 4) * c + block(a, 0, 4) * block(a, 2, 4)


def lstm_hidden(a: Any, c: Any) -> Any:
    return block(a, 3, 4) * tanh(c)


def gelu(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return 0.5 * (1 + tanh(SCALE * (x * (1 + CUBIC * (x * x))))) * x
    return 0.5 * doubled_distribution(x) * x


def doubled_distribution(x: Any) -> Any:
    """2 Phi(x), in float32 by the polynomial of NumPy's kernel."""
    if x.dtype.itemsize > 4:
        return 1 + erf(x * math.sqrt(0.5))
    square, total = x * x, float(P[-1])
    for c in P[-2::-1].tolist():
        total = square * total + c
    return 1 + tanh(x * total)


def gelu_slope(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        u = tanh(SCALE * (x * (1 + CUBIC * (x * x))))
        inner = SCALE * (1 + 3 * CUBIC * (x * x))
        return 0.5 * (1 + u) + 0.5 * x * strong_product(1 - u * u, inner)
    density = exp(-0.5 * (x * x)) * (1 / math.sqrt(2 * math.pi))
    return 0.5 * doubled_distribution(x) + density * x


def centered(x: Any, axis: Any) -> Any:
    return x - mean(x, axis=axis, keepdims=True)


def inverse_spread(x: Any, axis: Any, epsilon: float) -> Any:
    y = centered(x, axis)
    return 1 / sqrt(mean(y * y, axis=axis, keepdims=True) + epsilon)


def standardize(x: Any, axis: Any, epsilon: float) -> Any:
    return centered(x, axis) * inverse_spread(x, axis, epsilon)


def standardize_slope(v: Any, x: Any, axis: Any, epsilon: float) -> Any:
    y = standardize(x, axis, epsilon)
    share = mean(v * y, axis=axis, keepdims=True)
    return (centered(v, axis) - y * share) * inverse_spread(x, axis, epsilon)


def linear(x: Any, w: Any, b: Any) -> Any:
    return x @ transpose(w) + b


FORMULAS: dict[str, Callable[..., Any]] = {
    "logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax, "linear": linear,
    "binary_cross_entropy_with_logits": binary_cross_entropy, "class_error": class_error,
    "sparse_cross_entropy": sparse_cross_entropy, "cholesky_cotangent": cholesky_cotangent,
    "gru_gates": gru_gates, "gru_state": gru_state, "lstm_gates": lstm_gates,
    "lstm_memory": lstm_memory, "lstm_hidden": lstm_hidden, "gelu": gelu, "gelu_slope": gelu_slope,
    "inverse_spread": inverse_spread, "standardize": standardize,
    "standardize_slope": standardize_slope,
}  # fmt: skip

NORMS = frozenset({"inverse_spread", "standardize", "standardize_slope"})
LONGEST_ROW = 8192  # entries of a row whose mean is as exact as NumPy's


def written_out(graph: FrozenGraph) -> FrozenGraph:
    """The graph, and those in it, without ops that are formulas of others."""

    def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        if not is_formula(e):
            if e.op is not None and isinstance(e.attrs.get("body"), FrozenGraph):
                e = e._replace(attrs={**e.attrs, "body": written_out(e.attrs["body"])})
            return intern.copy(e, inputs)
        assert e.op is not None
        result = FORMULAS[e.op.name](*[Made(x, intern) for x in inputs], **e.attrs).e
        return (
            result
            if result.type == e.type
            else intern.apply("astype", result, like=e, dtype=e.dtype)
        )

    return replaced(graph, derived={}).remade(make)


def is_formula(e: Expr) -> bool:
    """True for an op that is written out; not of nothing, which has no maximum."""
    if e.op is None or e.op.name not in FORMULAS:
        return False
    if e.op.name in NORMS and not is_of_rows(e):
        return False
    x = e.inputs[0]
    return x.dtype.kind == "f" and is_computable(x.dtype) and 0 not in x.shape


def is_of_rows(e: Expr) -> bool:
    """True for a norm over last axes, of few entries: NumPy's sums of others are more exact."""
    x, axis = e.inputs[0], e.attrs["axis"]
    rank = len(x.shape)
    axes = {i % rank for i in np.atleast_1d(range(rank) if axis is None else axis).tolist()}
    first = rank - len(axes)
    return min(axes, default=0) == first and math.prod(x.shape[first:]) <= LONGEST_ROW
