"""Families of distributions on the line: a standard form, moved by loc and stretched by scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.types import type_of
from ...library.elementwise.comparison import where
from ...library.elementwise.exponential import exp, log, log1p
from ...library.shape.movement import astype
from ...typing import AnyArray

__all__ = ["Continuous", "Frozen"]

Function = Callable[..., Any]


@dataclass(frozen=True)
class Continuous:
    """A continuous distribution by its standard form, the one with loc 0 and scale 1.

    The functions take a point and the shapes. They are called inside the support and for valid
    shapes only: `interior` and `usual` replace other values, so that neither a number nor a
    derivative from there reaches a result.
    """

    name: str
    log_density: Function
    cumulative: Function
    survival: Function
    log_cumulative: Function | None = None
    log_survival: Function | None = None
    shapes: tuple[str, ...] = ()
    bounds: tuple[float, float] = (-np.inf, np.inf)
    interior: float = 0.5
    usual: float = 2.0

    def __call__(self, *args: Any, **kwargs: Any) -> "Frozen":
        """The distribution with its parameters held."""
        self.parameters("freeze", args, kwargs)
        return Frozen(self, args, kwargs)

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the density at `x`, -inf outside the support."""
        x, shapes, loc, scale = self.operands("logpdf", x, args, kwargs)
        return self.at(x, shapes, loc, scale, self.density, -np.inf, -np.inf)

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The density at `x`, 0 outside the support."""
        return exp(self.logpdf(x, *args, **kwargs))

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of at most `x`."""
        x, shapes, loc, scale = self.operands("cdf", x, args, kwargs)
        return self.at(x, shapes, loc, scale, unscaled(self.cumulative), 0.0, 1.0)

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of more than `x`."""
        x, shapes, loc, scale = self.operands("sf", x, args, kwargs)
        return self.at(x, shapes, loc, scale, unscaled(self.survival), 1.0, 0.0)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of at most `x`."""
        x, shapes, loc, scale = self.operands("logcdf", x, args, kwargs)
        form = self.log_cumulative or log_of(self.cumulative, self.survival)
        return self.at(x, shapes, loc, scale, unscaled(form), -np.inf, 0.0)

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The logarithm of the probability of more than `x`."""
        x, shapes, loc, scale = self.operands("logsf", x, args, kwargs)
        form = self.log_survival or log_of(self.survival, self.cumulative)
        return self.at(x, shapes, loc, scale, unscaled(form), 0.0, -np.inf)

    def density(self, z: AnyArray, scale: AnyArray, *shapes: AnyArray) -> AnyArray:
        """The logarithm of the density at a standardized point, per unit of x."""
        return self.log_density(z, *shapes) - log(scale)

    def at(
        self, x: AnyArray, shapes: tuple[AnyArray, ...], loc: AnyArray, scale: AnyArray,
        form: Function, below: float, above: float,
    ) -> Any:  # fmt: skip
        """`form` inside the support, `below` and `above` beside it, NaN for invalid parameters."""
        valid = (scale > 0) & (scale < np.inf) & (loc == loc)
        for a in shapes:
            valid = valid & (a > 0) & (a < np.inf)
        scale = where(valid, scale, 1.0)
        shapes = tuple(where(valid, a, self.usual) for a in shapes)
        z = (x - loc) / scale
        low, high = self.bounds
        inside = (z >= low) & (z <= high) & (abs(z) < np.inf)
        y = form(where(inside, z, self.interior), scale, *shapes)
        y = where(inside, y, where(z > self.interior, above, below))
        y = where(valid & (x == x), y, np.nan)
        return y[()] if isinstance(y, np.ndarray) else y

    def operands(self, method: str, x: Any, args: Any, kwargs: Any) -> Any:
        """The point and the parameters, as operands of floats."""
        shapes, loc, scale = self.parameters(method, args, kwargs)
        x, loc, scale, *rest = floating([x, loc, scale, *shapes])
        return x, tuple(rest), loc, scale

    def parameters(self, method: str, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], Any, Any]:
        """Shapes, loc and scale from the arguments of a call; OptionError if they do not fit."""
        names = (*self.shapes, "loc", "scale")
        values = {"loc": 0.0, "scale": 1.0} | dict(zip(names, args, strict=False)) | kwargs
        twice = [n for n in names[: len(args)] if n in kwargs]
        if len(args) > len(names) or twice or set(values) != set(names):
            raise OptionError(
                f"{self.name}.{method}", [], f"the parameters do not fit: {', '.join(values)}",
                hint=f"the parameters are {', '.join(names)}",
            )  # fmt: skip
        return tuple(values[n] for n in self.shapes), values["loc"], values["scale"]


@dataclass(frozen=True)
class Frozen:
    """A distribution with its parameters held, as `stats.norm(mu, sigma)`."""

    dist: Continuous
    args: tuple[Any, ...]
    kwds: dict[str, Any]

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density at `x`."""
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pdf(self, x: Any) -> Any:
        """The density at `x`."""
        return self.dist.pdf(x, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        """The probability of at most `x`."""
        return self.dist.cdf(x, *self.args, **self.kwds)

    def sf(self, x: Any) -> Any:
        """The probability of more than `x`."""
        return self.dist.sf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        """The logarithm of the probability of at most `x`."""
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def logsf(self, x: Any) -> Any:
        """The logarithm of the probability of more than `x`."""
        return self.dist.logsf(x, *self.args, **self.kwds)


def floating(values: list[Any]) -> list[Any]:
    """Operands of one dtype of floats: SciPy's float64 for arrays, else as operands promote."""
    values = [np.asarray(v) if isinstance(v, list | tuple) else v for v in values]
    known = all(isinstance(v, np.ndarray | np.generic | int | float) for v in values)
    kinds = [v if isinstance(v, int | float) else type_of(v).dtype for v in values]
    dtype = np.result_type(np.float64, *kinds) if known else np.result_type(1.0, *kinds)
    return [astype(np.asarray(v) if known or np.isscalar(v) else v, dtype=dtype) for v in values]


def unscaled(form: Function) -> Function:
    """A form that does not depend on the scale, as one that is passed it."""
    return lambda z, scale, *shapes: form(z, *shapes)


def log_of(p: Function, complement: Function) -> Function:
    """log p, near 1 by the complement, which keeps its digits there."""

    def logarithm(z: AnyArray, *shapes: AnyArray) -> AnyArray:
        near, far = p(z, *shapes), complement(z, *shapes)
        small = near < 0.5
        return where(small, log(where(small, near, 0.5)), log1p(-where(small, 0.5, far)))

    return logarithm
