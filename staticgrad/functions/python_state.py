"""The Python state that a traced program may change: what is restored, and what is refused."""

from collections import deque
from collections.abc import Hashable, Sequence
from types import CellType, FunctionType
from typing import Any

import numpy as np

from gradops import GraphError, TransformError, leaves_of
from gradops.core.tracer_protocol import held, is_holder

from ..build.guards import is_same
from ..ir.expr import Expr

Container = list[Any] | dict[Any, Any] | deque[Any]


def restore_container(
    name: str, x: Container, before: Any, own: set[tuple[int, Hashable]]
) -> list[str]:
    """Restore a container; the names of its changed members, except for entries that calls set.

    Values that the program added to a dict stay there unless a call could make them stale.
    """
    if is_same(x, before):
        return []
    if not isinstance(x, dict):
        x.clear()
        x.extend(before)
        return [name]
    wrong = [k for k, v in before.items() if x.get(k, x) is not v and (id(x), k) not in own]
    for k in x.keys() - before.keys():
        if (id(x), k) in own or is_traced(x[k]):
            wrong += [] if (id(x), k) in own else [k]
            del x[k]
    x.update(before)
    return [f"{name}.{k}" if isinstance(k, str) else f"{name}[{k!r}]" for k in wrong]


def is_traced(x: object) -> bool:
    """Whether a value that was put into a dict depends on traced values."""
    return any(isinstance(held(leaf), Expr) or not is_memo(leaf) for leaf in leaves_of(x))


def is_memo(x: object) -> bool:
    """Whether a value may be a cache entry, which needs no update in later calls."""
    return is_value(x) or isinstance(x, tuple | FunctionType)


def restore_members(cls: type, members: dict[str, object]) -> list[str]:
    """Restore the members of a class; the names of those that were changed."""
    wrong = [k for k, v in members.items() if vars(cls).get(k, cls) is not v]
    for k in wrong:
        setattr(cls, k, members[k])
    return wrong


def has_contents(cell: CellType) -> bool:
    """Whether a cell of a closure has contents."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def refuse_changes(wrong: Sequence[str], drawn: Sequence[str], name: str) -> None:
    """Raise for a program that changes Python state, which would happen only while tracing."""
    if drawn:
        raise TransformError(
            f"{name} takes values from {', '.join(drawn)} while it is traced, which would be the"
            " same in every call\n  hint: sg.random_normal(shape) and its like draw anew in each"
            " call, gradops.random_normal(key, ...) by a key; or pass the numbers in as arguments"
        )
    if wrong:
        raise GraphError(
            f"{name} changes {', '.join(dict.fromkeys(wrong))} while it is traced, which would"
            " happen once, and not in each call\n  hint: return what is new; tensors can be"
            " written to in place, as by copy_() under no_grad()"
        )


def is_value(x: object) -> bool:
    """Whether an argument is fed as a value, not part of the program."""
    return is_holder(x) or isinstance(x, np.ndarray | np.generic)
