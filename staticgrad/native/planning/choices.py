"""The choices that were made for machine code, by the times that the cost table predicts.

Note [Choices]. Where there are several ways to compute a value, the writer names them with the time
that each is predicted to take, and writes the fastest, of equals the first. The table is asked for
nothing else, and times are never measured while code is written: so a graph, a table and a machine
give the same code. What was chosen is kept with it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gradops.core.source_location import short

from ...ir.expr import Expr


class Choice(NamedTuple):
    """The way chosen for an expression, and the nanoseconds that are predicted for each way.

    `note` is what else counted.
    """

    op: str
    line: str
    way: str
    costs: Mapping[str, float]
    note: str = ""

    def __str__(self) -> str:
        others = [f"{name} {duration(ns)}" for name, ns in self.costs.items() if name != self.way]
        against = f" (not {', '.join(others)})" if others else ""
        place = f" at {self.line}" if self.line else ""
        chosen = f"{self.way} {duration(self.costs[self.way])}{against}"
        return f"{self.op}{place}: {chosen}{self.note}"


class Choices:
    """The choices made for a graph, in the order of its code. See Note [Choices]."""

    def __init__(
        self, made: Iterable[Choice] = (), otherwise: str = "nothing was to choose"
    ) -> None:
        self.made, self.otherwise = list(made), otherwise

    def pick(self, e: Expr | None, costs: Mapping[str, float]) -> str:
        """The name of the way that is predicted to be the fastest, which is noted."""
        way = min(costs, key=costs.__getitem__)
        name = "" if e is None or e.op is None else e.op.name
        self.made.append(Choice(name, short(e.place) if e is not None else "", way, dict(costs)))
        return way

    def undo(self, count: int) -> None:
        """Forget all but the first choices: what they were made for is written in another way."""
        del self.made[count:]

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.made)

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or self.otherwise

    def __repr__(self) -> str:
        return f"<{len(self.made)} choices>"


def duration(ns: float) -> str:
    """A time in the unit that fits."""
    if ns >= 1e9:
        return f"{ns / 1e9:.3g} s"
    scale, unit = (1e6, "ms") if ns >= 1e6 else (1e3, "us") if ns >= 1e3 else (1, "ns")
    return f"{ns / scale:.3g} {unit}"
