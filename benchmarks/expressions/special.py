"""Special functions."""

from typing import Any

import numpy as np
import scipy.special

from .operands import Call, rng, x

positive = np.abs(x) + np.float32(0.5)
unit = rng.random((1000, 100)).astype(np.float32) * np.float32(0.98) + np.float32(0.01)
OF_ONE = "erfc erfcx erfinv ndtr log_ndtr ndtri entr gammaln digamma gamma i0 i1 i0e i1e"
UNIT = {"erfinv", "ndtri", "logit", "entr"}


def special(name: str, *operands: Any) -> Call:
    """A function of SciPy, since NumPy has none."""
    return list(operands), {}, getattr(scipy.special, name)


CALLS: dict[str, Call] = {
    "erf": special("erf", x),
    **{name: special(name, unit if name in UNIT else positive) for name in OF_ONE.split()},
    "logit": special("logit", unit),
    **{name: special(name, positive, unit) for name in ("xlogy", "xlog1py")},
    **{name: special(name, positive, positive) for name in ("gammainc", "gammaincc")},
    "zeta": special("zeta", positive + 1, positive),
    "betainc": special("betainc", positive, positive, unit),
}  # fmt: skip
