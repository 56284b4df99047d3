"""Jacobians and Hessians, from one batch of unit cotangents or tangents."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import Batched, ShapeError, reshape
from gradops.core.levels import at_level, levels
from gradops.transforms.batching import unbatch
from gradops.typing import AnyArray

from ..ir.derivatives import note_derivatives
from ..ir.expr import Expr, as_exprs, common_names, sequence
from ..ir.names import Names
from .forward import push_forward
from .reverse import backpropagate, gradients, require_floats, zero_or_none


def jacobian(y: Expr, xs: Expr | Sequence[Expr]) -> Any:
    """The derivatives of each entry of `y` by each entry of `xs`, of shape (*y.shape, *x.shape).

    For a list of xs the result is a list. The backward graph is built once, for a batch of unit
    cotangents. Raises ShapeError if the size of `y` is not known.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(sg.jacobian(x * x, x), [x])([3.0, 4.0])
    array([[6., 0.],
           [0., 8.]], dtype=float32)
    """
    wanted = sequence(xs)
    names = common_names("jacobian", [y, *wanted])
    require_floats([y], wanted)
    if not all(isinstance(n, int) for n in y.shape):
        raise ShapeError(
            "jacobian", [y.label], "the number of rows is the size of y, which is unknown",
            hint="give the axes of y sizes, or take jvp or vjp along single directions",
        )  # fmt: skip
    size, level = int(np.prod(y.shape, dtype=int)), next(levels)
    units = as_exprs(names, [np.eye(size, dtype=y.dtype).reshape(size, *y.shape), y])[0]
    with at_level(level):
        result = backpropagate({y: Batched(units, level)}, wanted, ())
    rows = [rows_of(names, y, x, result.get(x), size, level) for x in wanted]
    note_derivatives([y], zip(wanted, rows, strict=True))
    return rows[0] if isinstance(xs, Expr) else rows


def rows_of(names: Names, y: Expr, x: Expr, g: AnyArray | None, size: int, level: float) -> Expr:
    """The Jacobian by x, from its cotangents for all unit cotangents of y."""
    if g is None:
        g = zero_or_none(names, x, "zero")
    stacked = unbatch(g, 0, size, level)
    return reshape(stacked, shape=(*y.shape, *x.shape))


def jacobian_by_columns(y: Expr, x: Expr) -> Expr:
    """The Jacobian by one x of known size, in forward mode: for a y with more entries than x.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(jacobian_by_columns(x * x, x), [x])([3.0, 4.0])
    array([[6., 0.],
           [0., 8.]], dtype=float32)
    """
    names = common_names("jacobian", [y, x])
    require_floats([y], [x])
    size, level = int(np.prod(x.shape, dtype=int)), next(levels)
    units = as_exprs(names, [np.eye(size, dtype=x.dtype).reshape(size, *x.shape), x])[0]
    with at_level(level):
        unit_tangents: Any = {x: Batched(units, level)}
        t = push_forward(unit_tangents, [y]).get(y)
    columns = unbatch(zero_or_none(names, y, "zero") if t is None else t, -1, size, level)
    result = reshape(columns, shape=(*y.shape, *x.shape))
    note_derivatives([y], [(x, result)])
    return result


def hessian(y: Expr, x: Expr) -> Expr:
    """The second derivatives of a scalar `y`, of shape (*x.shape, *x.shape).

    Raises ShapeError if the size of `x` is not known.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> sg.compile(sg.hessian(sg.reduce_sum(x**3), x), [x])([1.0, 2.0])
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)
    """
    (g,) = gradients(y, x, unconnected="zero")
    assert g is not None
    return jacobian(g, x)
