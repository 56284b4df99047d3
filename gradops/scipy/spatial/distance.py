"""Distances between vectors by the names of `scipy.spatial.distance`, with derivatives.

Where vectors coincide, a distance has a kink: its derivative there is 0, as that of a norm at 0.

>>> from gradops.scipy.spatial import distance
>>> distance.cdist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
array([[5., 1.]])
"""

from typing import Any

import numpy as np

from ...core.errors import OptionError, ShapeError
from ...core.lazy_import import lazily
from ...core.types import shape_of, type_of
from ...library.elementwise.arithmetic import sqrt
from ...library.index.indexing import index, take
from ...library.shape.creation import zeros_like
from ...library.shape.joining import concatenate
from ...library.shape.movement import expand_dims, reshape
from ..missing_names import missing_from
from .metrics import METRICS, metric_of, of_minkowski, vectors, weights

__all__ = [
    "braycurtis", "canberra", "cdist", "chebyshev", "cityblock", "correlation", "cosine",
    "euclidean", "jensenshannon", "mahalanobis", "minkowski", "pdist", "seuclidean", "sqeuclidean",
    "squareform",
]  # fmt: skip


def cdist(XA: Any, XB: Any, metric: str = "euclidean", *, out: None = None, **kwargs: Any) -> Any:
    """The distances between each row of one matrix and each of another.

    Raises OptionError for a metric without a derivative, and for `out`.

    >>> cdist([[0.0, 0.0]], [[3.0, 4.0]], "cityblock")
    array([[7.]])
    """
    refuse_out("cdist", out)
    a, b = vectors("cdist", 2, XA, XB)
    distance = metric_of("cdist", metric, kwargs, a, b)
    return distance(expand_dims(a, axis=1), expand_dims(b, axis=0))


def pdist(X: Any, metric: str = "euclidean", *, out: None = None, **kwargs: Any) -> Any:
    """The distances between the rows of a matrix, of each pair once, as a vector.

    Raises OptionError for a metric without a derivative, and for `out`.

    >>> pdist([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]])
    array([5., 0., 5.])
    """
    refuse_out("pdist", out)
    (x,) = vectors("pdist", 2, X)
    first, second = np.triu_indices(int(shape_of(x)[0]), 1)
    distance = metric_of("pdist", metric, kwargs, x)
    return distance(take(x, first, axis=0), take(x, second, axis=0))


def refuse_out(call: str, out: object) -> None:
    """Raise an OptionError for an array to write to."""
    if out is not None:
        raise OptionError(call, [], "results are not written to arrays", hint="leave it out")


def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """The symmetric matrix of a vector of distances, or the vector of such a matrix.

    Of a matrix the upper triangle is read. `checks` are of shapes alone. Raises ShapeError for what
    is neither, OptionError for another `force`.

    >>> squareform([1.0, 2.0, 3.0])
    array([[0., 1., 2.],
           [1., 0., 3.],
           [2., 3., 0.]])
    """
    x = np.asarray(X) if isinstance(X, list | tuple) else X
    if force not in ("no", "tomatrix", "tovector"):
        raise OptionError("squareform", [type_of(x)], f"there is no force={force!r}")
    shape: Any = shape_of(x)
    if len(shape) == 2 and shape[0] == shape[1] and force != "tomatrix":
        return index(x, np.triu_indices(shape[0], 1))
    n = int(np.ceil(np.sqrt(2 * shape[0]))) if len(shape) == 1 else -1
    if n * (n - 1) != 2 * shape[0] or force == "tovector":
        raise ShapeError(
            "squareform", [type_of(x)], "it is neither a vector of pairs nor a square matrix"
        )
    n = n or 1
    places = np.zeros((n, n), np.intp)
    places[np.triu_indices(n, 1)] = 1 + np.arange(shape[0])
    zero = zeros_like(x)[:1] if shape[0] else np.zeros(1)
    return take(concatenate([zero, x], axis=0), places + places.T, axis=0)


