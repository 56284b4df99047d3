"""Values while a model is read: arrays that are known, and expressions.

Operators on known arrays are computed at once, which follows the arithmetic of sizes through a
model. Known arrays are small; larger ones are constants of the graph.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import OPS, ValueUnknownError
from gradops.core.dims import Size

from ...build.graph import get_default_graph
from ...build.inputs import as_expression, constant
from ...ir.expr import Expr, as_exprs
from ...ir.shapes.expressions import shape_value
from ..errors import NeedsValue

Value = np.ndarray | Expr
SMALL = 4096
"""The entries of an array up to which operators on it are computed when a model is read."""


def as_value(x: Any) -> Value:
    """A result of an operator: an expression, or an array, of which a large one is a constant."""
    if isinstance(x, Expr):
        return x
    x = np.asarray(x)
    return x if x.size <= SMALL else constant(x)


def as_expr(x: Value | np.generic) -> Expr:
    """The value as an expression of the graph."""
    return x if isinstance(x, Expr) else as_expression(x)


def known(x: Value) -> np.ndarray:
    """The value of `x`, whose entries are sizes of the graph where they depend on its inputs.

    Raises NeedsValue for one that only a run can tell.
    """
    if not isinstance(x, Expr):
        return x
    if x.value is not None and x.op is None and isinstance(x.value, np.ndarray | np.generic):
        return np.asarray(x.value)
    try:
        return shape_value(x)
    except ValueUnknownError:
        raise NeedsValue(x) from None


def sizes(x: Value) -> tuple[Size, ...]:
    """The entries of a vector of sizes."""
    return tuple([n if not isinstance(n, np.integer) else int(n) for n in known(x).ravel()])


def integers(x: Value) -> tuple[int, ...]:
    """The entries of a vector of numbers that must not depend on sizes, such as axes."""
    values = known(x)
    if values.dtype == object and not all(isinstance(n, int | np.integer) for n in values.ravel()):
        raise NeedsValue(as_expr(x))
    return tuple([int(n) for n in values.ravel()])


def floats(x: Value) -> tuple[float, ...]:
    """The entries of a vector of known floats."""
    return tuple([float(n) for n in known(x).ravel()])


def scalar(x: Value) -> Any:
    """The one entry of a known array."""
    return known(x).reshape(-1)[0]


def shape_vector(shape: Sequence[Size]) -> Value:
    """A shape as a vector of int64: known, or an expression where sizes are unknown."""
    if all(isinstance(n, int) for n in shape):
        return np.array(shape, np.int64)
    names = get_default_graph().names
    return OPS["stack"](*as_exprs(names, [as_entry(n) for n in shape]), axis=0)


def as_entry(n: Size) -> Any:
    """A size as an operand: a number of int64, or itself."""
    return np.int64(n) if isinstance(n, int) else n


def along(v: Any, axis: int, rank: int) -> Any:
    """A vector along one of `rank` axes, the others of size 1."""
    axis %= rank
    return OPS["reshape"](v, shape=tuple([-1 if i == axis else 1 for i in range(rank)]))


def places(x: Value, axis: int) -> Any:
    """The number of each entry along one axis, the others of size 1."""
    return along(OPS["positions"](x, axis=axis), axis, len(x.shape))


def as_operand(x: Value, shape: Sequence[Size]) -> Value:
    """The operand of an op whose result has this shape: an expression unless that is small."""
    if all(isinstance(n, int) for n in shape) and math.prod(map(int, shape)) <= SMALL:
        return x
    return as_expr(x)


def filled(shape: Sequence[Size], value: Any) -> Value:
    """An array of one value; an expression unless it is small."""
    value = np.asarray(value)
    if all(isinstance(n, int) for n in shape) and math.prod(map(int, shape)) <= SMALL:
        return np.full([int(n) for n in shape], value, value.dtype)
    return OPS["broadcast_to"](constant(value), shape=tuple(shape))
