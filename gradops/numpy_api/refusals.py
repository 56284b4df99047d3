"""Errors for calls of NumPy that tensors and expressions do not take."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import NumPyCallError
from ..core.types import shape_of
from ..typing import AnyArray
from .detach_checks import where_and_way_out


def refusal(call: str, reason: str, hint: str) -> NumPyCallError:
    """The error for a call of NumPy's, with the user's line and the way out."""
    where, hint = where_and_way_out(hint, hint)
    return NumPyCallError(call, f"{reason}\n  at {where}", hint)


def array_as_out(call: str) -> NumPyCallError:
    """The error for a result that is to be written into an array, which has no history."""
    return refusal(
        call, "an array given as out= cannot hold what is recorded or built, and would cut it off",
        "leave out= away; instead of a += x write a = a + x",
    )  # fmt: skip


def written(call: str, out: Any, value: Any, where: Any = True) -> Any:
    """`out`, a tensor into which a result was written; anything else is refused."""
    from ..library.elementwise.comparison import where as choose

    if not hasattr(out, "__gradop_write__"):
        raise array_as_out(call)
    out[...] = value if where is True else choose(where, value, out)
    return out


def length(x: object, axis: int = 0) -> int:
    """The size of an axis, which must be known."""
    found = shape_of(x)[axis]
    if not isinstance(found, int):
        raise refusal(
            "numpy", f"this function needs to know the size {found}", "give the axis a size"
        )
    return found


def lengths(x: object) -> tuple[int, ...]:
    """The size of each axis, which must all be known."""
    return tuple(length(x, i) for i in range(len(shape_of(x))))


def in_place(name: str, instead: str, shown: str = "") -> Callable[..., Any]:
    """A method that changes an array, which has no counterpart: its call is an error."""

    def call(self: object, *args: object, **kwargs: object) -> AnyArray:
        raise refusal(
            shown or f"x.{name}(...)", "it would change x, which has no memory of its own",
            f"use the new value that {instead} gives",
        )  # fmt: skip

    call.__name__ = name
    call.__doc__ = "It would change the array, and is refused."
    return call


def known(x: Any) -> Any:
    """The entries of an operand as an array; one whose entries are not known says so."""
    return np.asarray(x.tolist() if hasattr(x, "gradop_level") else x)
