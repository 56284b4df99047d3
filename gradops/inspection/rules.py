"""The derivative rules of ops as text, found in the op table and in the source of the rules."""

import inspect
from collections.abc import Callable
from functools import cache
from textwrap import dedent
from typing import Any

from ..core.op import OPS, Op
from ..core.rules import ANY_NUMBER, JointVJP


@cache
def rule_text(op: str) -> str:
    """The source of the VJP rules of an op; empty for an unknown op, or one without rules.

    >>> from gradops.inspection.rules import rule_text
    >>> "lambda y, x: 1 - y * y" in rule_text("tanh")
    True
    """
    found = OPS.get(op)
    texts = dict.fromkeys(map(source_of, rules_of(found))) if found is not None else ()
    return "\n".join(filter(None, texts))


def rules_of(op: Op) -> list[Callable[..., Any]]:
    """The functions that compute cotangents."""
    if isinstance(op.vjp, JointVJP):
        return [op.vjp.rule]
    several = [] if len(op.vjp) == ANY_NUMBER else [op.vjp[i] for i in range(len(op.vjp))]
    return [rule for rule in several if rule is not None]


def source_of(rule: Callable[..., Any]) -> str:
    """The source of a rule: of the function of the op's declaration that it is made from."""
    inner = [cell.cell_contents for cell in getattr(rule, "__closure__", None) or ()]
    functions = [f for f in inner if inspect.isfunction(f)]
    try:
        return dedent(inspect.getsource(functions[0] if functions else rule)).strip()
    except (OSError, TypeError):  # without source, or not of Python
        return ""
