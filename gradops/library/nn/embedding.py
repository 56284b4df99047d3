"""Embeddings: rows of a table by their numbers."""

from typing import Any

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ..elementwise.comparison import equal, where
from ..index.indexing import take
from ..shape.creation import stop_gradient
from ..shape.movement import expand_dims

__all__ = ["embedding"]


def embedding(labels: Any, table: Any, padding: int | None = None) -> Any:
    """The rows of a table (rows, features) that labels (...) name, as (..., features).

    The row `padding`, counted from the end if negative, gets no gradient. Raises IndexingError for
    a row that there is not.

    >>> embedding(np.array([1, 0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[3., 4.],
           [1., 2.]])
    """
    if len(shape_of(table)) != 2:
        raise ShapeError("embedding", [type_of(table)], "a table has axes (rows, features)")
    rows = take(table, labels, axis=0)
    if padding is None:
        return rows
    count = shape_of(table)[0]
    if isinstance(count, int) and not -count <= padding < count:
        raise OptionError("embedding", [type_of(table)], f"there is no row {padding} for padding")
    constant = expand_dims(equal(labels, padding if padding >= 0 else count + padding), axis=-1)
    return where(constant, stop_gradient(rows), rows)
