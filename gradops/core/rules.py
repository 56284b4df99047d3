"""Derivative rules: a list with one rule per operand, or one rule for all operands together.

A VJP rule of an operand is `rule(g, y, *operands, **attrs)` and gives its cotangent; a JVP rule is
`rule(t, y, *operands, **attrs)` and gives the output's tangent. None marks an operand without
derivative. `pullback` and `pushforward` make of either form the one function that reverse and
forward mode call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..typing import Attrs, Rule
from .errors import MissingRuleError, TapeError

if TYPE_CHECKING:
    from .op import Op

Pullback = Callable[[Sequence[int], Any, Sequence[Any], Attrs], Sequence[Any]]
Pushforward = Callable[[Mapping[int, Any], Sequence[Any], Attrs], Any]

ANY_NUMBER = 1_000_000  # the length of rules that hold for any operand


class JointVJP:
    """One VJP rule for all operands: `rule(wanted, g, y, *operands)` gives a list of cotangents.

    They are those of the operands whose numbers are `wanted`, in that order. Of an op with several
    outputs, `reach(**attrs)` says for each output which operands it depends on, as bits.
    """

    def __init__(
        self, rule: Callable[..., Sequence[Any]], reach: Callable[..., Sequence[int]] | None = None
    ) -> None:
        self.rule, self.reach = rule, reach

    def __getitem__(self, i: int) -> Rule:
        return lambda g, *args, **attrs: self.rule((i,), g, *args, **attrs)[0]

    def __len__(self) -> int:
        return ANY_NUMBER


class JointJVP:
    """One JVP rule for all operands: `rule(tangents, y, *operands)`, with tangents by operand."""

    def __init__(self, rule: Callable[..., Any]) -> None:
        self.rule = rule

    def __getitem__(self, i: int) -> Rule:
        return lambda t, *args, **attrs: self.rule({i: t}, *args, **attrs)

    def __len__(self) -> int:
        return ANY_NUMBER


class NoRules:
    """The rules of an op on any number of operands that has no derivative."""

    def __getitem__(self, i: int) -> None:
        return None

    def __len__(self) -> int:
        return ANY_NUMBER


NO_RULES = NoRules()

Rules = Sequence[Rule | None] | JointVJP | JointJVP | NoRules


def pullback(op: Op) -> Pullback:
    """The VJP rules of `op` as one function `pull(wanted, g, (y, *operands), attrs)`.

    It gives the cotangents of the operands whose numbers are `wanted`, None for those without.
    """
    rules = op.vjp
    if isinstance(rules, JointVJP):
        joint = rules.rule
        return lambda wanted, g, values, attrs: joint(wanted, g, *values, **attrs)

    def pull(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> Sequence[Any]:
        cts = []
        i = 0
        try:
            for i in wanted:
                rule = rules[i]
                cts.append(rule and (rule(g, *values, **attrs) if attrs else rule(g, *values)))
        except Exception as error:
            if i >= len(rules):
                raise missing(op, "vjp") from error
            if not isinstance(error, TapeError):  # which names the forward call
                error.add_note(f"in the VJP rule of operand {i}")
            raise
        return cts

    few = [rules[i] for i in range(len(rules))] if len(rules) < 3 else []
    return unroll(few, pull, bool(op.params)) if few and all(few) else pull


def unroll(rules: Sequence[Any], pull: Pullback, has_attrs: bool) -> Pullback:
    """`pull` for one or two rules, without its loop: a tenth of the time of small operations.

    Operands are passed by position: a call with a star builds a tuple, which takes as long as the
    call. After an error `pull` runs, which says whose rule it was.
    """
    first, second = rules[0], rules[-1]

    def one(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> Any:
        try:
            y, x = values
            return (first(g, y, x),)
        except Exception:
            pass
        return pull(wanted, g, values, attrs)

    def one_with_attrs(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> Any:
        try:
            y, x = values
            return (first(g, y, x, **attrs),)
        except Exception:
            pass
        return pull(wanted, g, values, attrs)

    def two(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> Any:
        try:
            y, a, b = values
            if len(wanted) == 1:
                return (second(g, y, a, b) if wanted[0] else first(g, y, a, b),)
            return first(g, y, a, b), second(g, y, a, b)
        except Exception:
            pass
        return pull(wanted, g, values, attrs)

    def two_with_attrs(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> Any:
        try:
            y, a, b = values
            if len(wanted) == 1:
                return ((second if wanted[0] else first)(g, y, a, b, **attrs),)
            return first(g, y, a, b, **attrs), second(g, y, a, b, **attrs)
        except Exception:
            pass
        return pull(wanted, g, values, attrs)

    if len(rules) == 1:
        return one_with_attrs if has_attrs else one
    return two_with_attrs if has_attrs else two


def pushforward(op: Op) -> Pushforward:
    """The JVP rules of `op` as one function `push(tangents by operand, (y, *operands), attrs)`.

    It gives the tangent of the output, None if it is zero.
    """
    rules = op.jvp
    if isinstance(rules, JointJVP):
        joint = rules.rule
        return lambda tangents, values, attrs: joint(tangents, *values, **attrs)

    def push(tangents: Mapping[int, Any], values: Sequence[Any], attrs: Attrs) -> Any:
        total = None
        for i, t in tangents.items():
            rule = rules[i] if i < len(rules) else op.rule("jvp", i)
            term = rule(t, *values, **attrs) if rule else None
            if term is not None:
                total = term if total is None else total + term
        return total

    return push


def missing(op: Op, kind: str) -> MissingRuleError:
    """The error for an operand that has no rule and no None in its place."""
    return MissingRuleError(op.name, kind, hint=f"give it one: Op(..., {kind}=[...])")
