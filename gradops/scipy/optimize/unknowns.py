"""The unknowns of a solver: a structure of arrays as one vector."""

from typing import Any

import numpy as np

from ...core.dims import product
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.levels import clock
from ...core.op import OPS, PLAIN
from ...core.tracer_protocol import is_holder
from ...core.tree import flatten, leaves_of
from ...core.types import is_inexact, shape_of, type_of
from ...library.index.indexing import index
from ...library.shape.joining import concatenate, stack
from ...library.shape.movement import reshape
from ...transforms.layers import constant


class Unknowns:
    """The start of a solver as a vector of float64, and how a vector becomes what `x0` is like.

    An array, or a list of numbers, is one vector, as for SciPy; in lists, tuples and dicts, arrays
    keep their shapes. Where `x0` has a tensor, the function gets a tensor.
    """

    def __init__(self, x0: Any) -> None:
        if callable(x0):
            raise OptionError("solver", [], "the function comes first, and then where to start")
        leaves = leaves_of(x0)
        are_numbers = all(type(x) in PLAIN and not np.ndim(x) for x in leaves)
        if isinstance(x0, list | tuple) and are_numbers:
            x0 = np.asarray(x0)
        self.like, self.rebuild = flatten(x0)
        self.is_vector = len(self.like) == 1 and self.like[0] is x0
        self.shapes = [shape_of(x) for x in self.like]
        pieces = [as_floats(constant(x)) for x in self.like]
        self.start = pieces[0] if len(pieces) == 1 else concatenate(pieces)

    @property
    def has_holders(self) -> bool:
        """True if `x0` has a tensor."""
        return any(map(is_holder, self.like))

    def unpack(self, v: Any) -> Any:
        """The structure of `x0` with the entries of a vector."""
        if self.is_vector:
            return self.rebuild([alike(self.like[0], v)])
        found, at = [], 0
        for x, shape in zip(self.like, self.shapes, strict=True):
            n: Any = product(shape)
            found.append(alike(x, reshape(index(v, slice(at, at + n)), shape=shape)))
            at += n
        return self.rebuild(found)


def alike(like: Any, x: Any) -> Any:
    """`x` as a tensor where `like` is one."""
    return like.__gradop_tape__.alike(like, x) if is_holder(like) else x


def as_floats(x: Any) -> Any:
    """An operand as a vector of float64."""
    x = np.asarray(x) if type(x) in PLAIN else x
    t = type_of(x)
    if t.dtype.kind not in "biuf":
        raise DTypeError(
            "solver", [t], "the solvers move real numbers",
            hint="give real and imaginary parts as two arrays",
        )  # fmt: skip
    x = x if t.dtype == np.float64 else OPS["astype"](x, dtype=np.float64)
    return x if len(t.shape) == 1 else reshape(x, shape=(-1,))


def as_vector(y: Any) -> Any:
    """The result of a function as one vector: an array, a number, or a structure of these.

    Raises ShapeError for None.
    """
    leaves = leaves_of(y)
    if not leaves:
        if y is None:
            raise ShapeError("solver", [], "a function that it calls returned None",
                             hint="let it return an array, or numbers")  # fmt: skip
        return np.zeros(0)
    if len(leaves) > 1 and all(not shape_of(x) for x in leaves):
        return stack(list(map(strong, leaves)))
    pieces = [reshape(strong(x), shape=(-1,)) if len(shape_of(x)) != 1 else x for x in leaves]
    return pieces[0] if len(pieces) == 1 else concatenate(pieces)


def as_number(y: Any) -> Any:
    """The result of a function that gives one number, of any shape, as one without axes."""
    y = strong(y)
    return reshape(y, shape=()) if shape_of(y) else y


def strong(x: Any) -> Any:
    """A number of Python's as an array; integers as floats, which have derivatives."""
    x = np.asarray(x, np.float64) if type(x) in PLAIN else x
    return x if is_inexact(type_of(x).dtype) else OPS["astype"](x, dtype=np.float64)


def tuple_of(args: Any) -> tuple[Any, ...]:
    """The further arguments of a function; SciPy takes one of them without its tuple."""
    return args if isinstance(args, tuple) else (args,)


def pairs(options: Any) -> tuple[tuple[str, Any], ...]:
    """Keyword arguments as an attribute of an op, which can be hashed."""
    return tuple([(k, hashable(v)) for k, v in (options or {}).items() if v is not None])


def hashable(value: Any) -> Any:
    """An option in a form that can be hashed."""
    if isinstance(value, dict):
        return pairs(value)
    if isinstance(value, np.ndarray | np.generic):
        return hashable(value.tolist())
    return tuple(map(hashable, value)) if isinstance(value, list | tuple) else value


class Kept:
    """An option that is no attribute by itself, such as constraints; called, it gives the value."""

    def __init__(self, value: Any) -> None:
        self.value, self.number = value, next(clock)

    def __call__(self) -> Any:
        return self.value

    def __repr__(self) -> str:
        return f"<{type(self.value).__name__} {self.number}>"
