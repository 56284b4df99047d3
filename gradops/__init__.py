"""The op library that `dynamicgrad` and `staticgrad` share: each op declared once.

Names are NumPy's and the Python array API's. Ops applied to arrays compute; to tensors, they
record; to expressions, they build.

>>> import gradops
>>> gradops.jvp(gradops.tanh, [np.array(0.0)], [np.array(2.0)])
(np.float64(0.0), np.float64(2.0))
"""

from .batching import Batched, vmap
from .errors import (
    DTypeError,
    FeedError,
    FetchError,
    GradError,
    GraphError,
    GraphFormatError,
    IndexingError,
    MissingRuleError,
    MixedOperandsError,
    OperandError,
    OptionError,
    ShapeError,
    TapeError,
    ValueUnknownError,
)
from .families import discrete, elementwise, joining, linear, multilinear, selection, singular
from .forward import Dual, jvp
from .library.activation import (
    gelu, log_softmax, relu, sigmoid, silu, softmax, softplus,
)
from .library.arithmetic import (
    abs, add, bitwise_and, bitwise_or, bitwise_xor, ceil, div, floor, floor_divide, invert,
    logical_and, logical_not, logical_or, mul, neg, power, reciprocal, remainder, round, sign,
    sqrt, square, strong_product, sub,
)
from .library.comparison import (
    clamp, clip, equal, greater, greater_equal, less, less_equal, maximum, minimum, not_equal,
    where,
)
from .library.contraction import matmul
from .library.creation import (
    arange, eye, full, full_like, linspace, one_hot, ones, ones_like, stop_gradient, zeros,
    zeros_like,
)
from .library.einsum import einsum
from .library.elementwise import (
    cos, erf, exp, expm1, isfinite, isnan, log, log1p, sin, tan, tanh,
)
from .library.indexing import (
    getitem, index, scatter, scatter_add, take, take_along_axis,
)
from .library.joining import concatenate, pad, split, stack
from .library.loss import (
    binary_cross_entropy_with_logits, cross_entropy, l1_loss, mse_loss,
)
from .library.movement import (
    astype, broadcast_to, copy, expand, expand_dims, flip, moveaxis, reshape, squeeze, sum_to,
    swapaxes, transpose,
)
from .library.reduction import (
    all, any, argmax, argmin, logsumexp, max, mean, min, prod, sum,
)
from .op import OPS, ErrorSample, Op
from .operators import Operators
from .reads import reads
from .reverse import depending_on, pull_back
from .samples import beside, between, cases, distinct, exactly, integers, positive, real
from .tree import flatten, leaves_of, tree_map
from .types import ArrayType, Dim, type_of

multiply, subtract, divide, true_divide, negative = mul, sub, div, div, neg
absolute, concat, pow, mod = abs, concatenate, power, remainder
