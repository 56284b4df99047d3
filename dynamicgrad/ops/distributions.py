"""Random numbers with distributions given by tensors, as in PyTorch; gradients stop here.

They are drawn from `generator`, by default that of this thread, which `dg.manual_seed` seeds.
Functions of keys pass gradients on: see `dg.random`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError
from gradops.typing import DTypeLike

from ..dispatch.default_dtype import get_default_dtype
from ..dispatch.fast_path import operand
from ..dispatch.wrapping import by_name, set_name
from ..engine.handle import Handle, detach
from ..engine.tensor import Tensor, as_tensor
from .assignment import replace
from .creation import Generator, draw, make_tensor, sizes


def probabilities(call: str, p: Tensor | float) -> Tensor | float:
    """Probabilities without history; raises OptionError for numbers outside of 0 to 1."""
    value = p.value if isinstance(p, Handle) else p
    known = isinstance(value, np.ndarray | np.generic | float | int)
    if known and not np.all((value >= 0) & (value <= 1)):
        raise OptionError(
            call, [ops.type_of(value)], "a probability must be from 0 to 1",
            known_as="Expected p_in >= 0 && p_in <= 1 to be true, but got false",
        )  # fmt: skip
    return detach(p) if isinstance(p, Handle) else p


def bernoulli(x: Tensor, p: float | None = None, *, generator: Generator = None) -> Tensor:
    """0 or 1 in the dtype of `x`, 1 with the probability given by each entry, or `p`.

    >>> dg.bernoulli(dg.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    x = operand(x)
    return flip_coins(x, probabilities("bernoulli", x if p is None else p), generator)


def flip_coins(x: Tensor, chance: Tensor | float, generator: Generator) -> Tensor:
    """0 or 1, 1 with a probability, of the shape and the dtype of `x`."""
    noise = draw(lambda g, size: g.random(size), x.shape, generator)
    return ops.astype(ops.less(as_tensor(noise), chance), dtype=x.dtype)


def poisson(x: Tensor, generator: Generator = None) -> Tensor:
    """Poisson random counts in the dtype of `x`, whose entries are the means.

    >>> dg.poisson(dg.zeros(2))
    tensor([0., 0.])
    """
    x = operand(x)
    mean = np.asarray(detach(x).value)
    if not np.all(mean >= 0):
        raise OptionError("poisson", [ops.type_of(mean)], "a mean must not be negative")
    value = draw(lambda g, size: g.poisson(mean, size), mean.shape, generator)
    return make_tensor(ops.astype(value, dtype=x.dtype), False)


def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator = None,
    dtype: DTypeLike = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Normal random numbers, with means and standard deviations that are tensors or numbers.

    >>> dg.normal(0.0, 1.0, (2, 3)).shape, dg.normal(dg.zeros(4), 1.0).shape
    ((2, 3), (4,))
    """
    mean, std = (detach(x) if isinstance(x, Handle) else x for x in (mean, std))
    if isinstance(std, float | int) and std < 0:
        raise OptionError("normal", [], f"the standard deviation {std} is negative")
    like = ops.type_of(ops.add(mean, std))
    shape = sizes((like.shape if size is None else size,))
    strong = isinstance(mean, Handle) or isinstance(std, Handle)
    wanted = dtype or (like.dtype if strong else get_default_dtype())
    z = as_tensor(draw(lambda g, n: g.standard_normal(n), shape, generator))
    return make_tensor(ops.astype(mean + std * z, dtype=wanted).value, requires_grad)


def multinomial(
    x: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator = None
) -> Tensor:
    """Random indices with probabilities in proportion to weights, a vector or rows of them.

    Without `replacement`, each index of a row is drawn at most once. Raises OptionError if weights
    are negative or not finite, or too few are not zero.

    >>> dg.multinomial(dg.tensor([0.0, 1.0, 0.0]), 1)
    tensor([1])
    """
    weights = np.asarray(detach(operand(x)).value, np.float64)
    if weights.ndim not in (1, 2) or not weights.size:
        raise ShapeError(
            "multinomial", [ops.type_of(x)], "weights must be a vector, or rows of weights"
        )
    check_weights(weights, 1 if replacement else num_samples)
    indices = with_replacement if replacement else without_replacement
    result = indices(np.atleast_2d(weights), num_samples, generator)
    return make_tensor(result.reshape(*weights.shape[:-1], num_samples), False)


def check_weights(weights: np.ndarray, needed: int) -> None:
    """Refuse weights that are negative, not finite, or too few for so many draws."""
    if not np.all((weights >= 0) & np.isfinite(weights)):
        raise OptionError(
            "multinomial", [ops.type_of(weights)], "a weight is negative or not finite",
            known_as="probability tensor contains either `inf`, `nan` or element < 0",
        )  # fmt: skip
    most = np.count_nonzero(weights, axis=-1).min()
    if not 0 < needed <= most:
        raise OptionError(
            "multinomial", [ops.type_of(weights)],
            f"{needed} must be drawn, but only {most} weights are not zero",
            hint="with replacement=True an index may be drawn again",
        )  # fmt: skip


def with_replacement(weights: np.ndarray, n: int, generator: Generator) -> np.ndarray:
    """Indices drawn with replacement, by inverting the cumulative sums of the weights."""
    bounds = np.cumsum(weights, axis=-1)
    shares = 1 - draw(lambda g, size: g.random(size), (len(weights), n), generator)
    return np.array([b.searchsorted(s * b[-1]) for b, s in zip(bounds, shares)])


def without_replacement(weights: np.ndarray, n: int, generator: Generator) -> np.ndarray:
    """Indices drawn without replacement, ordered by exponential variables with these rates."""
    clocks = draw(lambda g, size: g.standard_exponential(size), weights.shape, generator)
    with np.errstate(divide="ignore"):
        return np.argsort(clocks / weights, axis=-1)[:, :n]


def filler(name: str, sample: Callable[..., Tensor], **defaults: Any) -> Callable[..., Tensor]:
    """The method that fills a tensor with what `sample(generator, size, ...)` returns."""
    names = list(defaults)

    def method(t: Tensor, *args: Any, generator: Generator = None, **given: Any) -> Tensor:
        if len(args) > len(names) or given.keys() - defaults.keys():
            raise TypeError(f"{name} takes {', '.join(names)}")
        values = {**defaults, **dict(zip(names, args)), **given}
        value = draw(lambda g, size: sample(g, size, *values.values()), t.shape, generator)
        return replace(t, ..., ops.astype(value, dtype=t.dtype), name)

    doc = f"Fill the tensor with random numbers ({', '.join(names)}), and return it."
    return set_name(method, name, doc)


def random_(
    t: Tensor, low: int | None = None, high: int | None = None, *, generator: Generator = None
) -> Tensor:
    """Fill the tensor with random integers from `low` to before `high`, and return it.

    With one bound they start at 0; without bounds they have the range of the dtype from 0 on.

    >>> dg.zeros(3).random_(1).tolist()
    [0.0, 0.0, 0.0]
    """
    if low is None or high is None:
        low, high = 0, low
    if high is None:
        whole = t.dtype.kind in "iu"
        high = int(np.iinfo(t.dtype).max) + 1 if whole else 2 ** (np.finfo(t.dtype).nmant + 1)
    unsigned = np.uint64 if high > 2**63 else np.int64
    value = draw(lambda g, size: g.integers(low, high, size, unsigned), t.shape, generator)
    return replace(t, ..., ops.astype(value, dtype=t.dtype), "random_")


def bernoulli_(t: Tensor, p: Tensor | float = 0.5, *, generator: Generator = None) -> Tensor:
    """Fill the tensor with 0 and 1, which has the probability `p`, and return it."""
    values = flip_coins(t, probabilities("bernoulli_", p), generator)
    return replace(t, ..., values, "bernoulli_")


FUNCTIONS = by_name(bernoulli, multinomial, normal, poisson)
METHODS = by_name(
    bernoulli, bernoulli_, multinomial, random_,
    filler("uniform_", lambda g, n, a, b: a + (b - a) * g.random(n), **{"from": 0.0, "to": 1.0}),
    filler("normal_", lambda g, n, m, s: m + s * g.standard_normal(n), mean=0.0, std=1.0),
    filler("exponential_", lambda g, n, lambd: g.standard_exponential(n) / lambd, lambd=1.0),
    filler("log_normal_", lambda g, n, mean, std: g.lognormal(mean, std, n), mean=1.0, std=2.0),
    filler("cauchy_", lambda g, n, m, s: m + s * g.standard_cauchy(n), median=0.0, sigma=1.0),
    filler("geometric_", lambda g, n, p: g.geometric(p, n), p=0.5),
)  # fmt: skip
