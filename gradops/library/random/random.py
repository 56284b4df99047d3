"""Random numbers as ops: a function of a key, so equal keys give equal numbers everywhere.

An op has no state: it draws the same in each mode, thread and process, in whatever order. New
numbers take a new key, which `fold_in` makes. See Note [Keys] in `kernels/random/random.py`.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.attributes import canonical
from ...core.dims import Dim, Size
from ...core.errors import DTypeError, OptionError, ShapeError
from ...core.op import ErrorSample, Op, Samples
from ...core.samples import beside, cases, drawn, integers
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes, conflict, shape_of, type_of
from ...kernels.random import random as kernels
from ...kernels.random.random import DRAWN_IN, FLOAT64, INT64, LIMIT, WORD, check_span
from ...typing import AnyArray, Arrays, Attrs, DTypeLike, Flags, OperandLike
from ..families import Kernel, pad_leading
from ..reduce.reduction import argmax
from ..shape.movement import expand_dims, shape_text

__all__ = [
    "fold_in", "random_bernoulli", "random_categorical", "random_cauchy", "random_exponential",
    "random_gumbel", "random_integers", "random_key", "random_laplace", "random_logistic",
    "random_normal", "random_permutation", "random_split", "random_uniform", "truncated_normal",
]

KEY, HINT = np.array([1, 2], WORD), "random_key(seed) makes a key"


def random_key(seed: int, *words: int) -> np.ndarray:
    """The key of a seed, a uint64[2]; further integers are folded in, one after the other.

    Seeds may be consecutive: their keys are unrelated. Negative integers count modulo 2**64. Raises
    OptionError for integers of more than 64 bits.

    >>> bool(np.all(random_key(0, 7) == fold_in(random_key(0), 7)))
    True
    """
    a, b = kernels.ROOT
    for word in map(operator.index, (seed, *words)):
        if not -LIMIT // 2 <= word < LIMIT:
            raise OptionError("random_key", (seed, *words), f"{word} has more than 64 bits")
        a, b = kernels.fold(a, b, word % LIMIT)
    return np.array((a, b), WORD)


def check_key(name: str, types: Sequence[ArrayType]) -> None:
    """Raise unless the first operand is a key or a stack of keys."""
    key = types[0]
    if key.dtype != WORD:
        raise DTypeError(name, types, f"a key is of uint64, not of {key.dtype}", hint=HINT)
    if not key.ndim or conflict(key.shape[-1:], (2,)):
        shape = shape_text(key.shape)
        raise ShapeError(name, types, f"a key has the shape (2,), not {shape}", HINT)


def key_samples(*shapes: tuple[int, ...], **attrs: object) -> Samples:
    """Samples of keys and stacks of keys."""
    return drawn(lambda r, s: r.integers(0, LIMIT, s, WORD), shapes, **attrs)


def fold_in_infer(key: ArrayType, data: ArrayType) -> ArrayType:
    check_key("fold_in", [key, data])
    if data.dtype.kind not in "iu":
        raise DTypeError("fold_in", [key, data], f"data are integers, not {data.dtype}")
    stacks = [ArrayType(key.shape[:-1], WORD), data]
    return ArrayType((*broadcast_shapes("fold_in", stacks), 2), WORD)


def fold_in_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch with the axes that broadcasting would add in front; the words of a key stay last."""
    ranks = [len(shape_of(x)) - b - last for x, b, last in zip(xs, batched, (1, 0))]
    return op(*(pad_leading(x, max(ranks) - r) if b else x for x, b, r in zip(xs, batched, ranks)))


fold_in = Op(
    "fold_in", kernels.fold_in, arity=2, infer=fold_in_infer, vjp=[None, None], jvp=[None, None],
    batch=fold_in_batch, traits=frozenset({Trait.C_ORDER}),
    samples=cases(
        beside(key_samples((2,)), integers(())), beside(key_samples((2,)), integers((3,))),
        beside(key_samples((4, 2)), integers((3, 1))), beside(key_samples((3, 2)), integers(())),
    ),
    error_samples=[
        ErrorSample([np.ones(2), 1], {}, DTypeError, "of uint64, not of float64"),
        ErrorSample([KEY[:1], 1], {}, ShapeError, "shape (2,), not (1,)"),
        ErrorSample([KEY, np.ones(2)], {}, DTypeError, "data are integers, not float64"),
        ErrorSample([np.stack([KEY] * 3), np.arange(2)], {}, ShapeError, "3 against 2"),
    ],
    doc="The key derived from a key and an integer; stacks of them broadcast.",
)


