"""Columns: the operands in one place of all members of a pack, and what it costs to have them."""

from collections.abc import Mapping, Sequence
from enum import Enum

import numpy as np

from ...ir.expr import Expr, Kind
from ..loops.stretches import rows_of
from .classes import Pack

Values = tuple[Expr, ...]


class Source(Enum):
    """How the values of a column are made one array."""

    SHARED = "one value for all members"
    WHOLE = "all values of a pack"
    PART = "values of a pack that are equally far apart"
    ROWS = "rows of an array that are equally far apart"
    CONSTANT = "constants"
    TAKEN = "values of packs in some order"
    STACKED = "any values"


COST = {
    Source.SHARED: 0.0, Source.WHOLE: 0.0, Source.PART: 0.2, Source.ROWS: 0.2,
    Source.CONSTANT: 0.0, Source.TAKEN: 3.0, Source.STACKED: 0.5,
}  # fmt: skip
STACKED_VALUE = 0.15  # beside the cost of a stack, for each of its values


def columns_of(pack: Pack) -> list[Values]:
    """The columns of the operands of a pack."""
    return list(zip(*(e.inputs for e in pack.members), strict=True))


def source_of(values: Values, home: Mapping[Expr, Pack]) -> Source:
    """The cheapest way to make an array of a column."""
    if all(x is values[0] for x in values):
        return Source.SHARED
    packs = {home.get(x) for x in values}
    if None not in packs:
        if len(packs) > 1:
            return Source.TAKEN
        (pack,) = packs
        assert pack is not None
        places = places_in(pack, values)
        if places == list(range(len(pack.members))):
            return Source.WHOLE
        return Source.TAKEN if step_of(places) is None else Source.PART
    if all(x.kind is Kind.CONSTANT for x in values):
        return Source.CONSTANT
    return Source.STACKED if rows_of(values) is None else Source.ROWS


def cost_of(values: Values, home: Mapping[Expr, Pack]) -> float:
    """The microseconds of making an array of a column."""
    source = source_of(values, home)
    return COST[source] + (STACKED_VALUE * len(values) if source is Source.STACKED else 0)


def places_in(pack: Pack, values: Sequence[Expr]) -> list[int]:
    """The places of values among the members of their pack."""
    number = {e: i for i, e in enumerate(pack.members)}
    return [number[x] for x in values]


def step_of(places: Sequence[int]) -> int | None:
    """The step from each place to the next; None if there are different ones, or none."""
    steps = set(np.diff(places).tolist())
    return steps.pop() if len(steps) == 1 and 0 not in steps else None


def slice_key(places: Sequence[int]) -> tuple[object, ...]:
    """An index of the places, which are equally far apart."""
    step = places[1] - places[0]
    end = places[-1] + step
    return ("slice", places[0], None if end < 0 else end, None if step == 1 else step)
