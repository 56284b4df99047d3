"""The name a user may have meant."""

from collections.abc import Iterable


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing if no name is near."""
    import difflib  # only when there is something to suggest

    by_lower = {n.lower(): n for n in names}
    result = difflib.get_close_matches(name.lower(), list(by_lower), n=1)
    return f"; did you mean {by_lower[result[0]]!r}?" if result else ""
