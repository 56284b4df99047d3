"""Distributions by the names of `scipy.stats`, for every operand, with derivatives.

>>> from gradops.scipy import stats
>>> bool(np.isclose(stats.norm(1.0, 2.0).cdf(1.0), 0.5))
True
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from . import (
    circular,
    continuous,
    discrete,
    half_line,
    intervals,
    multivariate,
    of_shapes,
    whole_line,
)
from .circular import *
from .continuous import *
from .discrete import *
from .half_line import *
from .intervals import *
from .multivariate import *
from .of_shapes import *
from .whole_line import *

MODULES = (
    circular,
    continuous,
    discrete,
    half_line,
    intervals,
    multivariate,
    of_shapes,
    whole_line,
)
__all__ = sorted(name for module in MODULES for name in module.__all__)

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
