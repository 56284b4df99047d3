"""Declarations of ops, one module per family: their `__all__` lists what `gradops` offers."""

import sys

from ..core.op import OPS
from .elementwise.arithmetic import *
from .elementwise.beta import *
from .elementwise.comparison import *
from .elementwise.complexes import *
from .elementwise.exponential import *
from .elementwise.exprel import *
from .elementwise.gamma import *
from .elementwise.isclose import *
from .elementwise.logic import *
from .elementwise.rounding import *
from .elementwise.scipy.bessel import *
from .elementwise.scipy.distributions import *
from .elementwise.scipy.elliptic import *
from .elementwise.scipy.error_functions import *
from .elementwise.scipy.gamma_quotients import *
from .elementwise.scipy.hypergeometric import *
from .elementwise.scipy.integrals import *
from .elementwise.scipy.polynomials import *
from .elementwise.special import *
from .elementwise.trigonometric import *
from .families import *
from .index.copy_slices import *
from .index.diagonals import *
from .index.functional_update import *
from .index.indexing import *
from .index.updating import *
from .linalg.banded import *
from .linalg.cholesky import *
from .linalg.contraction import *
from .linalg.determinants import *
from .linalg.eigen import *
from .linalg.einsum import *
from .linalg.inverses import *
from .linalg.lu import *
from .linalg.matrices import *
from .linalg.matrix_functions import *
from .linalg.norms import *
from .linalg.polar import *
from .linalg.products import *
from .linalg.qr import *
from .linalg.riccati import *
from .linalg.solve import *
from .linalg.svd import *
from .linalg.sylvester import *
from .nn.activation import *
from .nn.attention import *
from .nn.avg_pool import *
from .nn.classification import *
from .nn.conv_layers import *
from .nn.convolution import *
from .nn.linear import *
from .nn.loss import *
from .nn.normalization import *
from .nn.pooling import *
from .nn.recurrent import *
from .nn.regression_losses import *
from .nn.root_mean_square import *
from .nn.softmax import *
from .random.distributions import *
from .random.random import *
from .reduce.along_axis import *
from .reduce.cumulative import *
from .reduce.quantiles import *
from .reduce.reduction import *
from .reduce.searching import *
from .reduce.sets import *
from .reduce.sorting import *
from .reduce.statistics import *
from .shape.broadcasting import *
from .shape.creation import *
from .shape.ensure_shape import *
from .shape.joining import *
from .shape.movement import *
from .shape.padding import *
from .shape.rearrange import *
from .shape.repeating import *
from .shape.windows import *
from .signal.fourier import *
from .signal.recursive import *
from .signal.resampling import *
from .solvers.implicit import *
from .sparse.products import *

MODULES = [module for name, module in sys.modules.items() if name.startswith(f"{__name__}.")]
__all__ = sorted(name for module in MODULES for name in getattr(module, "__all__", ()))
DECLARED = frozenset(OPS)
"""The names of the ops that are declared here; those of users come later."""
