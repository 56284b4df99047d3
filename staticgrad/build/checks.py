"""The ops behind checks and prints. They take a token and return it: see Note [Effects]."""

import sys
from collections.abc import Callable

import numpy as np

from gradops import ArrayType, CheckError, Op
from gradops.core.rules import NO_RULES
from gradops.core.traits import Trait

EDGE = 3  # entries at each end of a long axis that a failing check shows


def run_check(*operands: np.ndarray, message: str = "") -> np.ndarray:
    """Raise CheckError unless the condition, the second operand, holds; return the token."""
    token, condition, *data = operands
    if not np.all(condition):
        shown = "".join(f"\n  {array_text(x, EDGE)}" for x in data)
        raise CheckError(f"{message or 'a check failed'}{shown}")
    return token


def run_print(*operands: np.ndarray, message: str = "", edge: int = EDGE) -> np.ndarray:
    """Print to the standard error if the second operand is true; return the token."""
    token, wanted, *data = operands
    if wanted:
        gap = " " if message and not message[-1].isspace() else ""
        print(message + gap + " ".join(array_text(x, edge) for x in data), file=sys.stderr)
    return token


def array_text(x: np.ndarray, edge: int) -> str:
    """An array as text, with `edge` entries at each end of a long axis, all if negative."""
    limit = sys.maxsize if edge < 0 else 2 * edge
    return np.array2string(np.asarray(x), threshold=limit, edgeitems=max(edge, 1))


def token_type(token: ArrayType, *rest: ArrayType, **attrs: object) -> ArrayType:
    """The type of a token."""
    return token


def effect_op(name: str, kernel: Callable[..., np.ndarray], source: str, doc: str) -> Op:
    """An op that is applied for its effect, and returns its token."""
    return Op(
        name=name, kernel=kernel, infer=token_type, arity=None, source=source, doc=doc,
        vjp=NO_RULES, jvp=NO_RULES, traits=frozenset({Trait.EFFECT, Trait.VIEW}),
        samples=lambda rng: [],
    )  # fmt: skip


check = effect_op("check", run_check, "check({operands}, message={message})",
                  "A failure unless a condition holds.")  # fmt: skip
say = effect_op("say", run_print, "say({operands}, message={message}, edge={edge})",
                "Values, printed to the standard error.")  # fmt: skip
