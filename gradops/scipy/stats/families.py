"""Families of distributions on the line: a standard form, moved by loc and stretched by scale."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.types import type_of
from ...library.elementwise.comparison import minimum, where
from ...library.elementwise.exponential import exp, expm1, log, log1p
from ...library.shape.movement import astype
from ...typing import AnyArray
from .parameters import Frozen, assigned, holding, with_options

__all__ = ["Continuous", "FrozenContinuous"]

Function = Callable[..., Any]
LOG_2 = math.log(2.0)

BESIDE = {
    "logpdf": (-np.inf, -np.inf), "cdf": (0.0, 1.0), "sf": (1.0, 0.0),
    "logcdf": (-np.inf, 0.0), "logsf": (0.0, -np.inf),
}  # fmt: skip
"""The values of each method below the support, and above it."""


@dataclass(frozen=True)
class Continuous:
    """A continuous distribution by its standard form, the one with loc 0 and scale 1.

    The functions take a point and the shapes. They are called inside the support and for valid
    shapes only: `interior` and `usual` replace other values, so that neither a number nor a
    derivative from there reaches a result. Shapes are positive unless `fits`, a function of them,
    says which are valid; where they must be `finite`, results are NaN for infinite ones. The ends
    of the support, `bounds`, may be functions of the shapes, and so may a point inside it. Of an
    `open` support the ends are outside.
    """

    name: str
    log_density: Function
    cumulative: Function
    survival: Function
    log_cumulative: Function | None = None
    log_survival: Function | None = None
    shapes: tuple[str, ...] = ()
    bounds: tuple[float, float] | Function = (-np.inf, np.inf)
    finite: bool = False
    open: bool = False
    interior: float | Function = 0.5
    fits: Function | None = None
    usual: tuple[float, ...] = (2.0, 2.0, 2.0)

    def __call__(self, *args: Any, **kwargs: Any) -> "FrozenContinuous":
        """The distribution with its parameters held."""
        self.parameters("freeze", args, kwargs)
        return FrozenContinuous(self, args, kwargs)

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the density at `x`, -inf outside the support."""
        return self.at("logpdf", x, args, kwargs, self.log_density)

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The density at `x`, 0 outside the support."""
        y = self.logpdf(x, *args, **kwargs)
        zero = y == -np.inf
        return where(zero, 0.0, exp(where(zero, 0.0, y)))[()]

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of at most `x`."""
        return self.at("cdf", x, args, kwargs, self.cumulative)

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of more than `x`."""
        return self.at("sf", x, args, kwargs, self.survival)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of at most `x`."""
        form = self.log_cumulative or log_of(self.cumulative, self.survival)
        return self.at("logcdf", x, args, kwargs, form)

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of more than `x`."""
        form = self.log_survival or log_of(self.survival, self.cumulative)
        return self.at("logsf", x, args, kwargs, form)

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """The point below which lies the probability `q`: see Note [Quantiles]. Needs SciPy."""
        from .quantiles import quantile_of

        return quantile_of(self, q, args, kwargs, upper=False)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """The point above which lies the probability `q`. Needs SciPy."""
        from .quantiles import quantile_of

        return quantile_of(self, q, args, kwargs, upper=True)

    def median(self, *args: Any, **kwargs: Any) -> Any:
        """The point with half of the probability on either side."""
        return self.ppf(0.5, *args, **kwargs)

    def rvs(self, *args: Any, size: Any = None, random_state: Any = None, **kwargs: Any) -> Any:
        """Random numbers, from a seed, a generator of NumPy's, or a key of ours.

        They are quantiles of uniform numbers, so not those that SciPy draws, and have derivatives
        in all parameters.
        """
        from .quantiles import sample

        args, size, random_state = with_options(len(self.shapes) + 2, args, size, random_state)
        return sample(self, args, kwargs, size, random_state)

    def at(self, method: str, x: Any, args: Any, kwargs: Any, form: Function) -> Any:
        """`form` inside the support, what is beside it there, NaN for invalid parameters."""
        x, shapes, loc, scale = self.operands(method, x, args, kwargs)
        valid, shapes = self.checked(scale, shapes)
        scale = where(valid, scale, 1.0)
        z = (x - loc) / scale
        low, high = self.of_shapes(self.bounds, shapes)
        inside = (z >= low) & (z <= high) & (abs(z) < np.inf)
        if self.open:
            inside = inside & (z > low) & (z < high)
        interior = self.of_shapes(self.interior, shapes)
        y = form(where(inside, z, interior), *shapes)
        if method == "logpdf":  # of x, not of z
            y = y - log(scale)
        below, above = BESIDE[method]
        y = where(inside, y, where(z > interior, above, below))
        y = where(valid & (z == z), y, np.nan)
        return y[()] if isinstance(y, np.ndarray) else y

    def checked(self, scale: Any, shapes: Any) -> tuple[Any, list[Any]]:
        """True for valid parameters, and the shapes, usual ones in the place of others."""
        valid = scale > 0
        if self.fits is not None:
            valid = valid & self.fits(*shapes)
        for a in shapes:
            valid = valid & ((a > 0) | (self.fits is not None))
            valid = valid & ((abs(a) < np.inf) | (not self.finite))
        return valid, [where(valid, a, u) for a, u in zip(shapes, self.usual, strict=False)]

    @staticmethod
    def of_shapes(facet: Any, shapes: Any) -> Any:
        """A facet that may be a function of the shapes, for some of them."""
        return facet(*shapes) if callable(facet) else facet

    def operands(self, method: str, x: Any, args: Any, kwargs: Any) -> Any:
        """The point and the parameters, as operands of floats."""
        shapes, loc, scale = self.parameters(method, args, kwargs)
        x, loc, scale, *rest = floating([x, loc, scale, *shapes])
        return x, tuple(rest), loc, scale

    def parameters(self, method: str, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], Any, Any]:
        """Shapes, loc and scale from the arguments of a call; OptionError if they do not fit."""
        names = (*self.shapes, "loc", "scale")
        values = assigned(f"{self.name}.{method}", names, args, kwargs, loc=0.0, scale=1.0)
        return tuple(values[n] for n in self.shapes), values["loc"], values["scale"]


@holding(Continuous, (*BESIDE, "pdf", "ppf", "isf"))
class FrozenContinuous(Frozen):
    """A continuous distribution with its parameters held."""

    def median(self) -> Any:
        """The point with half of the probability on either side."""
        return self.dist.median(*self.args, **self.kwds)


def floating(values: list[Any]) -> list[Any]:
    """Operands of one dtype of floats: SciPy's float64 for arrays, else as operands promote."""
    values = [np.asarray(v) if isinstance(v, list | tuple) else v for v in values]
    known = all(isinstance(v, np.ndarray | np.generic | int | float) for v in values)
    kinds = [v if isinstance(v, int | float) else type_of(v).dtype for v in values]
    dtype = np.result_type(np.float64, *kinds) if known else np.result_type(1.0, *kinds)
    return [astype(np.asarray(v) if known or np.isscalar(v) else v, dtype=dtype) for v in values]


def growing(x: Any) -> Any:
    """exp(x), but at most exp(700): a larger one would have derivatives that are no numbers."""
    return exp(minimum(x, 700.0))


def log_less_exp(y: Any) -> Any:
    """log(1 - exp(-y)), with all digits for small and for large y."""
    near = y < LOG_2
    close, far = where(near, y, 1.0), where(near, 1.0, y)
    return where(near, log(-expm1(-close)), log1p(-exp(-far)))


def log_of(p: Function, complement: Function) -> Function:
    """log p, near 1 by the complement, which keeps its digits there."""

    def logarithm(z: AnyArray, *shapes: AnyArray) -> AnyArray:
        near, far = p(z, *shapes), complement(z, *shapes)
        small, none = near < 0.5, near == 0
        some = where(small, log(where(small & ~none, near, 0.5)), log1p(-where(small, 0.5, far)))
        return where(none, -np.inf, some)

    return logarithm
