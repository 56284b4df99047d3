"""Random numbers from distributions with parameters; gradients pass to continuous ones.

Normal or logistic numbers, for example, are scaled and shifted explicitly, and so differentiated.
The gamma distribution, whose numbers have no formula, is differentiated implicitly, at a constant
value of the distribution function.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.attributes import canonical
from ...core.dims import Shape, Size
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op, Samples
from ...core.samples import beside, cases, drawn
from ...core.traits import Trait
from ...core.types import PYTHON_SCALARS, ArrayType, broadcast_shapes, shape_of, type_of
from ...kernels.elementwise.tables import float_dtype
from ...kernels.random import random as kernels
from ...kernels.random.random import FLOAT32, INT64
from ...typing import AnyArray, Arrays, Attrs, Flags, OperandLike, Rule
from ..elementwise.arithmetic import strong_product
from ..elementwise.exponential import exp, log
from ..elementwise.gamma import gamma_slope
from ..families import Kernel, pad_leading
from ..index.indexing import take
from ..linalg.cholesky import cholesky
from ..linalg.contraction import matmul
from ..nn.activation import sigmoid
from ..nn.softmax import softmax
from ..reduce.cumulative import cumsum
from ..reduce.searching import searchsorted
from ..reduce.sorting import argsort
from ..shape.broadcasting import broadcast_to
from ..shape.movement import astype, reshape, squeeze
from .random import (
    KEY,
    check_key,
    fold_in,
    key_samples,
    random_gumbel,
    random_integers,
    random_normal,
    random_permutation,
    random_uniform,
    shape_error,
)

__all__ = [
    "random_beta", "random_chisquare", "random_choice", "random_dirichlet", "random_gamma",
    "random_loggamma", "random_multivariate_normal", "random_poisson", "random_shuffle",
    "random_student_t",
]


def integer_samples(shape: tuple[int, ...]) -> Samples:
    """Samples of integer parameters, which have no derivative."""
    return drawn(lambda rng, shape: rng.integers(1, 9, shape), [shape])


THREE = dict(shape=(3,))
parameters = cases(
    beside(key_samples((2,), shape=(3, 4)), integer_samples((4,))),
    beside(key_samples((2,), shape=()), integer_samples(())),
    beside(key_samples((3, 2), shape=(4,)), integer_samples((3, 4))),
    beside(key_samples((2,), shape=(2, 0)), integer_samples((2, 1))),
)
no_parameters = [
    ErrorSample([np.ones(2), 1.0], THREE, DTypeError, "of uint64, not of float64"),
    ErrorSample([KEY, np.ones((2, 3))], THREE, ShapeError, "does not broadcast to shape (3,)"),
    ErrorSample([KEY, np.ones(2)], THREE, ShapeError, "3 against 2"),
    ErrorSample([KEY, 1.0], dict(shape=(-1,)), OptionError, "the size -1 is negative"),
    ErrorSample([KEY, -1.0], THREE, OptionError, "not -1.0"),
    ErrorSample([KEY, np.nan], THREE, OptionError, "not nan"),
]


def parameter_op(
    name: str, kernel: Kernel, *, rule: Rule | None, doc: str, dtype: Any = None
) -> Op:
    """An op that draws an array for a key and a parameter that broadcasts to it."""

    def infer(key: ArrayType, parameter: ArrayType, shape: Sequence[Size]) -> ArrayType:
        check_key(name, [key, parameter])
        if reason := shape_error(shape):
            raise OptionError(name, [key, parameter], reason)
        whole = ArrayType((*key.shape[:-1], *shape), dtype or float_dtype(parameter.dtype))
        if broadcast_shapes(name, [whole, parameter]) != whole.shape:
            raise ShapeError(
                name, [key, parameter], f"the parameter does not broadcast to shape {whole.shape}"
            )
        return whole

    return Op(
        name, kernel, arity=2, infer=infer, batch=parameter_batch,
        vjp=[None, rule], jvp=[None, rule], traits=frozenset({Trait.C_ORDER}), doc=doc,
        family="drawing", samples=parameters, error_samples=no_parameters,
    )


def parameter_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch with the key repeated if examples share it, and parameters of equal rank."""
    key, parameter = xs
    if not batched[0]:
        key = broadcast_to(key, shape=(shape_of(parameter)[0], *shape_of(key)))
    rank = len(shape_of(key)) - 1 + len(attrs["shape"])
    if batched[1]:
        parameter = pad_leading(parameter, rank - len(shape_of(parameter)))
    return op(key, parameter, **attrs)


