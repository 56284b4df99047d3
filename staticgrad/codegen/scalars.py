"""Scalars as Python floats: which values are held so, and how generated code refers to them.

Note [Float scalars]. An operation on a NumPy scalar costs two to ten times one on a Python float.
In a graph that a pass has marked with `Lowering.FLOATS`, float64 values without axes are computed
by Python's operators, which give the same bits. With `Lowering.MATH`, float32 is, too, in double
precision, and functions are those of the module `math`. Inside the graphs of loops and branches a
parameter without axes may be either; where an array is wanted, a float becomes a NumPy scalar of
its type. Python raises where NumPy gives an infinity or NaN: then the executable runs on arrays.

Note [Excess precision]. A float32 value in double precision is rounded where it is computed if
anything but arithmetic on floats reads it: a comparison, an array, a loop or branch and what
carries its state. So decisions are those of float32, a value equals its copies in arrays, and
`while 1 + eps > 1` ends at float32's epsilon. Other values differ from float32 by less error.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from gradops import ArrayType
from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, has_graphs
from ..ir.kinds import Lowering

CALL, OPERATOR = 10, 1  # what one costs more on NumPy's scalars than on floats, in 40 ns
DTYPES = {
    Lowering.FLOATS: frozenset({np.dtype(np.float64)}),
    Lowering.MATH: frozenset({np.dtype(np.float32), np.dtype(np.float64)}),
}


def held_as_floats(graph: FrozenGraph, is_body: bool) -> frozenset[Expr]:
    """The expressions whose values are Python floats, or may be. See Note [Float scalars]."""
    if graph.lowering is None:
        return frozenset()
    lowering = graph.lowering
    free = {e for e in graph.order if is_either(e, lowering)}
    savings = {e: n for e in graph.order if e not in free and (n := saving(e, lowering))}
    ends = set() if is_body else set(graph.results)
    boxed = ends.union(*(e.inputs for e in graph.order if e not in savings and not takes_floats(e)))
    result = set(free)
    for members in connected(savings):
        if sum(savings[e] for e in members) > cost(members, free, boxed):
            result.update(members)
    if not is_body:
        readers = (e for e in graph.order if e in result or takes_floats(e))
        read = {x for e in readers for x in e.inputs}
        result.update(e for e in graph.inputs if e in read and is_number(e, lowering))
    return frozenset(result)


def rounded_floats(graph: FrozenGraph, floats: frozenset[Expr], is_body: bool) -> frozenset[Expr]:
    """The floats that are rounded to float32. See Note [Excess precision]."""
    if graph.lowering is not Lowering.MATH:
        return frozenset()
    observed = set(graph.results) if is_body else set()
    for e in reversed(graph.order):
        if e not in floats or has_graphs(e) or e.dtype.kind == "b" or is_exact(e, observed):
            observed.update(e.inputs)
        elif e.op is not None and e.op.name == "power":
            observed.add(e.inputs[1])  # of a negative number, all but whole powers are NaN
    return frozenset(x for x in observed & floats if may_be_excessive(x))


def is_exact(e: Expr, observed: set[Expr]) -> bool:
    """True for an observed value that is one of its operands, or one with another sign."""
    return e in observed and e.op is not None and Trait.UNROUNDED in e.op.traits


def may_be_excessive(e: Expr) -> bool:
    """True for a float32 value that is computed in double precision."""
    if e.dtype != np.float32 or e.op is None or Trait.UNROUNDED in e.op.traits:
        return False
    return not has_graphs(e) and not is_entry(e)


def takes_floats(e: Expr) -> bool:
    """True if an expression that is not a float reads floats as they are."""
    return has_graphs(e) or is_row(e)


def is_row(e: Expr) -> bool:
    """True for an array made of numbers."""
    return e.op is not None and e.op.name == "stack" and not e.inputs[0].shape


def is_list_of_floats(e: Expr, lowering: Lowering | None) -> bool:
    """True for the list of the entries of an array that may be floats."""
    is_list = e.op is not None and e.op.name == "unstacked"
    return is_list and is_row_of_floats(e.inputs[0], lowering)


def is_row_of_floats(x: Expr, lowering: Lowering | None) -> bool:
    """True for an array with one axis whose entries floats may hold."""
    return (
        lowering is not None
        and type(x.type) is ArrayType
        and len(x.shape) == 1
        and x.dtype in DTYPES[lowering]
    )


def is_number(e: Expr, lowering: Lowering | None) -> bool:
    """True for a value without axes of a dtype that floats have."""
    known = DTYPES[lowering] if lowering else ()
    return not e.shape and type(e.type) is ArrayType and e.dtype in known


def is_either(e: Expr, lowering: Lowering) -> bool:
    """True for a parameter, or what a loop, branch or list gives, that may be a float or scalar."""
    return is_number(e, lowering) and (e.kind is Kind.PARAMETER or has_graphs(e))


def saving(e: Expr, lowering: Lowering) -> int:
    """The gain of computing `e` on floats; 0 if it cannot be."""
    if e.op is None or e.shape or type(e.type) is not ArrayType:
        return 0
    dtypes = DTYPES[lowering]
    if is_entry(e):
        return CALL if e.dtype in dtypes else 0
    source = e.op.infix if lowering is Lowering.FLOATS else e.op.scalar
    if not source or e.attrs or any(x.shape for x in e.inputs) or not takes_flags_as_given(e):
        return 0
    numbers = {x.dtype for x in (e, *e.inputs) if x.dtype.kind != "b"}
    if len(numbers) > 1 or not numbers <= dtypes:
        return 0
    return OPERATOR if e.op.infix else CALL


def takes_flags_as_given(e: Expr) -> bool:
    """True unless an op on floats makes something else of flags, as `flag + flag` is a flag."""
    assert e.op is not None
    flags = tuple([x.dtype.kind == "b" for x in e.inputs])
    if not any(flags) or e.op.family == "discrete":
        return True
    takes_any = bool(e.op.infix) or Trait.UNROUNDED in e.op.traits
    return takes_any and not all(flags) and not may_be_flag(e.op.scalar, flags)


@lru_cache(maxsize=1024)
def may_be_flag(source: str, flags: Sequence[bool]) -> bool:
    """True if the source of a number gives one of its flags, as `min(x, flag)` does.

    It is tried with some numbers; none is divided by False.
    """
    given = [(False, True) if is_flag else (-2.0, 0.5, 2.0) for is_flag in flags]
    names = [f"x{i}" for i in range(len(flags))]
    f = eval(f"lambda {', '.join(names)}: {source.format(*names)}", {"math": math})
    return any(isinstance(f(*xs), bool) for xs in product(*given) if all(xs) or "/" not in source)


def is_entry(e: Expr) -> bool:
    """True for one entry of an array, by integers."""
    if e.op is None or e.op.name != "slice" or e.shape:
        return False
    index = e.attrs["index"]
    rank = len(e.inputs[0].shape)
    return 0 < rank == len(index) and all(type(i) is int for i in index)


def connected(members: Iterable[Expr]) -> list[list[Expr]]:
    """The members in groups, each of which is connected by operands."""
    number = {e: i for i, e in enumerate(members)}
    parent = list(range(len(number)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    for e, i in number.items():
        for x in e.inputs:
            if x in number:
                parent[root(i)] = root(number[x])
    groups: dict[int, list[Expr]] = {}
    for e, i in number.items():
        groups.setdefault(root(i), []).append(e)
    return list(groups.values())


def cost(members: list[Expr], free: set[Expr], boxed: set[Expr]) -> int:
    """The cost of making floats of the scalars that a group reads, and scalars of its floats."""
    given = {x for e in members for x in e.inputs if not is_entry(e)}.difference(members, free)
    return sum(x.kind is not Kind.CONSTANT for x in given) + 2 * sum(e in boxed for e in members)


def float_source(e: Expr, operands: Sequence[str]) -> str:
    """The source of a value that is computed on floats."""
    assert e.op is not None
    if is_entry(e):
        return f"{operands[0]}.item({', '.join(map(str, e.attrs['index']))})"
    return e.op.scalar.format(*operands)


def float_literal(x: Expr) -> str:
    """A constant as a literal."""
    value = x.value.item()
    return repr(value) if isinstance(value, bool) or math.isfinite(value) else f"float('{value}')"
