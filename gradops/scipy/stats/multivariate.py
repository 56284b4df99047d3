"""Distributions of vectors and matrices."""

import math
from typing import Any

import numpy as np

from ...core.errors import ShapeError
from ...core.op import PLAIN
from ...core.types import shape_of, type_of
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import exp, log, log1p
from ...library.elementwise.gamma import gammaln, multigammaln
from ...library.elementwise.rounding import floor
from ...library.elementwise.special import xlogy
from ...library.index.diagonals import diagonal
from ...library.linalg.cholesky import cholesky
from ...library.linalg.contraction import matmul
from ...library.linalg.solve import solve_triangular
from ...library.reduce.reduction import all, sum
from ...library.shape.movement import reshape
from ...library.shape.rearrange import matrix_transpose
from .draws import draws
from .parameters import Frozen

__all__ = ["dirichlet", "multinomial", "multivariate_normal", "multivariate_t", "wishart"]


def operand(x: Any) -> Any:
    """An operand of floats."""
    if type(x) in PLAIN or isinstance(x, list | tuple):
        x = np.asarray(x)
        return x.astype(np.float64) if x.dtype.kind in "biu" else x
    return x


def spread(call: str, cov: Any, n: int) -> Any:
    """A covariance of n variables as a matrix: of a number or variances, a diagonal one."""
    cov = operand(cov)
    shape = shape_of(cov)
    if len(shape) < 2:
        return np.eye(n) * (cov if not shape else reshape(cov, shape=(1, -1)))
    if shape != (n, n):
        raise ShapeError(call, [type_of(cov)], f"the covariance of {n} variables is {n} x {n}")
    return cov


def whitened(x: Any, mean: Any, factor: Any) -> tuple[Any, Any]:
    """The squared lengths of L^-1 (x - mean), and the logarithm of the determinant of L L^T."""
    apart = x - mean
    shape = shape_of(apart)
    columns = matrix_transpose(reshape(apart, shape=(-1, shape[-1])))
    z = solve_triangular(factor, columns, lower=True)
    length = reshape(sum(z * z, axis=0), shape=shape[:-1])
    return length, 2 * sum(log(diagonal(factor)))


def vectors(x: Any, n: int) -> Any:
    """Points as vectors of n entries; for one variable, numbers are points."""
    x = operand(x)
    if n == 1 and (not shape_of(x) or shape_of(x)[-1] != 1):
        return reshape(x, shape=(*shape_of(x), 1))
    return x


def size_of(mean: Any, cov: Any) -> int:
    """The number of variables, by whichever parameter says it."""
    for p in (mean, cov):
        shape = () if p is None else shape_of(operand(p))
        if shape:
            return int(shape[-1])
    return 1


class FrozenMultivariate(Frozen):
    """A distribution of vectors or matrices with its parameters held."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of protocols, as to copy and to pickle
            raise AttributeError(name)
        method = getattr(self.dist, name)
        return lambda x: method(x, *self.args, **self.kwds)


class Multivariate:
    """A distribution whose logarithm of the density is `log_density(x, *parameters)`."""

    def __call__(self, *args: Any, **kwargs: Any) -> FrozenMultivariate:
        """The distribution with its parameters held."""
        return FrozenMultivariate(self, args, kwargs)


class Drawn(Multivariate):
    """A distribution whose random vectors or matrices are SciPy's."""

    name: str

    def rvs(self, *args: Any, size: Any = 1, random_state: Any = None, **kwargs: Any) -> Any:
        """Random vectors or matrices, without derivatives: see `draws`."""
        return draws(self.name, args, kwargs, size, random_state)


class MultivariateNormal(Multivariate):
    """The normal distribution of a vector: as `scipy.stats.multivariate_normal`."""

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1) -> Any:
        """The logarithm of the density; raises LinAlgError for a singular covariance.

        >>> from gradops.scipy import stats
        >>> float(stats.multivariate_normal.logpdf([0.0, 0.0], cov=np.eye(2)).round(4))
        -1.8379
        """
        n = size_of(mean, cov)
        mean = np.zeros(n) if mean is None else operand(mean)
        factor = cholesky(spread("multivariate_normal", cov, n))
        length, logdet = whitened(vectors(x, n), mean, factor)
        return -0.5 * (length + logdet + n * math.log(2 * math.pi))

    def pdf(self, x: Any, mean: Any = None, cov: Any = 1) -> Any:
        """The density."""
        return exp(self.logpdf(x, mean, cov))

    def rvs(self, mean: Any = None, cov: Any = 1, size: Any = (), random_state: Any = None) -> Any:
        """Random vectors, with derivatives by mean and covariance."""
        n = size_of(mean, cov)
        mean = np.zeros(n) if mean is None else operand(mean)
        shape = (int(size),) if np.ndim(size) == 0 else tuple(size)
        z = np.random.default_rng(random_state).standard_normal((*shape, n))
        return mean + matmul(z, matrix_transpose(cholesky(spread("multivariate_normal", cov, n))))


