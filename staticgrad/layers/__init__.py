"""Layers: functions that make variables and apply ops to them, with TensorFlow 1's names.

Layers that TensorFlow 1 has no function for (recurrent networks in one call, attention, the blocks
of transformers) have the names, shapes and initial values of PyTorch's weights: in a scope called
`encoder`, PyTorch's `encoder.linear1.weight` is the variable `encoder/linear1/weight`.
"""

from .dense import dense, dropout, flatten
from .linear import linear
from .recurrent import gru, lstm, rnn

__all__ = ["dense", "dropout", "flatten", "gru", "linear", "lstm", "rnn"]
