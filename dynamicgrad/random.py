"""Random tensors as functions of a key, by the names of JAX's `random`.

The functions are those of `gradops.random`, and give the numbers that they give in graphs.

>>> key = dg.random.key(0)
>>> dg.equal(dg.random.normal(key, (3,)), dg.random.normal(key, (3,)))
True
"""

from typing import Any

import gradops as ops
from gradops.random import (
    bernoulli,
    beta,
    categorical,
    cauchy,
    chisquare,
    choice,
    dirichlet,
    exponential,
    fold_in,
    gamma,
    gumbel,
    laplace,
    loggamma,
    logistic,
    multivariate_normal,
    normal,
    permutation,
    poisson,
    randint,
    split,
    t,
    truncated_normal,
    uniform,
)

from .tensor import Tensor, as_tensor

__all__ = [
    "bernoulli", "beta", "categorical", "cauchy", "chisquare", "choice", "dirichlet", "exponential",
    "fold_in", "gamma", "gumbel", "key", "laplace", "loggamma", "logistic", "multivariate_normal",
    "normal", "permutation", "poisson", "randint", "split", "t", "truncated_normal", "uniform",
]  # fmt: skip


def key(seed: int, *words: int) -> Tensor:
    """The key of a seed, as a tensor: what is drawn with it are tensors.

    >>> dg.random.key(0).dtype
    dtype('uint64')
    """
    found: Any = as_tensor(ops.random_key(seed, *words))
    return found
