"""Python source for NumPy's ufuncs on Python's floats, which cost a tenth of a ufunc's call."""

from typing import Any

import numpy as np

from ..kernels.numpy_versions import ROOTS_AS_POWERS

MATH = {
    np.arccos: "acos", np.arccosh: "acosh", np.arcsin: "asin", np.arcsinh: "asinh",
    np.arctan: "atan", np.arctan2: "atan2", np.arctanh: "atanh", np.cbrt: "cbrt",
    np.copysign: "copysign", np.cos: "cos", np.cosh: "cosh", np.exp: "exp", np.exp2: "exp2",
    np.expm1: "expm1", np.hypot: "hypot", np.log: "log", np.log10: "log10", np.log1p: "log1p",
    np.log2: "log2", np.sin: "sin", np.sinh: "sinh", np.sqrt: "sqrt",
    np.tan: "tan", np.tanh: "tanh",
}  # fmt: skip
"""Functions of the module `math`, which raise where NumPy gives an infinity or NaN."""

OPERATORS = {
    np.absolute: "abs({0})", np.equal: "({0} == {1})", np.greater: "({0} > {1})",
    np.greater_equal: "({0} >= {1})", np.less: "({0} < {1})", np.less_equal: "({0} <= {1})",
    np.logical_and: "bool({0} and {1})", np.logical_not: "(not {0})",
    np.logical_or: "bool({0} or {1})",
    np.maximum: "({1} if {1} >= {0} or {1} != {1} else {0})",  # of -0.0 and 0.0 the second, too
    np.minimum: "({1} if {1} <= {0} or {1} != {1} else {0})", np.not_equal: "({0} != {1})",
    np.power: "(math.sqrt({0}) if {1} == 0.5 else math.pow({0}, {1}))"
    if ROOTS_AS_POWERS else "math.pow({0}, {1})",
    np.reciprocal: "1.0 / {0}", np.square: "{0} * {0}",
}  # fmt: skip


def scalar_source(kernel: Any) -> str:
    """The source of a ufunc on floats, or nothing if it has none."""
    if not isinstance(kernel, np.ufunc):
        return ""
    if kernel in MATH:
        return f"math.{MATH[kernel]}({', '.join(['{0}', '{1}'][: kernel.nin])})"
    return OPERATORS.get(kernel, "")
