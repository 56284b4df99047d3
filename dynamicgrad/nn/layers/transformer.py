"""The layers of transformers."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradops.nn import causal, residual
from gradops.typing import AnyArray, DTypeLike

from ...dispatch.default_dtype import get_default_dtype
from ...engine.tensor import Tensor, handle
from .. import functional as F
from .. import init
from ..modules.containers import ModuleList
from ..modules.module import Module
from .attention import MultiheadAttention
from .dropout import Dropout
from .linear import Linear
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {"relu": F.relu, "gelu": F.gelu}
Activation = str | Callable[[Any], Any]
Mask = Tensor | None  # where True, nobody looks; numbers are added to the scores


def activation_of(activation: Activation) -> Callable[[Any], Any]:
    """The activation function of a name; functions are returned unchanged."""
    if callable(activation):
        return activation
    if activation not in ACTIVATIONS:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return ACTIVATIONS[activation]


def look(
    attention: Module, query: Tensor, keys: Tensor, padding: Mask, mask: Mask, is_causal: bool
) -> AnyArray:
    """The output of attention of `query` to `keys`, with masks of keys and of places."""
    options = {"need_weights": False, "attn_mask": mask, "is_causal": is_causal}
    return attention(query, keys, keys, padding, **options)[0]


class TransformerEncoderLayer(Module):
    """Self-attention, then a network of two layers at each position.

    Each is added to its input and normalized: the sum, or with `norm_first` what the part is given.

    >>> layer = dg.nn.TransformerEncoderLayer(d_model=4, nhead=2, batch_first=True)
    >>> layer(dg.ones(2, 3, 4)).shape
    (2, 3, 4)
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(
        self, src: Tensor, src_mask: Mask = None,
        src_key_padding_mask: Mask = None, is_causal: bool = False,
    ) -> AnyArray:  # fmt: skip
        """The sequence after the layer."""

        masks = (src_key_padding_mask, src_mask, is_causal)

        def attend(x: Tensor) -> AnyArray:
            return self.dropout1(look(self.self_attn, x, x, *masks))

        return residual(src, [attend, self.feed_forward], [self.norm1, self.norm2], self.norm_first)

    def feed_forward(self, x: Tensor) -> Tensor:
        """The network of two layers."""
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """As the encoder's layer, with attention to another sequence, the `memory`, in between.

    >>> layer = dg.nn.TransformerDecoderLayer(d_model=4, nhead=2, batch_first=True)
    >>> layer(dg.ones(2, 3, 4), dg.ones(2, 5, 4)).shape
    (2, 3, 4)
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.self_attn, self.multihead_attn = (
            MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype)
            for _ in range(2)
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype)
        self.norm_first = norm_first
        self.norm1, self.norm2, self.norm3 = (
            LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype) for _ in range(3)
        )
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))
        self.activation = activation_of(activation)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> AnyArray:  # fmt: skip
        """The sequence after the layer."""

        own_masks = (tgt_key_padding_mask, tgt_mask, tgt_is_causal)
        memory_masks = (memory_key_padding_mask, memory_mask, memory_is_causal)

        def attend(x: Tensor) -> AnyArray:
            return self.dropout1(look(self.self_attn, x, x, *own_masks))

        def remember(x: Tensor) -> AnyArray:
            return self.dropout2(look(self.multihead_attn, x, memory, *memory_masks))

        norms = [self.norm1, self.norm2, self.norm3]
        return residual(tgt, [attend, remember, self.feed_forward], norms, self.norm_first)

    def feed_forward(self, x: Tensor) -> Tensor:
        """The network of two layers."""
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def copies(layer: Module, count: int) -> ModuleList:
    """`count` copies of a layer with equal initial weights, as in PyTorch."""
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other, and a `norm` in the end if there is one.

    >>> layer = dg.nn.TransformerEncoderLayer(d_model=4, nhead=2, batch_first=True)
    >>> dg.nn.TransformerEncoder(layer, num_layers=2)(dg.ones(2, 3, 4)).shape
    (2, 3, 4)
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers, self.norm = copies(encoder_layer, num_layers), norm
        self.num_layers = num_layers

    def forward(
        self, src: Tensor, mask: Mask = None, src_key_padding_mask: Mask = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        """The sequence after all layers."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other, and a `norm` in the end if there is one.

    >>> layer = dg.nn.TransformerDecoderLayer(d_model=4, nhead=2, batch_first=True)
    >>> dg.nn.TransformerDecoder(layer, num_layers=2)(dg.ones(2, 3, 4), dg.ones(2, 5, 4)).shape
    (2, 3, 4)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers, self.norm = copies(decoder_layer, num_layers), norm
        self.num_layers = num_layers

    def forward(self, tgt: Tensor, memory: Tensor, *masks: Any, **named: Any) -> Tensor:
        """The sequence after all layers; masks as those of a layer."""
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks, **named)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder of one sequence, and a decoder of another that looks at it.

    >>> model = dg.nn.Transformer(4, 2, 1, 1, 8, batch_first=True)
    >>> model(dg.ones(2, 5, 4), dg.ones(2, 3, 4)).shape
    (2, 3, 4)
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = "relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias, dtype,
        )  # fmt: skip
        norm = partial(LayerNorm, d_model, layer_norm_eps, bias=bias, dtype=dtype)
        encoder, decoder = TransformerEncoderLayer(*options), TransformerDecoderLayer(*options)
        self.encoder = TransformerEncoder(encoder, num_encoder_layers, norm())
        self.decoder = TransformerDecoder(decoder, num_decoder_layers, norm())
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialize the weights, Glorot uniform; biases stay."""
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Mask = None, tgt_mask: Mask = None,
        memory_mask: Mask = None, src_key_padding_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
    ) -> Tensor:  # fmt: skip
        """The decoder's output for `tgt`, given the encoder's output for `src`."""
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, dtype: DTypeLike = None) -> Tensor:
        """The additive causal mask: 0 up to each position, -inf after it.

        >>> dg.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        zeros = np.zeros((sz, sz), dtype or get_default_dtype())
        return handle(np.where(causal(sz), -np.inf, zeros).astype(zeros.dtype))
