"""Operations of a program on the tape, with their values, in the order in which they run."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradops import Op
from gradops.core.levels import levels
from gradops.core.source_location import Place, here

from ..engine.handle import Handle, hold, make_leaf
from ..func.levels import Wrapper


class Operation(NamedTuple):
    """One operation that ran: what it is, the user's line, and the value that it gave."""

    op: Op
    place: Place | None
    value: Any


class Observed(Wrapper):
    """A value whose operations are noted in `seen` as they run, those of backward too."""

    __slots__ = ("gradop_level", "inner", "seen")

    def __init__(self, inner: Any, level: float, seen: list[Operation]) -> None:
        self.inner, self.gradop_level, self.seen = inner, level, seen

    @staticmethod
    def __gradop__(op: Op, args: Sequence[object], attrs: dict[str, Any]) -> "Observed":
        first = next(a for a in args if isinstance(a, Observed))
        value = op(*[a.inner if isinstance(a, Observed) else a for a in args], **attrs)
        first.seen.append(Operation(op, here(), np.array(value)))
        return Observed(value, first.gradop_level, first.seen)


class Observation:
    """The operations of one run; `leaf` makes the leaves that it is given."""

    def __init__(self) -> None:
        self.level = next(levels)
        self.operations: list[Operation] = []

    def leaf(self, t: Handle) -> Handle:
        """A leaf like a handle, whose operations are noted.

        >>> from dynamicgrad.checking.observing import Observation
        >>> run = Observation()
        >>> x = run.leaf(dg.tensor([1.0, 2.0]))
        >>> (x * x).sum().backward()
        >>> [str(each.op) for each in run.operations[:2]]
        ['mul', 'sum']
        """
        return make_leaf(hold(type(t), Observed(t.value, self.level, self.operations)))
