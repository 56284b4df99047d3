"""Forward mode: expressions of tangents, built from inputs to outputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, GraphError, astype, depending_on
from gradops.transforms.forward import tangent_like
from gradops.typing import Operand

from ..build.collector import collector_paused
from ..ir.errors import refuse_inner
from ..ir.expr import Expr, as_exprs, common_names, sequence
from ..ir.names import CAUSE, Names
from ..ir.tuple_types import Parts
from .reverse import BY_WHAT, gradients, require_floats, shaped_like, zero_or_none

Exprs = Expr | Sequence[Expr]
Vectors = Operand | Sequence[Operand]


def jvp(ys: Exprs, xs: Exprs, tangents: Vectors, unconnected: str = "zero") -> list[Expr | None]:
    """The tangents of each of `ys` for the `tangents` of `xs`, as expressions.

    Only expressions between the xs and the ys are visited. A y that depends on no x gets zeros, or
    None with `unconnected="none"`. Raises DTypeError for integers, ShapeError for a tangent of
    another shape than its x.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (t,) = sg.jvp(x * x, x, [1.0, 0.0])
    >>> sg.compile(t, [x])([3.0, 4.0])
    array([6., 0.], dtype=float32)
    """
    ys, xs = sequence(ys), sequence(xs)
    names = common_names("jvp", [*ys, *xs])
    require_floats(ys, xs)
    refuse_inner(GraphError, xs, BY_WHAT)
    result = push_forward(initial_tangents(names, xs, tangents), ys)
    return [zero_or_none(names, y, unconnected) if result.get(y) is None else result[y] for y in ys]


def initial_tangents(names: Names, xs: list[Expr], tangents: Vectors) -> dict[Expr, Expr]:
    """The tangent of each x, converted to its dtype; raises ShapeError for another shape."""
    result: dict[Expr, Expr] = {}
    for x, t in zip(xs, vector_for_each("jvp", xs, tangents), strict=True):
        t = t if isinstance(t, Expr) else as_exprs(names, [t, x])[0]
        t = shaped_like("jvp", x, t, "a tangent has the shape of its x")
        t = t if t.dtype == x.dtype else astype(t, dtype=x.dtype)
        result[x] = result[x] + t if x in result else t
    return result


def vector_for_each(call: str, targets: list[Expr], given: Any) -> list[Any]:
    """The vectors for the targets, as a list; a single target may have the vector itself."""
    is_list = isinstance(given, list | tuple)
    if len(targets) == 1 and not (is_list and len(given) == 1 and hasattr(given[0], "dtype")):
        return [np.asarray(given) if is_list else given]
    result = sequence(given)
    if len(result) != len(targets):
        raise GraphError(f"{call}: got {len(targets)} expressions and {len(result)} vectors")
    return result


@collector_paused()
def push_forward(tangents: Mapping[Expr, Expr], ys: list[Expr]) -> dict[Expr, Any]:
    """The tangents of all expressions between those with `tangents` and the ys."""
    result: dict[Expr, Any] = dict(tangents)
    between = depending_on(tangents, ys)
    wider = {e.widens.narrow: e for e in between if e.widens is not None}
    before = CAUSE.set(None)
    try:
        done: set[Expr] = set()
        for e in in_order(between, wider):
            done.add(e)
            if e not in result and e.op is not None and e.dtype.kind in "fcO":
                CAUSE.set(e)  # the origin of what the rules build from here on
                wide = wider.get(e)
                t = (
                    narrow_tangents(result.get(wide), wide)
                    if wide in done
                    else tangent_of(e, result)
                )
                if t is not None:
                    result[e] = t
        return result
    finally:
        CAUSE.reset(before)


def in_order(between: set[Expr], wider: Mapping[Expr, Expr]) -> Iterator[Expr]:
    """Expressions in order: after their inputs and, if possible, after their extended forms.

    The tangents of an expression are then taken from those of its extended form.
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
            first = unfinished_ancestors([wider[e]], between, done)
            if e not in first:
                stack += [e, *sorted(first, key=lambda e: int(e.number), reverse=True)]
                continue
        done.add(e)
        yield e


def unfinished_ancestors(ends: list[Expr], between: set[Expr], done: set[Expr]) -> set[Expr]:
    """The expressions of `between` that `ends` depend on and that are not done."""
    stack, seen = list(ends), set(ends)
    while stack:
        for x in stack.pop().inputs:
            if x in between and x not in done and x not in seen:
                seen.add(x)
                stack.append(x)
    return seen


def tangent_of(e: Expr, tangents: Mapping[Expr, Any]) -> Expr | Parts | None:
    """The tangent of `e` from those of its inputs; None if it has none."""
    assert e.op is not None
    by_number = {i: tangents[x] for i, x in enumerate(e.inputs) if x in tangents}
    total = e.op.push(by_number, (e, *e.inputs), e.attrs) if by_number else None
    return tangent_like(total, e) if total is not None and type(e.type) is ArrayType else total


def narrow_tangents(t: Parts | None, wide: Expr) -> Parts | None:
    """The tangents of an expression's values, from those of its extended form."""
    if t is None or wide.widens is None:
        return None
    return Parts({i: t.by_index[k] for i, k in enumerate(wide.widens.places) if k in t.by_index})


def vjp(ys: Exprs, xs: Exprs, cotangents: Vectors) -> list[Expr | None]:
    """The gradients of `ys` for `cotangents` by each of `xs`; zeros where there is none.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (g,) = sg.vjp(x * x, x, sg.constant([1.0, 10.0]))
    >>> sg.compile(g, [x])([3.0, 4.0])
    array([ 6., 80.], dtype=float32)
    """
    return gradients(ys, xs, vector_for_each("vjp", sequence(ys), cotangents), unconnected="zero")


def hvp(y: Expr, xs: Exprs, vectors: Vectors) -> list[Expr | None]:
    """Hessian-vector products of a scalar `y` with `vectors`, one for each of `xs`.

    Forward over reverse: about twice the work of the gradient. Raises as `gradients` and `jvp` do.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (h,) = sg.hvp(sg.reduce_sum(x**3), x, [1.0, 0.0])
    >>> sg.compile(h, [x])([3.0, 4.0])
    array([18.,  0.], dtype=float32)
    """
    gs = [g for g in gradients(y, xs, unconnected="zero") if g is not None]
    return jvp(gs, xs, vectors)
