"""Tensors without dimensions in functions along a dimension: PyTorch takes them for rows of one."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gradops import OPS
from gradops.core.types import shape_of
from gradops.typing import AnyArray, Attrs

from ..engine.handle import Handle
from ..engine.tensor import as_tensor
from .wrapping import parameters_of, wrap

T = TypeVar("T")


def numbers_as_rows(function: Callable[..., T]) -> Callable[..., T]:
    """`function`, which works along a dimension, for numbers too.

    Numbers become rows of one, and results that are rows of one become numbers.
    """

    return on_rows(function, lambda result, args, kwargs: as_numbers(result))


def like_indices(function: Callable[..., T]) -> Callable[..., T]:
    """`function`, whose result has the shape of its argument `index`, for numbers too."""
    place = parameters_of(function).index("index") - 1

    def like_index(result: Any, args: Sequence[Any], kwargs: Attrs) -> Any:
        index = kwargs["index"] if "index" in kwargs else args[place]
        return in_shape(result, shape_of(index))

    return on_rows(function, like_index)


def on_rows(function: Callable[..., T], finish: Callable[..., Any]) -> Callable[..., T]:
    """`function`, which gets numbers as rows of one; `finish` changes its result for a number."""

    def call(x: AnyArray, *args: Any, **kwargs: Any) -> Any:
        if (isinstance(x, Handle) and x.value.shape) or shape_of(x):
            return function(x, *args, **kwargs)
        rest = {k: as_row(v) for k, v in kwargs.items()}
        result: Any = function(as_row(as_tensor(x)), *map(as_row, args), **rest)
        return finish(result, args, kwargs)

    return wrap(call, function)


def as_row(x: T) -> Any:
    """A tensor without dimensions as a row of one; anything else unchanged."""
    if isinstance(x, Handle) and not x.shape:
        return OPS["reshape"](x, shape=(1,))
    return x


def as_numbers(result: Any) -> Any:
    """Results, with rows of one as numbers."""
    if not isinstance(result, tuple):
        return in_shape(result, ()) if shape_of(result) == (1,) else result
    parts = [as_numbers(part) for part in result]
    return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)


def in_shape(row: AnyArray, shape: tuple[Any, ...]) -> Any:
    """A row of one in another shape: a view only of what the row is a view of."""
    result = OPS["reshape"](row, shape=shape)
    return drop_alias(result) if isinstance(row, Handle) and row.alias is None else result


def drop_alias(result: Any) -> Any:
    """A result that is a view of a temporary, as a tensor of its own."""
    if isinstance(result, Handle):
        result.alias = None
    return result
