"""Discrete distributions, each by its standard form, with derivatives in their real parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...library.elementwise.beta import betainc
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import exp, expm1, log
from ...library.elementwise.gamma import gammainc, gammaincc, gammaln
from ...library.elementwise.rounding import floor
from ...library.elementwise.special import xlog1py, xlogy
from .draws import draws
from .families import floating, log_of
from .parameters import Frozen, assigned, holding, with_options

__all__ = ["bernoulli", "binom", "geom", "nbinom", "poisson"]

Function = Callable[..., Any]


@dataclass(frozen=True)
class Discrete:
    """A distribution on whole numbers from `first` on: with `loc` 0.

    The functions take a whole number and the shapes; `last` gives the largest number, and `fits`
    says which shapes there are.
    """

    name: str
    shapes: tuple[str, ...]
    log_mass: Function
    cumulative: Function
    survival: Function
    fits: Function
    usual: tuple[float, ...]
    first: int = 0
    last: Function = lambda *shapes: np.inf
    log_survival: Function | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> "FrozenDiscrete":
        """The distribution with its parameters held."""
        self.parameters("freeze", args, kwargs)
        return FrozenDiscrete(self, args, kwargs)

    def logpmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of `k`, -inf for what is no number of it."""
        return self.at("logpmf", k, args, kwargs, self.log_mass, (-np.inf, -np.inf), exact=True)

    def pmf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of `k`."""
        return exp(self.logpmf(k, *args, **kwargs))

    def cdf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of at most `k`."""
        return self.at("cdf", k, args, kwargs, self.cumulative, (0.0, 1.0))

    def sf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of more than `k`."""
        return self.at("sf", k, args, kwargs, self.survival, (1.0, 0.0))

    def logcdf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of at most `k`."""
        form = log_of(self.cumulative, self.survival)
        return self.at("logcdf", k, args, kwargs, form, (-np.inf, 0.0))

    def logsf(self, k: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of more than `k`."""
        form = self.log_survival or log_of(self.survival, self.cumulative)
        return self.at("logsf", k, args, kwargs, form, (0.0, -np.inf))

    def rvs(self, *args: Any, size: Any = None, random_state: Any = None, **kwargs: Any) -> Any:
        """Random counts, SciPy's, without derivatives: see `draws`."""
        args, size, random_state = with_options(len(self.shapes) + 1, args, size, random_state)
        return draws(self.name, args, kwargs, size, random_state)

    def at(
        self, method: str, k: Any, args: Any, kwargs: Any, form: Function,
        beside: tuple[float, float], exact: bool = False,
    ) -> Any:  # fmt: skip
        """`form` on the numbers of the distribution, what is beside them there, or NaN."""
        given, loc = self.parameters(method, args, kwargs)
        k, loc, *raw = floating([k, loc, *given])
        valid = self.fits(*raw)
        shapes = [where(valid, a, u) for a, u in zip(raw, self.usual, strict=True)]
        n, last = floor(k - loc), self.last(*shapes)
        inside = (n >= self.first) & (n <= last if exact else n < last) & (abs(n) < np.inf)
        if exact:
            inside = inside & (n == k - loc)
        y = form(where(inside, n, float(self.first)), *shapes)
        y = where(inside, y, where(n >= last, beside[1], beside[0]))
        y = where(valid & (k == k), y, np.nan)
        return y[()] if isinstance(y, np.ndarray) else y

    def parameters(self, method: str, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], Any]:
        """Shapes and loc from the arguments of a call; OptionError if they do not fit."""
        names = (*self.shapes, "loc")
        values = assigned(f"{self.name}.{method}", names, args, kwargs, loc=0.0)
        return tuple(values[n] for n in self.shapes), values["loc"]


@holding(Discrete, ("logpmf", "pmf", "cdf", "sf", "logcdf", "logsf"))
class FrozenDiscrete(Frozen):
    """A discrete distribution with its parameters held."""


def between(p: Any) -> Any:
    """True for probabilities."""
    return (p >= 0) & (p <= 1)


def log_binom(n: Any, k: Any) -> Any:
    """The logarithm of a binomial coefficient."""
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


poisson = Discrete(
    "poisson", ("mu",), lambda k, mu: xlogy(k, mu) - gammaln(k + 1) - mu,
    lambda k, mu: gammaincc(k + 1, mu), lambda k, mu: gammainc(k + 1, mu),
    fits=lambda mu: (mu >= 0) & (mu < np.inf), usual=(1.0,),
)  # fmt: skip

binom = Discrete(
    "binom", ("n", "p"),
    lambda k, n, p: log_binom(n, k) + xlogy(k, p) + xlog1py(n - k, -p),
    lambda k, n, p: betainc(n - k, k + 1, 1 - p), lambda k, n, p: betainc(k + 1, n - k, p),
    fits=lambda n, p: (n >= 0) & (n == floor(n)) & (n < np.inf) & between(p), usual=(5.0, 0.5),
    last=lambda n, p: n,
)  # fmt: skip

bernoulli = Discrete(
    "bernoulli", ("p",), lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
    lambda k, p: 1 - p + 0 * k, lambda k, p: p + 0 * k, fits=between, usual=(0.5,),
    last=lambda p: 1.0,
)  # fmt: skip

geom = Discrete(
    "geom", ("p",), lambda k, p: xlog1py(k - 1, -p) + log(p),
    lambda k, p: -expm1(xlog1py(k, -p)), lambda k, p: exp(xlog1py(k, -p)),
    fits=lambda p: (p > 0) & (p <= 1), usual=(0.5,), first=1,
    log_survival=lambda k, p: xlog1py(k, -p),
)  # fmt: skip

nbinom = Discrete(
    "nbinom", ("n", "p"),
    lambda k, n, p: gammaln(n + k) - gammaln(k + 1) - gammaln(n) + n * log(p) + xlog1py(k, -p),
    lambda k, n, p: betainc(n, k + 1, p), lambda k, n, p: betainc(k + 1, n, 1 - p),
    fits=lambda n, p: (n > 0) & (n < np.inf) & (p > 0) & (p <= 1), usual=(2.0, 0.5),
)  # fmt: skip
