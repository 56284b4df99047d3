"""Arrays to call functions on: ordinary ones of every dtype, and those of special values."""

import itertools
from dataclasses import dataclass, field

import numpy as np

from .standard import BOOL, COMPLEX, INTEGERS

SPECIAL = [
    np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1.5, -2.5,
    np.pi / 2, 1e-30, -1e30, 7.25,
]  # fmt: skip
PARTS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.pi]
SMALL = [0, 1, 2, 3, 7, 100]


@dataclass(frozen=True)
class Dtype:
    """The name of a dtype that a call is given, of the namespace that is called."""

    name: str


@dataclass(frozen=True)
class Call:
    """One call: arrays are given as NumPy's, dtypes by name."""

    args: tuple = ()
    options: dict = field(default_factory=dict)

    def __str__(self):
        shown = [brief(a) for a in self.args]
        return ", ".join([*shown, *(f"{k}={brief(v)}" for k, v in self.options.items())])


def brief(x):
    """An argument in a few words."""
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}"
    return f"[{', '.join(map(brief, x))}]" if isinstance(x, list) else repr(x)


def special(dtype):
    """The values of a dtype at which functions are special."""
    if dtype in BOOL:
        return np.array([True, False])
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        return np.array([*SMALL, info.max, *([-1, -5, info.min + 1] if info.min else [])], dtype)
    with np.errstate(over="ignore"):
        if dtype in COMPLEX:
            found = np.empty(len(PARTS) ** 2, dtype)
            found.real, found.imag = np.transpose(list(itertools.product(PARTS, PARTS)))
            return found
        info = np.finfo(dtype)
        return np.array([*SPECIAL, info.max, info.smallest_normal], dtype)


def ordinary(shape, dtype, seed=0):
    """An array without special values."""
    rng = np.random.default_rng(seed)
    if dtype in BOOL:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        low = -6 if np.iinfo(dtype).min else 0
        return rng.integers(low, 7, shape).astype(dtype)
    found = rng.standard_normal(shape)
    if dtype in COMPLEX:
        found = found + 1j * rng.standard_normal(shape)
    return np.asarray(found, dtype)


def positive_definite(shape, dtype, seed=0):
    """Symmetric or Hermitian matrices whose eigenvalues are positive and apart."""
    a = ordinary(shape, dtype, seed)
    product = a @ np.conj(np.swapaxes(a, -1, -2))
    return np.asarray(product + np.diag(np.arange(1, shape[-1] + 1)), dtype)
