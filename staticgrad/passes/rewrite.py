"""Rewrite rules: both sides are functions of the same holes; calling one builds a pattern."""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from gradops import GraphError, Op, Operators
from gradops.core.attributes import AttributeHole
from gradops.core.errors import PassError
from gradops.core.traits import Trait
from gradops.core.types import operand_types
from gradops.typing import Attrs, Number

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from .interface import Pass

MOST_STEPS = 1000  # rewrites of one expression, from which the rules count as cyclic


@dataclass(eq=False, repr=False, slots=True)
class Pattern(Operators):
    """A hole with a name, or an op applied to patterns and numbers."""

    gradop_level = 0.0
    name: str
    op: Op | None = None
    inputs: Sequence[Any] = ()
    attrs: Attrs = field(default_factory=dict)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: Attrs) -> "Pattern":
        return Pattern("", op, args, attrs)

    def __repr__(self) -> str:
        if self.op is None:
            return self.name
        attrs = [f"{k}={v!r}" for k, v in self.attrs.items() if v != self.op.defaults.get(k)]
        return f"{self.op}({', '.join([*map(repr, self.inputs), *attrs])})"


Part = Pattern | Number
Found = dict[str, Any]
"""The expression of each hole, and the value of each hole for an attribute."""


def always(**found: object) -> bool:
    """The condition of an unconditional rule."""
    return True


@dataclass(frozen=True)
class Rule:
    """Replace `before` by `after` wherever it occurs and `when` holds.

    Parameters of the two sides are operands; those that are given by keyword only are values of
    attributes: `Rule(lambda x, *, axis: log(softmax(x, axis=axis)), ...)`. Rules that hold for real
    numbers but not for floats are not `exact`, and are off by default.
    """

    before: Callable[..., Any]
    after: Callable[..., Any]
    when: Callable[..., bool] = always
    exact: bool = True

    @cached_property
    def holes(self) -> list[Pattern]:
        """A hole for each operand of the two sides."""
        found = inspect.signature(self.before).parameters.values()
        return [Pattern(p.name) for p in found if p.kind is not p.KEYWORD_ONLY]

    @cached_property
    def attribute_holes(self) -> dict[str, Any]:
        """A hole for each value of an attribute in the two sides."""
        found = inspect.signature(self.before).parameters.values()
        return {p.name: AttributeHole(p.name) for p in found if p.kind is p.KEYWORD_ONLY}

    @cached_property
    def pattern(self) -> Pattern:
        """The pattern to match."""
        return self.before(*self.holes, **self.attribute_holes)

    @cached_property
    def template(self) -> Part:
        """The pattern to build in its place."""
        return self.after(*self.holes, **self.attribute_holes)

    @cached_property
    def match(self) -> Callable[[Expr, Found], bool]:
        """True if an expression matches the pattern; what the holes are is added to a dict."""
        return matcher(self.pattern)

    @cached_property
    def demands(self) -> list[tuple[int, Part]]:
        """The operands of the pattern that are not holes, with their positions."""
        return [(i, part) for i, part in enumerate(self.pattern.inputs) if not is_hole(part)]

    def may_match(self, e: Expr) -> bool:
        """True if the rule may match, judged by the operands alone."""
        inputs = e.inputs
        for i, part in self.demands:
            if i >= len(inputs) or not begins(part, inputs[i]):
                return False
        return True

    def fits_ops(self, ops: Sequence[Op | None]) -> bool:
        """True if the rule may match, judged by the ops of the operands alone; leaves have None."""
        wanted = [(i, part.op if isinstance(part, Pattern) else None) for i, part in self.demands]
        return all(i < len(ops) and ops[i] is op for i, op in wanted)

    def apply(self, e: Expr, intern: Interning) -> Expr | None:
        """The replacement of `e`, or None if the rule does not apply."""
        result: Found = {}
        if not self.may_match(e) or not self.match(e, result) or not self.when(**result):
            return None
        made = instantiate(self.template, result, e, intern)
        if made.type != e.type:
            raise PassError(
                f"the rule {self} would change the type of {e.label} to {made.type}"
                "\n  hint: give it a condition, when=..., on the types of its holes"
            )
        drops = self.exact and is_hole(self.template)
        return None if drops and not has_layout_of(made, e) else made

    def __str__(self) -> str:
        return f"{self.pattern} -> {self.template}"


def is_hole(part: Part) -> bool:
    """True if a part of a pattern matches any expression."""
    return isinstance(part, Pattern) and part.op is None


def has_layout_of(x: Expr, e: Expr) -> bool:
    """True if the operand `x` has the memory layout of `e`. See Note [Layout]."""
    return x.in_c_order or (e.op is not None and Trait.VIEW in e.op.traits)


def begins(part: Part, x: Expr) -> bool:
    """True if `x` is the number, or has the op, of a part of a pattern."""
    if isinstance(part, Pattern):
        return x.op is part.op
    return x.kind is Kind.CONSTANT and not x.shape and same_number(x.value, part)


