"""Random numbers whose distributions tensors tell, as PyTorch draws them; gradients stop here.

They are those of `generator`, by default of this thread, which `dg.manual_seed` seeds. Keys give
numbers that gradients pass through: see `dg.random`.
"""

from collections.abc import Callable
from typing import Any, Optional

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError

from ..dispatch.default_dtype import get_default_dtype
from ..dispatch.fast_path import operand
from ..engine.handle import Handle, detached
from ..engine.tensor import Tensor, as_tensor
from .assignment import replace
from .creation import drawn, finished, sizes

Generator = Optional["np.random.Generator"]  # by name, as its module is slow to load


def chances(call: str, p: Any) -> Any:
    """Probabilities, or an OptionError."""
    value: Any = getattr(p, "value", p)
    known = isinstance(value, np.ndarray | np.generic | float | int)
    if known and not np.all((value >= 0) & (value <= 1)):
        raise OptionError(
            call, [ops.type_of(value)], "a probability is from 0 to 1",
            known_as="Expected p_in >= 0 && p_in <= 1 to be true, but got false",
        )  # fmt: skip
    return detached(p) if isinstance(p, Handle) else p


def bernoulli(x: Any, p: float | None = None, *, generator: Generator = None) -> Tensor:
    """0 or 1 in the dtype of the tensor, 1 with the probability that is its entry, or with `p`.

    >>> dg.bernoulli(dg.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    x = operand(x)
    chance = chances("bernoulli", x if p is None else p)
    noise = drawn(lambda g, size: g.random(size), x.shape, generator)
    found: Tensor = ops.astype(ops.less(as_tensor(noise), chance), dtype=x.dtype)
    return found


def poisson(x: Any, generator: Generator = None) -> Tensor:
    """Random counts in the dtype of the tensor, each with the mean that is its entry.

    >>> dg.poisson(dg.zeros(2))
    tensor([0., 0.])
    """
    x = operand(x)
    mean = np.asarray(detached(x).value)
    if not np.all(mean >= 0):
        raise OptionError("poisson", [ops.type_of(mean)], "a mean is not negative")
    value = drawn(lambda g, size: g.poisson(mean, size), mean.shape, generator)
    return finished(ops.astype(value, dtype=x.dtype), False)


def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator = None,
    dtype: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Random numbers, normal with means and standard deviations that are tensors or numbers.

    >>> dg.normal(0.0, 1.0, (2, 3)).shape, dg.normal(dg.zeros(4), 1.0).shape
    ((2, 3), (4,))
    """
    mean, std = (detached(x) if isinstance(x, Handle) else x for x in (mean, std))
    if isinstance(std, float | int) and std < 0:
        raise OptionError("normal", [], f"the standard deviation {std} is negative")
    like = ops.type_of(ops.add(mean, std))
    shape = sizes((like.shape if size is None else size,))
    strong = isinstance(mean, Handle) or isinstance(std, Handle)
    wanted = dtype or (like.dtype if strong else get_default_dtype())
    z = as_tensor(drawn(lambda g, n: g.standard_normal(n), shape, generator))
    return finished(ops.astype(mean + std * z, dtype=wanted).value, requires_grad)


def multinomial(
    x: Any, num_samples: int, replacement: bool = False, *, generator: Generator = None
) -> Tensor:
    """Random indices with probabilities in proportion to weights, a vector or rows of them.

    Without `replacement` no index of a row comes twice. Raises OptionError for weights that are
    negative or not finite, or too few that are not zero.

    >>> dg.multinomial(dg.tensor([0.0, 1.0, 0.0]), 1)
    tensor([1])
    """
    weights = np.asarray(detached(operand(x)).value, np.float64)
    if weights.ndim not in (1, 2) or not weights.size:
        raise ShapeError("multinomial", [ops.type_of(x)], "weights are a vector, or rows of them")
    check_weights(weights, 1 if replacement else num_samples)
    draw = with_replacement if replacement else in_a_race
    found = draw(np.atleast_2d(weights), num_samples, generator)
    return finished(found.reshape(*weights.shape[:-1], num_samples), False)


