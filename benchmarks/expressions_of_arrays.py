"""What a careful person would write in NumPy for an op whose source is not NumPy itself."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

rng = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    """Random float32 entries."""
    return rng.standard_normal(shape).astype(np.float32)


x, y, row = floats(1000, 100), floats(1000, 100), floats(100)
square, z = floats(128, 128), (floats(1000, 50) + 1j * floats(1000, 50)).astype(np.complex64)
probabilities = rng.random((1000, 100)).astype(np.float32)
labels, places = rng.integers(0, 100, 1000), rng.integers(0, 1000, 500)
one_hot = (labels[:, None] == np.arange(100)).astype(np.float32)
FLAT = "slice", None, None, None


def sigmoid(x: Any) -> Any:
    """Without overflow on either side."""
    t = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + t), t / (1 + t))


def softmax(x: Any) -> Any:
    """Along the last axis."""
    t = np.exp(x - x.max(axis=-1, keepdims=True))
    return t / t.sum(axis=-1, keepdims=True)


def log_softmax(x: Any) -> Any:
    """Along the last axis."""
    t = x - x.max(axis=-1, keepdims=True)
    return t - np.log(np.exp(t).sum(axis=-1, keepdims=True))


def logsumexp(x: Any) -> Any:
    """Of all entries."""
    top = x.max()
    return np.log(np.exp(x - top).sum()) + top


def gelu(x: Any) -> Any:
    """By the error function."""
    return 0.5 * x * (1 + erf(x * np.float32(math.sqrt(0.5))))


def erf(x: Any) -> Any:
    """As NumPy has none, SciPy's."""
    from scipy.special import erf

    return erf(x)


def added_along(g: Any, places: Any) -> Any:
    """Zeros with entries added at their places in each row."""
    found = np.zeros((1000, 100), np.float32)
    np.add.at(found, (np.arange(1000)[:, None], places), g)
    return found


def scattered(values: Any, key: Any) -> Any:
    """Zeros with values added at a key."""
    found = np.zeros((1000, 100), np.float32)
    np.add.at(found, key, values)
    return found


def written(x: Any, value: Any) -> Any:
    """A copy with one row replaced."""
    found = x.copy()
    found[1] = value
    return found


def padded(x: Any) -> Any:
    """One row and column of zeros around."""
    found = np.zeros((1002, 102), x.dtype)
    found[1:-1, 1:-1] = x
    return found


def variance(x: Any) -> Any:
    """Of all entries."""
    off = x - x.mean()
    return (off * off).mean()


Call = tuple[list[Any], dict[str, Any], Callable[..., Any]]
ARRAYS: dict[str, Call] = {
    "strong_product": ([x, y], {}, lambda v, p: np.where(v == 0, np.float32(0), v * p)),
    "erf": ([x], {}, erf),
    "sinc": ([x], {}, np.sinc),
    "nan_to_num": ([x], {}, np.nan_to_num),
    "order_statistics": ([x], {"ranks": (49, 50), "axis": 1}, lambda x: np.median(x, axis=1)),
    "var": ([x], {}, variance),
    "std": ([x], {}, lambda x: np.sqrt(variance(x))),
    "count_nonzero": ([x], {}, np.count_nonzero),
    "vector_norm": ([x], {}, np.linalg.norm),
    "reshape": ([x], {"shape": (100, 1000)}, lambda x: x.reshape(100, 1000)),
    "transpose": ([x], {"axes": None}, np.transpose),
    "astype": ([x], {"dtype": "float64"}, lambda x: x.astype("float64")),
    "copy": ([x], {}, np.copy),
    "broadcast_to": ([row], {"shape": (1000, 100)}, lambda x: np.broadcast_to(x, (1000, 100))),
    "expand_to": ([row], {"shape": (1000, 100)}, lambda x: np.broadcast_to(x, (1000, 100))),
    "sum_to": ([x], {"shape": (100,)}, lambda x: x.sum(axis=0)),
    "masked": ([x > 0, x], {}, lambda m, x: np.where(m, x, np.float32(0))),
    "mean": ([x], {}, np.mean),
    "logsumexp": ([x], {}, logsumexp),
    "sigmoid": ([x], {}, sigmoid),
    "softplus": ([x], {}, lambda x: np.logaddexp(x, np.float32(0))),
    "silu": ([x], {}, lambda x: x * sigmoid(x)),
    "gelu": ([x], {}, gelu),
    "softmax": ([x], {}, softmax),
    "log_softmax": ([x], {}, log_softmax),
    "real": ([z], {}, np.real),
    "imag": ([z], {}, np.imag),
    "angle": ([z], {}, np.angle),
    "complex": ([x, y], {}, lambda a, b: a + np.complex64(1j) * b),
    "matmul": ([square, square], {}, np.matmul),
    "stop_gradient": ([x], {}, lambda x: x),
    "slice": ([x], {"index": (("slice", 1, 900, 2),)}, lambda x: x[1:900:2]),
    "take_along_axis": (
        [x, x.argsort(axis=1)], {"axis": 1}, lambda x, i: np.take_along_axis(x, i, 1),
    ),
    "add_along_axis": (
        [x, x.argsort(axis=1)], {"axis": 1, "shape": (1000, 100)}, added_along,
    ),
    "getitem": ([x, places], {"index": ("array",)}, lambda x, i: x[i]),
    "scatter": (
        [floats(500, 100), places], {"index": ("array",), "shape": (1000, 100)}, scattered,
    ),
    "einsum": ([x, y], {"subscripts": "ij,ij->i"}, lambda x, y: np.einsum("ij,ij->i", x, y)),
    "pad": ([x], {"pad_width": ((1, 1), (1, 1))}, padded),
    "binary_cross_entropy_with_logits": (
        [x, probabilities], {"reduction": "none"},
        lambda x, y: np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x))),
    ),
    "binary_cross_entropy": (
        [probabilities, probabilities], {},
        lambda p, y: -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log1p(-p), -100)),
    ),
    "nll_loss": ([x, labels], {}, lambda x, y: -x[np.arange(len(x)), y].mean()),
    "sparse_cross_entropy": (
        [x, labels], {}, lambda x, y: -log_softmax(x)[np.arange(len(x)), y].mean(),
    ),
    "copy_slices": ([x, row], {"steps": (("slice", (("index", (1,)),)),)}, written),
}  # fmt: skip
