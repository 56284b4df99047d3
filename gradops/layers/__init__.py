"""Layers as functions of ops, which both packages share: what they compute, and no state.

Operands are arrays, tensors or expressions. Weights have PyTorch's shapes: a row per output. What
makes weights and holds them, modules or variables in a scope, is each package's own.
"""

from .linear import linear
from .recurrent import CELLS, Weights, recurrent

__all__ = ["CELLS", "Weights", "linear", "recurrent"]
