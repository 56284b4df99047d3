"""Reverse mode: expressions of gradients, built by `pull_back`."""

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
from gradops.typing import Operand

from ..build.collector import collector_paused
from ..freezing.loop_widening import NodeView, reverse_view, widest_views
from ..ir.derivatives import note_derivatives
from ..ir.errors import refuse_inner
from ..ir.expr import Expr, as_exprs, common_names, new_constant, sequence, whole_of
from ..ir.names import CAUSE, Names
from ..ir.reachability import by_age

BY_WHAT = "differentiate by arguments or captures of the function, or do it inside"


Exprs = Expr | Sequence[Expr]


def gradients(
    ys: Exprs, xs: Exprs, grad_ys: Operand | Sequence[Operand | None] | None = None,
    stop_gradients: Exprs = (), unconnected: str = "none",
) -> list[Expr | None]:  # fmt: skip
    """The gradients of the sum of `ys` with respect to each of `xs`, as expressions.

    `grad_ys` are the cotangents of the ys, by default ones. Expressions in `stop_gradients` count
    as constant. An x that no y depends on gets None, or zeros with `unconnected="zero"`;
    assignments to variables pass no gradient on. The results are ordinary expressions and can be
    differentiated in turn. Raises DTypeError for integers, and for a complex y without a cotangent;
    ShapeError for a cotangent of another shape than its y, at run time if sizes are unknown;
    OptionError.

    >>> x = sg.placeholder("float32", [2], name="x")
    >>> (g,) = sg.gradients(x * x, x)
    >>> sg.compile(g, [x])([1.0, 2.0])
    array([2., 4.], dtype=float32)
    """
    ys, xs, weights = sequence(ys), sequence(xs), sequence(grad_ys)
    constant = sequence(stop_gradients)
    stop = set(constant)
    names = common_names("gradients", [*ys, *xs])
    require_floats(ys, xs)
    refuse_inner(GraphError, [*xs, *stop], BY_WHAT)
    if unconnected not in ("none", "zero"):
        raise OptionError("gradients", [], f"unconnected is none or zero, not {unconnected!r}")
    result = backpropagate(initial_cotangents(names, ys, weights), xs, stop)
    results = [result[x] if x in result else zero_or_none(names, x, unconnected) for x in xs]
    made = [r if r is None or isinstance(r, Expr) else as_exprs(names, [r])[0] for r in results]
    note_derivatives(ys, zip(xs, made, strict=True), weights, constant)
    return made


@collector_paused()
def backpropagate(
    seeds: dict[Expr, Any], xs: Sequence[Expr], stop: Collection[Expr]
) -> dict[Any, Any]:
    """The cotangents of those xs that the expressions with `seeds` depend on."""
    active: set[Any] = differentiable(xs, depending_on(xs, seeds, stop))
    has_complex = any(e.type.dtype.kind == "c" for e in active)
    widest = widest_views(active)
    active.update([view for view, _ in widest.values()])
    view = partial(reverse_view, widest, stop) if widest or stop or has_complex else None

    def read(e: Any) -> tuple[Any, ...]:
        is_view = type(e) is NodeView
        CAUSE.set(e.e if is_view else e)  # the origin of what the rules build
        return (e.operand if is_view else e, *e.inputs)

    seeds = {y: g for y, g in seeds.items() if y in active}
    before = CAUSE.set(None)
    try:
        return pull_back(seeds, read, active, set(xs), view=view)
    finally:
        CAUSE.reset(before)


def differentiable(xs: Iterable[Expr], between: Iterable[Expr]) -> set[Expr]:
    """The expressions `between` xs and ys that depend on an x through derivative rules."""
    result = set(xs)
    for e in sorted(between, key=by_age):
        if e.op is None or e.dtype.kind not in "fcO":  # O: several values
            continue
        if not result.isdisjoint(carried_by(e)):
            result.add(e)
    return result


def carried_by(e: Expr) -> list[Expr]:
    """The expressions that get cotangents from `e`: its inputs, or a whole's for one part."""
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
    """Raise DTypeError unless all are expressions of floats or complex numbers."""
    for e in (*ys, *xs):
        if not isinstance(e, Expr):
            raise MixedOperandsError(
                "gradients", [type(e).__name__], "ys and xs must be expressions of a graph"
            )
        if not is_inexact(e.dtype):
            raise DTypeError(
                "gradients", [e.label], f"only floats can be differentiated, not {e.dtype}",
                hint="convert it before it is used: x.astype(float)",
            )  # fmt: skip


def initial_cotangents(
    names: Names, ys: Sequence[Expr], grad_ys: Sequence[Operand | None]
) -> dict[Expr, Expr]:
    """The initial cotangent of each y: the one given, or ones."""
    if grad_ys and len(grad_ys) != len(ys):
        raise GraphError(f"got {len(ys)} ys and {len(grad_ys)} grad_ys")
    seeds: dict[Expr, Expr] = {}
    for y, g in zip(ys, grad_ys or [None] * len(ys), strict=True):
        g = ones_like(names, y) if g is None else as_cotangent(names, y, g)
        seeds[y] = seeds[y] + g if y in seeds else g
    return seeds


def ones_like(names: Names, y: Expr) -> Expr:
    """Ones of the type of `y`; raises DTypeError if that is complex."""
    if y.dtype.kind == "c":
        raise DTypeError(
            "gradients", [y.label], "the gradient of a complex y is that of a weighted real part",
            hint="give grad_ys, or differentiate abs(y), real(y) or imag(y)",
        )  # fmt: skip
    one = new_constant(names, np.ones((), y.dtype), "one")
    return broadcast_to(one, shape=y.shape) if y.shape else one


def as_cotangent(names: Names, y: Expr, g: Operand) -> Expr:
    """The cotangent `g` as an expression of the type of `y`."""
    g = g if isinstance(g, Expr) else as_exprs(names, [g])[0]
    g = shaped_like("gradients", y, g, "a grad_y has the shape of its y")
    return g if g.dtype == y.dtype else astype(g, dtype=y.dtype)


def shaped_like(call: str, e: Expr, v: Expr, reason: str) -> Expr:
    """`v` with the shape of `e`; raises ShapeError, at run time if sizes are unknown."""
    if v.ndim != e.ndim or conflict(v.shape, e.shape):
        raise ShapeError(
            call, operand_types([e, v]), reason, hint="broadcast_to(v, e.shape) repeats entries"
        )
    return v if v.shape == e.shape else ensure_shape(v, shape=e.shape)


def zero_or_none(names: Names, x: Expr, unconnected: str) -> Expr | None:
    """The gradient of an x that no y depends on: None, or zeros."""
    if unconnected == "none":
        return None
    zero = new_constant(names, np.zeros((), x.dtype), "zero")
    return broadcast_to(zero, shape=x.shape) if x.shape else zero
