"""Layers, activations and losses as functions, under PyTorch's names."""

from typing import TYPE_CHECKING

from ...dispatch import operand_dtypes
from .activation import *
from .attention import *
from .classification import *
from .convolution import *
from .dropout import *
from .embedding import *
from .linear import *
from .normalization import *
from .pooling import *
from .regression import *
from .resampling import *

FUNCTIONS = {name: value for name, value in globals().items() if callable(value)}
globals().update(operand_dtypes.check_all(FUNCTIONS))

if not TYPE_CHECKING:  # type checkers know the names from the imports
    __all__ = sorted(FUNCTIONS)
