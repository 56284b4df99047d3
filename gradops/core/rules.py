"""Derivative rules: one for each operand of an op, or one for all.

An op on a fixed number of operands lists its rules, with None for an operand without derivative.
The classes are such lists for ops whose rules are one computation.
"""

from collections.abc import Callable, Sequence
from typing import Any

Rule = Callable[..., Any]


class EveryOperand:
    """The rule of each operand of an op that takes any number: one rule, told which operand."""

    def __init__(self, rule: Callable[..., Any]) -> None:
        self.rule = rule

    def __getitem__(self, i: int) -> Rule:
        return lambda *args, **attrs: self.rule(i, *args, **attrs)

    def __len__(self) -> int:
        return 1_000_000  # any operand has the rule


class NoRules(EveryOperand):
    """The rules of an op on any number of operands that has no derivative."""

    def __init__(self) -> None:
        super().__init__(lambda *args, **attrs: None)

    def __getitem__(self, i: int) -> Any:
        return None


NO_RULES = NoRules()


class Together(EveryOperand):
    """The rules of all operands from one computation: `shares(g, y, *xs)` gives a function of i."""

    def __init__(self, shares: Callable[..., Callable[[int], Any]]) -> None:
        super().__init__(lambda i, *args, **attrs: shares(*args, **attrs)(i))
        self.shares = shares


class Selective(Together):
    """The rules of all operands, told which of them are wanted: `shares(wanted, g, y, *xs)`.

    Of an op that gives several values, `reach(**attrs)` says for each which operands have a part in
    its derivative, as the bits of a number.
    """

    def __init__(
        self,
        shares: Callable[..., Callable[[int], Any]],
        reach: Callable[..., Sequence[int]] | None = None,
    ) -> None:
        super().__init__(shares)
        self.reach = reach


class Jointly(EveryOperand):
    """Forward rules that take all tangents at once: `push(tangents by operand, y, *xs)`."""

    def __init__(self, push: Callable[..., Any]) -> None:
        super().__init__(lambda i, t, *args, **attrs: push({i: t}, *args, **attrs))
        self.push = push


Rules = Sequence[Rule | None] | EveryOperand
