"""Special functions, by the names of SciPy's `special`, with derivatives in both packages.

They compute with NumPy alone, but for `gamma`, `gammainc`, `gammaincc` and `betainc`, whose kernels
are SciPy's: `pip install 'staticgrad[scipy]'` brings them.

>>> from gradops import special
>>> bool(special.gammaln(4.0) == np.log(6))
True
"""

from .library.elementwise.beta import beta, betainc, betaln
from .library.elementwise.exponential import erf, exp2, expm1, log1p
from .library.elementwise.gamma import (
    digamma,
    gamma,
    gammainc,
    gammaincc,
    gammaln,
    multigammaln,
    polygamma,
    zeta,
)
from .library.elementwise.special import (
    entr,
    erfc,
    erfcx,
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
from .library.nn.activation import log_sigmoid as log_expit
from .library.nn.activation import sigmoid as expit
from .library.nn.softmax import log_softmax, softmax
from .library.reduce.reduction import logsumexp

psi = digamma

__all__ = [
    "beta", "betainc", "betaln", "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2",
    "expit", "expm1", "gamma", "gammainc", "gammaincc", "gammaln", "i0", "i0e", "i1", "i1e",
    "log1p", "log_expit", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr",
    "ndtri", "polygamma", "psi", "softmax", "xlog1py", "xlogy", "zeta",
]  # fmt: skip