def gamma_rule(v: AnyArray, y: AnyArray, key: Any, alpha: Any, shape: Shape) -> AnyArray:
    return v * strong_product(y, gamma_slope(alpha, log(y)))


gamma_op = parameter_op(
    "random_gamma", kernels.random_gamma, rule=gamma_rule,
    doc="Random numbers for a key with the gamma distribution of parameter y and scale 1.",
)
loggamma_op = parameter_op(
    "random_loggamma", kernels.random_loggamma,
    rule=lambda v, y, key, alpha, shape: v * gamma_slope(alpha, y),
    doc="Logarithms of random numbers for a key with the gamma distribution of parameter y.",
)
poisson_op = parameter_op(
    "random_poisson", kernels.random_poisson, rule=None, dtype=INT64,
    doc="Random integers for a key with the Poisson distribution of mean y.",
)


def as_parameter(x: Any, dtype: Any = None) -> Any:
    """A parameter as floats of a dtype: its own by default, float32 for a Python number."""
    if type(x) in PYTHON_SCALARS:
        return np.asarray(x, dtype or FLOAT32)
    x = x if hasattr(x, "shape") else np.asarray(x)
    wanted = canonical("dtype", dtype) or float_dtype(type_of(x).dtype)
    return x if type_of(x).dtype == wanted else astype(x, dtype=wanted)


def shape_for(shape: Any, *parameters: AnyArray) -> tuple[Size, ...]:
    """The given shape, or the common shape of the parameters."""
    if shape is None:
        return broadcast_shapes("random", list(map(type_of, parameters)))
    return tuple(canonical("shape", shape))


