"""Jacobians and Hessians: all cotangents at once, as one batch."""

from typing import Any

import numpy as np

from gradops import Batched, ShapeError, reshape
from gradops.core.levels import at_level, levels
from gradops.transforms.batching import unbatch

from ..ir.expr import Expr, as_exprs, common_names, sequence
from .forward import pushed
from .reverse import gradients, missing, pulled, require_floats


def jacobian(y: Expr, xs: Any) -> Any:
    """The derivatives of each entry of `y` by each entry of `xs`, of shape (*y.shape, *x.shape).

    `xs` is an expression, or a list of them, which gives a list. The backward graph is built once,
    for the unit cotangents as a batch. Raises ShapeError if the size of `y` is not known.

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
            "jacobian", [y.label], "the number of rows is the size of y, which is not known",
            hint="give the axes of y sizes, or take jvp or vjp along single directions",
        )  # fmt: skip
    size, level = int(np.prod(y.shape, dtype=int)), next(levels)
    units = as_exprs(names, [np.eye(size, dtype=y.dtype).reshape(size, *y.shape), y])[0]
    with at_level(level):
        result = pulled({y: Batched(units, level)}, wanted, ())
    rows = [rows_of(names, y, x, result.get(x), size, level) for x in wanted]
    return rows[0] if isinstance(xs, Expr) else rows


def rows_of(names: Any, y: Expr, x: Expr, g: Any, size: int, level: float) -> Expr:
    """The cotangents of x for all unit cotangents of y, as the Jacobian."""
    if g is None:
        g = missing(names, x, "zero")
    stacked = unbatch(g, 0, size, level)
    return reshape(stacked, shape=(*y.shape, *x.shape))


def jacobian_by_columns(y: Expr, x: Expr) -> Any:
    """The same for one x, by tangents: for a y with more entries than x, whose size must be known.

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
        t = pushed(unit_tangents, [y]).get(y)
    columns = unbatch(missing(names, y, "zero") if t is None else t, -1, size, level)
    return reshape(columns, shape=(*y.shape, *x.shape))


def hessian(y: Expr, x: Expr) -> Any:
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
