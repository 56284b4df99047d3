"""Which custom function of a program has a backward that differences do not confirm."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradops.core.source_location import Place, describe, here
from gradops.core.types import is_float

from ..custom_function.function import APPLIED
from ..engine.grad_mode import enable_grad
from ..engine.handle import Handle, hold, make_leaf
from .comparisons import Check, Tolerance


class Applied(NamedTuple):
    """One use of a custom function: which, to what, and where."""

    cls: Any
    args: tuple[Any, ...]
    place: Place | None


def wrong_function(
    func: Callable[..., Any], inputs: Sequence[Any], tolerance: Tolerance
) -> str | None:
    """What to say of the first custom function in `func` whose own backward is wrong."""
    for one in applied(func, inputs):
        check = Check(one.cls.apply, one.args, tolerance)
        if check.checked and not check.agrees():
            return (
                f"the backward of the custom function `{one.cls.__name__}`, applied at"
                f" {describe(one.place)}, is wrong"
            )
    return None


def applied(func: Callable[..., Any], inputs: Sequence[Any]) -> list[Applied]:
    """The custom functions that `func` applies, with leaves of their own for arguments."""
    found: list[Applied] = []
    token = APPLIED.set(
        lambda cls, args: found.append(Applied(cls, tuple(map(leaf_like, args)), here()))
    )
    try:
        with enable_grad():
            func(*inputs)
    finally:
        APPLIED.reset(token)
    return found


def leaf_like(x: Any) -> Any:
    """An argument as an input to be checked, if it is a tensor that requires gradients."""
    if not isinstance(x, Handle) or x.node is None or not is_float(x.dtype):
        return x
    return make_leaf(hold(type(x), np.array(x.value, np.float64)))
