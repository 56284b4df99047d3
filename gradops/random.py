"""Random numbers as functions of a key, by the names and with the arguments of JAX's `random`.

A key gives the same numbers on arrays, tensors and expressions, in every thread and process. Use it
once; `split` and `fold_in` make others of it.

>>> from gradops import random
>>> first, second = random.split(random.key(0))
>>> random.normal(first, (2, 3)).shape
(2, 3)
"""

from typing import Any

import numpy as np

from .core.attributes import canonical
from .core.errors import OptionError
from .core.types import PYTHON_SCALARS, shape_of, type_of
from .library.elementwise.arithmetic import sub
from .library.elementwise.comparison import clip, less
from .library.elementwise.special import ndtr, ndtri
from .library.random.distributions import (
    as_parameter,
    random_beta,
    random_chisquare,
    random_choice,
    random_dirichlet,
    random_gamma,
    random_loggamma,
    random_multivariate_normal,
    random_poisson,
    random_shuffle,
    random_student_t,
    shape_for,
)
from .library.random.random import (
    fold_in,
    random_bernoulli,
    random_cauchy,
    random_exponential,
    random_gumbel,
    random_integers,
    random_key,
    random_laplace,
    random_logistic,
    random_normal,
    random_permutation,
    random_split,
    random_uniform,
)
from .library.random.random import truncated_normal as within_two
from .library.reduce.reduction import argmax
from .library.shape.movement import moveaxis
from .typing import AnyArray, DTypeLike, OperandLike, ShapeLike

beta, cauchy, chisquare, choice = random_beta, random_cauchy, random_chisquare, random_choice
dirichlet, exponential, gamma = random_dirichlet, random_exponential, random_gamma
gumbel, laplace, loggamma, logistic = (
    random_gumbel,
    random_laplace,
    random_loggamma,
    random_logistic,
)
multivariate_normal, normal, poisson = random_multivariate_normal, random_normal, random_poisson
key, split, t = random_key, random_split, random_student_t

__all__ = [
    "bernoulli", "beta", "categorical", "cauchy", "chisquare", "choice", "dirichlet", "exponential",
    "fold_in", "gamma", "gumbel", "key", "laplace", "loggamma", "logistic", "multivariate_normal",
    "normal", "permutation", "poisson", "randint", "split", "t", "truncated_normal", "uniform",
]  # fmt: skip


def uniform(
    key: object,
    shape: ShapeLike = (),
    dtype: DTypeLike = "float32",
    minval: OperandLike = 0.0,
    maxval: OperandLike = 1.0,
) -> AnyArray:
    """Random numbers from `minval` to before `maxval`; gradients pass to both.

    >>> bool(2 <= uniform(random_key(0), minval=2.0, maxval=3.0) < 3)
    True
    """
    if type(minval) in PYTHON_SCALARS and type(maxval) in PYTHON_SCALARS:
        return random_uniform(key, shape=shape, low=minval, high=maxval, dtype=dtype)
    return minval + sub(maxval, minval) * random_uniform(key, shape=shape, dtype=dtype)


def truncated_normal(
    key: object,
    lower: float = -2.0,
    upper: float = 2.0,
    shape: ShapeLike = (),
    dtype: DTypeLike = "float32",
) -> AnyArray:
    """Random numbers with a normal distribution, none of them beyond two bounds.

    >>> bool(3 <= truncated_normal(random_key(0), 3.0, 4.0) <= 4)
    True
    """
    if not lower < upper:
        raise OptionError("truncated_normal", [], f"{lower} and {upper} are not in this order")
    if (lower, upper) == (-2, 2):
        return within_two(key, shape=shape, dtype=dtype)
    if lower > 0:  # the lower tail has the digits
        return -truncated_normal(key, -upper, -lower, shape, dtype)
    low, high = float(ndtr(float(lower))), float(ndtr(float(upper)))
    share = low + (high - low) * random_uniform(key, shape=shape, dtype="float64")
    return as_parameter(clip(ndtri(share), lower, upper), dtype)


def randint(
    key: object,
    shape: ShapeLike,
    minval: OperandLike,
    maxval: OperandLike,
    dtype: DTypeLike = "int64",
) -> AnyArray:
    """Random integers from `minval` to before `maxval`.

    >>> randint(random_key(0), (2,), 3, 4).tolist()
    [3, 3]
    """
    return random_integers(key, shape=shape, low=minval, high=maxval, dtype=dtype)


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Random truth values, true with probability `p`, of the shape of `p` unless there is one.

    >>> bernoulli(random_key(0), np.array([0.0, 1.0])).tolist()
    [False, True]
    """
    if type(p) in PYTHON_SCALARS:
        return random_bernoulli(key, shape=() if shape is None else shape, p=p)
    p = as_parameter(p)
    return less(random_uniform(key, shape=shape_for(shape, p), dtype=type_of(p).dtype), p)


def categorical(key: AnyArray, logits: AnyArray, axis: int = -1, shape: object = None) -> AnyArray:
    """Random indices along an axis of `logits`, with the probabilities of their softmax.

    `shape` is that of the indices; by default that of `logits` without the axis, which must
    broadcast to it.

    >>> categorical(random_key(0), np.array([[0.0, -np.inf], [-np.inf, 0.0]])).tolist()
    [0, 1]
    """
    logits = moveaxis(as_parameter(logits), axis, -1)
    *rows, n = shape_of(logits)
    whole = tuple(rows) if shape is None else canonical("shape", shape)
    noise = random_gumbel(key, shape=(*whole, n), dtype=type_of(logits).dtype)
    return argmax(logits + noise, axis=-1)


def permutation(key: object, x: OperandLike, axis: int = 0) -> AnyArray:
    """The entries of `x` along an axis, or the integers from 0 to before `x`, in random order.

    >>> sorted(permutation(random_key(0), 3).tolist())
    [0, 1, 2]
    """
    if isinstance(x, int | np.integer):
        return random_permutation(key, n=x)
    return random_shuffle(key, x, axis)
