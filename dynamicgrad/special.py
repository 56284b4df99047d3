"""Special functions, by the names of `torch.special`.

>>> dg.special.gammaln(dg.tensor([1.0, 3.0]))
tensor([0.0000, 0.6931])
"""

import gradops as ops

from .dispatch.fast_path import operand
from .dispatch.keywords import function_of, ops_named
from .engine.tensor import Tensor


def logit(x: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid, of entries clamped to `eps` and 1 - `eps`.

    >>> dg.logit(dg.tensor([0.5, 1.0]), eps=0.5)
    tensor([0., 0.])
    """
    x = operand(x)
    return ops.logit(x if eps is None else ops.clip(x, eps, 1 - eps))


def polygamma(n: int, x: Tensor) -> Tensor:
    """The derivative of digamma of order `n`.

    >>> dg.polygamma(1, dg.tensor([1.0]))
    tensor([1.6449])
    """
    return ops.polygamma(n, operand(x))


def multigammaln(x: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`.

    >>> dg.mvlgamma(dg.tensor([3.0]), 2)
    tensor([1.5502])
    """
    return ops.multigammaln(operand(x), p)


OFFERED = {name: function_of(op) for name, op in ops_named("special.").items()}
globals().update(OFFERED)
__all__ = sorted(["logit", "multigammaln", "polygamma", *OFFERED])
