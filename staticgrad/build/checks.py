"""The ops behind checks and prints. They take a token and give it on: see Note [Effects]."""

from gradops.core.traits import Trait
import sys
from typing import Any

import numpy as np

from gradops import ArrayType, CheckError, Op
from gradops.core.rules import NO_RULES

EDGE = 3  # entries at each end of a long axis that a failing check shows


def checked(*operands: Any, message: str = "") -> Any:
    """Raise CheckError unless the condition, the second operand, holds everywhere."""
    token, condition, *data = operands
    if not np.all(condition):
        shown = "".join(f"\n  {text(x, EDGE)}" for x in data)
        raise CheckError(f"{message or 'a check failed'}{shown}")
    return token


def said(*operands: Any, message: str = "", edge: int = EDGE) -> Any:
    """Print to the standard error, if the second operand is true."""
    token, wanted, *data = operands
    if not wanted:
        return token
    gap = " " if message and not message[-1].isspace() else ""
    print(message + gap + " ".join(text(x, edge) for x in data), file=sys.stderr)
    return token


def text(x: Any, edge: int) -> str:
    """An array in words, with so many entries at each end of a long axis."""
    limit = sys.maxsize if edge < 0 else 2 * edge
    return np.array2string(np.asarray(x), threshold=limit, edgeitems=max(edge, 1))


def token_type(token: ArrayType, *rest: ArrayType, **attrs: Any) -> ArrayType:
    """The type of a token."""
    return token


def effectful(name: str, kernel: Any, source: str, doc: str) -> Op:
    """An op that is applied for its effect."""
    return Op(
        name=name, kernel=kernel, infer=token_type, arity=None, source=source, doc=doc,
        vjp=NO_RULES, jvp=NO_RULES, traits=frozenset({Trait.EFFECT, Trait.VIEW}),
        samples=lambda rng: [],
    )  # fmt: skip


check = effectful("check", checked, "check({operands}, message={message})",
                  "A failure unless a condition holds.")  # fmt: skip
say = effectful("say", said, "say({operands}, message={message}, edge={edge})",
                "Values, printed to the standard error.")  # fmt: skip
