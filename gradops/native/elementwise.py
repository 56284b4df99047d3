"""Elementwise ops in machine code.

Note [Lowering of ops]. An op is one of the `PRIMITIVES`, or it is lowered by its declaration: its
`formula` is applied to entries, or the Python expression `scalar` is read as instructions. Operands
are converted to the dtype in which the op computes, which is that of the result, or for a truth
value that of the operands.
"""

import ast
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np

from gradops import ArrayType, Operators
from gradops.core.op import Op

from .primitives import PRIMITIVES
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
    within = dtype_within(op, [a.dtype for a in args], dtype)
    has_formula = op.formula is not None and any(a.dtype.kind == "f" for a in args)
    args = [a if a.dtype == BOOL and op.name in CHOOSING else cast(a, within) for a in args]
    primitive = PRIMITIVES.get(op.name)
    if primitive is not None:
        result = primitive(*args, **attrs)
    elif has_formula:
        result = by_formula(op, args, attrs)
    elif op.scalar and not op.params:
        tree = parsed(op.scalar, len(args))
        result = Reader({f"x{i}": a for i, a in enumerate(args)}, within).read(tree)
    else:
        raise NotNative(f"{op.name} has no formula")
    return cast(result, dtype)


CHOOSING = frozenset({"where", "masked"})
"""Ops whose first operand is a truth value that chooses."""


def dtype_within(op: Op, given: Sequence[np.dtype], dtype: np.dtype) -> np.dtype:
    """The dtype in which an op computes."""
    kinds = {t.kind for t in given}
    if dtype != BOOL:
        if dtype.kind in "iu" and "f" in kinds:
            raise NotNative(f"{op.name} of floats gives integers")
        return dtype
    found = np.result_type(*given)
    if found.kind == "f" and {"i", "u"} <= kinds:  # which NumPy compares exactly
        raise NotNative(f"{op.name} of signed and unsigned integers")
    return found


class Entry(Operators):
    """A scalar as an operand of ops, to which formulas apply."""

    gradop_level = 0.0

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar

    @property
    def type(self) -> ArrayType:
        """The type of the scalar."""
        return ArrayType((), self.scalar.dtype)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: Mapping[str, Any]) -> "Entry":
        scalars = [a.scalar for a in args if isinstance(a, Entry)]
        numbers = [s.dtype for s in scalars if s.dtype != BOOL] or [BOOL]
        dtype = np.result_type(*numbers)
        given = [
            a.scalar if isinstance(a, Entry) else constant(scalars[0].f, a, dtype_of(a, dtype))
            for a in args
        ]
        result = op.infer(*[ArrayType((), a.dtype) for a in given], **attrs).dtype
        return Entry(apply(op, given, attrs, result))


def dtype_of(number: Any, beside: np.dtype) -> np.dtype:
    """The dtype of a number beside operands: its own, or one that fits theirs."""
    return number.dtype if isinstance(number, np.generic) else np.result_type(beside, number)


def by_formula(op: Op, args: Sequence[Scalar], attrs: Mapping[str, Any]) -> Scalar:
    """The value of the formula of an op."""
    assert op.formula is not None
    result = op.formula(*map(Entry, args), **attrs)
    if not isinstance(result, Entry):
        return constant(args[0].f, result, args[0].dtype)
    return result.scalar


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
