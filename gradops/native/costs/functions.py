"""The time of functions of an entry, relative to that of an exponential: in our loops, and NumPy's.

They are means of float32 and float64, of large arrays in the cache; what is not here is a single
operation. NumPy's functions have vector code for some, and for others call a library entry by
entry; composite ones are several calls.
"""

from collections.abc import Mapping
from types import MappingProxyType

RELATIVE: Mapping[str, tuple[float, float]] = MappingProxyType({
    "exp": (1.0, 1.0), "log": (1.3, 0.9), "exp2": (0.7, 0.7), "expm1": (1.6, 1.1),
    "log1p": (1.8, 1.1), "log2": (1.6, 1.0), "log10": (1.7, 0.8), "sqrt": (0.7, 1.0),
    "cbrt": (1.9, 0.9), "div": (0.45, 0.5), "reciprocal": (0.45, 0.6), "hypot": (0.8, 7.7),
    "power": (5.3, 2.0), "float_power": (9.0, 16.0), "power_slope": (5.5, 5.0),
    "sin": (1.8, 3.0), "cos": (1.8, 3.0), "tan": (3.0, 1.2), "sinc": (2.2, 5.0),
    "asin": (1.1, 1.2), "acos": (1.4, 1.2), "atan": (1.8, 1.1), "atan2": (2.8, 2.0),
    "sinh": (1.6, 1.0), "cosh": (1.3, 0.9), "tanh": (2.0, 1.2), "asinh": (3.4, 1.9),
    "acosh": (2.8, 2.0), "atanh": (2.5, 1.4), "erf": (3.0, 13.0), "erfc": (4.0, 36.0),
    "ndtr": (4.2, 37.0), "logit": (4.8, 6.0), "sigmoid": (2.1, 1.7), "softplus": (2.7, 3.3),
    "silu": (2.2, 1.0), "gelu": (3.6, 4.0), "gelu_slope": (5.0, 5.0), "entr": (1.6, 4.3),
    "xlogy": (1.5, 3.0), "xlog1py": (2.0, 3.2), "exp_difference": (1.2, 1.0),
    "logaddexp": (4.0, 18.0), "logaddexp2": (3.6, 19.0), "floor_divide": (1.6, 15.0),
    "remainder": (1.1, 10.0), "fmod": (0.75, 5.0), "nextafter": (0.8, 5.0),
    "binary_cross_entropy": (3.4, 5.0), "heaviside": (0.4, 2.7), "clamp": (0.5, 1.7),
    "copysign": (0.4, 0.9), "nan_to_num": (0.3, 2.0), "deg2rad": (0.3, 2.2),
    "rad2deg": (0.3, 2.2), "max": (0.35, 0.1), "min": (0.35, 0.1),
})  # fmt: skip
