"""Random feeds that a graph accepts, by which passes and code are verified.

Note [Feeds of verification]. Random numbers of a normal distribution are no feeds for a Cholesky
factorization, which raises, nor for a logarithm, whose NaN is equal in any code. So feeds of
several kinds are tried: the first by which all results are finite are taken, or those by which most
are. The samples that an op declares show what it accepts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.sizes import names_in
from ..backends.interpreter import interpret

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
MIXED = 8  # tries of a kind drawn for each input


@dataclass(frozen=True)
class Reals:
    """Reals of a normal distribution, or between bounds; square matrices may be of a kind."""

    low: float = -np.inf
    high: float = np.inf
    matrices: str = ""

    def draw(self, rng: np.random.Generator, shape: Shape) -> Array:
        """An array of such numbers."""
        if np.isfinite(self.low):
            entries = rng.uniform(self.low, self.high, shape)
        else:
            entries = np.asarray(rng.standard_normal(shape))
        if len(shape) < 2 or shape[-1] != shape[-2] or not self.matrices:
            return entries
        return definite(entries) if self.matrices == "definite" else triangular(entries)


def definite(x: Array) -> Array:
    """Positive definite matrices, far from singular ones, of matrices."""
    return x @ np.swapaxes(x, -1, -2) / x.shape[-1] + np.eye(x.shape[-1])


def triangular(x: Array) -> Array:
    """Lower triangular matrices, far from singular ones, of matrices."""
    return np.tril(x, -1) / x.shape[-1] + np.eye(x.shape[-1])


@dataclass(frozen=True)
class Integers:
    """Integers from `low` to `high`."""

    low: int = 0
    high: int = 1

    def draw(self, rng: np.random.Generator, shape: Shape) -> Array:
        """An array of such numbers."""
        return np.asarray(rng.integers(self.low, self.high + 1, shape))


Kind = Reals | Integers
KINDS = [
    Reals(), Reals(matrices="definite"), Reals(0.3, 2.0, "definite"), Reals(-0.9, 0.9, "definite"),
    Reals(1.1, 3.0, "definite"),
]  # fmt: skip


def feeds_accepted_by(graph: FrozenGraph) -> tuple[list[Any] | None, Exception | None]:
    """Random feeds by which most results are finite; if there are none, the error of the first."""
    best: list[Any] | None = None
    most, failure = -1.0, None
    for feeds in several_feeds(graph):
        try:
            share = finite_share(interpret(graph, feeds))
        except Exception as error:
            failure = failure or error.with_traceback(None)
            continue
        if share > most:
            best, most = feeds, share
        if most == 1.0:
            break
    return best, failure


def finite_share(results: Sequence[Any]) -> float:
    """The share of entries that are finite, on the average of all results."""
    arrays = [np.asarray(x) for x in results]
    shares = [np.mean(np.isfinite(x)) for x in arrays if x.dtype.kind in "fc" and x.size]
    return float(np.mean(shares)) if shares else 1.0


def several_feeds(graph: FrozenGraph) -> Iterator[list[Any]]:
    """Random feeds of several kinds; variables have their own values."""
    rng, shapes = np.random.default_rng(0), shapes_of_feeds(graph)
    sampled = [kind_of_samples(e, graph) for e in graph.inputs]
    yield feeds_of(graph, shapes, [Reals()] * len(shapes))
    yield feeds_of(graph, shapes, sampled)
    for kind in KINDS[1:]:
        yield feeds_of(graph, shapes, [kind] * len(shapes))
    for _ in range(MIXED if len(shapes) > 1 else 0):
        several = [(*KINDS, kind) for kind in sampled]
        yield feeds_of(graph, shapes, [kinds[rng.integers(len(kinds))] for kinds in several])


def shapes_of_feeds(graph: FrozenGraph) -> list[Shape]:
    """The shapes of inputs, in which unknown sizes are small."""
    names = sorted(names_in(e.shape for e in graph.inputs))
    sizes = {name: 2 + i % 4 for i, name in enumerate(names)}
    shapes = [e.shape for e in graph.inputs]
    return [tuple([n if isinstance(n, int) else n.evaluate(sizes) for n in s]) for s in shapes]


def feeds_of(graph: FrozenGraph, shapes: Sequence[Shape], kinds: Sequence[Kind]) -> list[Any]:
    """Values of the inputs, each of a kind."""
    rng = np.random.default_rng(0)
    inputs = zip(graph.inputs, shapes, kinds, strict=True)
    return [random_feed(e, s, kind, rng) if e.value is None else e.value for e, s, kind in inputs]


def random_feed(e: Expr, shape: Shape, kind: Kind, rng: np.random.Generator) -> Array:
    """A random value of one input."""
    if e.dtype.kind not in "fc":
        kind = kind if isinstance(kind, Integers) else Integers()
    x = kind.draw(rng, shape)
    return (x + 1j * kind.draw(rng, shape) if e.dtype.kind == "c" else x).astype(e.dtype)


def kind_of_samples(e: Expr, graph: FrozenGraph) -> Kind:
    """The kind of numbers that the first op that reads an input has in its samples."""
    for reader in graph.order:
        at = next((i for i, x in enumerate(reader.inputs) if x is e), None)
        if reader.op is not None and at is not None:
            samples = list(reader.op.samples(np.random.default_rng(0)))
            arrays = [np.asarray(xs[at]) for xs, _ in samples if at < len(xs)]
            return kind_of([x for x in arrays if x.size and x.dtype.kind == e.dtype.kind])
    return Reals()


def kind_of(samples: Sequence[Array]) -> Kind:
    """The kind of numbers that all samples are of; of complex ones nothing is known."""
    if not samples or samples[0].dtype.kind == "c":
        return Reals()
    low, high = min(map(np.min, samples)), max(map(np.max, samples))
    if samples[0].dtype.kind != "f":
        return Integers(int(low), int(high))
    if not (np.isfinite(low) and np.isfinite(high)):
        return Reals()
    kinds = {matrix_kind(x) for x in samples if x.ndim > 1}
    return Reals(float(low), float(high), kinds.pop() if len(kinds) == 1 else "")


def matrix_kind(x: Array) -> str:
    """The kind of square matrices that samples are."""
    if x.shape[-1] != x.shape[-2] or x.shape[-1] < 2:
        return ""
    if not np.any(np.triu(x, 1)):
        return "triangular"
    transposed = np.swapaxes(x, -1, -2)
    return "definite" if np.allclose(x, transposed) and np.all(np.linalg.eigvalsh(x) > 0) else ""
