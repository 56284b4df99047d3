"""The fast path: functions that apply an op without attributes to one or two expressions.

Half of what a call of an op costs is to find out what it is applied to.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gradops import ArrayType, Op

from ..ir.expr import Expr, apply


class Specialised(dict[Op, Callable[..., Any] | None]):
    """Functions that apply an op to one or two expressions of one graph, created on demand.

    They do what `__gradop__` does, without what only other operands need; None for other ops.
    """

    def __missing__(self, op: Op) -> Callable[..., Any] | None:
        make = {1: unary, 2: binary}.get(op.arity or 0)
        is_complete = len(op.defaults) == len(op.params)
        self[op] = function = make(op) if make is not None and is_complete else None
        return function


def unary(op: Op) -> Callable[..., Any]:
    """`op` on an expression; NotImplemented where the general way is needed, as for an error."""
    attrs = op.defaults

    def build(x: Expr) -> Any:
        names, t = x.names, x.type
        if names is None or type(t) is not ArrayType:
            return NotImplemented
        try:
            result = infer_array(op, t.shape, t.dtype)
        except Exception:
            return NotImplemented
        return NotImplemented if result is None else apply(names, op, (x,), attrs, result)

    return build


def binary(op: Op) -> Callable[..., Any]:
    """`op` on two expressions; NotImplemented where the general way is needed, as for an error."""
    attrs = op.defaults

    def build(x: Any, y: Any) -> Any:
        if type(x) is not Expr or type(y) is not Expr or x.names is not y.names:
            return NotImplemented
        names, t, u = x.names, x.type, y.type
        if names is None or type(t) is not ArrayType or type(u) is not ArrayType:
            return NotImplemented
        try:
            result = infer_array(op, t.shape, t.dtype, u.shape, u.dtype)
        except Exception:
            return NotImplemented
        return NotImplemented if result is None else apply(names, op, (x, y), attrs, result)

    return build


@lru_cache(maxsize=4096)
def infer_array(op: Op, *parts: Any) -> ArrayType | None:
    """The type of an op with default attributes on arrays; None if it is not that of an array.

    The parts are the shape and the dtype of each operand, which are hashed in C.
    """
    types = [ArrayType(shape, dtype) for shape, dtype in zip(parts[::2], parts[1::2], strict=True)]
    result = op.infer(*types, **op.defaults)
    return result if type(result) is ArrayType and result.dtype.kind != "O" else None


Expr.specialised = Specialised()
