"""Random numbers from distributions with parameters, by TensorFlow 1's names.

They are new in each run, and reproducible by seeds: see Note [Seeds].
"""

import numpy as np

import gradops as ops
from gradops import ShapeError
from gradops.core.types import as_shape, shape_of, type_of
from gradops.typing import DTypeLike, Operand, ShapeLike

from ..build.graph import rename
from ..build.inputs import as_expression
from ..ir.expr import Expr
from .creation import arange
from .random import float_dtype, random_key


def random_gamma(
    shape: ShapeLike, alpha: Operand, beta: Operand | None = None, dtype: DTypeLike = None,
    seed: int | None = None, name: str = "random_gamma",
) -> Expr:  # fmt: skip
    """Gamma-distributed numbers: `shape` of them for each concentration `alpha` and rate `beta`.

    The result has `shape` and then the shape of the parameters, which have gradients.

    >>> sg.random_gamma([5], [1.0, 2.0]).shape
    (5, 2)
    """
    alpha = as_parameter(alpha, dtype)
    whole = shape_of(alpha) if beta is None else shape_of(ops.add(alpha, beta))
    x = ops.random_gamma(random_key(seed, name), alpha, (*as_shape(shape), *whole))
    return rename(x if beta is None else x / beta, name)


def as_parameter(x: Operand, dtype: DTypeLike) -> Expr | np.ndarray:
    """A parameter as an expression or array of floats; numbers get the default dtype."""
    if isinstance(x, Expr):
        return x if dtype is None else ops.astype(x, dtype=dtype)
    given = np.asarray(x)
    wanted = dtype or (given.dtype if isinstance(x, np.ndarray) else None)
    return given.astype(float_dtype(wanted))


def random_poisson(
    lam: Operand, shape: ShapeLike, dtype: DTypeLike = None, seed: int | None = None,
    name: str = "random_poisson",
) -> Expr:  # fmt: skip
    """Poisson-distributed counts: `shape` of them for each mean in `lam`.

    The result has `shape` and then the shape of the means.

    >>> sg.random_poisson([1.0, 2.0], [5]).shape
    (5, 2)
    """
    mean = as_parameter(lam, None)
    x = ops.random_poisson(random_key(seed, name), mean, (*as_shape(shape), *shape_of(mean)))
    return rename(ops.astype(x, dtype=float_dtype(dtype) if dtype is None else dtype), name)


def multinomial(
    logits: Operand, num_samples: int, seed: int | None = None, name: str = "multinomial",
    output_dtype: DTypeLike = "int64",
) -> Expr:  # fmt: skip
    """Indices drawn with the probabilities softmax(logits), for each row of logits.

    >>> sg.Session().run(sg.multinomial([[0.0, -np.inf]], 3)).tolist()
    [[0, 0, 0]]
    """
    x = as_parameter(logits, None)
    if len(shape_of(x)) != 2:
        raise ShapeError("multinomial", [type_of(x)], "logits are rows")
    drawn = ops.random_categorical(random_key(seed, name), x, (num_samples,))
    result = ops.transpose(drawn, axes=(1, 0))
    result = result if output_dtype == "int64" else ops.astype(result, dtype=output_dtype)
    return rename(result, name)


def random_crop(
    value: Operand, size: ShapeLike, seed: int | None = None, name: str = "random_crop"
) -> Expr:
    """A slice of the given size at a random position.

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
