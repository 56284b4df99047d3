"""Random numbers in graphs: other ones in each run, reproducible by seeds.

Note [Seeds]. The numbers of an op are a function of a key, made of the graph's seed, the op's seed
or else its name, the number of the run and, inside loops, the number of the step. So they depend
neither on which other ops are run nor on their order, nor on threads or processes. The number of
the run is a hidden variable, which each session has for itself; the number of the step is a token
(see Note [Effects]) that is assigned inside the loop, and so becomes part of its state.
"""

import secrets
import zlib
from collections.abc import Sequence
from contextlib import contextmanager
from collections.abc import Iterator
from typing import Any

import numpy as np

import gradops as ops
from gradops import GraphError, astype
from gradops.types import as_size

from ..ir.expr import AFTER, CAUSE, Expr, Kind, Names, new_constant, renamed
from .graph import Graph, get_default_graph
from .leaves import DEFAULT_DTYPE, EFFECTS, Variable, as_expression, assign

FIRST = -(2**62)  # the numbers of what counts as built before everything else


def set_random_seed(seed: int | None) -> None:
    """Set the seed of the default graph's random numbers; None takes one that nobody knows.

    Each session then has the same numbers in its first run, the same in its second, and so on. An
    op without a seed of its own takes its name for one.

    >>> sg.set_random_seed(1)
    >>> x = sg.random_uniform([2])
    >>> bool(np.all(sg.Session().run(x) == sg.Session().run(x)))
    True
    """
    get_default_graph().seed = seed


def key_for(name: str, seed: int | None = None) -> Expr:
    """A new key for random numbers in each run: see Note [Seeds].

    >>> a = sg.random_normal([2], key=sg.key_for("noise"))
    """
    graph = get_default_graph()
    if graph.seed is None:
        graph.seed = secrets.randbits(32)
    own = zlib.crc32(graph.names.unique(name).encode()) if seed is None else seed
    base = new_constant(graph.names, ops.random_key(graph.seed, own), "key")
    key = ops.fold_in(base, run_number(graph))
    effects = EFFECTS.get()
    return key if effects is None else ops.fold_in(key, step_number(graph.names, effects))


def run_number(graph: Graph) -> Expr:
    """The number of the run that is under way."""
    if graph.run_number is None:
        with built_first():
            counter = Variable.hidden(graph.names, np.int64(0), "random/run")
            now = assign(counter, counter + 1, "random/next")
            made = [e for e in graph.members.values() if e.name.startswith("random/")]
        graph.run_number = counter
        ...
    return graph.run_number
