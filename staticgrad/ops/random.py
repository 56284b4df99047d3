"""Random numbers in graphs: new ones in each run, reproducible by seeds.

Note [Seeds]. The numbers of an op are a function of a key, which is made of the graph's seed, the
op's seed or else its name, the number of the run and, in a loop, the number of the step. So they do
not depend on which other ops run, in which order, thread or process. The number of the run is a
hidden variable of each session; the number of the step is a token (see Note [Effects]) that is
assigned inside the loop, and so becomes part of its state.
"""

import operator
import os
import zlib
from collections.abc import Callable
from typing import SupportsIndex

import numpy as np

import gradops as ops
from gradops import OptionError, ShapeError, take
from gradops.core.op import as_operand
from gradops.core.types import native
from gradops.typing import DTypeLike, Operand, ShapeLike

from ..build.graph import Graph, get_default_graph, rename
from ..build.inputs import EFFECTS, Variable, as_expression, assign, default_dtype
from ..ir.expr import Expr, Kind, new_constant
from ..ir.names import AFTER, CAUSE, Names, set_context
from .declarations import implemented_by

__all__ = [
    "random_bernoulli", "random_key", "random_normal", "random_shuffle", "random_uniform",
    "set_random_seed", "truncated_normal",
]  # fmt: skip

FIRST = -(2**62)  # of expressions that count as built before all others


def set_random_seed(seed: int | None) -> None:
    """Set the seed of the default graph's random numbers; None takes a random one.

    All sessions then draw equal numbers in their first runs, equal ones in their second runs, and
    so on. An op without a seed of its own uses its name.

    >>> sg.set_random_seed(1)
    >>> x = sg.random_uniform([2])
    >>> bool(np.all(sg.Session().run(x) == sg.Session().run(x)))
    True
    """
    get_default_graph().seed = None if seed is None else as_seed("set_random_seed", seed)


def as_seed(call: str, seed: SupportsIndex) -> int:
    """The seed as an int; raises OptionError unless it is an integer."""
    try:
        return operator.index(seed)
    except TypeError as error:
        raise OptionError(call, [repr(seed)], "a seed is an integer") from error


def random_key(seed: int | None = None, name: str = "random") -> Expr:
    """A key for random numbers, new in each run and in each step of a loop.

    Ops of `gradops` take it to draw numbers; see Note [Seeds].

    >>> key = sg.random_key(seed=7)
    >>> sg.Session().run(key).dtype
    dtype('uint64')
    """
    graph = get_default_graph()
    full = graph.names.unique(f"{name}/key")
    own = zlib.crc32(full.encode()) if seed is None else as_seed(name, seed)
    base = new_constant(graph.names, ops.random_key(seed_of(graph), own), f"{name}/seed")
    key = ops.fold_in(base, run_number(graph))
    effects = EFFECTS.get()
    return key if effects is None else ops.fold_in(key, step_number(graph.names, effects))


def seed_of(graph: Graph) -> int:
    """The seed of a graph; a random one if none was set."""
    if graph.seed is None:
        graph.seed = int.from_bytes(os.urandom(4), "big")
    return graph.seed


def run_number(graph: Graph) -> Expr:
    """The number of the present run; it counts as built before all other expressions."""
    if graph.run_number is None:
        with set_context(EFFECTS, None), set_context(AFTER, ()), set_context(CAUSE, None):
            counter = Variable.hidden(graph.names, np.int64(0), "random_run")
            following = counter + 1
            graph.run_number = assign(counter, following, "random_run/next")
        chain = (counter, following.inputs[1], following, graph.run_number)
        for i, e in enumerate(chain):
            e.number = FIRST + i
    return graph.run_number


def step_number(names: Names, effects: list[Expr]) -> Expr:
    """The number of the step of the innermost loop or branch that is being built."""
    steps = names.home.steps
    for e in effects:
        if e in steps:
            return e
    counter = Variable.hidden(names, np.int64(0), "step", Kind.TOKEN)
    counted = assign(counter, counter + 1, "random_step")
    steps.add(counted)
    return counted


