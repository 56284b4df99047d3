"""Attention, as a function."""

import gradops as ops

from ...engine.tensor import Tensor, as_tensor
from .dropout import dropout, require_probability

__all__ = ["scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """Means of values, for each query by how well its key matches.

    `attn_mask` says where a query may look, or is added to how well keys match; a query that may
    look nowhere gets zeros. With `is_causal` it does not look at keys after its own place. With
    `enable_gqa`, heads (the third dimension from the end) of keys and values serve several of
    queries each.

    >>> q, v = dg.zeros(1, 2), dg.tensor([[1.0], [3.0]])
    >>> dg.nn.functional.scaled_dot_product_attention(q, dg.ones(2, 2), v)
    tensor([[2.]])
    """
    require_probability(dropout_p)
    q, k, v = map(as_tensor, (query, key, value))
    mask = None if attn_mask is None else as_tensor(attn_mask)
    if enable_gqa:
        k, v = (ops.repeat(x, q.shape[-3] // x.shape[-3], axis=-3) for x in (k, v))
    drop = (lambda weights: dropout(weights, dropout_p)) if dropout_p else None
    return ops.attention(q, k, v, mask, is_causal, scale, drop)
