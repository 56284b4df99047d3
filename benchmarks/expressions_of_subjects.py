"""What a careful person would write for special functions, matrices and windows."""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.special
from expressions_of_arrays import Call, floats, labels, places, rng, square, x, z

positive = np.abs(x) + np.float32(0.5)
unit = rng.random((1000, 100)).astype(np.float32) * np.float32(0.98) + np.float32(0.01)
definite = (square @ square.T + 128 * np.eye(128)).astype(np.float32)
symmetric = (square + square.T).astype(np.float32)
triangle = np.tril(definite)
image, filters, bias = floats(16, 8, 28, 28), floats(16, 8, 3, 3), floats(16)
weight = floats(100, 100)
row, values = floats(100), floats(500, 100)


def special(name: str, *operands: Any) -> Call:
    """A function of SciPy, since NumPy has none."""
    return list(operands), {}, getattr(scipy.special, name)


def with_row(change: Any) -> Any:
    """A copy that was changed at some rows."""

    def call(x: Any, *rest: Any) -> Any:
        found = x.copy()
        change(found, *rest)
        return found

    return call


def set_rows(found: Any, values: Any, key: Any) -> None:
    found[key] = values


def convolved(x: Any, w: Any) -> Any:
    """By one product of all windows with all filters."""
    seen = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    found = np.tensordot(seen, w, ((1, 4, 5), (1, 2, 3)))
    return np.ascontiguousarray(found.transpose(0, 3, 1, 2))


def pooled(reduce: Any) -> Any:
    """Over windows of two by two."""
    return lambda x: reduce(x.reshape(16, 8, 14, 2, 14, 2), axis=(3, 5))


def standardized(x: Any) -> Any:
    """Each row less its mean, divided by its spread."""
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))


def solved(a: Any, b: Any) -> Any:
    """Of a lower triangle."""
    return np.linalg.solve(a, b)


OF_ONE = "erfc erfcx erfinv ndtr log_ndtr ndtri entr gammaln digamma gamma i0 i1 i0e i1e"
UNIT = {"erfinv", "ndtri", "logit", "entr"}
AT = {"index": ("array",)}
WINDOW = {"window": (2, 2), "strides": (2, 2)}
SUBJECTS: dict[str, Call] = {
    **{name: special(name, unit if name in UNIT else positive) for name in OF_ONE.split()},
    "logit": special("logit", unit),
    **{name: special(name, positive, unit) for name in ("xlogy", "xlog1py")},
    **{name: special(name, positive, positive) for name in ("gammainc", "gammaincc")},
    "zeta": special("zeta", positive + 1, positive),
    "betainc": special("betainc", positive, positive, unit),
    "set_at": ([x, values, places], AT, with_row(set_rows)),
    "add_at": ([x, values, places], AT, with_row(lambda x, v, key: np.add.at(x, key, v))),
    "maximum_at": ([x, values, places], AT, with_row(lambda x, v, key: np.maximum.at(x, key, v))),
    "minimum_at": ([x, values, places], AT, with_row(lambda x, v, key: np.minimum.at(x, key, v))),
    "conv": ([image, filters], {}, convolved),
    "conv_bias": ([image, filters, bias], {}, lambda x, w, b: convolved(x, w) + b[:, None, None]),
    "linear": ([x, weight, row], {}, lambda x, w, b: x @ w.T + b),
    "max_pool": ([image], WINDOW, pooled(np.max)), "sum_pool": ([image], WINDOW, pooled(np.sum)),
    "standardize": ([x], {"axis": 1}, standardized),
    "diagonal": ([x], {}, np.diagonal), "tril": ([x], {}, np.tril), "triu": ([x], {}, np.triu),
    "inv": ([definite], {}, np.linalg.inv), "det": ([definite], {}, np.linalg.det),
    "solve": ([definite, square], {}, np.linalg.solve),
    "slogdet": ([definite], {}, np.linalg.slogdet),
    "solve_triangular": ([triangle, square], {"lower": True}, solved),
    "cholesky": ([definite], {}, np.linalg.cholesky),
    "eigh": ([symmetric], {}, np.linalg.eigh), "eigvalsh": ([symmetric], {}, np.linalg.eigvalsh),
    "eig": ([square], {}, np.linalg.eig), "eigvals": ([square], {}, np.linalg.eigvals),
    "svd": ([square], {}, np.linalg.svd), "svdvals": ([square], {}, np.linalg.svdvals),
    "pinv": ([square], {}, np.linalg.pinv), "qr": ([square], {}, np.linalg.qr),
    "matrix_rank": ([square], {}, np.linalg.matrix_rank),
    "lstsq": ([square, square], {}, lambda a, b: np.linalg.lstsq(a, b)[0]),
    "matrix_exp": ([definite / 100], {}, lambda a: scipy.linalg.expm(a)),
    "fft": ([z], {"axes": (1,)}, np.fft.fft), "rfft": ([x], {"axis": 1}, np.fft.rfft),
    "irfft": ([z], {"n": 98, "axis": 1}, lambda z: np.fft.irfft(z, 98)),
    "argwhere": ([x > 1], {}, np.argwhere), "isin": ([labels, places], {}, np.isin),
    "searchsorted": ([np.sort(row), x], {}, np.searchsorted),
    "argsort": ([x], {}, np.argsort), "sort": ([x], {}, np.sort),
    "argtopk": ([x], {"k": 5}, lambda x: np.argsort(-x, axis=-1, kind="stable")[:, :5]),
    "argkth": ([x], {"k": 5}, lambda x: np.argpartition(x, 4, axis=-1)[:, 4:5]),
    "roll": ([x], {"shift": (3,), "axis": (0,)}, lambda x: np.roll(x, 3, 0)),
    "tile": ([x], {"reps": (2, 2)}, lambda x: np.tile(x, (2, 2))),
    "repeat": ([x], {"repeats": 2, "axis": 1}, lambda x: np.repeat(x, 2, 1)),
    "extend": (
        [x], {"pad_width": ((1, 1), (1, 1)), "mode": "reflect"}, lambda x: np.pad(x, 1, "reflect"),
    ),
    "windows": (
        [x], {"size": (3,), "axis": (1,), "step": (1,), "dilation": (1,)},
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, 1),
    ),
}  # fmt: skip