def matcher(pattern: Part) -> Callable[[Expr, Found], bool]:
    """A function `matches(e, found)`, which adds what the holes of `pattern` are to `found`.

    Most expressions that a rule is tried on do not match, so the pattern is taken apart once.
    """
    if not isinstance(pattern, Pattern):
        return lambda e, found: begins(pattern, e)
    name, op, attrs = pattern.name, pattern.op, pattern.attrs
    if op is None:
        return lambda e, found: found.setdefault(name, e) is e
    parts = [matcher(part) for part in pattern.inputs]
    has_number = not all(isinstance(part, Pattern) for part in pattern.inputs)

    def matches(e: Expr, found: Found) -> bool:
        inputs = e.inputs
        if e.op is not op or len(inputs) != len(parts):
            return False
        if attrs != e.attrs and not match_attributes(attrs, e.attrs, found):
            return False
        for part, x in zip(parts, inputs):
            if not part(x, found):
                return False
        return not has_number or len({x.dtype for x in inputs}) == 1  # a number takes their dtype

    return matches


def match_attributes(pattern: Attrs, attrs: Attrs, found: Found) -> bool:
    """True if the attributes have the values of a pattern, or those that its holes have already."""
    for name, wanted in pattern.items():
        value = attrs[name]
        if isinstance(wanted, AttributeHole):
            wanted = found.setdefault(wanted.name, value)
        if wanted != value:
            return False
    return True


def same_number(value: np.ndarray, number: Number) -> bool:
    """True if a constant equals a number, the sign of zero included."""
    return bool(value.item() == number) and all(
        np.signbit(part(value)) == np.signbit(part(number)) for part in (np.real, np.imag)
    )


def instantiate(template: Part, found: Found, e: Expr, intern: Interning) -> Expr:
    """Build the expression of a template in the place of `e`."""
    assert isinstance(template, Pattern)
    if template.op is None:
        result: Expr = found[template.name]
        return result
    parts = [
        instantiate(t, found, e, intern) if isinstance(t, Pattern) else t for t in template.inputs
    ]
    types = operand_types([x.type if isinstance(x, Expr) else x for x in parts])
    inputs = [
        x if isinstance(x, Expr) else intern.constant(np.asarray(x, t.dtype), like=e)
        for x, t in zip(parts, types, strict=True)
    ]
    op = template.op
    attrs = {
        k: found[v.name] if isinstance(v, AttributeHole) else v for k, v in template.attrs.items()
    }
    type = op.infer(*[x.type for x in inputs], **attrs)
    made = e._replace(kind=Kind.OP, type=type, op=op, attrs=attrs, inputs=tuple(inputs))
    return intern.copy(made, inputs)


@dataclass(frozen=True)
class Rewrite(Pass):
    """Apply rules until none applies. No bound is known of rules that are not exact."""

    rules: Sequence[Rule] = ()

    @property
    def bound(self) -> float:  # type: ignore[override]
        """0 if all rules are exact."""
        return 0.0 if all(rule.exact for rule in self.rules) else math.inf

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return rewrite(graph, self.rules)


def rewrite(graph: FrozenGraph, rules: Iterable[Rule]) -> FrozenGraph:
    """The graph with rules applied until none applies, inputs before their users."""
    index = index_of(tuple(rules))

    def replace(e: Expr, intern: Interning) -> Expr:
        seen = 0
        while (new := index.apply_first(e, intern)) is not e:
            e, seen = new, seen + 1
            if seen > MOST_STEPS:
                texts = "; ".join(map(str, index.by_op[e.op]))
                raise GraphError(f"rewriting {e.label} does not end: {texts}")
        return e

    return graph.rebuilt(replace, index.by_op)


class RuleIndex:
    """Rules by the op that they match, and by the ops of its operands."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.by_op: dict[Op | None, list[Rule]] = {}
        for rule in rules:
            self.by_op.setdefault(rule.pattern.op, []).append(rule)
        self.fitting: dict[tuple[Op | None, ...], list[Rule]] = {}

    def candidates(self, e: Expr) -> list[Rule]:
        """The rules that fit the ops of `e` and of its operands, of which most have none."""
        ops = e.op, *[x.op for x in e.inputs]
        result = self.fitting.get(ops)
        if result is None:
            result = [r for r in self.by_op.get(e.op, ()) if r.fits_ops(ops[1:])]
            self.fitting[ops] = result
        return result

    def apply_first(self, e: Expr, intern: Interning) -> Expr:
        """The result of the first rule that applies to `e`, or `e`."""
        for rule in self.candidates(e):
            new = rule.apply(e, intern)
            if new is not None and new is not e:
                return new
        return e


@lru_cache(maxsize=16)
def index_of(rules: tuple[Rule, ...]) -> RuleIndex:
    """The index of rules, which many graphs are rewritten by."""
    return RuleIndex(rules)
