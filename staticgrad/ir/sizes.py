"""Which unknown sizes the inputs of a graph tell, and on which of them they have to agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from gradops import Dim

from .expr import Expr
from .tuple_types import sizes_shown


@dataclass(frozen=True)
class Told:
    """Axis `axis` of input `number` has `size`: it tells `name`, or if that is None, must agree.

    Where it tells, `size` is `times * name + plus`. Where it must agree and not all names in `size`
    are told, it agrees with an earlier axis of the same size, axis `like[1]` of input `like[0]`.
    """

    number: int
    axis: int
    size: Dim
    name: str | None = None
    times: int = 1
    plus: int = 0
    like: tuple[int, int] | None = None


def sizes_told_by(inputs: Sequence[Expr]) -> list[Told]:
    """What the inputs tell: names that stand by themselves first, then those to be worked out."""
    axes = [
        (i, k, n)
        for i, e in enumerate(inputs)
        for k, n in enumerate(sizes_shown(e.type))
        if isinstance(n, Dim)
    ]
    telling: dict[str, Told] = {}
    for by_itself in (True, False):
        for i, k, n in axes:
            if n.linear is not None and (n == Dim(n.linear[0])) is by_itself:
                telling.setdefault(n.linear[0], Told(i, k, n, *n.linear))
    places = {(t.number, t.axis) for t in telling.values()}
    agreeing: list[Told] = []
    first: dict[Dim, tuple[int, int]] = {}
    for i, k, n in axes:
        if (i, k) in places:
            continue
        if n.names() <= telling.keys():
            agreeing.append(Told(i, k, n))
        elif (like := first.setdefault(n, (i, k))) != (i, k):
            agreeing.append(Told(i, k, n, like=like))
    return [*telling.values(), *agreeing]
