"""Errors for calls of NumPy that tensors and expressions do not take."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import NumPyCallError
from ..core.op import OPS
from ..core.types import shape_of, type_of
from ..typing import AnyArray
from .detach_checks import where_and_way_out

UNSET: Any = np._NoValue  # NumPy's default of arguments that are not given


def refusal(call: str, reason: str, hint: str) -> NumPyCallError:
    """The error for an unsupported NumPy call, with the user's line and a hint."""
    where, hint = where_and_way_out(hint, hint)
    return NumPyCallError(call, f"{reason}\n  at {where}", hint)


def array_as_out(call: str) -> NumPyCallError:
    """The error for a plain array given as `out=`: it cannot record history."""
    return refusal(
        call, "an array given as out= cannot hold what is recorded or built, and would cut it off",
        "leave out= away; instead of a += x write a = a + x",
    )  # fmt: skip


def write_result(call: str, out: Any, value: Any, where: Any = True) -> Any:
    """`out` with a result written into it; raises NumPyCallError for a plain array."""
    from ..library.elementwise.comparison import where as choose

    if not hasattr(out, "__gradop_write__"):
        raise array_as_out(call)
    out[...] = value if where is True else choose(where, value, out)
    return out


def cast(call: str, x: object, dtype: np.dtype, casting: Any) -> Any:
    """An operand cast to a requested dtype; Python's numbers stay as they are."""
    if type(x) in (bool, int, float, complex):  # NumPy's own numbers have a dtype
        return x
    if not np.can_cast(type_of(x).dtype, dtype, casting):
        reason = f"an operand of {type_of(x).dtype} is not cast to {dtype} with {casting=}"
        raise refusal(f"{call}(..., dtype={dtype})", reason, "cast it with .astype(dtype)")
    return OPS["astype"](x, dtype=dtype)


def length(x: object, axis: int = 0) -> int:
    """The size of an axis; raises NumPyCallError if it is unknown."""
    found = shape_of(x)[axis]
    if not isinstance(found, int):
        reason = f"this function needs to know the size {found}"
        raise refusal("numpy", reason, "give the axis a size")
    return found


def in_place(name: str, instead: str, shown: str = "") -> Callable[..., Any]:
    """A method that raises NumPyCallError in place of one that changes its array."""

    def call(self: object, *args: object, **kwargs: object) -> AnyArray:
        raise refusal(
            shown or f"x.{name}(...)", "it would change x, which has no memory of its own",
            f"use the new value that {instead} gives",
        )  # fmt: skip

    call.__name__ = name
    call.__doc__ = "It would change the array, and is refused."
    return call


def concrete(x: Any) -> Any:
    """The entries of an operand as an array; symbolic operands raise."""
    return np.asarray(x.tolist() if hasattr(x, "gradop_level") else x)
