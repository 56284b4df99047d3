"""Operands that exercise an op, for the generated tests."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..typing import Attrs
from .op import Samples

__all__ = [
    "analytic", "analytic_binary", "beside", "between", "binary", "booleans", "cases",
    "complexes", "distinct", "drawn", "exactly", "integers", "positive", "reals", "unary",
    "with_edges",
]  # fmt: skip

Shape = tuple[int, ...]


def drawn(draw: Any, shapes: Sequence[Shape], **attrs: Any) -> Samples:
    """One sample with an array of each shape, drawn by `draw(rng, shape)`."""
    return partial(one_sample, draw, shapes, attrs)


def one_sample(draw: Any, shapes: Sequence[Shape], attrs: Attrs, rng: "np.random.Generator") -> Any:
    """Arrays of some shapes, with attributes, as the only sample."""
    return [([draw(rng, s) for s in shapes], attrs)]


def real(rng: "np.random.Generator", shape: Shape) -> np.ndarray:
    """Reals of both signs, none of them near zero."""
    return rng.uniform(0.2, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


def reals(*shapes: Shape, **attrs: object) -> Samples:
    """Reals of both signs, none of them near zero."""
    return partial(one_sample, real, shapes, attrs)


def positive(*shapes: Shape, **attrs: object) -> Samples:
    """Positive reals away from zero."""
    return between(0.3, 2.0, *shapes, **attrs)


def between(low: float, high: float, *shapes: Shape, **attrs: object) -> Samples:
    """Reals between two bounds."""
    return drawn(lambda r, s: r.uniform(low, high, s), shapes, **attrs)


def distinct(*shapes: Shape, **attrs: object) -> Samples:
    """Reals that are far from each other in all operands, so that small steps keep their order."""
    return partial(distinct_values, shapes, attrs)


def distinct_values(shapes: Sequence[Shape], attrs: Attrs, rng: "np.random.Generator") -> Any:
    """Shuffled multiples of a step, in arrays of some shapes, as the only sample."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    values = (rng.permutation(sum(sizes)) - sum(sizes) / 2 + 0.25) / 4
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return [([part.reshape(shape) for part, shape in zip(parts, shapes)], attrs)]


def complexes(*shapes: Shape, **attrs: object) -> Samples:
    """Complex numbers, none of them near zero or near the negative reals."""
    return drawn(
        lambda r, s: r.uniform(0.3, 2.0, s) * np.exp(1j * r.uniform(-2.5, 2.5, s)), shapes, **attrs
    )


def integers(*shapes: Shape, **attrs: object) -> Samples:
    """Integers from -3 to 3."""
    return drawn(lambda r, s: r.integers(-3, 4, s), shapes, **attrs)


def booleans(*shapes: Shape, **attrs: object) -> Samples:
    """Truth values."""
    return drawn(lambda r, s: r.integers(0, 2, s).astype(bool), shapes, **attrs)


def exactly(*operands: object, **attrs: object) -> Samples:
    """Given operands."""
    return lambda rng: [([np.asarray(x) for x in operands], attrs)]


def cases(*several: Samples) -> Samples:
    """All samples of several kinds."""
    return lambda rng: [one for samples in several for one in samples(rng)]


def beside(*several: Samples) -> Samples:
    """One sample whose operands, and attributes, are those of several kinds side by side."""

    def joined(rng: "np.random.Generator") -> Iterator[Any]:
        parts = [next(iter(samples(rng))) for samples in several]
        attrs = {k: v for _, each in parts for k, v in each.items()}
        yield [x for xs, _ in parts for x in xs], attrs

    return joined


def with_edges(samples: Samples) -> Samples:
    """The samples of an elementwise op, with added ones without axes or entries.

    These have the dtypes and attributes of the first sample, unless there are such samples already.
    """

    def edged(rng: "np.random.Generator") -> Iterator[Any]:
        given = list(samples(rng))
        yield from given
        if not given:
            return
        operands, attrs = given[0]
        if not any(np.ndim(x) == 0 for xs, _ in given for x in xs):
            yield [np.asarray(x).ravel()[0] for x in operands], attrs
        if all(np.size(x) for xs, _ in given for x in xs):
            yield [np.zeros((2, 0), np.asarray(x).dtype) for x in operands], attrs

    return edged


unary = cases(reals((3, 4)), reals(()), reals((2, 0)))
binary = cases(
    reals((3, 4), (3, 4)), reals((3, 4), (4,)), reals((3, 1), (1, 4)), reals((), (2,)),
    reals((), ()),
)  # fmt: skip
analytic = cases(unary, complexes((3,)))  # of functions that take complex numbers, too
analytic_binary = cases(binary, complexes((3, 4), (4,)))
