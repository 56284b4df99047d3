"""The name a user may have meant."""

import difflib
from collections.abc import Iterable


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing if no name is near."""
    found = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
