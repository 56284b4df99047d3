"""Python objects that machine code refers to, and where in its graph they come from.

Note [Kept objects]. Code that is kept on disk has no addresses in it: a large constant, and a
kernel that is called, are names. A note of each says which expression of the graph it is of, by
number; so they are found when the code is loaded for an equal graph.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from gradops.native.ir.memory import in_order

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, graphs_in
from ..kernel_calls import kernel_into


def notes_of(origins: Sequence[object], graph: FrozenGraph) -> tuple[str, ...] | None:
    """Notes of constants, and of expressions whose kernels are called with so many results.

    None if one is not of the graph: then nothing can be found again.
    """
    numbers = {id(e): i for i, e in enumerate(every(graph))}
    constants = {id(e.value): i for i, e in enumerate(every(graph)) if e.op is None}
    result = []
    for origin in origins:
        match origin:
            case (Expr() as e, int(count)) if id(e) in numbers:
                result.append(f"{numbers[id(e)]}:{count}")
            case np.ndarray() if id(origin) in constants:
                result.append(f"{constants[id(origin)]}:0")
            case _:
                return None
    return tuple(result)


def found_again(notes: Sequence[str], graph: FrozenGraph) -> list[object]:
    """The objects that notes of an equal graph describe."""
    expressions: list[Expr] = list(every(graph))
    result: list[object] = []
    for note in notes:
        number, count = map(int, note.split(":"))
        e = expressions[number]
        result.append(kernel_into(e, count) if count else in_order(e.value))
    return result


def every(graph: FrozenGraph) -> Iterator[Expr]:
    """The expressions of a graph and of all graphs inside it, be they equal or not."""
    stack, seen = [graph], {id(graph)}
    while stack:
        graph = stack.pop()
        yield from graph.order
        for e in graph.holders:
            inner = [g for g in graphs_in(e) if id(g) not in seen]
            seen.update(map(id, inner))
            stack += inner
