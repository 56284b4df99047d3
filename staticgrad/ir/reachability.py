"""Reachability: the expressions that others are computed from."""

from collections.abc import Callable, Iterable
from operator import attrgetter

from gradops.core.traits import Trait

from .expr import Expr, whole_of

Dependencies = Callable[[Expr], Iterable[Expr]]
by_age = attrgetter("number")


def dependencies(e: Expr) -> tuple[Expr, ...]:
    """The inputs of an expression, and its control inputs, after which it runs."""
    after = e.control_inputs
    return (*e.inputs, *after) if after else e.inputs


def forward_dependencies(e: Expr) -> tuple[Expr, ...]:
    """The dependencies of an expression, without those that only its gradient needs."""
    if (value := guarded_value(e)) is not None:
        return value, *e.control_inputs
    after = e.control_inputs
    return (*e.inputs, *after) if after else e.inputs


def guarded_value(e: Expr) -> Expr | None:
    """The operand whose value `e` has, if `e` only changes its gradient. See Note [Custom]."""
    op = e.op
    if op is None or op.name != "part":
        return None
    whole = e.inputs[0]
    if whole.op is None or Trait.GUARD not in whole.op.traits:
        return None
    return whole.inputs[e.attrs["index"]]


def reachable(
    ends: Iterable[Expr], stop: Iterable[Expr] = (), dependencies: Dependencies = dependencies
) -> dict[Expr, None]:
    """All that `ends` are computed from, themselves included, up to `stop`."""
    barrier = set(stop)
    stack = list(ends)
    seen = dict.fromkeys(stack)
    while stack:
        e = stack.pop()
        if e in barrier:
            continue
        for x in dependencies(e):
            if x not in seen:
                seen[x] = None
                stack.append(x)
    return seen


def is_before(e: Expr, first: int) -> bool:
    """True if `e` was built before number `first`, or widens an expression that was."""
    while e.number >= first:
        if (whole := whole_of(e)) is not None:
            e = whole
        elif e.widens is not None:
            e = e.widens.narrow
        else:
            return False
    return True
