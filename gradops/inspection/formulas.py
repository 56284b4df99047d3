"""Derivative rules as formulas, found by calling them with operands that write down what is done.

Letters are those of the field: g the cotangent of the output y, x or a, b, c the operands.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from ..core.op import OPS, Op
from ..core.rules import ANY_NUMBER, JointVJP
from ..core.types import ArrayType, operand_types, type_of
from ..numpy_api.operators import Operators

LETTERS = "abcdefh"
LONGEST = 400  # characters up to which a formula explains something
INFIX: Mapping[str, tuple[str, int]] = MappingProxyType({
    "add": ("+", 1), "sub": ("-", 1), "mul": ("*", 2), "div": ("/", 2), "matmul": ("@", 2),
    "strong_product": ("*", 2), "power": ("**", 4), "less": ("<", 0), "greater": (">", 0),
    "equal": ("==", 0), "not_equal": ("!=", 0), "less_equal": ("<=", 0), "greater_equal": (">=", 0),
})  # fmt: skip
ATOM = 9


class Term(Operators):
    """An operand that is a text: what has been done to get it."""

    __slots__ = ("binding", "text", "type")
    gradop_level = 0.0

    def __init__(self, text: str, type: ArrayType, binding: int = ATOM) -> None:
        self.text, self.type, self.binding = text, type, binding  # type: ignore[misc]

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        made = op.infer(*operand_types(args), **attrs)
        if op.name in INFIX and len(args) == 2:
            sign, binding = INFIX[op.name]
            left, right = within(args[0], binding), within(args[1], binding + 1)
            return Term(f"{left} {sign} {right}", made, binding)
        if op.name == "neg":
            return Term(f"-{within(args[0], 3)}", made, 3)
        given = [f"{k}={v!r}" for k, v in attrs.items() if v != op.defaults.get(k)]
        return Term(f"{op.name}({', '.join([*map(text_of, args), *given])})", made)

    def __repr__(self) -> str:
        return self.text


def text_of(a: Any) -> str:
    """An operand as text: a term, or a number."""
    if isinstance(a, Term):
        return a.text
    return f"{a:g}" if isinstance(a, float | np.floating) else str(a)


def within(a: Any, binding: int) -> str:
    """An operand as text, in parentheses where it binds less than `binding`."""
    return f"({a.text})" if isinstance(a, Term) and a.binding < binding else text_of(a)


@cache
def formula(op: str) -> str:
    """The VJP rules of an op as formulas, a line per operand; empty where there are none.

    >>> print(formula("tanh"))
    dx = g * (1 - y * y)
    >>> print(formula("mul"))
    da = g * b
    db = g * a
    """
    found = OPS.get(op)
    if found is None or isinstance(found.vjp, JointVJP):
        return ""
    samples = [
        (xs, found.bind(xs, attrs)[1]) for xs, attrs in found.samples(np.random.default_rng(0))
    ]
    for xs, attrs in samples:
        if lines := formulas(found, [type_of(x) for x in xs], attrs):
            return "\n".join(lines)
    return ""


def formulas(op: Op, types: Sequence[ArrayType], attrs: Mapping[str, Any]) -> list[str]:
    """The formula of each operand that has a rule; empty where a rule does more than apply ops."""
    names = "x" if len(types) == 1 else LETTERS[: len(types)]
    xs = [Term(name, t) for name, t in zip(names, types)]
    count = len(op.vjp) if len(op.vjp) < ANY_NUMBER else 0
    lines = []
    try:
        y = op.infer(*types, **attrs)
        for i, name in zip(range(count), names):
            if (rule := op.vjp[i]) is not None:
                result = rule(Term("g", y), Term("y", y), *xs, **attrs)
                lines.append(f"d{name} = {text_of(result)}")
    except Exception:  # the rule of an op may do anything that its own operands allow
        return []
    return [] if any(len(line) > LONGEST or "\n" in line for line in lines) else lines