def check_weights(weights: np.ndarray, needed: int) -> None:
    """Refuse weights from which not so many indices can be drawn."""
    if not np.all((weights >= 0) & np.isfinite(weights)):
        raise OptionError(
            "multinomial", [ops.type_of(weights)], "a weight is negative or not finite",
            known_as="probability tensor contains either `inf`, `nan` or element < 0",
        )  # fmt: skip
    most = np.count_nonzero(weights, axis=-1).min()
    if not 0 < needed <= most:
        raise OptionError(
            "multinomial", [ops.type_of(weights)],
            f"{needed} are to be drawn, and {most} weights are not zero",
            hint="replacement=True may draw an index again",
        )  # fmt: skip


def with_replacement(weights: np.ndarray, n: int, generator: Generator) -> np.ndarray:
    """Indices that may come again: where shares fall between the sums of weights."""
    bounds = np.cumsum(weights, axis=-1)
    shares = 1 - drawn(lambda g, size: g.random(size), (len(weights), n), generator)
    return np.array([b.searchsorted(s * b[-1]) for b, s in zip(bounds, shares)])


def in_a_race(weights: np.ndarray, n: int, generator: Generator) -> np.ndarray:
    """Indices in the order in which exponential clocks with these rates go off."""
    clocks = drawn(lambda g, size: g.standard_exponential(size), weights.shape, generator)
    with np.errstate(divide="ignore"):
        return np.argsort(clocks / weights, axis=-1)[:, :n]


def filling(name: str, draw: Callable[..., Any], **defaults: Any) -> Callable[..., Tensor]:
    """The method that fills a tensor with what `draw(generator, size, ...)` gives."""
    names = list(defaults)

    def method(t: Tensor, *args: Any, generator: Generator = None, **given: Any) -> Tensor:
        if len(args) > len(names) or given.keys() - defaults.keys():
            raise TypeError(f"{name} takes {', '.join(names)}")
        values = {**defaults, **dict(zip(names, args)), **given}
        value = drawn(lambda g, size: draw(g, size, *values.values()), t.shape, generator)
        return replace(t, ..., ops.astype(value, dtype=t.dtype), name)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Fill the tensor with random numbers ({', '.join(names)}), and return it."
    return method


def random_(
    t: Tensor, low: int | None = None, high: int | None = None, *, generator: Generator = None
) -> Tensor:
    """Fill the tensor with random integers from `low` to before `high`, and return it.

    They are from 0 on if there is one bound, and all that the dtype has from 0 on if there is none.

    >>> dg.zeros(3).random_(1).tolist()
    [0.0, 0.0, 0.0]
    """
    if low is None or high is None:
        low, high = 0, low
    if high is None:
        whole = t.dtype.kind in "iu"
        high = int(np.iinfo(t.dtype).max) + 1 if whole else 2 ** (np.finfo(t.dtype).nmant + 1)
    unsigned = np.uint64 if high > 2**63 else np.int64
    value = drawn(lambda g, size: g.integers(low, high, size, unsigned), t.shape, generator)
    return replace(t, ..., ops.astype(value, dtype=t.dtype), "random_")


def bernoulli_(t: Tensor, p: Any = 0.5, *, generator: Generator = None) -> Tensor:
    """Fill the tensor with 0 and 1, which have the probability `p`, and return it."""
    chance = chances("bernoulli_", p)
    noise = drawn(lambda g, size: g.random(size), t.shape, generator)
    value = ops.astype(ops.less(as_tensor(noise), chance), dtype=t.dtype)
    return replace(t, ..., value, "bernoulli_")


FUNCTIONS = {f.__name__: f for f in (bernoulli, multinomial, normal, poisson)}
METHODS: dict[str, Callable[..., Any]] = {
    "bernoulli": bernoulli, "bernoulli_": bernoulli_, "multinomial": multinomial,
    "random_": random_,
    "uniform_": filling(
        "uniform_", lambda g, n, a, b: a + (b - a) * g.random(n), **{"from": 0.0, "to": 1.0}
    ),
    "normal_": filling(
        "normal_", lambda g, n, mean, std: mean + std * g.standard_normal(n), mean=0.0, std=1.0
    ),
    "exponential_": filling(
        "exponential_", lambda g, n, lambd: g.standard_exponential(n) / lambd, lambd=1.0
    ),
    "log_normal_": filling(
        "log_normal_", lambda g, n, mean, std: g.lognormal(mean, std, n), mean=1.0, std=2.0
    ),
    "cauchy_": filling(
        "cauchy_", lambda g, n, median, sigma: median + sigma * g.standard_cauchy(n),
        median=0.0, sigma=1.0,
    ),
    "geometric_": filling("geometric_", lambda g, n, p: g.geometric(p, n), p=0.5),
}  # fmt: skip
