"""Environment variables, whose values are checked: a misspelt one warns, by its name.

They are read once for each of their values, so each wrong one warns once.
"""

import math
import os
import warnings
from functools import cache
from pathlib import Path

YES = frozenset({"1", "on", "yes", "true"})
NO = frozenset({"0", "off", "no", "false", "none"})


def switch(variable: str, default: bool) -> bool:
    """The truth value that a variable has; the default if it is not set."""
    return read_switch(variable, os.environ.get(variable, ""), default)


def word(variable: str, words: tuple[str, ...]) -> str:
    """The word, of those that a variable may have, that it has; "" if it is not set."""
    return read_word(variable, os.environ.get(variable, ""), words)


def amount(variable: str, default: float) -> float:
    """The number that a variable has, which is not negative; the default if it is not set."""
    return read_amount(variable, os.environ.get(variable, ""), default)


def folder(variable: str) -> Path | bool:
    """The folder that a variable names, False if it says that there is none, True if unset."""
    given = os.environ.get(variable)
    return True if given is None else read_folder(variable, given)


@cache
def read_switch(variable: str, text: str, default: bool) -> bool:
    """The truth value of a text."""
    if (lower := text.strip().lower()) in YES | NO:
        return lower in YES
    if lower:
        warn(variable, text, "1 or 0", f"{int(default)} is taken")
    return default


@cache
def read_word(variable: str, text: str, words: tuple[str, ...]) -> str:
    """The word of a text."""
    lower = text.strip().lower()
    if lower and lower not in words:
        warn(variable, text, " or ".join(map(repr, words)), "it counts as not set")
    return lower if lower in words else ""


@cache
def read_amount(variable: str, text: str, default: float) -> float:
    """The number of a text."""
    if not text.strip():
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if value >= 0:
        return value
    warn(variable, text, "a number that is not negative", f"{default:g} is taken")
    return default


@cache
def read_folder(variable: str, text: str) -> Path | bool:
    """The folder of a text; one that depends on the working directory is no place for code."""
    if not text.strip() or text.strip().lower() in NO:
        return False
    try:
        path = Path(text).expanduser()
    except RuntimeError:  # there is no home
        path = Path(text)
    if path.is_absolute():
        return path
    warn(variable, text, "'off' or an absolute path", "nothing is kept")
    return False


def warn(variable: str, text: str, wanted: str, instead: str) -> None:
    """Warn of a value that a variable cannot have."""
    reason = f"the environment variable {variable} is {wanted}, not {text!r}: {instead}"
    warnings.warn(reason, stacklevel=4)
