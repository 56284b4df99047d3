"""Distributions by the names of `scipy.stats`, for every operand, with derivatives.

>>> from gradops.scipy import stats
>>> bool(np.isclose(stats.norm(1.0, 2.0).cdf(1.0), 0.5))
True
"""

from ...core.lazy_import import lazily
from ..missing_names import missing_from
from .continuous import (
    beta,
    expon,
    gamma,
    gumbel_l,
    gumbel_r,
    laplace,
    logistic,
    norm,
    rayleigh,
    uniform,
    weibull_min,
)

__all__ = ["beta", "expon", "gamma", "gumbel_l", "gumbel_r", "laplace", "logistic", "norm",
           "rayleigh", "uniform", "weibull_min"]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
