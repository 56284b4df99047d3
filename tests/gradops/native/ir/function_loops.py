"""Loops of machine code over arrays, for each function, and arguments that try it."""

import ctypes

import numpy as np

from gradops.native.ir.functions import FUNCTIONS, arity_of, declarations
from gradops.native.ir.scalars import Scalar, call_math
from gradops.native.ir.text import METADATA, FunctionText, register_type
from gradops.native.runtime.machine import Code

RANGES = {
    "acos": (-1, 1), "acosh": (1, 1e3), "asin": (-1, 1), "asinh": (-1e3, 1e3), "atan": (-1e2, 1e2),
    "atanh": (-1, 1), "cbrt": (-1e3, 1e3), "cos": (-1e4, 1e4), "cosh": (-89, 89), "erf": (-6, 6),
    "erfc": (-6, 9), "exp": (-87, 88), "exp2": (-125, 127), "expm1": (-30, 80), "log": (0, 10),
    "log10": (0, 10), "log1p": (-1, 10), "log2": (0, 10), "sigmoid": (-87, 40), "sin": (-1e4, 1e4),
    "sinh": (-89, 89), "softplus": (-87, 40), "tan": (-1e4, 1e4), "tanh": (-12, 12),
}  # fmt: skip
"""Bounds of arguments whose values are finite and not zero."""
UFUNCS = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "pow": "power",
}  # fmt: skip
HARD = [0.25, 0.5, 1.0, 2.0, 3.0, np.pi / 4, np.pi / 2, np.pi, 2.5 * np.pi, 0.5**0.5, 2**0.5, np.e]
"""Arguments around which functions change their ways, or their results vanish."""


def compiled():
    """Loops for all functions and dtypes."""
    loops = [loop(name, np.dtype(kind)) for name in FUNCTIONS for kind in ("f4", "f8")]
    used = dict.fromkeys((entry for f in loops for entry in f.used), 0)
    lines, functions = declarations(used)
    return Code("\n".join([*lines, *[f.text() for f in (*functions, *loops)], METADATA]))


def loop(name, dtype):
    """The text of a function that computes entries of an array, and says if it gave up."""
    kind, places = register_type(dtype), [f"%x{k}" for k in range(arity_of(name))]
    given = ", ".join(f"ptr noalias {x}" for x in [*places, "%y"])
    f = FunctionText(f"define i1 @{name}{dtype.itemsize}({given}, i64 %n)")
    f.frame += ["  %noted = alloca i1", "  store i1 false, ptr %noted"]

    def entry(place, i):
        return f.emit(f"getelementptr {kind}, ptr {place}, i64 {i}")

    for i in f.loop("%n"):
        xs = [f.emit(f"load {kind}, ptr {entry(place, i)}") for place in places]
        y = call_math(name, [Scalar(f, x, dtype) for x in xs])
        f.do(f"store {y.typed}, ptr {entry('%y', i)}")
    f.do(f"ret i1 {f.emit('load i1, ptr %noted')}")
    return f


def values(code, name, *xs):
    """The function of arrays, and True if it gave up."""
    y = np.empty_like(xs[0])
    arrays = [*xs, y]
    address = code.address(f"{name}{y.itemsize}")
    pointers = [ctypes.c_void_p] * len(arrays)
    f = ctypes.CFUNCTYPE(ctypes.c_bool, *pointers, ctypes.c_int64)(address)
    return y, f(*[a.ctypes.data for a in arrays], y.size)


def arguments(name, dtype, count):
    """Arguments of a function, many of them small, or near to where it is hard."""
    rng = np.random.default_rng(0)
    if arity_of(name) == 2:
        return pairs(rng, name, dtype, count)
    low, high = RANGES[name]
    small = rng.uniform(-1, 1, count // 4) * 10.0 ** rng.uniform(-30, 0, count // 4)
    near = np.repeat(HARD, 40) * (1 + rng.normal(0, 1e-4, 40 * len(HARD)))
    edges = np.ldexp(1.0, np.arange(-60, 14))
    grids = [rng.uniform(low, high, count), np.linspace(low, high, count // 4), small]
    x = np.concatenate([*grids, near, -near, HARD, edges, np.nextafter(edges, 0), -edges])
    x = x.astype(dtype)
    return [x[(x > low) & (x < high)]]


def pairs(rng, name, dtype, count):
    """Operands of a function of two, of which results are finite."""
    a, b = (np.exp(rng.uniform(-20, 20, count)) for _ in "ab")
    if name == "pow":
        a[::2] = rng.uniform(0.5, 1.5, len(a[::2]))
        most = 85 if dtype == "f4" else 700
        b = rng.uniform(-1, 1, count) * np.minimum(most / np.abs(np.log(a)), 1e6)
    else:
        a, b = (x * rng.choice([-1, 1], count) for x in (a, b))
        a[::3] = b[::3] * (1 + rng.uniform(-0.5, 2, len(b[::3])))
    return [a.astype(dtype), b.astype(dtype)]


def ulps(want, dtype):
    """The distances of numbers of a dtype at some values."""
    return np.spacing(np.maximum(np.abs(want).astype(dtype), np.finfo(dtype).tiny))
