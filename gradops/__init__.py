"""The op library that `dynamicgrad` and `staticgrad` share: each op declared once.

Names are NumPy's and the Python array API's. Ops applied to arrays compute; to tensors, they
record; to expressions, they build.

>>> import gradops, numpy as np
>>> gradops.jvp(gradops.tanh, [np.array(0.0)], [np.array(2.0)])
(np.float64(0.0), np.float64(2.0))
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import fft, library, linalg, random, special
from .core.dims import Dim
from .core.errors import (
    AxisError,
    CheckError,
    DetachWarning,
    DivisionError,
    DTypeError,
    FeedError,
    FetchError,
    GradcheckError,
    GradError,
    GraphError,
    GraphFormatError,
    GrowthWarning,
    IndexingError,
    LinAlgError,
    MissingExtraError,
    MissingRuleError,
    MixedOperandsError,
    NoKernelError,
    NotDifferentiableError,
    NotFiniteError,
    NumPyCallError,
    OperandError,
    OptionError,
    ShapeError,
    StateError,
    StateFormatError,
    StructureError,
    TapeError,
    TransformError,
    UnreachedWarning,
    ValueUnknownError,
)
from .core.lazy_import import lazily as _lazily
from .core.op import OPS, ErrorSample, Op
from .core.samples import beside, between, cases, distinct, exactly, integers, positive, reals
from .core.tree import flatten, leaves_of, tree_map
from .core.types import ArrayType, type_of
from .library.elementwise.arithmetic import *
from .library.elementwise.comparison import *
from .library.elementwise.complexes import *
from .library.elementwise.exponential import *
from .library.elementwise.gamma import *
from .library.elementwise.isclose import *
from .library.elementwise.logic import *
from .library.elementwise.rounding import *
from .library.elementwise.special import *
from .library.elementwise.trigonometric import *
from .library.families import (
    discrete,
    elementwise,
    joining,
    linear,
    multilinear,
    selection,
    singular,
)
from .library.index.diagonals import *
from .library.index.functional_update import *
from .library.index.indexing import *
from .library.index.updating import *
from .library.linalg.contraction import *
from .library.linalg.einsum import *
from .library.linalg.products import *
from .library.nn.activation import *
from .library.nn.attention import *
from .library.nn.avg_pool import *
from .library.nn.classification import *
from .library.nn.conv_layers import *
from .library.nn.convolution import *
from .library.nn.linear import *
from .library.nn.loss import *
from .library.nn.normalization import *
from .library.nn.pooling import *
from .library.nn.regression_losses import *
from .library.random.distributions import *
from .library.random.random import *
from .library.reduce.along_axis import *
from .library.reduce.cumulative import *
from .library.reduce.quantiles import *
from .library.reduce.reduction import *
from .library.reduce.searching import *
from .library.reduce.sets import *
from .library.reduce.sorting import *
from .library.reduce.statistics import *
from .library.shape.broadcasting import *
from .library.shape.creation import *
from .library.shape.joining import *
from .library.shape.movement import *
from .library.shape.padding import *
from .library.shape.rearrange import *
from .library.shape.repeating import *
from .library.shape.windows import *
from .library.signal.resampling import *
from .numpy_api import aliases
from .numpy_api.aliases import *
from .numpy_api.operators import Operators
from .transforms.batching import Batched, vmap
from .transforms.forward import Dual, jvp
from .transforms.reverse import depending_on, pull_back
from .transforms.saved_operands import reads

if _TYPE_CHECKING:
    from .transforms.taylor import Series, jet

__getattr__, __dir__ = _lazily(__name__, {"transforms.taylor": "Series jet"})

__all__ = [
    "ArrayType", "AxisError", "Batched", "CheckError", "DTypeError", "DetachWarning", "Dim",
    "DivisionError", "Dual", "ErrorSample", "FeedError", "FetchError", "GradError",
    "GradcheckError", "GraphError",
    "GraphFormatError", "GrowthWarning", "IndexingError", "LinAlgError", "MissingExtraError",
    "MissingRuleError", "MixedOperandsError", "NotDifferentiableError", "NotFiniteError",
    "NoKernelError", "NumPyCallError", "OPS", "Op", "OperandError", "Operators", "OptionError",
    "Series", "ShapeError", "StateError", "StateFormatError", "StructureError", "TapeError",
    "TransformError",
    "UnreachedWarning", "ValueUnknownError", "beside", "between", "cases", "depending_on",
    "discrete", "distinct", "elementwise", "exactly", "flatten", "integers", "jet", "joining",
    "jvp", "leaves_of", "linear", "multilinear", "positive", "pull_back", "reads", "reals",
    "selection", "singular", "tree_map", "type_of", "vmap",
]  # fmt: skip
__all__ = sorted([*__all__, *aliases.__all__, *library.__all__])
