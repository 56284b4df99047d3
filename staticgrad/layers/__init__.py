"""Layers: functions that make variables and apply ops to them, with TensorFlow 1's names.

Layers that TensorFlow 1 has no function for (recurrent networks in one call, attention, the blocks
of transformers) have the names, shapes and initial values of PyTorch's weights: in a scope called
`encoder`, PyTorch's `encoder.linear1.weight` is the variable `encoder/linear1/weight`.
"""

from typing import Any as _Any

from ..missing_names import missing as _missing
from .attention import embedding, multi_head_attention, transformer_encoder_layer
from .convolution import conv1d, conv2d, conv2d_transpose, conv3d, conv3d_transpose
from .dense import dense, dropout, flatten
from .linear import linear
from .normalization import batch_normalization, group_norm, layer_norm, rms_norm
from .pooling import (
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)
from .recurrent import gru, lstm, rnn


def __getattr__(name: str) -> _Any:
    raise _missing(name, "layers")


__all__ = [
    "average_pooling1d", "average_pooling2d", "average_pooling3d", "batch_normalization", "conv1d",
    "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "dense", "dropout", "embedding",
    "flatten", "group_norm", "gru", "layer_norm", "linear", "lstm", "max_pooling1d",
    "max_pooling2d", "max_pooling3d", "multi_head_attention", "rms_norm", "rnn",
    "transformer_encoder_layer",
]  # fmt: skip
