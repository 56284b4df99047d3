"""Replacements for functions that would convert traced values to plain arrays or numbers."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..core.source_location import Call


class Row(NamedTuple):
    """Names of functions, an example of a call, and its replacement."""

    names: str
    shown: str
    hint: str


WHOLE = "leave it out, as x is an array already; np.copy(x) copies, x.astype(dtype) converts"
LIST = "np.stack([x, y]) makes an array of a list of traced values"
NESTED = "np.stack([np.stack(row) for row in rows]), or np.block(rows) of a list of lists"
MAKING = "numpy.array numpy.asarray numpy.asanyarray numpy.ascontiguousarray numpy.asfortranarray"
ROWS = (
    Row("", "np.array([x, y])", LIST),
    Row("", "np.array([[x, y], [y, x]])", NESTED),
    Row(
        "numpy.asarray_chkfinite numpy.float16 numpy.float32 numpy.float64 numpy.longdouble"
        " numpy.complex64 numpy.complex128",
        "np.asarray(x), np.array(x), np.float64(x)",
        WHOLE,
    ),
    Row("ndarray.dot", "a.dot(x), with an array a", "write a @ x, or np.dot(a, x)"),
    Row("numpy.full", "np.full(n, x)", "write np.ones(n) * x"),
    Row(
        "numpy.vectorize",
        "np.vectorize(f)(x)",
        "write f with operations on arrays, or np.stack([f(v) for v in x])",
    ),
    Row(
        "numpy.array_equal numpy.array_equiv",
        "np.array_equal([x], [y])",
        "np.stack(values) makes an array of a list; np.all(a == b) compares arrays",
    ),
    Row(
        "Generator.* RandomState.* numpy.random.*",
        "rng.normal(x)",
        "draw beside x, which moves and scales the numbers: x + rng.normal(size=...)",
    ),
)
BY_NAME: Mapping[str, str] = {name: row.hint for row in ROWS for name in row.names.split()}
NAMED_OTHERWISE = {
    "fabs": "np.abs", "pow": "np.power", "prod": "np.prod",
    "fsum": "np.sum", "acos": "np.arccos", "asin": "np.arcsin",
    "atan": "np.arctan", "atan2": "np.arctan2", "acosh": "np.arccosh", "asinh": "np.arcsinh",
    "atanh": "np.arctanh", "erf": "gradops.special.erf", "erfc": "gradops.special.erfc",
    "gamma": "gradops.special.gamma", "lgamma": "gradops.special.gammaln",
}  # fmt: skip
"""Counterparts of functions of `math` and `cmath` under another name than NumPy's."""


def instead_of(call: Call | None) -> str:
    """The replacement for a call in the user's program; empty if none is known."""
    if call is None:
        return ""
    space, _, name = call.name.rpartition(".")
    if space in ("math", "cmath"):
        return in_numpy(name)
    if call.name in MAKING.split():
        return array_hint(call)
    return BY_NAME.get(call.name, BY_NAME.get(f"{space}.*", ""))


def in_numpy(name: str) -> str:
    """The hint for a function of `math`."""
    ours = NAMED_OTHERWISE.get(name, f"np.{name}" if hasattr(np, name) else "")
    return f"use {ours}, which takes traced values too" if ours else ""


def array_hint(call: Call) -> str:
    """The hint for a call like `np.array`, by the nesting depth of its argument."""
    if not (depth := call.depth_of_first()):
        return "; ".join((LIST, WHOLE)) if depth is None else WHOLE
    return LIST if depth == 1 else NESTED