def drawing(
    name: str, kernel: Kernel, *, attrs: Sequence[Attrs],
    wrong: Callable[..., str | None], refused: Sequence[tuple[Attrs, str]], doc: str,
    dtype: Any = None,
) -> Op:  # fmt: skip
    """An op that draws an array for a key, or one for each key of a stack.

    `attrs` are those of samples. `wrong(**attrs)` gives the reason to refuse attributes, or None;
    `refused` are such attributes. `dtype` is that of the result, unless it is an attribute.
    """

    def infer(key: ArrayType, **attrs: Any) -> ArrayType:
        check_key(name, [key])
        shape = attrs["shape"] if "shape" in attrs else (attrs["n"],)
        if reason := shape_error(shape) or wrong(**attrs):
            raise OptionError(name, [key], reason)
        return ArrayType((*key.shape[:-1], *shape), dtype or attrs["dtype"])

    return Op(
        name, kernel, infer=infer, vjp=[None], jvp=[None],
        batch=lambda op, xs, batched, attrs: op(xs[0], **attrs),
        traits=frozenset({Trait.C_ORDER}), doc=doc, family="drawing",
        samples=cases(
            *(key_samples((2,), **a) for a in attrs),
            key_samples((3, 2), **attrs[0]), key_samples((0, 2), **attrs[0]),
        ),
        error_samples=[
            ErrorSample([np.ones(2)], attrs[0], DTypeError, "of uint64, not of float64"),
            ErrorSample([np.ones(3, WORD)], attrs[0], ShapeError, "shape (2,), not (3,)"),
            *(ErrorSample([KEY], a, OptionError, says) for a, says in refused),
        ],
    )  # fmt: skip


def shape_error(shape: Sequence[Size]) -> str | None:
    """The reason to refuse a shape: a negative size; else None."""
    wrong = [n for n in shape if not isinstance(n, Dim) and n < 0]
    return f"the size {wrong[0]} is negative" if wrong else None


def float_error(dtype: DTypeLike, **attrs: object) -> str | None:
    """The reason to refuse the dtype of random floats; else None."""
    names = ", ".join(map(str, DRAWN_IN))
    return None if np.dtype(dtype) in DRAWN_IN else f"the dtype is one of {names}, not {dtype}"


def interval_error(low: float, high: float, dtype: DTypeLike, **attrs: object) -> str | None:
    """The reason to refuse the bounds of random floats; else None."""
    if reason := float_error(dtype):
        return reason
    if not low <= high:
        return f"low={low} and high={high} are not in this order"
    spans = check_span(low, high, np.dtype(dtype))
    return None if spans else f"{dtype} does not span {low} to {high}"


