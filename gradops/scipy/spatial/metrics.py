"""Metrics: distances along the last axis, of stacks of vectors that broadcast."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.tracer_protocol import held
from ...core.types import is_inexact, shape_of, type_of
from ...library.elementwise.arithmetic import abs, sqrt, square
from ...library.elementwise.comparison import equal, where
from ...library.elementwise.special import xlogy
from ...library.linalg.contraction import matmul
from ...library.linalg.solve import inv
from ...library.reduce.reduction import max, mean, sum
from ...library.reduce.statistics import vector_norm
from ...library.shape.joining import concatenate
from ...library.shape.movement import astype, expand_dims
from ...library.shape.rearrange import matrix_transpose
from ...typing import AnyArray


def vectors(call: str, ndim: int, *xs: Any) -> list[Any]:
    """Operands of floats with so many axes, the last of them the same."""
    xs = tuple(np.asarray(x) if isinstance(x, list | tuple) else x for x in xs)
    kinds = [type_of(x) for x in xs]
    if any(kind.ndim != ndim for kind in kinds):
        raise ShapeError(call, kinds, f"it takes operands with {ndim} axes")
    if len({kind.shape[-1] for kind in kinds}) > 1:
        raise ShapeError(call, kinds, "the vectors have different numbers of entries")
    return [x if is_inexact(k.dtype) else astype(x, dtype=np.float64)
            for x, k in zip(xs, kinds, strict=True)]  # fmt: skip


def weights(call: str, w: Any) -> Any:
    """Weights as an operand; OptionError if one that is known is negative."""
    w = np.asarray(w) if isinstance(w, list | tuple) else w
    known = held(w)
    if isinstance(known, np.ndarray | np.generic | float | int) and np.any(np.less(known, 0)):
        raise OptionError(call, [type_of(w)], "a weight is negative")
    return w


def root(x: AnyArray) -> Any:
    """The square root, with a derivative of 0 at 0."""
    is_zero = equal(x, 0)
    return where(is_zero, 0.0, sqrt(where(is_zero, 1.0, x)))


def of_cosine(u: AnyArray, v: AnyArray) -> Any:
    norms = vector_norm(u, axis=-1) * vector_norm(v, axis=-1)
    return 1 - sum(u * v, axis=-1) / norms


def of_correlation(u: AnyArray, v: AnyArray) -> Any:
    return of_cosine(u - mean(u, axis=-1, keepdims=True), v - mean(v, axis=-1, keepdims=True))


def of_minkowski(u: AnyArray, v: AnyArray, p: float = 2, w: Any = None) -> Any:
    if p <= 0:
        raise OptionError("minkowski", [type_of(u), type_of(v)], f"p is positive, not {p}")
    difference = u - v
    if w is not None:
        w = weights("minkowski", w)
        difference = difference * (np.asarray(w) != 0 if np.isinf(p) else w ** (1 / p))
    return vector_norm(difference, axis=-1, ord=p)


def of_mahalanobis(u: AnyArray, v: AnyArray, VI: Any) -> Any:
    difference = expand_dims(u - v, axis=-2)
    return root(sum(matmul(difference, VI) * difference, axis=-1)[..., 0])


def of_canberra(u: AnyArray, v: AnyArray) -> Any:
    size = abs(u) + abs(v)
    return sum(abs(u - v) / where(equal(size, 0), 1.0, size), axis=-1)


def of_jensenshannon(u: AnyArray, v: AnyArray, base: float | None = None) -> Any:
    p, q = (x / sum(x, axis=-1, keepdims=True) for x in (u, v))
    middle = (p + q) / 2
    middle = where(equal(middle, 0), 1.0, middle)
    apart = sum(xlogy(p, p / middle) + xlogy(q, q / middle), axis=-1)
    return root(apart / 2 if base is None else apart / (2 * np.log(base)))


METRICS: dict[str, Callable[..., Any]] = {
    "braycurtis": lambda u, v: sum(abs(u - v), axis=-1) / sum(abs(u + v), axis=-1),
    "canberra": of_canberra,
    "chebyshev": lambda u, v: max(abs(u - v), axis=-1),
    "cityblock": lambda u, v: sum(abs(u - v), axis=-1),
    "correlation": of_correlation,
    "cosine": of_cosine,
    "euclidean": lambda u, v: vector_norm(u - v, axis=-1),
    "jensenshannon": of_jensenshannon,
    "mahalanobis": of_mahalanobis,
    "minkowski": of_minkowski,
    "seuclidean": lambda u, v, V: vector_norm((u - v) / sqrt(V), axis=-1),
    "sqeuclidean": lambda u, v: sum(square(u - v), axis=-1),
}
"""The distances along the last axis, of stacks of vectors that broadcast."""


def metric_of(call: str, metric: Any, kwargs: dict[str, Any], *xs: Any) -> Any:
    """The function for the name of a metric, with its parameters from all vectors by default."""
    if metric not in METRICS:
        raise OptionError(
            call, map(type_of, xs), f"there is no metric {metric!r} with a derivative",
            hint=f"there are {', '.join(METRICS)}",
        )  # fmt: skip
    if metric in ("mahalanobis", "seuclidean"):
        name = "VI" if metric == "mahalanobis" else "V"
        if kwargs.get(name) is None:
            kwargs = {name: spread(concatenate(xs, axis=0), metric)}
    return lambda u, v: METRICS[metric](u, v, **kwargs)


def spread(x: AnyArray, metric: str) -> Any:
    """The variances of the entries of vectors, or the inverse of their covariances."""
    apart = x - mean(x, axis=0, keepdims=True)
    count: Any = shape_of(x)[0]
    if metric == "seuclidean":
        return sum(square(apart), axis=0) / (count - 1)
    return inv(matmul(matrix_transpose(apart), apart) / (count - 1))
