"""Elementwise ops in machine code.

Note [Lowering of ops]. An op is lowered by the declaration it has: the Python expression `scalar`
is read as instructions. Operands are converted to the dtype in which the op computes, which is that
of the result, or for a truth value that of the operands. `FORMULAS` has what is shorter otherwise.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from gradops.core.op import Op

from .scalars import BOOL, NotNative, Scalar, call_math, cast, choose, constant
from .text import FunctionText, is_computable


@cache
def parsed(source: str, arity: int) -> ast.expr:
    """A Python expression of the operands x0, x1, ..."""
    return ast.parse(source.format(*(f"x{i}" for i in range(arity))), mode="eval").body


@lru_cache(4096)
def lowers(op: Op, given: tuple[np.dtype, ...], result: np.dtype, attrs: Any) -> bool:
    """True if there is machine code for an elementwise op on these dtypes."""
    f = FunctionText("")
    try:
        apply(op, [Scalar(f, "%x", dtype) for dtype in given], dict(attrs), result)
    except NotNative:
        return False
    return True


def apply(op: Op, args: Sequence[Scalar], attrs: Mapping[str, Any], dtype: np.dtype) -> Scalar:
    """The value of an elementwise op in `dtype`. See Note [Lowering of ops]."""
    if not all(is_computable(t) for t in (dtype, *[a.dtype for a in args])):
        raise NotNative(f"{op.name} of {', '.join(str(a.dtype) for a in args)}")
    kinds = [a.dtype for a in args if a.dtype != BOOL]
    within = dtype if dtype != BOOL or not kinds else np.result_type(*kinds)
    args = [a if a.dtype == BOOL else cast(a, within) for a in args]
    formula: Callable[..., Any] | None = FORMULAS.get(op.name)
    if formula is not None:
        result = formula(*args, **attrs)
    elif op.scalar and not op.params:
        tree = parsed(op.scalar, len(args))
        result = Reader({f"x{i}": a for i, a in enumerate(args)}, within).read(tree)
    else:
        raise NotNative(f"{op.name} has no formula")
    return cast(result, dtype)


class Reader:
    """Writes the instructions of a Python expression."""

    def __init__(self, names: Mapping[str, Scalar], dtype: np.dtype) -> None:
        self.names, self.dtype, self.f = names, dtype, next(iter(names.values())).f

    def read(self, e: ast.expr) -> Scalar:
        """The value of an expression."""
        match e:
            case ast.Name(id):
                return self.names[id]
            case ast.Constant(value):
                return constant(self.f, value, self.dtype)
            case ast.BinOp(left, op, right):
                return self.number(left).arithmetic(type(op), self.number(right))
            case ast.UnaryOp(ast.USub(), x):
                return -self.number(x)
            case ast.UnaryOp(ast.Not(), x):
                return self.flip(self.truth(x))
            case ast.Compare(left, [op], [right]):
                return self.number(left).compare(type(op), self.number(right))
            case ast.BoolOp(op, [left, right]):
                a, b = self.truth(left), self.truth(right)
                return a.then(f"{'and' if isinstance(op, ast.And) else 'or'} {a.typed}, {b.name}")
            case ast.IfExp(test, yes, no):
                return choose(self.truth(test), self.number(yes), self.number(no))
            case ast.Call(ast.Name("abs"), [x]):
                return abs(self.number(x))
            case ast.Call(ast.Name("bool"), [x]):
                return self.truth(x)
            case ast.Call(ast.Name("max"), [left, right]):
                a, b = self.number(left), self.number(right)
                return choose(b > a, b, a)
            case ast.Call(ast.Attribute(_, name), args):
                return call_math(name, [self.number(x) for x in args])
        raise NotNative(ast.unparse(e))

    def number(self, e: ast.expr) -> Scalar:
        """The value of an expression in the dtype of the op."""
        return cast(self.read(e), self.dtype)

    def truth(self, e: ast.expr) -> Scalar:
        """The truth of an expression."""
        return cast(self.read(e), BOOL)

    def flip(self, x: Scalar) -> Scalar:
        """The other truth value."""
        return x.with_number("xor", True)


def sigmoid(x: Scalar) -> Scalar:
    """With one exponential where the Python expression has two."""
    e = call_math("exp", [-abs(x)])
    return choose(x >= 0, constant(x.f, 1, x.dtype), e) / (1.0 + e)


def exp_difference(x: Scalar, y: Scalar) -> Scalar:
    """exp(x - y), zero where both are -inf."""
    z, least = call_math("exp", [x - y]), float(np.finfo(x.dtype).min)
    return choose(y < least, choose(z >= 0, z, 0.0), z)


FORMULAS: dict[str, Callable[..., Any]] = {
    "sigmoid": sigmoid,
    "stop_gradient": lambda x: x,
    "isfinite": lambda x: abs(x) < float("inf"),
    "exp_difference": exp_difference,
}
