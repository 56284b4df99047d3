"""Building blocks of neural networks."""

from typing import TYPE_CHECKING

from . import functional, init, utils
from .layers.activation import *
from .layers.attention import *
from .layers.batchnorm import *
from .layers.convolution import *
from .layers.dropout import *
from .layers.embedding import *
from .layers.linear import *
from .layers.loss import *
from .layers.normalization import *
from .layers.padding import *
from .layers.pooling import *
from .layers.recurrent import *
from .layers.shape import *
from .layers.transformer import *
from .modules.containers import *
from .modules.module import *
from .modules.parameter import *

if not TYPE_CHECKING:  # type checkers know the names from the imports
    CLASSES = [name for name, value in globals().items() if isinstance(value, type)]
    __all__ = sorted(["functional", "init", "utils", *CLASSES])
