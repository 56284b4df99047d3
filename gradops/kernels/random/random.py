"""Random numbers as a function of a key, and how keys are derived.

Note [Keys]. A key is two words of 64 bits. Its numbers are those of
`np.random.Generator(np.random.Philox(key=key))`: Philox encrypts a counter that starts at 0 with
the key (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011), so keys that
differ in a single bit have unrelated numbers, and no draw depends on another. Like those of NumPy's
generators, the numbers may change with NumPy's version.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...core.errors import OptionError
from ...core.types import type_of
from ...typing import DTypeLike
from ..elementwise.tables import float_dtype

if TYPE_CHECKING:  # NumPy's module is slow to import
    from numpy.random import Generator

Shape = tuple[int, ...]
Word = TypeVar("Word", int, np.ndarray)  # 64 bits each; arrays are of uint64

LIMIT = 2**64
MASK = LIMIT - 1
ROOT = 0x243F6A8885A308D3, 0x13198A2E03707344  # the first digits of pi
WORD, INT64, HALF = np.dtype(np.uint64), np.dtype(np.int64), np.dtype(np.float16)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
DRAWN_IN: dict[np.dtype, np.dtype] = {HALF: FLOAT32, FLOAT32: FLOAT32, FLOAT64: FLOAT64}
"""The dtypes that floats may have, and those they are drawn in."""
LARGEST = {dtype: float(np.finfo(dtype).max) for dtype in DRAWN_IN}

IDLE: list[np.random.Generator] = []
"""Generators no draw is using. Setting the state of one takes a tenth of the time of making one."""


def mix(z: Word) -> Word:
    """A permutation of 64-bit words in which each bit of `z` flips half of the bits."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def fold(a: Word, b: Word, data: Word) -> tuple[Word, Word]:
    """The key derived from the key (a, b) and a word of data.

    Notes
    -----
    Three rounds of a Feistel network whose mixing is that of SplitMix64 (Steele and others, "Fast
    splittable pseudorandom number generators", 2014). Each step is invertible: different keys stay
    different for the same data, and different data give different keys.
    """
    a = mix(a + (data + 1) * 0x9E3779B97F4A7C15 & MASK)
    b = mix(a ^ b)
    return mix(a + b & MASK), b


def fold_in(key: Any, data: Any) -> np.ndarray:
    """The key derived from a key and an integer, negative ones modulo 2**64.

    Stacks of keys and of integers broadcast to a stack of keys.
    """
    key, data = as_keys(key), np.asarray(data)
    if data.dtype.kind not in "iu":
        raise TypeError(f"data are integers of at most 64 bits, not {data.dtype}")
    if key.ndim == 1 and not data.ndim:  # Python's numbers take a tenth of the time of arrays
        a, b = key.tolist()
        return np.array(fold(a, b, int(data) & MASK), WORD)
    data = data.astype(WORD)[..., None]
    return np.concatenate(fold(key[..., :1], key[..., 1:], data), axis=-1)


def as_keys(key: Any) -> np.ndarray:
    """A key or stack of keys as an array; type inference explains anything else."""
    key = np.asarray(key)
    if key.dtype != WORD or key.shape[-1:] != (2,):
        raise ValueError("a key is uint64[2]")
    return key


def draw_once(draw: Callable[..., Any], key: Any, *args: Any, **attrs: object) -> np.ndarray:
    """`draw` with a fresh generator for the key."""
    try:
        generator = IDLE.pop()  # in one step, so threads and interrupted draws have their own
    except IndexError:
        generator = np.random.Generator(np.random.Philox(0))
    generator.bit_generator.state = at_start(key)
    y = draw(generator, *args, **attrs)
    IDLE.append(generator)
    return y


def from_key(draw: Callable[..., Any]) -> Callable[..., Any]:
    """`draw(generator, ...)` as a function of a key, or of a stack of keys."""

    @functools.wraps(draw)
    def kernel(key: Any, *args: Any, **attrs: object) -> Any:
        key = as_keys(key)
        if key.ndim == 1:
            y = draw_once(draw, key.tolist(), *args, **attrs)
            return y if y.ndim else y[()]
        rows = key.reshape(-1, 2).tolist()
        found = [
            draw_once(draw, row, *args, **attrs) for row in rows or [ROOT]
        ]  # of none, the dtype
        return np.stack(found)[: len(rows)].reshape(*key.shape[:-1], *found[0].shape)

    return kernel


def at_start(key: Any) -> dict[str, Any]:
    """The initial state of a Philox generator."""
    zeros = (0, 0, 0, 0)
    return {
        "bit_generator": "Philox", "state": {"counter": zeros, "key": key},
        "buffer": zeros, "buffer_pos": 4, "has_uint32": 0, "uinteger": 0,
    }  # fmt: skip


def check_span(low: float, high: float, dtype: np.dtype) -> bool:
    """True if a dtype holds `low`, `high` and their distance."""
    top = LARGEST[dtype]
    return -top <= low <= high <= top and high - low <= top


@from_key
def uniform(
    generator: Generator, shape: Shape = (), low: float = 0.0, high: float = 1.0,
    dtype: Any = FLOAT32,
) -> np.ndarray:  # fmt: skip
    dtype = np.dtype(dtype)
    y = generator.random(shape, DRAWN_IN[dtype])
    if low == 0 and high == 1 and dtype != HALF:
        return y
    low, high = float(low), float(high)
    if not check_span(low, high, dtype):
        raise ValueError("the bounds are in the wrong order, or too far apart")
    y *= high - low
    y += low
    y = y.astype(dtype, copy=False)
    before = np.nextafter(dtype.type(high), dtype.type(low))
    return np.minimum(y, before, out=y)  # where rounding reached `high`


