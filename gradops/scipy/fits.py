"""What a fit tells: standard errors from Hessians, and bands around fitted curves."""

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from ..core.errors import OptionError
from ..core.tree import children
from .arguments import Arguments

SHOWN = 12  # parameters in a table, of which the others are left out


class FitSummary:
    """Estimates of a fit with their standard errors; prints as a table, in notebooks too.

    `covariance` is the inverse of the Hessian at the estimates, for least squares times the
    variance of the residuals; NaN where the Hessian is not positive definite, and for parameters
    at a bound, which are left out. `condition` is the condition number of the Hessian with its
    diagonal scaled to ones: above about 1e8, parameters can hardly be told from one another.
    """

    def __init__(
        self, names: Sequence[str], estimates: np.ndarray, hessian: np.ndarray, variance: float,
        source: str, bound: np.ndarray,
    ) -> None:  # fmt: skip
        self.names, self.estimates, self.hessian = list(names), estimates, hessian
        self.variance, self.source, self.bound = variance, source, bound
        free = hessian[~bound][:, ~bound]
        self.is_minimum = is_positive(free)
        self.covariance = np.full(hessian.shape, np.nan)
        if self.is_minimum:
            self.covariance[np.ix_(~bound, ~bound)] = variance * np.linalg.inv(free)
        self.errors = np.sqrt(np.diag(self.covariance))
        self.condition = scaled_condition(free)

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The rows of the table: names, estimates, standard errors."""
        triples = zip(self.names, self.estimates, self.errors, strict=True)
        found = [(name, f"{x:.6g}", f"{e:.3g}") for name, x, e in triples]
        found = [(a, b, "at its bound" if held else c)
                 for (a, b, c), held in zip(found, self.bound, strict=True)]  # fmt: skip
        more = len(found) - SHOWN
        return [*found[:SHOWN], (f"... {more} more", "", "")] if more > 0 else found

    @property
    def facts(self) -> list[str]:
        """What the table says below its rows."""
        found = [f"errors from {self.source}; condition number {self.condition:.3g}"]
        if not self.is_minimum:
            found.append("the Hessian is not positive definite: this is no minimum, or one of many")
        elif not np.isfinite(self.variance):
            found.append("there are no more data than parameters, and so no variance")
        return found

    def __str__(self) -> str:
        head = ("parameter", "estimate", "std. error")
        widths = [max(map(len, column)) for column in zip(head, *self.rows, strict=True)]
        lines = [f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}"
                 for a, b, c in (head, *self.rows)]  # fmt: skip
        return "\n".join([*lines, *self.facts])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table for notebooks."""
        from html import escape

        def row(tag: str, cells: Sequence[str]) -> str:
            return "".join(f"<{tag}>{escape(c)}</{tag}>" for c in cells)

        head = row("th", ("parameter", "estimate", "std. error"))
        body = "".join(f"<tr>{row('td', cells)}</tr>" for cells in self.rows)
        notes = "<br>".join(map(escape, self.facts))
        return f"<table><tr>{head}</tr>{body}</table><p>{notes}</p>"


def is_positive(a: np.ndarray) -> bool:
    """True if a symmetric matrix is positive definite."""
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(a).all())


def scaled_condition(a: np.ndarray) -> float:
    """The condition number of a symmetric matrix with its diagonal scaled to ones."""
    d = np.sqrt(np.abs(np.diag(a)))
    d = np.where(d > 0, d, 1.0)
    return float(np.linalg.cond(a / np.outer(d, d))) if a.size else 1.0


def names_in(tree: Any, name: str = "") -> Iterator[str]:
    """A name for each entry of a structure of arrays: `a[0]`, `w.b`."""
    found = children(tree)
    if found is None:
        shape = np.shape(tree)
        places = np.ndindex(shape) if shape else [()]
        for place in places:
            index = f"[{', '.join(map(str, place))}]" if place else ""
            yield (name or "x") + index
        return
    keys = tree if isinstance(tree, dict) else map(str, range(len(found[0])))
    for key, part in zip(keys, found[0], strict=True):
        yield from names_in(
            part, f"{name}.{key}" if name else f"{'' if isinstance(tree, dict) else 'x'}{key}"
        )


def fit_summary(result: Any, problem: Arguments | None = None) -> FitSummary:
    """The estimates of a result of SciPy's, with standard errors from the exact Hessian.

    `result` is that of `minimize` for a negative logarithm of a likelihood, or of `least_squares`;
    `problem` are the arguments it was given, from `dg.scipy` or `sg.scipy`, which know the function
    and the names of its parameters. Without them, the errors are those of Gauss and Newton for
    least squares; a result of `minimize` then raises OptionError.

    >>> from scipy.optimize import least_squares
    >>> t = np.arange(5.0)
    >>> y = 2 * t + 1 + 0.1 * np.array([1, -1, 0, 1, -1])
    >>> problem = dg.scipy.least_squares(lambda p: p["a"] * t + p["b"] - y, {"a": 0.0, "b": 0.0})
    >>> dg.scipy.fit_summary(least_squares(**problem), problem)
    parameter  estimate  std. error
    a              1.98      0.0346
    b              1.04      0.0849
    errors from the exact Hessian; condition number 9.9
    """
    x = np.asarray(result.x, np.float64)
    jacobian: Any = getattr(result, "jac", 0.0)
    residuals: Any = getattr(result, "fun", 0.0)
    is_fit = np.ndim(residuals) == 1 and len(np.shape(jacobian)) == 2
    variance = 1.0
    if is_fit:
        spare = len(np.asarray(residuals)) - x.size
        variance = 2 * float(result.cost) / spare if spare > 0 else np.nan
    bound = at_bound(result, problem)
    if problem is not None:
        if problem.get("loss", "linear") != "linear":
            raise OptionError(
                "fit_summary", [], "standard errors are those of the plain sum of squares",
                hint="with another loss, resample the data",
            )  # fmt: skip
        names, hessian = list(names_in(problem.unflatten(x))), np.asarray(problem.hessian(x))
        return FitSummary(names, x, hessian, variance, "the exact Hessian", bound)
    if not is_fit:
        raise OptionError(
            "fit_summary", [], "the result of minimize has no exact Hessian",
            hint="give the arguments as `problem`, too",
        )  # fmt: skip
    a = jacobian.toarray() if hasattr(jacobian, "toarray") else np.asarray(jacobian)
    source = "the Jacobian, as Gauss and Newton"
    return FitSummary(list(names_in(x)), x, a.T @ a, variance, source, bound)


def at_bound(result: Any, problem: Arguments | None) -> np.ndarray:
    """Which of the estimates lie at a bound."""
    x = np.asarray(result.x, np.float64)
    active = getattr(result, "active_mask", None)
    if active is not None:
        return np.asarray(active) != 0
    bounds = None if problem is None else problem.get("bounds")
    if bounds is None:
        return np.zeros(x.size, bool)
    pairs = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else zip(*bounds, strict=True)
    low, high = (np.array([np.nan if v is None else v for v in np.ravel(end)], float)
                 for end in pairs)  # fmt: skip
    return np.broadcast_to((x <= low) | (x >= high), x.shape)


def band(
    middle: np.ndarray, slopes: np.ndarray, pcov: Any, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of a confidence band of a curve, from its slopes by the parameters."""
    if not 0 < level < 1:
        raise OptionError("band", [], f"the level is between 0 and 1, not {level}")
    half = NormalDist().inv_cdf(0.5 + level / 2)
    width = half * np.sqrt(np.einsum("ij,jk,ik->i", slopes, np.asarray(pcov), slopes))
    return middle - width, middle + width
