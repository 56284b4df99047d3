"""Directional derivatives: from expressions to those of their tangents, inputs first."""

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from gradops import GraphError, ShapeError, astype, depending_on
from gradops.forward import spread
from gradops.types import is_inexact, operand_types

from ..ir.expr import CAUSE, Expr, Names, common_names, lifted, sequence
from .reverse import gradients, missing, require_floats


def jvp(ys: Any, xs: Any, tangents: Any, unconnected: str = "zero") -> list[Expr | None]:
    """The derivatives of each of `ys` when the `xs` move along `tangents`, as expressions.

    Only what lies between is visited. A y that depends on no x gets zeros, or None with
    `unconnected="none"`. Raises DTypeError for integers, ShapeError for a tangent of another shape
    than its x.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (t,) = sg.jvp(x * x, x, [1.0, 0.0])
    >>> sg.compile(t, [x])([3.0, 4.0])
    array([6., 0.], dtype=float32)
    """
    ys, xs = sequence(ys), sequence(xs)
    names = common_names("jvp", [*ys, *xs])
    require_floats(ys, xs)
    found = pushed(moving(names, xs, tangents), ys)
    return [found[y] if y in found else missing(names, y, unconnected) for y in ys]


def moving(names: Names, xs: list[Expr], tangents: Any) -> dict[Expr, Expr]:
    """The tangent of each x, which must have its shape."""
    found: dict[Expr, Expr] = {}
    for x, t in zip(xs, one_each("jvp", xs, tangents), strict=True):
        t = t if isinstance(t, Expr) else lifted(names, [t, x])[0]
        if t.shape != x.shape:
            raise ShapeError("jvp", operand_types([x, t]), "a tangent has the shape of its x")
        t = t if t.dtype == x.dtype else astype(t, dtype=x.dtype)
        found[x] = found[x] + t if x in found else t
    return found


def one_each(call: str, targets: list[Expr], given: Any) -> list[Any]:
    """A vector for each target: a list of them, or for a single target the vector itself."""
    is_list = isinstance(given, list | tuple)
    if len(targets) == 1 and not (is_list and len(given) == 1 and hasattr(given[0], "dtype")):
        return [np.asarray(given) if is_list else given]
    found = sequence(given)
    if len(found) != len(targets):
        raise GraphError(f"{call}: got {len(targets)} expressions and {len(found)} vectors")
    return found


def pushed(tangents: Mapping[Expr, Expr], ys: list[Expr]) -> dict[Expr, Any]:
    """The tangents of all that lies between the xs and the ys."""
    found: dict[Expr, Any] = dict(tangents)
    before = CAUSE.set(None)
    try:
        for e in sorted(depending_on(tangents, ys), key=lambda e: int(e.number)):
            if e not in found and e.op is not None and is_inexact(e.dtype):
                CAUSE.set(e)  # what the rules build from here on was caused by `e`
                rules = [
                    (e.op.rule("jvp", i), found[x]) for i, x in enumerate(e.inputs) if x in found
                ]
                terms = [rule(t, e, *e.inputs, **e.attrs) for rule, t in rules if rule]
                if terms:
                    found[e] = spread(reduce(add, terms), e)
        return found
    finally:
        CAUSE.reset(before)


def vjp(ys: Any, xs: Any, cotangents: Any) -> list[Expr | None]:
    """The gradients of `ys`, weighed by `cotangents`, by each of `xs`; zeros where there is none.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (g,) = sg.vjp(x * x, x, sg.constant([1.0, 10.0]))
    >>> sg.compile(g, [x])([3.0, 4.0])
    array([ 6., 80.], dtype=float32)
    """
    return gradients(ys, xs, one_each("vjp", sequence(ys), cotangents), unconnected="zero")


def hvp(y: Any, xs: Any, vectors: Any) -> list[Expr | None]:
    """The products of the Hessian of a scalar `y` with `vectors`, one for each of `xs`.

    Forward over reverse: about twice the work of the gradient. Raises as `gradients` and `jvp` do.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (h,) = sg.hvp(sg.reduce_sum(x**3), x, [1.0, 0.0])
    >>> sg.compile(h, [x])([3.0, 4.0])
    array([18.,  0.], dtype=float32)
    """
    return jvp(gradients(y, xs, unconnected="zero"), xs, vectors)
