"""The functions that machine code calls: those of ours, in LLVM's language, and LLVM's own.

See Note [Straight-line functions] in `transcendental/floats.py`.
"""

from collections.abc import Callable, Mapping
from inspect import signature

import numpy as np

from ..transcendental.circular import cos, sin, sincos, tan
from ..transcendental.error_function import erf, erfc
from ..transcendental.exponential import cosh, exp, exp2, expm1, sigmoid, sinh, tanh
from ..transcendental.inverse_circular import acos, asin, atan, atan2
from ..transcendental.logarithm import acosh, asinh, atanh, log, log1p, log2, log10, softplus
from ..transcendental.power import cbrt, hypot, pow
from .scalars import NOTING, Scalar, pair_of
from .text import FunctionText, register_type

FUNCTIONS: dict[str, Callable[..., Scalar]] = {
    "acos": acos, "acosh": acosh, "asin": asin, "asinh": asinh, "atan": atan, "atan2": atan2,
    "atanh": atanh, "cbrt": cbrt, "cos": cos, "cosh": cosh, "erf": erf, "erfc": erfc, "exp": exp,
    "exp2": exp2, "expm1": expm1, "hypot": hypot, "log": log, "log10": log10, "log1p": log1p,
    "log2": log2, "pow": pow, "sigmoid": sigmoid, "sin": sin, "sinh": sinh, "softplus": softplus,
    "tan": tan, "tanh": tanh,
}  # fmt: skip
"""Functions of floats, by the names that `call_math` knows."""

PAIRS: dict[str, Callable[..., tuple[Scalar, Scalar]]] = {"sincos": sincos}
"""Functions of floats that compute two others at once, to the same bits."""


def arity_of(name: str) -> int:
    """The number of operands of a function."""
    return len(signature(FUNCTIONS.get(name) or PAIRS[name]).parameters)


def definition(called: str, often: bool) -> FunctionText:
    """The function that is called so, as `own.exp.f32`, or `own.exp.v4f32` of vectors."""
    _, name, suffix = called.split(".")
    lanes, bits = suffix.removeprefix("v").rsplit("f", 1)
    dtype = np.dtype(f"f{int(bits) // 8}")
    f = FunctionText("")
    f.lanes = int(lanes or 0)
    kind = f.vector(register_type(dtype))
    names = [f"%x{i}" for i in range(arity_of(name))]
    given = [f"{kind} {x}" for x in names] + ["ptr %noted"] * (name in NOTING)
    inlined = "noinline" if often else "alwaysinline"
    result = pair_of(kind) if name in PAIRS else kind
    f.head = f"define internal {result} @{called}({', '.join(given)}) {inlined} nounwind"
    xs = [Scalar(f, x, dtype) for x in names]
    if name in PAIRS:
        y, z = PAIRS[name](*xs)
        half = f.emit(f"insertvalue {result} poison, {y.typed}, 0")
        f.do(f"ret {result} {f.emit(f'insertvalue {result} {half}, {z.typed}, 1')}")
    else:
        f.do(f"ret {FUNCTIONS[name](*xs).typed}")
    return f


def declarations(used: Mapping[str, int]) -> tuple[list[str], list[FunctionText]]:
    """The declarations and definitions of functions that are called, as `float own.exp.f32/1`."""
    lines: dict[str, None] = {}
    done: dict[str, FunctionText] = {}
    todo = list(used)
    while todo:
        key = todo.pop()
        typed, arity = key.split("/")
        kind, name = typed.rsplit(" ", 1)
        if not name.startswith("own."):
            lines[f"declare {kind} @{name}({', '.join([kind] * int(arity))})"] = None
        elif name not in done:
            done[name] = definition(name, used.get(key, 0) > 1)
            todo += done[name].used
    return list(lines), list(done.values())
