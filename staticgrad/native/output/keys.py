"""Keys of machine code: equal for graphs whose code is the same, in any process."""

from functools import cache

import numpy as np

from gradops import ArrayType, Dim, Op
from gradops.kernels.threads import cores, machine_cores
from gradops.library import DECLARED
from gradops.native.objects.fingerprint import sources

from ...ir.graph import FrozenGraph, all_expressions
from ...passes.pipeline import Pipeline

PLAIN = (bool, int, float, complex, str, bytes, type(None), np.dtype, np.generic, Dim, ArrayType)
Key = tuple[object, ...]


def key_of(graph: FrozenGraph, form: str, *more: object) -> Key | None:
    """The key of a graph's code; None for a graph of which a key cannot tell all.

    `more` are other parts, whose representations tell them apart. Sources, versions and the machine
    are part of every key.
    """
    layouts = []
    for e in all_expressions(graph):
        if e.op is not None and not (is_own(e.op) and is_plain(tuple(e.attrs.values()))):
            return None
        if e.value is not None and isinstance(e.value, np.ndarray):
            layouts.append(e.value.strides)
    threads = cores(), machine_cores()
    return graph.digest, tuple(layouts), form, threads, *more, *sources("staticgrad")


def key_of_passes(pipeline: Pipeline) -> Key | None:
    """The key of passes; None for those of users, and those with options that are functions."""
    if pipeline.check is not None:
        return None
    result = []
    for step in pipeline.passes:
        kind, options = type(step), vars(step)
        if not is_ours(kind.__module__) or not is_plain(tuple(options.values())):
            return None
        result.append((kind.__module__, kind.__qualname__, *options.items()))
    return tuple(result)


@cache
def is_own(op: Op) -> bool:
    """True for ops of these packages: sources say all of them."""
    return op.name in DECLARED or is_ours(getattr(op.kernel, "__module__", None) or "")


def is_ours(module: str) -> bool:
    """True for modules of this package."""
    return module.partition(".")[0] == "staticgrad"


def is_plain(value: object) -> bool:
    """True for what its representation tells, and for graphs, which have a digest."""
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return isinstance(value, (*PLAIN, FrozenGraph))
