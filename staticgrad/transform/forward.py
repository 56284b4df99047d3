"""Directional derivatives: from expressions to those of their tangents, inputs first."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradops import ArrayType, GraphError, astype, depending_on
from gradops.transforms.forward import tangent_like

from ..ir.errors import refuse_inner
from ..ir.expr import Expr, as_exprs, common_names, sequence
from ..ir.names import CAUSE, Names
from ..ir.tuple_types import Parts
from .reverse import BY_WHAT, gradients, missing, require_floats, shaped_like


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
    refuse_inner(GraphError, xs, BY_WHAT)
    result = pushed(moving(names, xs, tangents), ys)
    return [missing(names, y, unconnected) if result.get(y) is None else result[y] for y in ys]


def moving(names: Names, xs: list[Expr], tangents: Any) -> dict[Expr, Expr]:
    """The tangent of each x, which must have its shape."""
    result: dict[Expr, Expr] = {}
    for x, t in zip(xs, one_each("jvp", xs, tangents), strict=True):
        t = t if isinstance(t, Expr) else as_exprs(names, [t, x])[0]
        t = shaped_like("jvp", x, t, "a tangent has the shape of its x")
        t = t if t.dtype == x.dtype else astype(t, dtype=x.dtype)
        result[x] = result[x] + t if x in result else t
    return result


def one_each(call: str, targets: list[Expr], given: Any) -> list[Any]:
    """A vector for each target: a list of them, or for a single target the vector itself."""
    is_list = isinstance(given, list | tuple)
    if len(targets) == 1 and not (is_list and len(given) == 1 and hasattr(given[0], "dtype")):
        return [np.asarray(given) if is_list else given]
    result = sequence(given)
    if len(result) != len(targets):
        raise GraphError(f"{call}: got {len(targets)} expressions and {len(result)} vectors")
    return result


def pushed(tangents: Mapping[Expr, Expr], ys: list[Expr]) -> dict[Expr, Any]:
    """The tangents of all that lies between the xs and the ys."""
    result: dict[Expr, Any] = dict(tangents)
    between = depending_on(tangents, ys)
    wider = {e.widens.narrow: e for e in between if e.widens is not None}
    before = CAUSE.set(None)
    try:
        done: set[Expr] = set()
        for e in in_turn(between, wider):
            done.add(e)
            if e not in result and e.op is not None and e.dtype.kind in "fcO":
                CAUSE.set(e)  # what the rules build from here on was caused by `e`
                wide = wider.get(e)
                t = narrowed(result.get(wide), wide) if wide in done else tangent_of(e, result)
                if t is not None:
                    result[e] = t
        return result
    finally:
        CAUSE.reset(before)


def in_turn(between: set[Expr], wider: Mapping[Expr, Expr]) -> Iterator[Expr]:
    """All expressions after their inputs, and after their wider forms where that can be.

    What gives all that another expression gives, moves once.
    """
    done: set[Expr] = set()
    tried: set[Expr] = set()
    stack = sorted(between, key=lambda e: int(e.number), reverse=True)
    while stack:
        e = stack.pop()
        if e in done:
            continue
        if e in wider and e not in tried:
            tried.add(e)
            first = ancestors_but([wider[e]], between, done)
            if e not in first:
                stack += [e, *sorted(first, key=lambda e: int(e.number), reverse=True)]
                continue
        done.add(e)
        yield e


def ancestors_but(ends: list[Expr], between: set[Expr], done: set[Expr]) -> set[Expr]:
    """What of `between` is needed for `ends` and not done."""
    stack, seen = list(ends), set(ends)
    while stack:
        for x in stack.pop().inputs:
            if x in between and x not in done and x not in seen:
                seen.add(x)
                stack.append(x)
    return seen


def tangent_of(e: Expr, found: dict[Expr, Any]) -> Any:
    """The tangent of `e`, given those of its inputs; None if it does not move."""
    assert e.op is not None
    tangents = {i: found[x] for i, x in enumerate(e.inputs) if found.get(x) is not None}
    total = e.op.push(tangents, (e, *e.inputs), e.attrs) if tangents else None
    return tangent_like(total, e) if total is not None and type(e.type) is ArrayType else total


def narrowed(t: Any, wide: Any) -> Parts | None:
    """The tangents of the values that an expression gives, from those of its wider form."""
    if t is None:
        return None
    return Parts({i: t.by_index[k] for i, k in enumerate(wide.widens.places) if k in t.by_index})


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
