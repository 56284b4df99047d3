"""Functions by the names of `scipy.special`, for every operand, with derivatives.

Kernels that are SciPy's import it when they are called.

>>> from gradops.scipy import special
>>> float(special.boxcox(3.0, 2.0)).__round__(9)
4.0
"""

from ...core.lazy_import import lazily
from ...library.elementwise.arithmetic import cbrt
from ...library.elementwise.beta import beta, betainc, betaincc, betainccinv, betaincinv, betaln
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
from ...library.elementwise.scipy.bessel import (
    bei,
    beip,
    ber,
    berp,
    iv,
    ive,
    j0,
    j1,
    jv,
    k0,
    k0e,
    k1,
    k1e,
    kei,
    keip,
    ker,
    kerp,
    kv,
    kve,
    modstruve,
    struve,
    y0,
    y1,
    yv,
)
from ...library.elementwise.scipy.distributions import (
    gammainccinv,
    gammaincinv,
    stdtr,
    stdtrit,
)
from ...library.elementwise.scipy.elliptic import (
    ellipe,
    ellipeinc,
    ellipk,
    ellipkinc,
    ellipkm1,
    elliprc,
    elliprd,
    elliprf,
)
from ...library.elementwise.scipy.error_functions import (
    erfcinv,
    ndtri_exp,
    owens_t,
    voigt_profile,
)
from ...library.elementwise.scipy.gamma_quotients import binom, poch, rgamma
from ...library.elementwise.scipy.hypergeometric import hyp0f1, hyp1f1, hyp2f1, hyperu
from ...library.elementwise.scipy.integrals import (
    cosdg,
    cosm1,
    cotdg,
    exp1,
    expi,
    expn,
    powm1,
    sindg,
    spence,
    tandg,
    wrightomega,
)
from ...library.elementwise.scipy.polynomials import (
    eval_chebyc,
    eval_chebys,
    eval_chebyt,
    eval_chebyu,
    eval_gegenbauer,
    eval_genlaguerre,
    eval_hermite,
    eval_hermitenorm,
    eval_jacobi,
    eval_laguerre,
    eval_legendre,
    eval_sh_chebyt,
    eval_sh_chebyu,
    eval_sh_legendre,
)
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
from .bessel import (
    airy,
    h1vp,
    h2vp,
    hankel1,
    hankel2,
    ivp,
    jvp,
    kelvin,
    kvp,
    spherical_in,
    spherical_jn,
    spherical_kn,
    spherical_yn,
    yvp,
)
from .box_cox import boxcox, boxcox1p, inv_boxcox, inv_boxcox1p
from .counting import comb, factorial, perm
from .distributions import (
    bdtr,
    bdtrc,
    chdtr,
    chdtrc,
    chdtri,
    fdtr,
    fdtrc,
    gdtr,
    gdtrc,
    gdtrix,
    nbdtr,
    nbdtrc,
    pdtr,
    pdtrc,
)
from .divergences import huber, kl_div, pseudo_huber, rel_entr
from .elementary import agm, diric, exp10, softplus
from .error_functions import dawsn, erf, erfc, erfcx, erfi, fresnel, wofz
from .gamma_functions import gammasgn, polygamma, zeta, zetac
from .integrals import lambertw, shichi, sici
from .numbers import (
    ai_zeros,
    bernoulli,
    bi_zeros,
    euler,
    factorial2,
    factorialk,
    jn_zeros,
    jnp_zeros,
    roots_chebyc,
    roots_chebys,
    roots_chebyt,
    roots_chebyu,
    roots_gegenbauer,
    roots_genlaguerre,
    roots_hermite,
    roots_hermitenorm,
    roots_jacobi,
    roots_laguerre,
    roots_legendre,
    roots_sh_chebyt,
    roots_sh_chebyu,
    roots_sh_jacobi,
    roots_sh_legendre,
    stirling2,
    yn_zeros,
    ynp_zeros,
)
from .sums import log_softmax, logsumexp, softmax

psi, jn, yn, kn, jve, yve = digamma, jv, yv, kv, jv, yv

__all__ = [
    "agm", "ai_zeros", "airy", "bdtr", "bdtrc", "bei", "beip", "ber", "bernoulli", "berp",
    "beta", "betainc", "betaincc", "betainccinv", "betaincinv", "betaln", "bi_zeros", "binom",
    "boxcox", "boxcox1p", "cbrt", "chdtr", "chdtrc", "chdtri", "comb", "cosdg", "cosm1",
    "cotdg", "dawsn", "digamma", "diric", "ellipe", "ellipeinc", "ellipk", "ellipkinc",
    "ellipkm1", "elliprc", "elliprd", "elliprf", "entr", "erf", "erfc", "erfcinv", "erfcx",
    "erfi", "erfinv", "euler", "eval_chebyc", "eval_chebys", "eval_chebyt", "eval_chebyu",
    "eval_gegenbauer", "eval_genlaguerre", "eval_hermite", "eval_hermitenorm", "eval_jacobi",
    "eval_laguerre", "eval_legendre", "eval_sh_chebyt", "eval_sh_chebyu", "eval_sh_legendre",
    "exp1", "exp10", "exp2", "expi", "expit", "expm1", "expn", "exprel", "factorial",
    "factorial2", "factorialk", "fdtr", "fdtrc", "fresnel", "gamma", "gammainc", "gammaincc",
    "gammainccinv", "gammaincinv", "gammaln", "gammasgn", "gdtr", "gdtrc", "gdtrix", "h1vp",
    "h2vp", "hankel1", "hankel2", "huber", "hyp0f1", "hyp1f1", "hyp2f1", "hyperu", "i0", "i0e",
    "i1", "i1e", "inv_boxcox", "inv_boxcox1p", "iv", "ive", "ivp", "j0", "j1", "jn", "jn_zeros",
    "jnp_zeros", "jv", "jve", "jvp", "k0", "k0e", "k1", "k1e", "kei", "keip", "kelvin", "ker",
    "kerp", "kl_div", "kn", "kv", "kve", "kvp", "lambertw", "log1p", "log_expit", "log_ndtr",
    "log_softmax", "logit", "logsumexp", "modstruve", "multigammaln", "nbdtr", "nbdtrc", "ndtr",
    "ndtri", "ndtri_exp", "owens_t", "pdtr", "pdtrc", "perm", "poch", "polygamma", "powm1",
    "pseudo_huber", "psi", "rel_entr", "rgamma", "roots_chebyc", "roots_chebys", "roots_chebyt",
    "roots_chebyu", "roots_gegenbauer", "roots_genlaguerre", "roots_hermite",
    "roots_hermitenorm", "roots_jacobi", "roots_laguerre", "roots_legendre", "roots_sh_chebyt",
    "roots_sh_chebyu", "roots_sh_jacobi", "roots_sh_legendre", "round", "shichi", "sici",
    "sinc", "sindg", "softmax", "softplus", "spence", "spherical_in", "spherical_jn",
    "spherical_kn", "spherical_yn", "stdtr", "stdtrit", "stirling2", "struve", "tandg",
    "voigt_profile", "wofz", "wrightomega", "xlog1py", "xlogy", "y0", "y1", "yn", "yn_zeros",
    "ynp_zeros", "yv", "yve", "yvp", "zeta", "zetac",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
