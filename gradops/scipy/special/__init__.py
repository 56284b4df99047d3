"""Functions by the names of `scipy.special`, for every operand, with derivatives.

Kernels that are SciPy's import it when they are called.

>>> from gradops.scipy import special
>>> float(special.boxcox(3.0, 2.0)).__round__(9)
4.0
"""

from ...core.lazy_import import lazily
from ...library.elementwise.arithmetic import cbrt
from ...library.elementwise.beta import beta, betainc, betaln
from ...library.elementwise.exponential import exp2, expm1, log1p
from ...library.elementwise.exprel import exprel
from ...library.elementwise.gamma import (
    digamma,
    gamma,
    gammainc,
    gammaincc,
    gammaln,
    multigammaln,
)
from ...library.elementwise.rounding import round
from ...library.elementwise.scipy.error_functions import (
    erfcinv,
    ndtri_exp,
    owens_t,
    voigt_profile,
)
from ...library.elementwise.scipy.gamma_quotients import binom, poch, rgamma
from ...library.elementwise.special import (
    entr,
    erfinv,
    i0,
    i0e,
    i1,
    i1e,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    xlog1py,
    xlogy,
)
from ...library.elementwise.trigonometric import sinc
from ...library.nn.activation import log_sigmoid as log_expit
from ...library.nn.activation import sigmoid as expit
from ..missing_names import missing_from
from .box_cox import boxcox, boxcox1p, inv_boxcox, inv_boxcox1p
from .counting import comb, factorial, perm
from .divergences import huber, kl_div, pseudo_huber, rel_entr
from .elementary import diric, exp10, softplus
from .error_functions import dawsn, erf, erfc, erfcx, erfi, fresnel, wofz
from .gamma_functions import gammasgn, polygamma, zeta, zetac
from .sums import log_softmax, logsumexp, softmax

psi = digamma

__all__ = [
    "beta", "betainc", "betaln", "binom", "boxcox", "boxcox1p", "cbrt", "comb", "dawsn",
    "digamma", "diric", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfi", "erfinv", "exp10",
    "exp2", "expit", "expm1", "exprel", "factorial", "fresnel", "gamma", "gammainc",
    "gammaincc", "gammaln", "gammasgn", "huber", "i0", "i0e", "i1", "i1e", "inv_boxcox",
    "inv_boxcox1p", "kl_div", "log1p", "log_expit", "log_ndtr", "log_softmax", "logit",
    "logsumexp", "multigammaln", "ndtr", "ndtri", "ndtri_exp", "owens_t", "perm", "poch",
    "polygamma", "pseudo_huber", "psi", "rel_entr", "rgamma", "round", "sinc", "softmax",
    "softplus", "voigt_profile", "wofz", "xlog1py", "xlogy", "zeta", "zetac",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
