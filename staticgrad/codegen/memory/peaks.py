"""The most memory that is in use at once."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

NOTHING: Mapping[int, int] = MappingProxyType({})


def most_in_use(uses: Iterable[tuple[int, int, int]], passing: Mapping[int, int] = NOTHING) -> int:
    """The most bytes in use at one position, given bytes with the first and the last position.

    The bytes `passing` are in use at one position only.
    """
    changes: dict[int, int] = {}
    for bytes, first, last in uses:
        changes[first] = changes.get(first, 0) + bytes
        changes[last + 1] = changes.get(last + 1, 0) - bytes
    live = most = 0
    for position in sorted({*changes, *passing}):
        live += changes.get(position, 0)
        most = max(most, live + passing.get(position, 0))
    return most
