"""Random numbers from distributions with parameters, by TensorFlow 1's names.

Other ones in each run, reproducible by seeds: see Note [Seeds].
"""

from typing import Any

import numpy as np

import gradops as ops
from gradops import ShapeError
from gradops.core.types import as_shape, shape_of, type_of

from ..build.graph import rename
from ..build.inputs import as_expression
from ..ir.expr import Expr
from .creation import arange
from .random import float_dtype, random_key


def random_gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = None, seed: int | None = None,
    name: str = "random_gamma",
) -> Expr:  # fmt: skip
    """Numbers with a gamma distribution of parameters `alpha` and rate `beta`, for each of them.

    The shape goes before that of the parameters, to which gradients pass.

    >>> sg.random_gamma([5], [1.0, 2.0]).shape
    (5, 2)
    """
    alpha = as_parameter(alpha, dtype)
    whole = shape_of(alpha) if beta is None else shape_of(ops.add(alpha, beta))
    x = ops.random_gamma(random_key(seed, name), alpha, (*as_shape(shape), *whole))
    return rename(x if beta is None else x / beta, name)


def as_parameter(x: Any, dtype: Any) -> Any:
    """A parameter as an expression or array of floats; numbers get the default dtype."""
    if isinstance(x, Expr):
        return x if dtype is None else ops.astype(x, dtype=dtype)
    given = np.asarray(x)
    wanted = dtype or (given.dtype if isinstance(x, np.ndarray) else None)
    return given.astype(float_dtype(wanted))


def random_poisson(
    lam: Any, shape: Any, dtype: Any = None, seed: int | None = None, name: str = "random_poisson"
) -> Expr:
    """Counts with Poisson distributions of means `lam`, for each of them.

    The shape goes before that of the means.

    >>> sg.random_poisson([1.0, 2.0], [5]).shape
    (5, 2)
    """
    mean = as_parameter(lam, None)
    x = ops.random_poisson(random_key(seed, name), mean, (*as_shape(shape), *shape_of(mean)))
    return rename(ops.astype(x, dtype=float_dtype(dtype) if dtype is None else dtype), name)


def multinomial(
    logits: Any, num_samples: int, seed: int | None = None, name: str = "multinomial",
    output_dtype: Any = "int64",
) -> Expr:  # fmt: skip
    """Indices with the probabilities of softmax of each row of logits.

    >>> sg.Session().run(sg.multinomial([[0.0, -np.inf]], 3)).tolist()
    [[0, 0, 0]]
    """
    x = as_parameter(logits, None)
    if len(shape_of(x)) != 2:
        raise ShapeError("multinomial", [type_of(x)], "logits are rows")
    drawn = ops.random_categorical(random_key(seed, name), x, (num_samples,))
    found = ops.transpose(drawn, axes=(1, 0))
    return rename(found if output_dtype == "int64" else ops.astype(found, dtype=output_dtype), name)


def random_crop(value: Any, size: Any, seed: int | None = None, name: str = "random_crop") -> Expr:
    """A part of a size, cut out at random.

    >>> sg.random_crop(np.ones((5, 6)), [2, 3]).shape
    (2, 3)
    """
    x, sizes = as_expression(value), as_shape(size)
    if len(sizes) != len(x.shape):
        raise ShapeError("random_crop", [x.type], f"the part has {len(sizes)} sizes")
    key = random_key(seed, name)
    for axis, (n, whole) in enumerate(zip(sizes, x.shape)):
        if isinstance(n, int) and isinstance(whole, int) and n > whole:
            raise ShapeError("random_crop", [x.type], f"no part has size {n} along axis {axis}")
        place = ops.random_integers(ops.fold_in(key, axis), shape=(), low=0, high=whole - n + 1)
        x = ops.take(x, ops.add(place, arange(n)), axis=axis)
    return rename(x, name)
