"""How the values of expressions come about: entry by entry, by adding up, by looking, by a code.

Note [Kinds of values]. Entries of a computed value are computed each by itself, where they are
read. A view is a way to look at memory. A reduction adds up entries. What is none of these has a
writer, which writes code of its own: see `templates/table.py`.
"""

from collections.abc import Callable, Sequence
from types import MappingProxyType

from gradops import Op
from gradops.core.traits import Trait
from gradops.native.ir.elementwise import lowers
from gradops.native.ir.places import Place, contiguous
from gradops.native.ir.scalars import NotNative
from gradops.native.ir.text import At, is_computable, is_movable

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, all_expressions, has_graphs
from ...ir.tuple_types import TupleType, types_of_parts

REDUCTIONS = frozenset({
    "all", "any", "count_nonzero", "max", "mean", "min", "prod", "sum", "sum_to",
})  # fmt: skip
VIEWS = frozenset({
    "part", "stacked", "unstacked", "list_entry", "list_slice", "retyped", "reshape",
})  # fmt: skip
OF_LISTS = frozenset({"summed", "zeroed"})
TRIANGLES = frozenset({"tril", "triu"})


def name_of(e: Expr) -> str:
    """The name of the op; empty for a leaf."""
    return "" if e.op is None else e.op.name


def is_reduction(e: Expr) -> bool:
    """True for a sum, or the like, over axes, of a dtype that there is arithmetic on."""
    if name_of(e) not in REDUCTIONS:
        return False
    return is_computable(e.dtype) and is_computable(e.inputs[0].dtype)


def may_raise(e: Expr) -> bool:
    """True for entries of which some raise: negative powers of integers. All are computed."""
    return name_of(e) == "power" and e.dtype.kind in "iu"


def is_computed(e: Expr) -> bool:
    """True for a value whose entries are computed each by itself."""
    if e.op is None or (has_graphs(e) and e.op.name not in OF_LISTS):
        return False
    name, dtypes = e.op.name, [x.dtype for x in e.inputs]
    if name == "reshape":
        return only_units_change(e)
    if name in MOVES:
        return True
    if not all(map(is_computable, (e.dtype, *dtypes))):
        return False
    if name in TRIANGLES or name in OF_LISTS or name == "full_like":
        return True
    if name == "astype":
        return True
    if Trait.ELEMENTWISE not in e.op.traits:
        return False
    return lowers(e.op, tuple(dtypes), e.dtype, tuple(e.attrs.items()))


def is_view(e: Expr) -> bool:
    """True for what is a way to look at memory; some of these can be computed, too."""
    if e.op is None or is_reduction(e):
        return False
    if e.op.name in VIEWS:
        return True
    x = e.inputs[0] if e.inputs else e
    if not looks_at_memory(e.op) or x.dtype != e.dtype:
        return False
    return Place("", x.dtype, x.shape, contiguous(x.shape)).view(e.op, e.attrs, e.shape) is not None


def looks_at_memory(op: Op) -> bool:
    """True for ops that only say how to look at the memory of an operand."""
    return Trait.VIEW in op.traits and op.traits.isdisjoint({Trait.CONTROL, Trait.EFFECT})


def only_units_change(e: Expr) -> bool:
    """True for a reshape that only adds or drops axes of one entry."""
    return [n for n in e.shape if n != 1] == [n for n in e.inputs[0].shape if n != 1]


def aligned(shape: Sequence[int], index: Sequence[At]) -> tuple[At, ...]:
    """The index of an operand that is broadcast."""
    rest = index[len(index) - len(shape) :]
    return tuple([0 if n == 1 else i for n, i in zip(shape, rest, strict=True)])


def before_units(e: Expr, index: Sequence[At]) -> tuple[At, ...]:
    """The index before axes of one entry were added or dropped."""
    others = iter([i for i, n in zip(index, e.shape, strict=True) if n != 1])
    return tuple([0 if n == 1 else next(others) for n in e.inputs[0].shape])


def axes_before(e: Expr) -> list[int]:
    """For each axis before they were exchanged, where it is after that."""
    rank = len(e.shape)
    axes = [i % rank for i in e.attrs["axes"] or range(rank)[::-1]]
    return [axes.index(i) for i in range(rank)]


def before_transposition(e: Expr, index: Sequence[At]) -> tuple[At, ...]:
    """The index before axes were exchanged."""
    return tuple([index[i] for i in axes_before(e)])


def before_broadcast(e: Expr, index: Sequence[At]) -> tuple[At, ...]:
    """The index before entries were repeated."""
    return aligned(e.inputs[0].shape, index)


Move = Callable[[Expr, Sequence[At]], tuple[At, ...]]
MOVES: MappingProxyType[str, Move] = MappingProxyType({
    "reshape": before_units, "expand_dims": before_units, "squeeze": before_units,
    "transpose": before_transposition, "broadcast_to": before_broadcast,
})  # fmt: skip
"""Where the entries of ops that only move entries come from."""


def axes_of_loops(e: Expr) -> tuple[int, ...] | None:
    """The axes of the loops that compute a value; None for one that has a writer."""
    if is_reduction(e):
        return tuple(e.inputs[0].shape)
    return tuple(e.shape) if is_computed(e) else None


def require_types(graph: FrozenGraph) -> None:
    """Raise NotNative unless all values have dtypes and sizes that machine code knows."""
    for e in all_expressions(graph):
        types = types_of_parts(e) if isinstance(e.type, TupleType) else [e.type]
        for t in types:
            if not is_movable(t.dtype) or any(type(n) is not int for n in t.shape):
                raise NotNative(f"{e.label} has no machine type")
