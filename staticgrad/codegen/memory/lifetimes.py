"""Lifetimes: the memory in which each value lies, and the positions at which it is in use.

Note [Memory]. Memory belongs to the expression that allocates it. The value of a view lies in the
memory of others, its roots. The values of a loop, a branch or a call lie in memory of the whole,
and in that of the operands which it may return: a loop without steps returns its first state. Their
graphs tell which: `output_memory`. Each value of a fusion group has memory of its own, and so has
each array of rows that a loop writes: see Note [Rows] in `loops/rows.py`. Feeds, constants and what
a run returns are in use to the end.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradops.core.traits import Trait

from ...ir.expr import Expr, whole_of
from ...ir.graph import FrozenGraph, graphs_in, inner_graphs
from ...ir.layouts.values import Known, Layout
from ...ir.tuple_types import TupleType

Roots = tuple[Expr, ...]
Owners = Mapping[Expr, Expr]
"""The part of a loop whose memory that of each list of rows is."""
VIEW = Trait.VIEW  # looking up a member of an Enum takes long
NO_OWNERS: Owners = {}


@dataclass(frozen=True)
class Lifetimes:
    """Where values lie, and how long their memory is in use, in one order of execution.

    `roots` has the memory of views, `position` the place of each expression in the order, `last`
    that of the last reader of its memory: `end` for what leaves the run or comes into it.
    """

    order: Sequence[Expr]
    roots: Mapping[Expr, Roots]
    position: Mapping[Expr, int]
    last: Mapping[Expr, int]

    @property
    def end(self) -> int:
        """The position after the last expression."""
        return len(self.order)

    def memory(self, e: Expr) -> Roots:
        """The expressions in whose memory the value of `e` may lie."""
        return self.roots.get(e, (e,))


def lifetimes(
    graph: FrozenGraph, order: Sequence[Expr], layouts: Known, owners: Owners = NO_OWNERS
) -> Lifetimes:
    """The lifetimes of all memory of a graph whose expressions are computed in this order."""
    memory_of_views(graph)  # of the graphs inside
    roots, last = roots_in(graph, layouts, owners), dict[Expr, int]()
    position: dict[Expr, int] = {}
    for i, e in enumerate(order):
        position[e] = i
        for x in e.inputs:
            if x in roots:
                for r in roots[x]:
                    last[r] = i
            else:
                last[x] = i
    for e in order:
        if e.op is None:
            last[e] = len(order)
        elif e not in last:
            last[e] = position[e]
    for e in graph.results:
        for r in roots.get(e, (e,)):
            last[r] = len(order)
    return Lifetimes(order, roots, position, last)


def memory_of_views(graph: FrozenGraph) -> Mapping[Expr, Roots]:
    """The roots of each expression that may lie in the memory of others. See Note [Memory]."""
    if "memory of views" not in graph.derived:
        for inner in (*inner_graphs(graph), graph):
            if "memory of views" not in inner.derived:
                inner.derived["memory of views"] = roots_in(inner, {})
    result: Mapping[Expr, Roots] = graph.derived["memory of views"]
    return result


def roots_in(graph: FrozenGraph, layouts: Known, owners: Owners = NO_OWNERS) -> dict[Expr, Roots]:
    """The roots of the views of a graph; those of the graphs inside it are known."""
    roots: dict[Expr, Roots] = {}
    for e in graph.order:
        if is_fused(e):
            roots[e] = ()
        if owners and (owner := owner_of_rows(e, owners)) is not None:
            if owner is not e:
                roots[e] = (owner,)
            continue
        if not may_be_view(e) or is_copied(e, layouts):
            continue
        whole = whole_of(e)
        if whole is not None and is_fused(whole):
            continue
        if whole is not None:
            among: Iterable[Expr] = memory_of_part(whole, e.attrs["index"])
        else:
            among = e.inputs
        roots[e] = tuple({r: None for x in among for r in roots.get(x, (x,))})
    return roots


def owner_of_rows(e: Expr, owners: Owners) -> Expr | None:
    """The part of a loop to which the rows in a list, or in the array of it, belong."""
    if e.op is not None and e.op.name == "stacked":
        return owners.get(whole_list(e.inputs[0]))
    return owners.get(e)


def whole_list(x: Expr) -> Expr:
    """The list that has a range of entries, one after another; `x` itself if it is no range."""
    is_range = x.op is not None and x.op.name == "list_slice" and x.attrs["step"] == 1
    return x.inputs[0] if is_range else x


def is_fused(e: Expr) -> bool:
    """True for a fusion group, which has no memory: each of its parts has its own."""
    return e.op is not None and e.op.name == "fused"


def takes_out(e: Expr) -> bool:
    """True if an expression can be computed into memory that is given as `out`."""
    return e.op is not None and "{out}" in e.op.template([x.type for x in e.inputs], e.attrs)


def may_be_view(e: Expr) -> bool:
    """True if the value of an expression may lie in the memory of operands."""
    if e.op is None or VIEW not in e.op.traits or isinstance(e.type, TupleType):
        return False
    return Trait.RETYPING not in e.op.traits or not (is_converted(e) or takes_out(e))


def is_copied(e: Expr, layouts: Known) -> bool:
    """True if a change of shape certainly copies its operand, whose axes lie in another order."""
    if e.op is None or e.op.name != "reshape":
        return False
    x, layout = e.inputs[0], layouts.get(e.inputs[0])
    if layout is None or not layout.dense or layout.is_increasing:
        return False
    sizes = (*x.shape, *e.shape)
    if not all(isinstance(n, int) and n for n in sizes):
        return False
    return not can_be_view(model_of(layout, x.shape), e.shape)


def model_of(layout: Layout, shape: Sequence[int]) -> np.ndarray:
    """An array of a shape and a dense layout that takes no memory; it is not to be read."""
    strides, step = [0] * len(shape), 1
    for i in reversed(layout.axes):
        strides[i], step = step, step * shape[i]
    return np.lib.stride_tricks.as_strided(np.empty(1, np.uint8), shape, strides)


def can_be_view(array: np.ndarray, shape: Sequence[int]) -> bool:
    """True if an array in another shape is a view of it."""
    try:
        np.reshape(array, shape, copy=False)
    except TypeError:  # of NumPy 2.0, which does not tell
        return True
    except ValueError:
        return False
    return True


def is_converted(e: Expr) -> bool:
    """True if the result of a retyping op has another dtype, or fewer entries, than its operand."""
    x, y = e.inputs[0].type, e.type
    if x.dtype != y.dtype:
        return True
    before, after = x.size, y.size
    return isinstance(before, int) and isinstance(after, int) and after < before


def memory_of_part(whole: Expr, index: int) -> tuple[Expr, ...]:
    """The operands in whose memory value `index` of `whole` may lie; `whole` for its own memory."""
    sharing = operands_returned(whole)
    if sharing is None:
        return (*whole.inputs, whole)
    numbers, owns = sharing[index]
    return (*(whole.inputs[i] for i in sorted(numbers)), *([whole] if owns else []))


Sharing = tuple[frozenset[int], bool]
"""The operands, by number, that a value may share memory with; if it may have its own memory."""


def operands_returned(whole: Expr) -> list[Sharing] | None:
    """For each value of a loop, branch or call, the operands that it shares memory with."""
    assert whole.op is not None
    graphs = list(graphs_in(whole))
    match whole.op.name:
        case "call":
            return output_memory(graphs[0])
        case "case":
            shifted = [[shift(s, 1) for s in output_memory(g)] for g in graphs]
            return [union(row) for row in zip(*shifted, strict=True)]
        case "loop":
            return memory_of_loop(output_memory(whole.attrs["body"]), whole.attrs["carries"])
    return None


def shift(sharing: Sharing, by: int) -> Sharing:
    """Sharing with operands that have other numbers."""
    return frozenset(i + by for i in sharing[0]), sharing[1]


def union(several: Iterable[Sharing]) -> Sharing:
    """Sharing of a value that may be any of several."""
    several = list(several)
    return frozenset().union(*(numbers for numbers, _ in several)), any(o for _, o in several)


def memory_of_loop(step: Sequence[Sharing], carries: int) -> list[Sharing]:
    """Sharing of the results of a loop: of the state after any number of steps, and of lists."""
    state = [union([step[k], (frozenset({k}), False)]) for k in range(carries)]
    before: list[Sharing] = []
    while state != before:
        before = list(state)
        state = [union([s, *(state[i] for i in s[0] if i < carries)]) for s in state]
    rest = [union([s, *(state[i] for i in s[0] if i < carries)]) for s in step[carries:]]
    return [*state, *((numbers, True) for numbers, _ in rest)]


def output_memory(graph: FrozenGraph) -> list[Sharing]:
    """For each output of an inner graph, the inputs that it may share memory with."""
    roots = memory_of_views(graph)
    numbers = {e: i for i, e in enumerate(graph.inputs)}
    result = []
    for e in graph.outputs:
        memory = roots.get(e, (e,))
        shared = frozenset(numbers[r] for r in memory if r in numbers)
        result.append((shared, len(shared) < len(memory)))
    return result
