"""The op library that `dynamicgrad` and `staticgrad` share: each op declared once.

Names are NumPy's and the Python array API's. Ops applied to arrays compute; to tensors, they
record; to expressions, they build.

>>> import gradops, numpy as np
>>> gradops.jvp(gradops.tanh, [np.array(0.0)], [np.array(2.0)])
(np.float64(0.0), np.float64(2.0))
"""

from . import aliases, fft, freeing, library, linalg, random, special
from .aliases import *
from .batching import Batched, vmap
from .dims import Dim
from .errors import (
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
    TapeError,
    TransformError,
    UnreachedWarning,
    ValueUnknownError,
)
from .families import discrete, elementwise, joining, linear, multilinear, selection, singular
from .forward import Dual, jvp
from .library.activation import *
from .library.along_axis import *
from .library.arithmetic import *
from .library.arranging import *
from .library.at import *
from .library.attention import *
from .library.averaging import *
from .library.bessel import *
from .library.broadcasting import *
from .library.classification import *
from .library.closeness import *
from .library.comparison import *
from .library.complexes import *
from .library.contraction import *
from .library.convolution import *
from .library.covariances import *
from .library.creation import *
from .library.diagonals import *
from .library.differences import *
from .library.distances import *
from .library.distributions import *
from .library.einsum import *
from .library.elementwise import *
from .library.embedding import *
from .library.exponential import *
from .library.filtering import *
from .library.gamma import *
from .library.indexing import *
from .library.joining import *
from .library.linalg_products import *
from .library.logic import *
from .library.loss import *
from .library.movement import *
from .library.normalization import *
from .library.padding import *
from .library.pooling import *
from .library.quantiles import *
from .library.random import *
from .library.rectifiers import *
from .library.reduction import *
from .library.repeating import *
from .library.resampling import *
from .library.rounding import *
from .library.running import *
from .library.searching import *
from .library.sets import *
from .library.sorting import *
from .library.special import *
from .library.standardizing import *
from .library.statistics import *
from .library.trigonometric import *
from .library.unfolding import *
from .library.updating import *
from .library.windows import *
from .op import OPS, ErrorSample, Op
from .operators import Operators
from .reads import reads
from .reverse import depending_on, pull_back
from .samples import beside, between, cases, distinct, exactly, integers, positive, reals
from .series import Series, jet
from .tree import flatten, leaves_of, tree_map
from .types import ArrayType, type_of

__all__ = [
    "ArrayType", "AxisError", "Batched", "CheckError", "DTypeError", "DetachWarning", "Dim",
    "DivisionError", "Dual", "ErrorSample", "FeedError", "FetchError", "GradError",
    "GradcheckError", "GraphError",
    "GraphFormatError", "GrowthWarning", "IndexingError", "LinAlgError", "MissingExtraError",
    "MissingRuleError", "MixedOperandsError", "NotDifferentiableError", "NotFiniteError",
    "NoKernelError", "NumPyCallError", "OPS", "Op", "OperandError", "Operators", "OptionError",
    "Series", "ShapeError", "StateError", "StateFormatError", "TapeError", "TransformError",
    "UnreachedWarning", "ValueUnknownError", "beside", "between", "cases", "depending_on",
    "discrete", "distinct", "elementwise", "exactly", "flatten", "integers", "jet", "joining",
    "jvp", "leaves_of", "linear", "multilinear", "positive", "pull_back", "reads", "reals",
    "selection", "singular", "tree_map", "type_of", "vmap",
]  # fmt: skip
__all__ = sorted([*__all__, *aliases.__all__, *library.__all__])

freeing.keep_freed_memory()