class MultivariateT(Drawn):
    """Student's t of a vector: as `scipy.stats.multivariate_t`."""

    name = "multivariate_t"

    def logpdf(self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """The logarithm of the density."""
        n = size_of(loc, shape)
        loc, df = np.zeros(n) if loc is None else operand(loc), operand(df)
        length, logdet = whitened(vectors(x, n), loc, cholesky(spread("multivariate_t", shape, n)))
        norm = gammaln((df + n) / 2) - gammaln(df / 2) - n / 2 * log(df * math.pi) - logdet / 2
        return norm - (df + n) / 2 * log1p(length / df)

    def pdf(self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """The density."""
        return exp(self.logpdf(x, loc, shape, df))


class Dirichlet(Drawn):
    """The distribution of shares that add up to 1: as `scipy.stats.dirichlet`."""

    name = "dirichlet"

    def logpdf(self, x: Any, alpha: Any) -> Any:
        """The logarithm of the density at shares along the first axis.

        NaN for shares that do not add up to 1, and for parameters that are not positive.
        """
        x, alpha = operand(x), operand(alpha)
        fit = all(alpha > 0) & all(x >= 0, axis=0) & (abs(sum(x, axis=0) - 1) < 1e-9)
        alpha = where(alpha > 0, alpha, 1.0)
        powers = alpha - 1 if len(shape_of(x)) == 1 else reshape(alpha - 1, shape=(-1, 1))
        density = sum(xlogy(powers, x), axis=0) + gammaln(sum(alpha)) - sum(gammaln(alpha))
        return where(fit, density, np.nan)

    def pdf(self, x: Any, alpha: Any) -> Any:
        """The density."""
        return exp(self.logpdf(x, alpha))


class Multinomial(Drawn):
    """The distribution of counts: as `scipy.stats.multinomial`."""

    name = "multinomial"

    def logpmf(self, x: Any, n: Any, p: Any) -> Any:
        """The logarithm of the probability of counts along the last axis; -inf for others.

        NaN for probabilities that do not add up to 1.
        """
        x, n, p = operand(x), operand(n), operand(p)
        counts = all((x >= 0) & (x == floor(x)), axis=-1) & (sum(x, axis=-1) == n)
        mass = gammaln(n + 1.0) + sum(xlogy(x, p) - gammaln(x + 1.0), axis=-1)
        valid = all(p >= 0, axis=-1) & (abs(sum(p, axis=-1) - 1) < 1e-9) & (n >= 0)
        return where(valid, where(counts, mass, -np.inf), np.nan)

    def pmf(self, x: Any, n: Any, p: Any) -> Any:
        """The probability."""
        return exp(self.logpmf(x, n, p))


class Wishart(Drawn):
    """The distribution of a positive definite matrix: as `scipy.stats.wishart`."""

    name = "wishart"

    def logpdf(self, x: Any, df: Any = None, scale: Any = None) -> Any:
        """The logarithm of the density at a matrix; NaN unless df > n - 1."""
        x, df, scale = operand(x), operand(df), operand(scale)
        n = int(shape_of(x)[-1])
        given, df = df, where(df > n - 1, df, n + 1.0)
        a, b = cholesky(x), cholesky(spread("wishart", scale, n))
        z = solve_triangular(b, a, lower=True)
        own, other = (sum(log(diagonal(factor))) for factor in (a, b))
        norm = 0.5 * n * df * math.log(2) + df * other + multigammaln(df / 2, n)
        return where(given > n - 1, (df - n - 1) * own - 0.5 * sum(z * z) - norm, np.nan)

    def pdf(self, x: Any, df: Any = None, scale: Any = None) -> Any:
        """The density."""
        return exp(self.logpdf(x, df, scale))


multivariate_normal = MultivariateNormal()
multivariate_t = MultivariateT()
dirichlet = Dirichlet()
multinomial = Multinomial()
wishart = Wishart()
