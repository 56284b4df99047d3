"""The tokens of a graph's text, line by line."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

from gradops import GraphFormatError

from .budget import LINE, TOKEN, Budget

T = TypeVar("T")
ELIDED = "... "  # before the number of entries of a constant that were left out
NAME = re.compile(r"[A-Za-z_][\w./]*+(?:-[\w./]++)*+")
NUMBER = re.compile(r"-?(?:\d++\.?\d*+(?:[eE][+-]?\d++)?|inf\b|nan\b)")
STRING = r'"(?:[^"\\]++|\\.)*+"'
TOKENS = re.compile(
    rf"""\s*+(?:(?P<string>{STRING})|(?P<number>{NUMBER.pattern})
    |(?P<name>{NAME.pattern})|(?P<mark>//|[()\[\]{{}},:=*+@-])|(?P<comment>\#.*))""",
    re.VERBOSE,
)
LINES = re.compile(r"\s*+([^\n]*+)")
SHOWN = 200  # characters of a line, or of a reason, in an error
DEEPEST = 32  # brackets within brackets, in a line


class Line:
    """The tokens of one line, and a position in them."""

    def __init__(self, text: str, budget: Budget, place: tuple[str, int] = ("", 0)) -> None:
        self.text, self.budget, self.place, self.at, self.depth = text, budget, place, 0, 0

    @cached_property
    def tokens(self) -> list[tuple[str, str]]:
        """The tokens, each with its kind."""
        result, at, end, budget = [], 0, len(self.text.rstrip()), self.budget
        while at < end:
            match = TOKENS.match(self.text, at)
            if match is None:
                rest = self.text[at : at + SHOWN].strip()[:20]
                raise self.error(f"{rest!r} is not expected here")
            budget.spend(TOKEN)
            if match.lastgroup != "comment":
                result.append((str(match.lastgroup), match[str(match.lastgroup)]))
            at = match.end()
        return result

    def error(self, reason: str) -> GraphFormatError:
        """The error for this line."""
        whole, at = self.place
        number = whole.count("\n", 0, at) + 1
        text = self.text[: 2 * SHOWN].strip()[:SHOWN]
        return GraphFormatError(f"line {number}: {reason[:SHOWN]}\n  {text}")

    def peek(self) -> str:
        """The next token, or nothing at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token, which must be one of `wanted` if any are given."""
        result = self.peek()
        if not result or (wanted and result not in wanted):
            expected = " or ".join(wanted) or "more"
            raise self.error(f"expected {expected}, found {result or 'the end'}")
        self.at += 1
        return result

    def accept(self, mark: str) -> bool:
        """True if the next token is `mark`, which is then read."""
        if self.peek() != mark:
            return False
        self.at += 1
        return True

    def name(self) -> str:
        """A name, plain or in quotes."""
        kind = self.tokens[self.at][0] if self.at < len(self.tokens) else ""
        result = self.take()
        if kind == "string":
            return self.string(result)
        if kind != "name":
            raise self.error(f"expected a name, found {result}")
        return result

    def keyword(self) -> str:
        """The name of an attribute, which may be the word for a number: `nan=0.0`."""
        word = self.tokens[self.at][1]
        return self.take() if word.isidentifier() else self.name()

    def string(self, token: str) -> str:
        """The text in quotes."""
        import json

        try:
            return str(json.loads(token))
        except ValueError:
            raise self.error(f"{token} is not a string") from None

    def integer(self) -> int:
        """A whole number."""
        result = self.take()
        if not re.fullmatch(r"-?\d{1,18}", result):
            raise self.error(f"expected a whole number, found {result}")
        return int(result)

    def finish(self) -> None:
        """Raise an error unless all tokens have been read."""
        if self.peek():
            raise self.error(f"{self.peek()!r} is not expected here")
        del self.tokens  # of a long text they are more than the graph

    def nested(self, step: Callable[["Line"], T]) -> T:
        """The result of `step`, which reads what is inside brackets."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error("brackets are nested too deeply")
        result = step(self)
        self.depth -= 1
        return result


def comma_separated(line: Line, close: str, item: Callable[[Line], T]) -> list[T]:
    """Items with commas between them, up to a closing bracket."""
    result: list[T] = []
    while not line.accept(close):
        if result:
            line.take(",")
            if line.accept(close):
                break
        result.append(line.nested(item))
    return result


def lines_of(text: str, budget: Budget) -> Iterator[Line]:
    """The lines that are neither empty nor comments."""
    at = 0
    while at < len(text):
        match = LINES.match(text, at)
        assert match is not None
        budget.spend(LINE)
        if match[1] and match[1][0] != "#":
            yield Line(match[1], budget, (text, match.start(1)))
        at = match.end()
