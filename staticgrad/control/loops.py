"""Loops: a function applied repeatedly, to a state and to the entries of arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import OPS, logical_and, tree_map
from gradops.typing import Operand

from ..build.inputs import as_expression
from ..ir.expr import Expr
from .loop_builder import Loop


def while_loop(
    cond: Callable[..., Operand], body: Callable[..., object], loop_vars: object,
    shape_invariants: Sequence[object] | None = None, maximum_iterations: Operand | None = None,
    residuals: str = "stack", name: str = "while_loop",
) -> Any:  # fmt: skip
    """Replace `loop_vars` by `body(*loop_vars)` as long as `cond(*loop_vars)` holds.

    `loop_vars` is a list, tuple or other structure of values; both functions take its members and
    are traced once, at the call. `body` returns new values of the same shapes and dtypes; None for
    a size in `shape_invariants` lets that size change. A single variable is returned by itself.
    Derivatives exist to any order in both modes. Reverse mode saves the values of each step that
    the backward reads; with `residuals="recompute"`, only the loop variables. Raises ShapeError,
    DTypeError for a variable that changes its type, GraphError.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> n, y = sg.while_loop(lambda i, y: y < 100, lambda i, y: (i + 1, y * x), [0, x])
    >>> sg.compile([n, y, *sg.gradients(y, x)], [x])(3.0)
    [np.int64(4), np.float32(243.0), np.float32(405.0)]
    """
    require_functions("while_loop(cond, body, loop_vars)", cond, body)
    if isinstance(loop_vars, Expr) or not isinstance(loop_vars, list | tuple | dict):
        loop_vars = [loop_vars]
    steps, limited = loop_vars, maximum_iterations is not None
    if limited:
        steps, inner_cond, inner_body = [0, loop_vars], cond, body
        cond = lambda k, v: logical_and(k < maximum_iterations, inner_cond(*members(v)))
        body = lambda k, v: (k + 1, inner_body(*members(v)))
        shape_invariants = shape_invariants and [(), list(members(shape_invariants))]
    plan = Loop(name, steps, residuals, shape_invariants)
    state, _ = plan.build(body, cond=cond)
    if limited:
        state = state[1]
    return state[0] if isinstance(state, list | tuple) and len(state) == 1 else state


def require_functions(call: str, *fns: object) -> None:
    """Raise TypeError for what is no function, with the order of arguments."""
    for fn in fns:
        if not callable(fn):
            shown = f"an array {fn.shape}" if isinstance(fn, np.ndarray) else repr(fn)
            raise TypeError(
                f"{call.partition('(')[0]} takes a function, not {shown}\n  hint: the order of the"
                f" arguments is {call}"
            )


def members(several: Any) -> list[object]:
    """The members of a structure of loop variables, as arguments of the functions."""
    return list(several.values() if isinstance(several, dict) else several)


def scan(
    fn: Callable[[Any, Any], object], elems: object, initializer: object = None,
    reverse: bool = False, residuals: str = "stack", name: str = "scan",
) -> Any:  # fmt: skip
    """Stack the states `a = fn(a, x)` over the entries x of `elems` along its first axis.

    `elems` and the state may be structures of arrays. The first state is `initializer`; without
    one it is the first entry, which then is the first result too. `reverse` goes from the last
    entry to the first; a result has the index of its entry. Differentiable as `while_loop` is.

    >>> x = sg.placeholder("float32", [None], name="x")
    >>> sg.compile(sg.scan(lambda a, b: a * b, x, 1.0), [x])([1.0, 2.0, 3.0])
    array([1., 2., 6.], dtype=float32)
    """
    require_functions("scan(fn, elems, initializer)", fn)
    elems = tree_map(as_expression, elems)
    first = None
    if initializer is None:
        at, rest = (-1, slice(None, -1)) if reverse else (0, slice(1, None))
        first = initializer = tree_map(lambda x: x[at], elems)
        elems = tree_map(lambda x: x[rest], elems)

    def step(a: object, x: object) -> tuple[object, object]:
        new = fn(a, x)
        return new, new

    _, states = map_accumulate(step, initializer, elems, reverse, residuals, name)
    if first is None:
        return states
    return tree_map(lambda a, ys: joined(a, ys, reverse), first, states)


def joined(a: Expr, ys: Expr, reverse: bool) -> Expr:
    """The first state and the other states, along one axis."""
    row = OPS["expand_dims"](a, axis=0)
    return OPS["concatenate"](*((ys, row) if reverse else (row, ys)), axis=0)


def map_accumulate(
    fn: Callable[[Any, Any], tuple[object, object]], initializer: object, elems: object,
    reverse: bool = False, residuals: str = "stack", name: str = "scan",
) -> tuple[Any, Any]:  # fmt: skip
    """Carry a state through `state, result = fn(state, x)`: the last state, stacked results.

    This is JAX's `lax.scan`. See `scan`.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> total, before = sg.map_accumulate(lambda s, v: (s + v, s), 0.0, x)
    >>> sg.compile([total, before], [x])([1.0, 2.0, 3.0])
    [np.float32(6.0), array([0., 1., 3.], dtype=float32)]
    """
    require_functions("map_accumulate(fn, initializer, elems)", fn)
    plan = Loop(name, initializer, residuals, whole=True)
    return plan.build(fn, tree_map(as_expression, elems), reverse=reverse)


def foldl(
    fn: Callable[[Any, Any], object], elems: object, initializer: object = None,
    residuals: str = "stack", name: str = "foldl",
) -> Any:  # fmt: skip
    """The last state of `a = fn(a, x)` over the entries x of `elems`; see `scan`.

    >>> x = sg.placeholder("float32", [None], name="x")
    >>> sg.compile(sg.foldl(lambda a, b: a - b, x), [x])([10.0, 2.0, 3.0])
    np.float32(5.0)
    """
    require_functions("foldl(fn, elems, initializer)", fn)
    elems = tree_map(as_expression, elems)
    if initializer is None:
        initializer = tree_map(lambda x: x[0], elems)
        elems = tree_map(lambda x: x[1:], elems)
    plan = Loop(name, initializer, residuals, whole=True)
    return plan.build(lambda a, x: (fn(a, x), ()), elems)[0]


def map(
    fn: Callable[[Any], object], elems: object, residuals: str = "stack", name: str = "map"
) -> Any:
    """Apply `fn` to each entry of `elems` along its first axis, and stack the results.

    >>> x = sg.placeholder("float32", [None, 2], name="x")
    >>> sg.compile(sg.map(sg.reduce_sum, x), [x])([[1.0, 2.0], [3.0, 4.0]])
    array([3., 7.], dtype=float32)
    """
    require_functions("map(fn, elems)", fn)
    return map_accumulate(lambda a, x: ((), fn(x)), (), elems, False, residuals, name)[1]


def fori(
    lower: Operand, upper: Operand, body: Callable[[Any, Any], object], init: object,
    residuals: str = "stack", name: str = "fori",
) -> Any:  # fmt: skip
    """The last state of `state = body(i, state)` for the integers `lower <= i < upper`.

    >>> x = sg.placeholder("float32", [], name="x")
    >>> n = sg.placeholder("int64", [], name="n")
    >>> sg.compile(sg.fori(0, n, lambda i, y: y * x, 1.0), [x, n])(2.0, 5)
    np.float32(32.0)
    """
    require_functions("fori(lower, upper, body, init)", body)
    if isinstance(lower, int) and isinstance(upper, int):
        plan = Loop(name, init, residuals, whole=True)
        return plan.build(lambda s, i: (body(i, s), ()), as_expression(np.arange(lower, upper)))[0]
    start = as_expression(lower)
    result = while_loop(
        lambda i, s: i < upper, lambda i, s: (i + 1, body(i, s)), [start, init],
        residuals=residuals, name=name,
    )  # fmt: skip
    return result[1]


map_fn = map  # as TensorFlow calls it
