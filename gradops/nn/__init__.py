"""Layers as functions of ops, which both packages share: formulas without state.

Operands are arrays, tensors or expressions. Weights have PyTorch's shapes: a row per output.
Modules or variables that create and hold weights are each package's own.
"""

from .attention import Projections, causal, mean_of_heads, multi_head_attention, residual
from .layers import linear, running_moments
from .recurrent_layers import CELLS, Weights, recurrent

__all__ = [
    "CELLS", "Projections", "Weights", "causal", "linear", "mean_of_heads", "multi_head_attention",
    "recurrent", "residual", "running_moments",
]  # fmt: skip
