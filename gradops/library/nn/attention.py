"""Scaled dot-product attention."""

import math
from typing import Any

import numpy as np

from ...core.dims import Dim
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.types import conflict, shape_of, type_of
from ...typing import AnyArray, OperandLike
from ..elementwise.arithmetic import add, mul
from ..elementwise.comparison import equal, where
from ..reduce.reduction import all, any
from ..shape.movement import swapaxes
from .layer_product import layer_product
from .softmax import softmax

__all__ = ["attention"]


def attention(
    query: OperandLike, key: Any, value: OperandLike, mask: OperandLike | None = None,
    causal: bool = False, scale: float | None = None, drop: Any = None,
) -> Any:
    """Scaled dot-product attention of queries (..., m, c), keys (..., n, c) and values (..., n, d).

    `mask` (..., m, n) is true where a query may attend, or is added to the scores; with `causal`, a
    query does not attend to later keys. A query that may attend to no key gets zeros. `scale` is
    1 / sqrt(c) by default. `drop` is applied to the weights.

    >>> attention(np.zeros((1, 2)), np.ones((2, 2)), np.array([[1.0], [3.0]]))
    array([[2.]])
    """
    check(query, key, value)
    c: Any = shape_of(query)[-1]
    if scale is None:
        scale = 1 / math.sqrt(c) if c else 1.0
    scores = layer_product(mul(query, scale), swapaxes(key, -1, -2))
    nowhere = None
    if causal:
        if mask is not None:
            raise OptionError("attention", [], "it takes a mask or is causal, not both")
        scores = where(causal_mask(query, key), scores, -np.inf)
    elif mask is not None:
        scores, nowhere = masked_scores(scores, mask)
    weights = softmax(scores if nowhere is None else where(nowhere, 0, scores))
    if nowhere is not None:
        weights = where(nowhere, 0, weights)
    return layer_product(weights if drop is None else drop(weights), value)


def masked_scores(scores: AnyArray, mask: Any) -> tuple[AnyArray, AnyArray]:
    """The scores with the mask applied, and a mask of the queries that may attend to no key."""
    kind = type_of(mask).dtype.kind
    if kind == "b":
        return where(mask, scores, -np.inf), any(mask, axis=-1, keepdims=True) == False  # noqa: E712
    if kind != "f":
        raise DTypeError(
            "attention", [type_of(mask)], "a mask is of truth values, or of floats to be added"
        )
    return add(scores, mask), all(equal(mask, -np.inf), axis=-1, keepdims=True)


def causal_mask(query: Any, key: Any) -> AnyArray:
    """The causal mask: true for keys at or before the position of the query."""
    m, n = shape_of(query)[-2], shape_of(key)[-2]
    if isinstance(m, Dim) or isinstance(n, Dim):
        raise ShapeError(
            "attention", [type_of(query), type_of(key)], "causal attention needs to know sizes",
            hint="give the axis of places a size, or use a mask",
        )
    return np.tri(m, n, dtype=bool)


def check(query: Any, key: Any, value: Any) -> None:
    """Raise a ShapeError for queries, keys and values that do not fit together."""
    types = [type_of(x) for x in (query, key, value)]
    if min(t.ndim for t in types) < 2:
        raise ShapeError("attention", types, "each has axes (..., places, features)")
    q, k, v = (t.shape for t in types)
    if conflict(q[-1:], k[-1:]):
        raise ShapeError("attention", types, f"queries have {q[-1]} features, keys {k[-1]}")
    if conflict(k[-2:-1], v[-2:-1]):
        raise ShapeError("attention", types, f"there are {k[-2]} keys, and {v[-2]} values")
