"""Distributions by the names of `scipy.stats`, for every operand, with derivatives.

>>> from gradops.scipy import stats
>>> bool(np.isclose(stats.norm(1.0, 2.0).cdf(1.0), 0.5))
True
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .circular import *
from .continuous import *
from .discrete import *
from .discrete import Discrete
from .families import Continuous
from .half_line import *
from .intervals import *
from .multivariate import *
from .multivariate import Multivariate
from .of_shapes import *
from .whole_line import *

__all__ = sorted(
    name
    for name, value in vars().items()
    if isinstance(value, Continuous | Discrete | Multivariate)
)

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
