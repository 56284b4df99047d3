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
from .library.random import distributions as draws
from .library.random import random
from .library.reduce.reduction import argmax
from .library.shape.movement import moveaxis
from .typing import AnyArray, DTypeLike, OperandLike, ShapeLike

beta, chisquare, choice = draws.random_beta, draws.random_chisquare, draws.random_choice
dirichlet, gamma, loggamma = draws.random_dirichlet, draws.random_gamma, draws.random_loggamma
multivariate_normal, poisson = draws.random_multivariate_normal, draws.random_poisson
t = draws.random_student_t
cauchy, exponential, gumbel = random.random_cauchy, random.random_exponential, random.random_gumbel
laplace, logistic, normal = random.random_laplace, random.random_logistic, random.random_normal
fold_in, key, split = random.fold_in, random.random_key, random.random_split

__all__ = [
    "bernoulli", "beta", "categorical", "cauchy", "chisquare", "choice", "dirichlet", "exponential",
    "fold_in", "gamma", "gumbel", "key", "laplace", "loggamma", "logistic", "multivariate_normal",
    "normal", "permutation", "poisson", "randint", "split", "t", "truncated_normal", "uniform",
]  # fmt: skip


def uniform(
    key: object, shape: ShapeLike = (), dtype: DTypeLike = "float32", minval: OperandLike = 0.0,
    maxval: OperandLike = 1.0,
) -> AnyArray:  # fmt: skip
    """Random numbers from `minval` to before `maxval`; gradients pass to both.

    >>> bool(2 <= uniform(key(0), minval=2.0, maxval=3.0) < 3)
    True
    """
    if type(minval) in PYTHON_SCALARS and type(maxval) in PYTHON_SCALARS:
        return random.random_uniform(key, shape=shape, low=minval, high=maxval, dtype=dtype)
    return minval + sub(maxval, minval) * random.random_uniform(key, shape=shape, dtype=dtype)


def truncated_normal(
    key: object, lower: float = -2.0, upper: float = 2.0, shape: ShapeLike = (),
    dtype: DTypeLike = "float32",
) -> AnyArray:  # fmt: skip
    """Random numbers with a normal distribution, none of them beyond two bounds.

    >>> bool(3 <= truncated_normal(key(0), 3.0, 4.0) <= 4)
    True
    """
    if not lower < upper:
        raise OptionError("truncated_normal", [], f"{lower} and {upper} are not in this order")
    if (lower, upper) == (-2, 2):
        return random.truncated_normal(key, shape=shape, dtype=dtype)
    if lower > 0:  # the lower tail has the digits
        return -truncated_normal(key, -upper, -lower, shape, dtype)
    low, high = float(ndtr(float(lower))), float(ndtr(float(upper)))
    share = low + (high - low) * random.random_uniform(key, shape=shape, dtype="float64")
    return draws.as_parameter(clip(ndtri(share), lower, upper), dtype)


def randint(
    key: object, shape: ShapeLike, minval: OperandLike, maxval: OperandLike,
    dtype: DTypeLike = "int64",
) -> AnyArray:  # fmt: skip
    """Random integers from `minval` to before `maxval`.

    >>> randint(key(0), (2,), 3, 4).tolist()
    [3, 3]
    """
    return random.random_integers(key, shape=shape, low=minval, high=maxval, dtype=dtype)


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Random truth values, true with probability `p`, of the shape of `p` unless there is one.

    >>> bernoulli(key(0), np.array([0.0, 1.0])).tolist()
    [False, True]
    """
    if type(p) in PYTHON_SCALARS:
        return random.random_bernoulli(key, shape=() if shape is None else shape, p=p)
    p = draws.as_parameter(p)
    return less(
        random.random_uniform(key, shape=draws.shape_for(shape, p), dtype=type_of(p).dtype), p
    )


def categorical(key: AnyArray, logits: AnyArray, axis: int = -1, shape: object = None) -> AnyArray:
    """Random indices along an axis of `logits`, with the probabilities of their softmax.

    `shape` is that of the indices; by default that of `logits` without the axis, which must
    broadcast to it.

    >>> categorical(key(0), np.array([[0.0, -np.inf], [-np.inf, 0.0]])).tolist()
    [0, 1]
    """
    logits = moveaxis(draws.as_parameter(logits), axis, -1)
    *rows, n = shape_of(logits)
    whole = tuple(rows) if shape is None else canonical("shape", shape)
    noise = random.random_gumbel(key, shape=(*whole, n), dtype=type_of(logits).dtype)
    return argmax(logits + noise, axis=-1)


def permutation(key: object, x: OperandLike, axis: int = 0) -> AnyArray:
    """The entries of `x` along an axis, or the integers from 0 to before `x`, in random order.

    >>> sorted(permutation(key(0), 3).tolist())
    [0, 1, 2]
    """
    if isinstance(x, int | np.integer):
        return random.random_permutation(key, n=x)
    return draws.random_shuffle(key, x, axis)
