"""State of a loop to which each step only adds, and the terms that it adds."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ..subgraphs import readers
from .editing import LoopEditor

Signed = tuple[Expr, bool]
"""A term of a sum, and if it is subtracted."""


def added_terms(loop: LoopEditor, alone: Container[Expr]) -> dict[int, list[Signed]]:
    """The terms that steps add to each state of floats that is read by nothing but additions."""
    body, read = loop.body, readers(loop.body)
    outputs, result = Counter([*body.outputs, *body.measured]), {}
    for k, state in enumerate(body.inputs[: loop.carries]):
        added = terms_added(state, body.outputs[k], read, alone)
        if added and outputs[body.outputs[k]] == 1 and state.dtype.kind in "fc":
            result[k] = flattened(added, alone)
    return result


def read_once(body: FrozenGraph) -> set[Expr]:
    """What only one expression reads, and nobody outside."""
    given = {*body.outputs, *body.measured}
    return {e for e, users in readers(body).items() if len(users) == 1 and e not in given}


def terms_added(
    state: Expr, new: Expr, read: Mapping[Expr, Sequence[Expr]], alone: Container[Expr]
) -> list[Signed] | None:
    """The terms in `new = state + term - term`: none if it stays; None for anything else."""
    result, e = list[Signed](), state
    while e is not new:
        if e not in alone:
            return None
        (user,) = read[e]
        if user.op is None or user.op.name not in ("add", "sub") or user.type != e.type:
            return None
        a, b = user.inputs
        other = b if a is e else a
        if other is e or other.type != e.type or (user.op.name == "sub" and b is e):
            return None
        result.append((other, user.op.name == "sub"))
        e = user
    return result if not read[new] else None


def flattened(terms: Sequence[Signed], alone: Container[Expr]) -> list[Signed]:
    """The terms, sums of terms among them taken apart."""
    result, stack = list[Signed](), list(reversed(terms))
    while stack:
        e, sign = stack.pop()
        if e in alone and e.op is not None and e.op.name in ("add", "sub"):
            a, b = e.inputs
            if a.type == b.type == e.type:
                stack += [(b, sign ^ (e.op.name == "sub")), (a, sign)]
                continue
        result.append((e, sign))
    return result
