"""Integrals by SciPy's adaptive rules."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import ConvergenceWarning, MissingExtraError
from ...core.source_location import warn
from .running import REPORTS

Function = Callable[..., Sequence[np.ndarray]]


def integral(
    *operands: Any, functions: Sequence[Function], size: int,
    options: Sequence[tuple[str, Any]] = (),
) -> np.ndarray:  # fmt: skip
    """The integral of a function that gives a vector of `size`, and after it an error estimate.

    Operands are both limits, and what the function takes after the variable.
    """
    low, high, *others = operands
    (f,) = functions
    try:
        from scipy import integrate
    except ImportError as error:
        raise MissingExtraError("quad", "SciPy", "scipy") from error
    at = lambda x: np.asarray(f(np.float64(x), *others)[0])
    run = of_one if size == 1 else of_many
    value, estimate, message = run(integrate, at, (float(low), float(high)), dict(options))
    tell(message)
    return np.append(value, estimate)


def of_one(
    integrate: Any, f: Callable[[float], np.ndarray], limits: Any, options: dict[str, Any]
) -> tuple[Any, float, str]:
    """The integral of one number, by QUADPACK."""
    value, error, _, *message = integrate.quad(
        lambda x: float(f(x)[0]), *limits, full_output=1, **options
    )
    return value, error, message[0] if message else ""


def of_many(
    integrate: Any, f: Callable[[float], np.ndarray], limits: Any, options: dict[str, Any]
) -> tuple[Any, float, str]:
    """The integrals of several numbers, at the same points."""
    known = {k: v for k, v in options.items() if k in ("epsabs", "epsrel", "points")}
    value, error, info = integrate.quad_vec(f, *limits, norm="max", full_output=True, **known)
    return value, error, "" if info.success else info.message


def tell(message: str) -> None:
    """Leave the message for who asks for it in this context; else warn of it."""
    found = REPORTS.get()
    if found is not None:
        found.append(message)
    elif message:
        warn("an integral is not as exact as asked for: " + " ".join(message.split()),
             ConvergenceWarning)  # fmt: skip