def random_gamma(key: Any, alpha: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Random numbers for a key from the gamma distribution with shape `alpha` and scale 1.

    They have the shape of `alpha`, or `shape`, to which it broadcasts. Gradients pass to `alpha`,
    at a constant value of the distribution function. Raises OptionError for negative and infinite
    parameters.

    >>> bool(random_gamma(gradops.random_key(0), 3.0, shape=(1000,)).mean().round(1) == 3)
    True
    """
    alpha = as_parameter(alpha, dtype)
    return gamma_op(key, alpha, shape=shape_for(shape, alpha))


def random_loggamma(key: Any, alpha: Any, shape: Any = None, dtype: Any = None) -> Any:
    """The logarithm of `random_gamma` with the same key, finite where that underflows.

    >>> float(random_loggamma(gradops.random_key(0), 1e-5)) < -1000
    True
    """
    alpha = as_parameter(alpha, dtype)
    return loggamma_op(key, alpha, shape=shape_for(shape, alpha))


def random_poisson(key: Any, mean: Any, shape: Any = None) -> Any:
    """Random integers for a key from the Poisson distribution with a mean; there is no gradient.

    They have the shape of `mean`, or `shape`, to which it broadcasts. Raises OptionError for
    negative and infinite means.

    >>> random_poisson(gradops.random_key(0), np.array([0.0, 0.0])).tolist()
    [0, 0]
    """
    mean = as_parameter(mean)
    return poisson_op(key, mean, shape=shape_for(shape, mean))


def random_chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Random numbers for a key from the chi-square distribution with `df` degrees of freedom.

    >>> random_chisquare(gradops.random_key(0), np.array([1.0, 2.0])).shape
    (2,)
    """
    return 2 * random_gamma(key, as_parameter(df, dtype) / 2, shape)


def random_beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Random numbers for a key from the beta distribution with parameters `a` and `b`.

    Gradients pass to both of them.

    >>> bool(0 < random_beta(gradops.random_key(0), 2.0, 3.0) < 1)
    True
    """
    a, b = as_parameter(a, dtype), as_parameter(b, dtype)
    shape = shape_for(shape, a, b)
    of_a = random_loggamma(fold_in(key, 0), a, shape)
    return sigmoid(of_a - random_loggamma(fold_in(key, 1), b, shape))


def random_dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Random probabilities for a key from the Dirichlet distribution with parameters `alpha`.

    They add up to 1 along the last axis, which is that of `alpha`; `shape` is that of the others.

    >>> x = random_dirichlet(gradops.random_key(0), np.ones(3), shape=(4,))
    >>> x.sum(axis=-1).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    alpha = as_parameter(alpha, dtype)
    if not shape_of(alpha):
        raise ShapeError("random_dirichlet", [type_of(alpha)], "alpha has no axis of parameters")
    whole = None if shape is None else (*canonical("shape", shape), shape_of(alpha)[-1])
    return softmax(random_loggamma(key, alpha, whole), axis=-1)


def random_student_t(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Random numbers for a key from Student's t distribution with `df` degrees of freedom.

    >>> random_student_t(gradops.random_key(0), 5.0, shape=(2, 3)).shape
    (2, 3)
    """
    half = as_parameter(df, dtype) / 2
    shape = shape_for(shape, half)
    z = random_normal(fold_in(key, 0), shape=shape, dtype=type_of(half).dtype)
    return z * exp((log(half) - random_loggamma(fold_in(key, 1), half, shape)) / 2)


def random_multivariate_normal(key: Any, mean: Any, cov: Any, shape: Any = None) -> Any:
    """Random normal vectors for a key, with a mean and a covariance matrix.

    `shape` is that of the axes before the vectors' own. Gradients pass to both parameters, to the
    covariance through its Cholesky factor. Raises LinAlgError if it is not positive definite.

    >>> random_multivariate_normal(gradops.random_key(0), np.zeros(2), np.eye(2), shape=(5,)).shape
    (5, 2)
    """
    mean, cov = as_parameter(mean), as_parameter(cov)
    if len(shape_of(cov)) < 2 or not shape_of(mean):
        raise ShapeError(
            "random_multivariate_normal", [type_of(mean), type_of(cov)],
            "the mean is a vector, and the covariance a matrix",
        )
    if shape is None:
        rows = ArrayType(shape_of(cov)[:-2], bool), ArrayType(shape_of(mean)[:-1], bool)
        shape = broadcast_shapes("random_multivariate_normal", rows)
    shape = (*canonical("shape", shape), shape_of(mean)[-1], 1)
    z = random_normal(key, shape=shape, dtype=type_of(mean + cov).dtype)
    return mean + squeeze(matmul(cholesky(cov), z), axis=(-1,))


def random_shuffle(key: Any, x: OperandLike, axis: int = 0) -> Any:
    """The entries along an axis in random order for a key.

    >>> sorted(random_shuffle(gradops.random_key(0), np.arange(4)).tolist())
    [0, 1, 2, 3]
    """
    return take(x, random_permutation(key, n=size_along("random_shuffle", x, axis)), axis=axis)


def size_along(name: str, x: Any, axis: int) -> Size:
    """The size of an axis, or a ShapeError."""
    t = type_of(x)
    if not -t.ndim <= axis < t.ndim:
        raise ShapeError(name, [t], f"there is no axis {axis} to draw from")
    return t.shape[axis]


def random_choice(
    key: Any, a: Any, shape: Shape = (), replace: bool = True, p: OperandLike | None = None,
    axis: int = 0,
) -> Any:
    """Random entries of `a` along an axis for a key; for an integer `a`, integers below it.

    Probabilities are equal, or those in `p`. Without `replace` no entry is drawn twice; raises
    OptionError if there are too few.

    >>> random_choice(gradops.random_key(0), np.array([5, 6]), shape=(3,), p=[0.0, 1.0]).tolist()
    [6, 6, 6]
    """
    whole = isinstance(a, int | np.integer)
    n = int(a) if whole else size_along("random_choice", a, axis)
    shape = tuple(canonical("shape", shape))
    draw = with_replacement if replace else without_replacement
    places = draw(key, n, shape, p)
    return places if whole else take(a, places, axis=axis)


def with_replacement(key: Any, n: Size, shape: tuple[Size, ...], p: OperandLike | None) -> AnyArray:
    """Indices that may repeat, with the probabilities `p`."""
    if p is None:
        return random_integers(key, shape=shape, low=0, high=n)
    bounds = cumsum(as_parameter(p), axis=0)
    shares = 1 - random_uniform(key, shape=shape, dtype=type_of(bounds).dtype)
    return searchsorted(bounds, bounds[-1] * shares)  # from above 0, so never where p is 0


def without_replacement(key: Any, n: Size, shape: Shape, p: OperandLike | None) -> AnyArray:
    """Indices without repetition: those of the largest of random numbers, one per entry."""
    count = ArrayType(shape, bool).size
    if isinstance(n, int) and isinstance(count, int) and count > n:
        raise OptionError(
            "random_choice", [], f"{count} of {n} cannot be drawn without replacement"
        )
    if p is None:
        order = random_permutation(key, n=n)
    else:
        p = as_parameter(p)
        noise = random_gumbel(key, shape=shape_of(p), dtype=type_of(p).dtype)
        order = argsort(noise + log(p), descending=True)
    return reshape(order[:count], shape=shape)
