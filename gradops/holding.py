"""Operands that hold a value, and how a tracer puts another value into one.

A holder, such as a tensor, states three methods, and so neither of two packages need know the
other: `__gradop_held__()` gives what it holds, `__gradop_hold__(value)` another like itself that
holds `value`, and `__gradop_write__(value)` lets it hold `value` from now on. Where it has a
gradient, that is its attribute `grad`, a holder again or None.
"""

from typing import Any


def is_holder(x: Any) -> bool:
    """Whether `x` holds a value."""
    return hasattr(x, "__gradop_hold__")


def held(x: Any) -> Any:
    """What `x` holds, or `x` itself."""
    return x.__gradop_held__() if is_holder(x) else x


def holding(x: Any, value: Any) -> Any:
    """What is to `value` as `x` is to the value it holds."""
    return x.__gradop_hold__(value) if is_holder(x) else value


def signature(x: Any) -> Any:
    """What a program can tell of `x` without its entries: its type, its kind, and its gradient."""
    if not is_holder(x):
        return x.shape, x.dtype
    value = x.__gradop_held__()
    grad = getattr(x, "grad", None)
    asks = getattr(x, "requires_grad", False)
    return type(x), value.shape, value.dtype, asks, None if grad is None else signature(grad)
