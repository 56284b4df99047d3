"""Small programs, each with a mistake or a habit that one of the modes does not take.

They are texts, so that errors name their lines, as those of a user's program.
"""

import linecache
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np


class Program(NamedTuple):
    """A program with a function `f`, and arguments for it."""

    title: str
    source: str
    args: tuple[Any, ...]


PROGRAMS = (
    Program("A shape error", """\
def f(x, w):
    h = np.tanh(x @ w)  # x is [5, 3], w is [4]
    return np.sum(h)
""", (np.ones((5, 3)), np.ones(4))),
    Program("A branch on data", """\
def f(x):
    if np.sum(x) > 0:
        return np.sum(x * x)
    return np.sum(-x)
""", (np.ones(3),)),
    Program("A second backward", """\
def f(x):
    return np.sum(np.tanh(x) ** 2)
""", (np.array([0.5, 1.0]),)),
    Program("A write in place", """\
def f(x):
    h = np.tanh(x)
    y = np.sum(h * h)  # the derivative of h * h needs h
    h[0] = 0.0
    return y
""", (np.array([0.5, 1.0]),)),
    Program("A NaN", """\
def f(x):
    h = np.log(x)  # x has a zero
    return np.sum(h * x)
""", (np.array([1.0, 0.0, 2.0]),)),
)  # fmt: skip


@cache
def function_of(program: int) -> Callable[..., Any]:
    """The function of a program, by its number."""
    source, filename = PROGRAMS[program].source, f"<example {program + 1}>"
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, filename, "exec"), scope)
    found: Callable[..., Any] = scope["f"]
    return found
