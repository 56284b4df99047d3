"""Gradients: from expressions to the expressions of their derivatives."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradops import (
    DTypeError,
    GraphError,
    MixedOperandsError,
    OptionError,
    ShapeError,
    astype,
    broadcast_to,
    depending_on,
    pull_back,
)
from gradops.core.rules import JointVJP
from gradops.core.types import conflict, is_inexact, operand_types
from gradops.library.shape.ensure_shape import ensure_shape

from ..freezing.loop_widening import NodeView, reverse_view, widest_views
from ..ir.errors import refuse_inner
from ..ir.expr import Expr, as_exprs, common_names, new_constant, sequence, whole_of
from ..ir.names import CAUSE, Names
from ..ir.reachability import by_age

BY_WHAT = "differentiate by what the function is given, or reads from outside, or do it inside"


def gradients(
    ys: Any, xs: Any, grad_ys: Any = None, stop_gradients: Any = (), unconnected: str = "none"
) -> list[Expr | None]:
    """The gradients of the sum of `ys` with respect to each of `xs`, as expressions.

    `grad_ys` weigh the ys, which else count 1 in each entry. What is in `stop_gradients` counts as
    constant. An x that no y depends on gets None, or zeros with `unconnected="zero"`; what a
    variable is assigned passes no gradient on. The results are ordinary expressions and can be
    differentiated in turn. Raises DTypeError for integers, and for a complex y without a
    weight; ShapeError for a weight of another shape than its y, in each run where sizes are not
    known before; OptionError.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (g,) = sg.gradients(x * x, x)
    >>> sg.compile(g, [x])([1.0, 2.0])
    array([2., 4.], dtype=float32)
    """
    ys, xs, stop = sequence(ys), sequence(xs), set(sequence(stop_gradients))
    names = common_names("gradients", [*ys, *xs])
    require_floats(ys, xs)
    refuse_inner(GraphError, [*xs, *stop], BY_WHAT)
    if unconnected not in ("none", "zero"):
        raise OptionError("gradients", [], f"unconnected is none or zero, not {unconnected!r}")
    result = pulled(seeded(names, ys, sequence(grad_ys)), xs, stop)
    results = [result[x] if x in result else missing(names, x, unconnected) for x in xs]
    return [r if r is None or isinstance(r, Expr) else as_exprs(names, [r])[0] for r in results]


def pulled(seeds: dict[Expr, Any], xs: Sequence[Expr], stop: Collection[Expr]) -> dict[Any, Any]:
    """The cotangents of the xs that the seeded expressions depend on."""
    active: set[Any] = differentiable(xs, depending_on(xs, seeds, stop))
    has_complex = any(e.type.dtype.kind == "c" for e in active)
    widest = widest_views(active)
    active.update([view for view, _ in widest.values()])
    view = partial(reverse_view, widest, stop) if widest or stop or has_complex else None

    def read(e: Any) -> tuple[Any, ...]:
        is_view = type(e) is NodeView
        CAUSE.set(e.e if is_view else e)  # what the rules build from here on was caused by it
        return (e.operand if is_view else e, *e.inputs)

    seeds = {y: g for y, g in seeds.items() if y in active}
    before = CAUSE.set(None)
    try:
        return pull_back(seeds, read, active, set(xs), view=view)
    finally:
        CAUSE.reset(before)


def differentiable(xs: Iterable[Expr], between: Iterable[Expr]) -> set[Expr]:
    """The expressions `between` xs and ys to which a rule passes the derivative by an x on."""
    result = set(xs)
    for e in sorted(between, key=by_age):
        if e.op is None or e.dtype.kind not in "fcO":  # O is of several values at once
            continue
        if not result.isdisjoint(carried_by(e)):
            result.add(e)
    return result


def carried_by(e: Expr) -> list[Expr]:
    """Those by which rules differentiate `e`: its inputs, or for a part those of the whole."""
    assert e.op is not None
    whole = whole_of(e)
    if whole is not None and whole.op is not None:
        of_all = whole.op.vjp
        if isinstance(of_all, JointVJP) and of_all.reach:
            bits = of_all.reach(**whole.attrs)[e.attrs["index"]]
            return [x for i, x in enumerate(whole.inputs) if bits >> i & 1]
    rules = e.op.vjp  # a rule that is missing is an error, when it is asked for
    return [x for i, x in enumerate(e.inputs) if i >= len(rules) or rules[i]]


def require_floats(ys: Iterable[Expr], xs: Iterable[Expr]) -> None:
    """Refuse to differentiate integers and truth values, or by them."""
    for e in (*ys, *xs):
        if not isinstance(e, Expr):
            raise MixedOperandsError(
                "gradients", [type(e).__name__], "they are of and by expressions of a graph"
            )
        if not is_inexact(e.dtype):
            raise DTypeError(
                "gradients", [e.label], f"only floats can be differentiated, not {e.dtype}",
                hint="convert it before it is used: x.astype(float)",
            )  # fmt: skip


def seeded(names: Names, ys: Sequence[Expr], grad_ys: Sequence[Any]) -> dict[Expr, Expr]:
    """The cotangent each y starts with: the one given, or ones."""
    if grad_ys and len(grad_ys) != len(ys):
        raise GraphError(f"got {len(ys)} ys and {len(grad_ys)} grad_ys")
    seeds: dict[Expr, Any] = {}
    for y, g in zip(ys, grad_ys or [None] * len(ys), strict=True):
        g = ones_like(names, y) if g is None else checked(names, y, g)
        seeds[y] = seeds[y] + g if y in seeds else g
    return seeds


def ones_like(names: Names, y: Expr) -> Any:
    """Ones of the type of `y`, which must be real."""
    if y.dtype.kind == "c":
        raise DTypeError(
            "gradients", [y.label], "the gradient of a complex y is that of a weighted real part",
            hint="give grad_ys, or differentiate abs(y), real(y) or imag(y)",
        )  # fmt: skip
    one = new_constant(names, np.ones((), y.dtype), "one")
    return broadcast_to(one, shape=y.shape) if y.shape else one


def checked(names: Names, y: Expr, g: Any) -> Expr:
    """A weight for `y`, which must have its shape."""
    g = g if isinstance(g, Expr) else as_exprs(names, [g])[0]
    g = shaped_like("gradients", y, g, "a grad_y has the shape of its y")
    return g if g.dtype == y.dtype else astype(g, dtype=y.dtype)


def shaped_like(call: str, e: Expr, v: Expr, reason: str) -> Expr:
    """`v`, which must have the shape of `e`; sizes that are not known are compared in each run."""
    if v.ndim != e.ndim or conflict(v.shape, e.shape):
        raise ShapeError(
            call, operand_types([e, v]), reason, hint="broadcast_to(v, e.shape) repeats entries"
        )
    return v if v.shape == e.shape else ensure_shape(v, shape=e.shape)


def missing(names: Names, x: Expr, unconnected: str) -> Any:
    """The gradient of an x that no y depends on."""
    if unconnected == "none":
        return None
    zero = new_constant(names, np.zeros((), x.dtype), "zero")
    return broadcast_to(zero, shape=x.shape) if x.shape else zero
