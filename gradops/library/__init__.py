"""Declarations of ops, one module per family: what they list is what `gradops` offers."""

from types import ModuleType

from .elementwise import (
    arithmetic,
    comparison,
    complexes,
    exponential,
    gamma,
    isclose,
    logic,
    rounding,
    special,
    trigonometric,
)
from .index import copy_slices, diagonals, functional_update, indexing, updating
from .linalg import (
    contraction,
    determinants,
    eigen,
    einsum,
    factorizations,
    inverses,
    matrices,
    matrix_functions,
    norms,
    products,
    solve,
    svd,
)
from .nn import (
    activation,
    attention,
    avg_pool,
    classification,
    conv_layers,
    convolution,
    linear,
    loss,
    normalization,
    pooling,
    recurrent,
    regression_losses,
)
from .random import distributions, random
from .reduce import (
    along_axis,
    cumulative,
    quantiles,
    reduction,
    searching,
    sets,
    sorting,
    statistics,
)
from .shape import (
    broadcasting,
    creation,
    ensure_shape,
    joining,
    movement,
    padding,
    rearrange,
    repeating,
    windows,
)
from .signal import fourier, resampling

MODULES = [m for m in list(globals().values()) if isinstance(m, ModuleType)]
__all__ = sorted(name for module in MODULES for name in getattr(module, "__all__", ()))