def between(name: str, u: Any, v: Any, w: Any = None, **attrs: Any) -> Any:
    """The distance between two vectors; weights are those of a sum of entries."""
    u, v = vectors(name, 1, u, v)
    if w is None:
        return METRICS[name](u, v, **attrs)
    w = weights(name, w)
    if name in ("euclidean", "sqeuclidean"):
        u, v = u * sqrt(w), v * sqrt(w)
    elif name == "cityblock":
        u, v = u * w, v * w
    else:
        raise OptionError(name, [type_of(u), type_of(v)], "weights are not here", hint="scale u, v")
    return METRICS[name](u, v, **attrs)


def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    """The Euclidean distance between two vectors; `w` are weights of the squares.

    >>> float(euclidean([0.0, 0.0], [3.0, 4.0]))
    5.0
    """
    return between("euclidean", u, v, w)


def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    """The square of the Euclidean distance between two vectors.

    >>> float(sqeuclidean([0.0, 0.0], [3.0, 4.0]))
    25.0
    """
    return between("sqeuclidean", u, v, w)


def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of the absolute differences of two vectors.

    >>> float(cityblock([0.0, 0.0], [3.0, -4.0]))
    7.0
    """
    return between("cityblock", u, v, w)


def chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    """The largest absolute difference of two vectors.

    >>> float(chebyshev([0.0, 0.0], [3.0, -4.0]))
    4.0
    """
    return between("chebyshev", u, v, w)


def minkowski(u: Any, v: Any, p: float = 2, w: Any = None) -> Any:
    """The p-norm of the difference of two vectors; `w` are weights of the powers.

    >>> float(minkowski([0.0, 0.0], [3.0, 4.0], 1))
    7.0
    """
    u, v = vectors("minkowski", 1, u, v)
    return of_minkowski(u, v, p, w)


def cosine(u: Any, v: Any, w: Any = None) -> Any:
    """One minus the cosine of the angle between two vectors.

    >>> float(cosine([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    return between("cosine", u, v, w)


def correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    """One minus the correlation of the entries of two vectors.

    >>> round(float(correlation([1.0, 2.0], [2.0, 1.0])), 12)
    2.0
    """
    return between("correlation" if centered else "cosine", u, v, w)


def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """The Euclidean distance of vectors whose entries have the variances `V`.

    >>> float(seuclidean([0.0], [4.0], np.array([4.0])))
    2.0
    """
    return between("seuclidean", u, v, V=V)


def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """The distance of vectors by the inverse `VI` of a covariance.

    >>> float(mahalanobis([0.0], [4.0], np.array([[0.25]])))
    2.0
    """
    return between("mahalanobis", u, v, VI=VI)


def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of the absolute differences over that of the absolute sums.

    >>> float(braycurtis([1.0, 0.0], [0.0, 1.0]))
    1.0
    """
    return between("braycurtis", u, v, w)


def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """The sum of |u - v| / (|u| + |v|), where 0 / 0 is 0.

    >>> float(canberra([1.0, 0.0], [3.0, 0.0]))
    0.5
    """
    return between("canberra", u, v, w)


def jensenshannon(
    p: Any, q: Any, base: float | None = None, *, axis: int = 0, keepdims: bool = False
) -> Any:
    """The Jensen-Shannon distance of two distributions, which need not add up to 1.

    Raises OptionError unless `axis` is the only one.

    >>> round(float(jensenshannon([1.0, 0.0], [0.0, 1.0], 2)), 12)
    1.0
    """
    found = between("jensenshannon", p, q, base=base)
    if axis not in (0, -1):
        raise OptionError("jensenshannon", [], f"axis={axis} is not here, only 0")
    return reshape(found, shape=(1,)) if keepdims else found


__getattr__, __dir__ = lazily(__name__, {}, missing_from(__name__))
