"""Errors about expressions: operands that do not fit, missing inputs, uses outside a body.

Note [Inner expressions]. The body of a loop, branch or function becomes a graph of its own, which
is computed in every step or call. Expressions built there are not part of the graph outside: a
value fed for one would not be used, and a derivative by one would not count what happens inside.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gradops import DTypeError, FeedError, GradError, Op
from gradops.core.errors import MixedOperandsError
from gradops.core.levels import TRACING
from gradops.core.source_location import describe

from .kinds import LASTING

if TYPE_CHECKING:
    from .expr import Expr


FETCH = "fetch it: Session().run(...) or compile(...)(...)"
RETURN = "return it, and call .item() on what the call returns"
NUMBERS_ARE_PARTS = (
    "\n  hint: a number or a tensor that is given to a traced function is not an expression: pass"
    " np.float64(3.0) or np.array(3.0); or differentiate with dg.autograd.grad(y, x) or"
    " y.backward()"
)
BUILD = (
    "NumPy's functions and ours build on it; np.stack and np.concatenate put expressions together,"
    " np.where chooses, gather(array, i) looks entries up"
)
WRITE = (
    "collect the values in a list, and np.stack(values); or, as expressions do not change,"
    " ys = ys.at[i].set(value) of an expression ys"
)


def fetch_hint() -> str:
    """The hint for getting the value of an expression."""
    return RETURN if TRACING.get() else FETCH


def unsupported_operands(op: Op, inputs: Sequence["Expr"]) -> DTypeError:
    """The error for operands whose dtypes an op does not support, or that have no value."""
    groups = [e for e in inputs if e.what == "group"]
    reason = "NumPy does not compute it for these dtypes"
    if groups:
        reason = f"{groups[0].name} is run and has no value"
    error = DTypeError(op, [e.label for e in inputs], reason)
    error.add_note(made_lines(inputs))
    return error


def foreign(op: object, a: "Expr", b: "Expr") -> MixedOperandsError:
    """The error for operands of two graphs."""
    where = [f"{e.label} of {e.names.label if e.names else 'a frozen graph'}" for e in (a, b)]
    error = MixedOperandsError(
        op, where, "the operands belong to different graphs",
        hint="build both in one graph: `with graph.as_default():`",
    )  # fmt: skip
    error.add_note(made_lines((a, b)))
    return error


def made_line(e: "Expr") -> str:
    """The user's line that made an input, as a line of a message."""
    return f"\n  {e.name} was made at {describe(e.place)}"


def made_lines(expressions: Iterable["Expr"]) -> str:
    """The user's lines that made expressions, one per line of a message."""
    lines = dict.fromkeys(f"  {e.label}, made at {describe(e.place)}" for e in expressions)
    return "\n".join(lines)


def require_all(inputs: Sequence["Expr"], count: int) -> None:
    """Raise FeedError unless there is one value per input, listing the missing inputs."""
    if count < len(inputs):
        missing = made_lines(inputs[count:])
        raise FeedError(f"{count} of {len(inputs)} inputs were fed; missing:\n{missing}")
    if count > len(inputs):
        names = ", ".join(e.name for e in inputs) or "none"
        raise FeedError(f"{count} values were given for {len(inputs)} input(s): {names}")


def refuse_inner(error: type[GradError], expressions: Iterable["Expr"], hint: str) -> None:
    """Raise `error` for the first expression of a body whose function has returned."""
    for e in expressions:
        body = None if e.graph is None or e.kind in LASTING else e.graph.inside.get(e)
        if body is not None and not body.is_open:
            raise error(
                f"{e.label}, made at {describe(e.place)}, exists only inside the {body.what}, which"
                f" computes it anew each time\n  hint: {hint}"
            )
