"""Refusal of objectives whose result depends on a plain number made of what is differentiated.

A derivative is zero in such a number. One that is printed, kept, or compared with a limit does no
harm, so the result is computed once more with such numbers a little changed: if it changes too, the
objective is refused.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import TransformError
from ..core.source_location import Place, describe
from ..core.tree import leaves_of
from ..core.types import shape_of
from ..numpy_api.detach_checks import nudging, recording_detached

CONSTANTS = (bool, int, float, np.number, np.bool_, np.ndarray)


def require_no_plain_result(f: Callable[..., Any], *args: Any) -> tuple[Any, list[Place | None]]:
    """The result of f(*args), and where it makes plain numbers; TransformError if it is one."""
    with recording_detached() as cuts:
        found = f(*args)
    if cuts and any(isinstance(y, CONSTANTS) for y in leaves_of(found)):
        raise cut_off("the function gives a plain number, made", "its gradient", cuts[0])
    return found, cuts


def require_no_plain_numbers(
    f: Callable[..., Any], harmless: set[Place | None], x: Any, *args: Any
) -> Any:
    """The result of f(x, *args); raises TransformError if it depends on a plain number.

    Places in `harmless` were found to make none that the result needs; those found now are added.
    """
    found, cuts = require_no_plain_result(f, x, *args)
    new = [place for place in cuts if place not in harmless]
    if new and (
        depends_on_plain_numbers(f, found, x, *args)
        or depends_on_plain_numbers(f, f(y := beside(x), *args), y, *args)
    ):
        raise cut_off("the result depends on a plain number, made", "the gradient by it", new[0])
    harmless.update(new)
    return found


def depends_on_plain_numbers(f: Callable[..., Any], found: Any, *operands: Any) -> bool:
    """True if the result is another with other plain numbers, and `found` with the same."""
    with nudging():
        other = f(*operands)
    return not same(found, other) and same(found, f(*operands))


def beside(x: Any) -> Any:
    """A point near a vector, where no entry is zero: a product with zero hides what depends."""
    return x + 1e-3 * np.cos(np.arange(int(shape_of(x)[0])))


def same(a: Any, b: Any) -> bool:
    """True if the entries of two results are equal."""
    first, second = ([numbers_in(y) for y in leaves_of(t)] for t in (a, b))
    if len(first) != len(second):
        return False
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(first, second, strict=True))


def numbers_in(x: Any) -> np.ndarray:
    """The entries of a value that may be traced."""
    x = getattr(x, "detach", lambda: x)()
    return np.asarray(x.tolist() if hasattr(x, "gradop_level") else x, float)


def cut_off(what: str, gradient: str, place: Place | None) -> TransformError:
    """The error for a plain number made at a place of the user's program."""
    return TransformError(
        f"{what} of what is being differentiated at {describe(place)}: {gradient} would be zero"
        "\n  hint: return what functions of NumPy give, without float() or those of math"
    )