def range_error(low: Size, high: Size, dtype: DTypeLike, **attrs: object) -> str | None:
    """The reason to refuse the bounds of random integers; else None."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu" or not dtype.isnative:
        return f"the dtype is one of integers, not {dtype}"
    if isinstance(low, Dim) or isinstance(high, Dim):
        return None
    if not (isinstance(low, int) and isinstance(high, int) and low < high):
        return f"low={low} and high={high} are not integers in this order"
    span = np.iinfo(dtype)
    fits = span.min <= low and high - 1 <= span.max
    return None if fits else f"{dtype} does not have all integers from {low} to before {high}"


def probability_error(p: float, **attrs: object) -> str | None:
    """The reason to refuse a probability; else None."""
    return None if 0 <= p <= 1 else f"p={p} is not a probability"


FLOATS: list[Attrs] = [
    dict(shape=(3, 4)), dict(), dict(shape=(2, 0)), dict(shape=(5,), dtype="float64"),
    dict(shape=(5,), dtype="float16"),
]
NO_FLOATS: list[tuple[Attrs, str]] = [
    (dict(shape=(2, -1)), "the size -1 is negative"),
    (dict(dtype="int64"), "one of float16, float32, float64, not int64"),
]

random_uniform = drawing(
    "random_uniform", kernels.uniform, wrong=interval_error,
    attrs=[*FLOATS, dict(shape=(5,), low=-1, high=2.5), dict(shape=(5,), low=1.0, high=1.0)],
    refused=[*NO_FLOATS, (dict(low=1.0, high=0.0), "low=1.0 and high=0.0 are not in this order"),
             (dict(high=np.inf), "float32 does not span 0.0 to inf"),
             (dict(low=-3e38, high=3e38), "float32 does not span")],
    doc="Random numbers for a key, uniform from `low` to before `high`.",
)


def float_drawing(name: str, kernel: Kernel, distribution: str) -> Op:
    """An op that draws floats from a distribution without parameters."""
    doc = f"Random numbers for a key from the {distribution} distribution."
    return drawing(name, kernel, wrong=float_error, attrs=FLOATS, refused=NO_FLOATS, doc=doc)


random_normal = float_drawing("random_normal", kernels.normal, "standard normal")
truncated_normal = float_drawing("truncated_normal", kernels.draw_truncated, "truncated normal")
random_gumbel = float_drawing("random_gumbel", kernels.gumbel, "standard Gumbel")
random_exponential = float_drawing("random_exponential", kernels.exponential, "unit exponential")
random_laplace = float_drawing("random_laplace", kernels.laplace, "standard Laplace")
random_logistic = float_drawing("random_logistic", kernels.logistic, "standard logistic")
random_cauchy = float_drawing("random_cauchy", kernels.cauchy, "standard Cauchy")
random_bernoulli = drawing(
    "random_bernoulli", kernels.bernoulli, wrong=probability_error, dtype=bool,
    attrs=[dict(shape=(3, 4)), dict(), dict(shape=(5,), p=1), dict(shape=(0, 3), p=0.0)],
    refused=[NO_FLOATS[0], (dict(p=1.5), "p=1.5 is not a probability"),
             (dict(p=np.nan), "p=nan is not a probability")],
    doc="Random truth values for a key, true with probability `p` (to within 2**-33).",
)
random_integers = drawing(
    "random_integers", kernels.integers, wrong=range_error,
    attrs=[dict(shape=(3, 4), low=-3, high=4), dict(shape=(), low=0, high=2),
           dict(shape=(5,), low=0, high=256, dtype="uint8")],
    refused=[(dict(shape=(-2,), low=0, high=2), "the size -2 is negative"),
             (dict(shape=(), low=2, high=2), "low=2 and high=2 are not integers in this order"),
             (dict(shape=(), low=0.5, high=2), "low=0.5 and high=2 are not integers"),
             (dict(shape=(), low=0, high=300, dtype="int8"), "int8 does not have all integers"),
             (dict(shape=(), low=0, high=2, dtype="float32"), "one of integers, not float32")],
    doc="Random integers for a key, from `low` to before `high`, all with the same probability.",
)
random_permutation = drawing(
    "random_permutation", kernels.permutation, dtype=INT64,
    wrong=lambda n: None if isinstance(n, int | Dim) else f"n={n} is not an integer",
    attrs=[dict(n=5), dict(n=0)],
    refused=[(dict(n=-1), "the size -1 is negative"), (dict(n=2.5), "n=2.5 is not an integer")],
    doc="The integers from 0 to before `n` in a random order for a key.",
)


def random_split(key: Any, n: int = 2) -> Any:
    """`n` keys from one, or from each of a stack: `fold_in` of 0 to n - 1.

    >>> random_split(random_key(0), 3).shape
    (3, 2)
    """
    if len(shape_of(key)) > 1:
        key = expand_dims(key, axis=-2)
    return fold_in(key, np.arange(n))


def random_categorical(key: Any, logits: OperandLike, shape: Sequence[Size] = ()) -> Any:
    """Random indices along the last axis of `logits`, with the probabilities of their softmax.

    There is one for each row of logits, or an array of the shape `shape` of them, whose axes come
    first.

    >>> random_categorical(random_key(0), np.array([[0.0, -np.inf], [-np.inf, 0.0]])).tolist()
    [0, 1]
    """
    like = type_of(logits)
    dtype = like.dtype if like.dtype in DRAWN_IN else FLOAT64
    noise = random_gumbel(key, shape=(*canonical("shape", shape), *like.shape), dtype=dtype)
    return argmax(logits + noise, axis=-1)
