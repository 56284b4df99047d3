"""Functions and reductions of entries."""

from typing import Any

import numpy as np

from .operands import Call, x, y, z


def logsumexp(x: Any) -> Any:
    """Of all entries."""
    top = x.max()
    return np.log(np.exp(x - top).sum()) + top


def variance(x: Any) -> Any:
    """Of all entries."""
    off = x - x.mean()
    return (off * off).mean()


CALLS: dict[str, Call] = {
    "strong_product": ([x, y], {}, lambda v, p: np.where(v == 0, np.float32(0), v * p)),
    "sinc": ([x], {}, np.sinc),
    "nan_to_num": ([x], {}, np.nan_to_num),
    "order_statistics": ([x], {"ranks": (49, 50), "axis": 1}, lambda x: np.median(x, axis=1)),
    "var": ([x], {}, variance),
    "std": ([x], {}, lambda x: np.sqrt(variance(x))),
    "count_nonzero": ([x], {}, np.count_nonzero),
    "vector_norm": ([x], {}, np.linalg.norm),
    "astype": ([x], {"dtype": "float64"}, lambda x: x.astype("float64")),
    "copy": ([x], {}, np.copy),
    "sum_to": ([x], {"shape": (100,)}, lambda x: x.sum(axis=0)),
    "masked": ([x > 0, x], {}, lambda m, x: np.where(m, x, np.float32(0))),
    "mean": ([x], {}, np.mean),
    "logsumexp": ([x], {}, logsumexp),
    "real": ([z], {}, np.real),
    "imag": ([z], {}, np.imag),
    "angle": ([z], {}, np.angle),
    "complex": ([x, y], {}, lambda a, b: a + np.complex64(1j) * b),
    "stop_gradient": ([x], {}, lambda x: x),
}  # fmt: skip
