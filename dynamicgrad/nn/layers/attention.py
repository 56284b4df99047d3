"""Attention with several heads."""

import gradops as ops
from gradops.nn import Projections, mean_of_heads, multi_head_attention
from gradops.typing import DTypeLike, Operand

from ...engine.tensor import Tensor, as_tensor
from .. import functional as F
from .. import init
from ..modules.module import Module
from .linear import Linear
from .parameters import add_parameter

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Multi-head attention: for each query, means of values weighted by how well keys match.

    Operands have the shape (places, batch, embed_dim), with `batch_first` (batch, places,
    embed_dim), or none of a batch; keys and values may have `kdim` and `vdim` features. `forward`
    gives the output and the weights, averaged over heads, or None if not `need_weights`. Where
    `key_padding_mask` (batch, keys) or `attn_mask` (queries, keys) or (batch * heads, queries,
    keys) is True, nobody looks; masks of numbers are added to the scores. PyTorch's rarely used
    `add_bias_kv` and `add_zero_attn` are not offered.

    >>> attention = dg.nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x = dg.ones(1, 3, 4)
    >>> y, weights = attention(x, x, x)
    >>> y.shape, weights[0, 0]
    ((1, 3, 4), tensor([0.3333, 0.3333, 0.3333], grad_fn=<SelectBackward0>))
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim < 1 or num_heads < 1 or embed_dim % num_heads:
            raise ValueError(
                f"embed_dim must be divisible by num_heads, both of them positive, got {embed_dim}"
                f" and {num_heads}"
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim, self.vdim, self.batch_first = kdim or embed_dim, vdim or embed_dim, batch_first
        self.same = self.kdim == self.vdim == embed_dim
        self.make_projections(bias, dtype)
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype)
        self.reset_parameters()

    def make_projections(self, bias: bool, dtype: DTypeLike) -> None:
        """The parameters of queries, keys and values: one weight for all if they are as large."""
        n = self.embed_dim
        for name, size in zip("qkv", (n, self.kdim, self.vdim)):
            add_parameter(self, f"{name}_proj_weight", None if self.same else (n, size), dtype)
        add_parameter(self, "in_proj_weight", (3 * n, n) if self.same else None, dtype)
        add_parameter(self, "in_proj_bias", (3 * n,) if bias else None, dtype)

    def reset_parameters(self) -> None:
        """Reinitialize the weights, Glorot uniform; the biases are zeros."""
        for name in ("in_proj", "q_proj", "k_proj", "v_proj"):
            weight = getattr(self, f"{name}_weight")
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)

    def projections(self) -> Projections:
        """The weights as `gradops` has them."""
        if self.same:
            weights = ops.split(self.in_proj_weight, 3)
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        bias = self.in_proj_bias
        biases = [None] * 3 if bias is None else ops.split(bias, 3)
        return Projections(weights, biases, self.out_proj.weight, self.out_proj.bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None,
        average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Operand, Operand | None]:  # fmt: skip
        """The output, and the weights or None; `is_causal` only asserts that `attn_mask` is."""
        operands = [as_tensor(x) for x in (query, key, value)]
        batched = self.check(operands)
        if is_causal and attn_mask is None:
            raise ValueError(
                "need attn_mask if specifying the is_causal hint"
                "\n  hint: nn.Transformer.generate_square_subsequent_mask(places)"
            )
        q, k, v = (self.rows_first(x, batched) for x in operands)
        masks = self.masks(key_padding_mask, attn_mask, q.shape[0])
        drop = self.drop if self.dropout and self.training else None
        y, weights = multi_head_attention(q, k, v, self.num_heads, self.projections(), masks, drop)
        y = y if batched and self.batch_first else ops.swapaxes(y, 0, 1)
        if not batched:
            y = ops.squeeze(y, axis=(1,))
        if not need_weights:
            return y, None
        weights = mean_of_heads(weights) if average_attn_weights else weights
        return y, weights if batched else ops.squeeze(weights, axis=(0,))

    def drop(self, weights: Tensor) -> Tensor:
        """Dropout of the weights."""
        return F.dropout(weights, self.dropout, self.training)

    def rows_first(self, x: Tensor, batched: bool) -> Tensor:
        """An operand as (batch, places, features)."""
        if not batched:
            return ops.expand_dims(x, axis=0)
        return x if self.batch_first else ops.swapaxes(x, 0, 1)

    def check(self, operands: list[Tensor]) -> bool:
        """True if there is a batch; refuse operands of other ranks and numbers of features."""
        sizes = (self.embed_dim, self.kdim, self.vdim)
        ranks = {x.ndim for x in operands}
        if len(ranks) > 1 or not ranks <= {2, 3}:
            raise ops.ShapeError(
                "MultiheadAttention", [x.type for x in operands],
                "query, key and value have two dimensions, or three with those of a batch",
            )  # fmt: skip
        if any(x.shape[-1] != size for x, size in zip(operands, sizes)):
            raise ops.ShapeError(
                "MultiheadAttention", [x.type for x in operands],
                f"they have {sizes} features in the last dimension",
                known_as=f"was expecting embedding dimension of {self.embed_dim}",
            )  # fmt: skip
        return ranks == {3}

    def masks(self, padding: Tensor | None, attention: Tensor | None, rows: int) -> list[Tensor]:
        """Both masks in shapes that broadcast with the scores."""
        found = []
        if attention is not None:
            m = as_tensor(attention)
            if m.ndim == 3:
                m = ops.reshape(m, shape=(rows, self.num_heads, *m.shape[1:]))
            found.append(m)
        if padding is not None:
            m = as_tensor(padding)
            m = ops.expand_dims(m, axis=0) if m.ndim == 1 else m
            found.append(ops.reshape(m, shape=(m.shape[0], 1, 1, m.shape[1])))
        return found