@from_key
def normal(generator: Generator, shape: Shape = (), dtype: DTypeLike = FLOAT32) -> np.ndarray:
    dtype = np.dtype(dtype)
    return generator.standard_normal(shape, DRAWN_IN[dtype]).astype(dtype, copy=False)


@from_key
def draw_truncated(
    generator: Generator, shape: Shape = (), dtype: DTypeLike = FLOAT32
) -> np.ndarray:
    """Normal numbers, redrawn until none is beyond 2."""
    dtype = np.dtype(dtype)
    y = generator.standard_normal(shape, DRAWN_IN[dtype])
    entries = y.reshape(-1)
    wrong = np.flatnonzero(np.abs(entries) > 2)
    while wrong.size:
        again = generator.standard_normal(wrong.size, entries.dtype)
        entries[wrong] = again
        wrong = wrong[np.abs(again) > 2]
    return y.astype(dtype, copy=False)


@from_key
def gumbel(generator: Generator, shape: Shape = (), dtype: DTypeLike = FLOAT32) -> np.ndarray:
    """-log of exponential numbers, in float64: in float32 the upper tail would end near 19."""
    dtype = np.dtype(dtype)
    if dtype not in DRAWN_IN:
        raise ValueError("no dtype of floats")
    y = generator.standard_exponential(shape)
    np.maximum(y, 2.0**-60, out=y)  # below all that are drawn but 0, which has no logarithm
    np.log(y, out=y)
    return np.negative(y, out=y).astype(dtype, copy=False)


@from_key
def exponential(generator: Generator, shape: Shape = (), dtype: DTypeLike = FLOAT32) -> np.ndarray:
    dtype = np.dtype(dtype)
    return generator.standard_exponential(shape, DRAWN_IN[dtype]).astype(dtype, copy=False)


def in_float64(method: str) -> Callable[..., Any]:
    """A kernel that draws float64 with a method of NumPy's generators, and rounds."""

    @from_key
    def kernel(generator: Generator, shape: Shape = (), dtype: DTypeLike = FLOAT32) -> Any:
        dtype = np.dtype(dtype)
        if dtype not in DRAWN_IN:
            raise ValueError("no dtype of floats")
        return np.asarray(getattr(generator, method)(size=shape)).astype(dtype, copy=False)

    return kernel


laplace, logistic, cauchy = map(in_float64, ("laplace", "logistic", "standard_cauchy"))


@from_key
def bernoulli(generator: Generator, shape: Shape = (), p: float = 0.5) -> Any:
    """True with probability `p`: 32-bit words below p * 2**32, in half the time of floats."""
    shape = tuple(shape) if np.iterable(shape) else (operator.index(shape),)
    if not 0 <= p <= 1 or min(shape, default=0) < 0:
        raise ValueError("no probability, or a negative size")
    n = math.prod(shape)
    words = generator.bit_generator.random_raw(n + 1 >> 1).view(np.uint32)
    return words[:n].reshape(shape) < round(float(p) * 2**32)


@from_key
def integers(
    generator: Generator, shape: Shape, low: int, high: int, dtype: DTypeLike = INT64
) -> Any:
    return generator.integers(operator.index(low), operator.index(high), shape, np.dtype(dtype))


@from_key
def permutation(generator: Generator, n: int) -> np.ndarray:
    if operator.index(n) < 0:
        raise ValueError("a negative size")
    return generator.permutation(n).astype(INT64, copy=False)


MOST = {"random_poisson": 2.0**62}  # a larger mean gives numbers of more than 64 bits


def of_parameter(name: str, draw: Callable[..., Any], dtype: Any = None) -> Callable[..., Any]:
    """A kernel that draws by `draw(generator, parameters)` for a key, or for each of several.

    The shape is that of the numbers of one key. The parameter broadcasts to the shape of all. The
    dtype is that of the parameter, unless it is given.
    """

    def kernel(key: Any, parameter: Any, shape: tuple[int, ...]) -> Any:
        key, given = as_keys(key), np.asarray(parameter)
        found = float_dtype(given) if dtype is None else dtype
        check(name, given)
        whole = np.broadcast_to(given.astype(np.float64, copy=False), (*key.shape[:-1], *shape))
        if key.ndim == 1:
            return np.asarray(draw_once(draw, key.tolist(), whole)).astype(found, copy=False)[()]
        y = np.empty(whole.shape, found)
        for k in np.ndindex(key.shape[:-1]):
            y[k] = draw_once(draw, key[k].tolist(), whole[k])
        return y

    kernel.__name__ = kernel.__qualname__ = name
    return kernel


def check(name: str, parameter: np.ndarray) -> None:
    """Raise for parameters that are negative or not finite, with which NumPy might draw forever."""
    most = MOST.get(name, np.finfo(np.float64).max)
    within = (parameter >= 0) & (parameter <= most)
    if not within.all():
        wrong = parameter[~within].ravel()[0]
        raise OptionError(
            name, [type_of(parameter)], f"a parameter is from 0 to {most:.3g}, not {wrong}"
        )


def loggamma(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """The logarithm of numbers with a gamma distribution, also where these underflow.

    With E exponential, G(alpha) has the distribution of G(alpha + 1) exp(-E / alpha).
    """
    y = np.log(generator.standard_gamma(alpha + 1))
    with np.errstate(divide="ignore", over="ignore"):
        return y - generator.standard_exponential(alpha.shape) / alpha


def gamma(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    with np.errstate(under="ignore"):
        return np.exp(loggamma(generator, alpha))


def poisson(generator: Generator, mean: np.ndarray) -> np.ndarray:
    return generator.poisson(mean)


random_gamma = of_parameter("random_gamma", gamma)
random_loggamma = of_parameter("random_loggamma", loggamma)
random_poisson = of_parameter("random_poisson", poisson, np.dtype(np.int64))
