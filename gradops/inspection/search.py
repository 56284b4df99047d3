"""Search for nodes: `op:matmul shape:*,10 time>5% line:model.py`.

A query is terms divided by blanks; a node is found if it fits all of them. Quotes keep blanks
together, a minus before a term turns it around, and case does not matter.

    word          in the name or the op
    op:conv*      the op, with * for any text; also name: dtype: role: output:
    shape:*,10    the shape; * is an axis of any size, ... any number of axes, an empty one a scalar
    scope:layers  the scope, with those in it; dots and slashes are the same
    line:model.py the file of the user's line, or line:model.py:12, or line:12
    time>5%       the share of the time, or time>1ms; also bytes>=1MB, operands<3, readers=0

The page has the same search in `page/search.js`; a test compares what they find.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..core.errors import OptionError
from .model import NodeView

WORD = re.compile(r'(?:[^ \t\n"]|"[^"]*(?:"|$))+')
TERM = re.compile(r"(op|name|dtype|role|output|shape|scope|line):(.*)", re.DOTALL)
COMPARISON = re.compile(r"(time|bytes|operands|readers)(>=|<=|>|<|=)([0-9.e+-]*)(.*)", re.DOTALL)
UNITS = {
    "time": {"%": 0.01, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "bytes": {"": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2.0**10, "mib": 2.0**20,
              "gib": 2.0**30},
    "operands": {"": 1.0},
    "readers": {"": 1.0},
}  # fmt: skip
COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">": lambda x, y: x > y, ">=": lambda x, y: x >= y, "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y, "=": lambda x, y: x == y,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """A node, and what of it is known only beside others."""

    node: NodeView
    readers: int = 0
    seconds: float | None = None
    share: float | None = None


Test = Callable[[Subject], bool]


def search(subjects: Iterable[Subject], query: str) -> list[int]:
    """The ids of the nodes that a query finds, in order. Raises OptionError for a bad query.

    >>> nodes = [NodeView(0, "x", "placeholder", shape=(3,)), NodeView(1, "h/tanh", "tanh", (0,))]
    >>> search(map(Subject, nodes), "op:tan* -shape:3")
    [1]
    """
    tests = tests_of(query)
    return [s.node.id for s in subjects if all(test(s) for test in tests)]


def tests_of(query: str) -> list[Test]:
    """A test for each term of a query."""
    return [test_of(word.replace('"', "")) for word in WORD.findall(query.lower())]


def test_of(term: str) -> Test:
    """The test of one term."""
    if len(term) > 1 and term.startswith("-"):
        inner = test_of(term[1:])
        return lambda s: not inner(s)
    if found := COMPARISON.fullmatch(term):
        return comparison(term, *found.groups())
    if found := TERM.fullmatch(term):
        key, value = found.groups()
        return FIELDS[key](value)
    return lambda s: term in s.node.name.lower() or term in s.node.op.lower()


def comparison(term: str, key: str, sign: str, number: str, unit: str) -> Test:
    """The test of a term such as `time>5%`; a node of which the quantity is unknown fails it."""
    compare = COMPARE[sign]
    try:
        limit = float(number) * UNITS[key][unit]
    except (KeyError, ValueError) as error:
        units = ", ".join(filter(None, UNITS[key])) or "none"
        raise OptionError(
            "search", [], f"{term!r} has no number with a unit after {sign}",
            f"units of {key} are {units}, as in time>5% or bytes>=1MB",
        ) from error  # fmt: skip
    return lambda s: (q := quantity(s, key, unit)) is not None and compare(q, limit)


def quantity(s: Subject, key: str, unit: str) -> float | None:
    """The number of a node that a term compares."""
    if key == "time":
        return s.share if unit == "%" else s.seconds
    if key == "bytes":
        return s.node.nbytes
    return len(s.node.inputs) if key == "operands" else s.readers


def fits(pattern: str, text: str) -> bool:
    """True if the whole text fits a pattern in which * is any text."""
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *middle, last = others
    if not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return at <= end


def fits_shape(pattern: list[str], shape: list[str]) -> bool:
    """True if the sizes fit; * is one axis, ... any number of them, and may occur once."""
    if "..." in pattern:
        i = pattern.index("...")
        first, last = pattern[:i], pattern[i + 1 :]
        if len(shape) < len(first) + len(last):
            return False
        pattern = first + ["*"] * (len(shape) - len(first) - len(last)) + last
    return len(pattern) == len(shape) and all(map(fits, pattern, shape))


def of_name(value: str) -> Test:
    """Names fit a pattern, or without * contain the value."""
    if "*" in value:
        return lambda s: fits(value, s.node.name.lower())
    return lambda s: value in s.node.name.lower()


def of_shape(value: str) -> Test:
    """Shapes fit sizes divided by commas."""
    sizes = [part.strip() for part in value.split(",")] if value.strip() else []
    return lambda s: fits_shape(sizes, [str(n).lower() for n in s.node.shape])


def of_scope(value: str) -> Test:
    """Scopes are the value, or begin with its levels."""
    wanted = value.replace(".", "/").strip("/")

    def test(s: Subject) -> bool:
        scope = s.node.scope.lower().replace(".", "/")
        return fits(wanted, scope) or fits(f"{wanted}/*", scope)

    return test


def of_line(value: str) -> Test:
    """Lines are in a file, have a number, or both."""

    def test(s: Subject) -> bool:
        for place in s.node.places:
            short = place.short.lower()
            file, _, number = short.rpartition(":")
            if fits(value, short) or fits(value, file) or value == number:
                return True
        return False

    return test


FIELDS: Mapping[str, Callable[[str], Test]] = {
    "op": lambda value: lambda s: fits(value, s.node.op.lower()),
    "dtype": lambda value: lambda s: fits(value, s.node.dtype.lower()),
    "role": lambda value: lambda s: fits(value, str(s.node.role)),
    "output": lambda value: lambda s: any(value in label.lower() for label in s.node.outputs),
    "name": of_name, "shape": of_shape, "scope": of_scope, "line": of_line,
}  # fmt: skip
