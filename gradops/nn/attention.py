"""Multi-head attention, and the residual structure of transformer layers."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import ShapeError
from ..core.tracer_protocol import held
from ..core.types import shape_of, type_of
from ..library.elementwise.comparison import equal, where
from ..library.elementwise.logic import logical_and, logical_not, logical_or
from ..library.nn.softmax import softmax
from ..library.reduce.reduction import all, mean
from ..library.shape.movement import reshape, swapaxes, transpose
from ..typing import AnyArray, Operand
from .layers import linear

Function = Callable[[Any], Any]


class Projections(NamedTuple):
    """The weights of an attention layer: of queries, keys, values and the output."""

    weights: Sequence[Any]
    biases: Sequence[Any]
    out_weight: AnyArray
    out_bias: AnyArray | None = None


def multi_head_attention(
    query: AnyArray, key: Any, value: AnyArray, heads: int, projections: Projections,
    masks: Sequence[AnyArray] = (), drop: Function | None = None,
) -> tuple[Operand, Operand]:  # fmt: skip
    """Multi-head attention (Vaswani et al., 2017): its output, and the weights.

    Operands have the shape (batch, places, features). A mask broadcasts to (batch, heads, queries,
    keys): truth values are true where a query must not attend, numbers are added to scores. A query
    that may attend to no key has weights of zero. `drop` is applied to the weights, which have the
    shape (batch, heads, queries, keys).

    >>> w = Projections([np.eye(2)] * 3, [None] * 3, np.eye(2))
    >>> y, weights = multi_head_attention(*[np.ones((1, 3, 2))] * 3, 1, w)
    >>> y.shape, weights[0, 0, 0]
    ((1, 3, 2), array([0.33333333, 0.33333333, 0.33333333]))
    """
    q, k, v = (
        split_heads(linear(x, w, b), heads)
        for x, w, b in zip((query, key, value), projections.weights, projections.biases)
    )
    scores = (q * (1 / math.sqrt(shape_of(q)[-1]))) @ swapaxes(k, -1, -2)
    weights = softmax_where(scores, masks)
    weights = weights if drop is None else drop(weights)
    return linear(merge_heads(weights @ v), projections.out_weight, projections.out_bias), weights


def softmax_where(scores: AnyArray, masks: Sequence[Any]) -> AnyArray:
    """The softmax of scores with masks applied; zeros where all keys are masked.

    The scores of such queries stay as they are, so that nothing is NaN.
    """
    masks = masks if isinstance(masks, list | tuple) else [masks]
    nowhere = all_hidden(masks) if masks else None
    for mask in masks:
        if is_boolean(mask):
            hides = mask if nowhere is None else logical_and(mask, logical_not(nowhere))
            scores = where(hides, -np.inf, scores)
        else:
            scores = scores + (mask if nowhere is None else where(nowhere, 0, mask))
    weights = softmax(scores, axis=-1)
    return weights if nowhere is None else where(nowhere, 0, weights)


def all_hidden(masks: Sequence[Operand]) -> Any:
    """The mask of queries without any visible key; None if there are surely none."""
    hides = [m if is_boolean(m) else equal(m, -np.inf) for m in masks]
    nowhere = all(reduce(logical_or, hides), axis=-1, keepdims=True)
    found = held(nowhere)
    return None if isinstance(found, np.ndarray) and not found.any() else nowhere


def is_boolean(mask: Operand) -> bool:
    """True for a mask of truth values."""
    return type_of(mask).dtype.kind == "b"


def split_heads(x: Operand, heads: int) -> AnyArray:
    """(batch, places, features) split into heads: (batch, heads, places, features of a head)."""
    rows, places, size = shape_of(x)
    if not isinstance(size, int) or heads < 1 or size % heads:
        raise ShapeError("attention", [type_of(x)], f"{heads} heads do not share features equally")
    return transpose(reshape(x, shape=(rows, places, heads, size // heads)), axes=(0, 2, 1, 3))


def merge_heads(x: AnyArray) -> AnyArray:
    """The inverse of `split_heads`: heads merged into (batch, places, features)."""
    rows, heads, places, size = shape_of(x)
    return reshape(transpose(x, axes=(0, 2, 1, 3)), shape=(rows, places, heads * size))


def mean_of_heads(weights: Operand) -> AnyArray:
    """The attention weights averaged over heads."""
    return mean(weights, axis=1)


def causal(places: int) -> Any:
    """The mask with which each position attends to itself and earlier ones.

    >>> causal(3).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    return np.triu(np.ones((places, places), bool), 1)


def residual(
    x: AnyArray, parts: Sequence[Function], norms: Sequence[Function], first: bool
) -> AnyArray:
    """Sublayers one after the other, each with a residual connection and normalization.

    A norm is applied to the sum, or if `first` to the input of the sublayer.

    >>> residual(1.0, [lambda x: 2 * x], [lambda x: x / 4], first=False)
    0.75
    >>> residual(1.0, [lambda x: 2 * x], [lambda x: x / 4], first=True)
    1.5
    """
    for part, norm in zip(parts, norms, strict=True):
        x = x + part(norm(x)) if first else norm(x + part(x))
    return x