def distribution(op: Callable[..., Expr], name: str) -> Callable[..., Expr]:
    """Random numbers that `op` draws with the mean 0 and the standard deviation 1, transformed."""

    def call(
        shape: ShapeLike, mean: Operand = 0.0, stddev: Operand = 1.0, dtype: DTypeLike = None,
        seed: int | None = None, name: str = name,
    ) -> Expr:  # fmt: skip
        x = op(random_key(seed, name), shape=shape, dtype=float_dtype(dtype))
        return scale_and_shift(x, stddev, mean, name)

    return call


@implemented_by(distribution(ops.random_normal, "random_normal"))
def random_normal() -> None:
    """Normally distributed numbers, new in each run; see `set_random_seed`.

    `mean` and `stddev` may be expressions, and have gradients.

    >>> sg.random_normal([2, 3], name="noise")
    <random_normal noise: float32[2, 3]>
    """


@implemented_by(distribution(ops.truncated_normal, "truncated_normal"))
def truncated_normal() -> None:
    """Normally distributed numbers, redrawn while farther than two standard deviations.

    >>> bool(np.all(abs(sg.Session().run(sg.truncated_normal([100]))) <= 2))
    True
    """


def random_uniform(
    shape: ShapeLike, minval: Operand = 0, maxval: Operand | None = None,
    dtype: DTypeLike = None, seed: int | None = None, name: str = "random_uniform",
) -> Expr:  # fmt: skip
    """Uniformly distributed numbers in [`minval`, `maxval`); floats have a default `maxval` of 1.

    With an integer dtype they are integers, and `maxval` is required.

    >>> sg.Session().run(sg.random_uniform([3], 0, 1, dtype="int64"))
    array([0, 0, 0])
    """
    key = random_key(seed, name)
    if dtype is not None and native(dtype).kind in "iu":
        if maxval is None:
            raise OptionError("random_uniform", [], "integers need a maxval")
        x = ops.random_integers(key, shape=shape, low=minval, high=maxval, dtype=native(dtype))
        return rename(x, name)
    x = ops.random_uniform(key, shape=shape, dtype=float_dtype(dtype))
    low, high = as_operand(minval), 1 if maxval is None else as_operand(maxval)
    return scale_and_shift(x, high - low, low, name)


def random_bernoulli(
    shape: ShapeLike, p: float = 0.5, seed: int | None = None, name: str = "random_bernoulli"
) -> Expr:
    """Truth values, each true with probability `p`.

    >>> sg.Session().run(sg.random_bernoulli([3], p=1.0))
    array([ True,  True,  True])
    """
    return rename(ops.random_bernoulli(random_key(seed, name), shape=shape, p=p), name)


def random_shuffle(value: Operand, seed: int | None = None, name: str = "random_shuffle") -> Expr:
    """The entries along the first axis in random order.

    >>> sorted(sg.Session().run(sg.random_shuffle([1.0, 2.0, 3.0])).tolist())
    [1.0, 2.0, 3.0]
    """
    x = as_expression(value)
    if not x.shape:
        raise ShapeError("random_shuffle", [x.label], "it has no axis to shuffle")
    order = ops.random_permutation(random_key(seed, name), n=x.shape[0])
    return rename(take(x, order, axis=0), name)


def float_dtype(dtype: DTypeLike) -> np.dtype:
    """A dtype of floats, the default one if none is given."""
    return native(dtype or default_dtype())


def scale_and_shift(x: Expr, scale: Operand, offset: Operand, name: str) -> Expr:
    """x * scale + offset under a name, without factors of 1 and offsets of 0."""
    if isinstance(scale, Expr) or np.any(scale != 1):
        x = x * scale
    if isinstance(offset, Expr) or np.any(offset != 0):
        x = x + offset
    return rename(x, name)
