"""Elementwise expressions that are concatenated are computed on concatenated operands.

Beside small arrays the calls of NumPy's functions cost most. The updates of variables that share a
block are concatenated, see Note [Variable blocks] in `runtime/blocks.py`, and are a dozen calls for
each variable: on concatenated operands they are a dozen calls for all.

A column is a tuple of expressions whose entries are joined. If all of them apply one op, each to
operands of its own shape or to a number that all share, the column is that op applied to the
columns of the operands. It is computed so if nothing else reads its members. The other columns are
leaves: they are concatenated, or are all slices of one array.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradops import OPS, ArrayType

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.layouts.contiguity import is_same_in_any_layout
from ..interface import Pass

Column = tuple[Expr, ...]
Operands = list[Column | Expr]

SMALL = 8192  # entries up to which joining pays, as measured for updates of optimizers
CALL = 2000  # entries that are copied in the time of a call


@dataclass(frozen=True)
class JoinElementwise(Pass):
    """Compute small elementwise expressions that are concatenated as one, if that saves calls.

    Arrays of up to `small` entries are joined, and only ops that give an entry the same bits
    wherever it is.
    """

    small: int = SMALL

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        roots = {e: column_of(e) for e in graph.order if is_root(e)}
        if not roots:
            return graph
        columns = columns_read_once(graph, roots, columns_below(roots.values(), self.small))
        if gain(columns, roots) <= 0:
            return graph
        return graph.remade(Joining(columns, roots).make)


def is_root(e: Expr) -> bool:
    """True for a concatenation of rows of floats."""
    return e.op is OPS["concatenate"] and e.ndim == 1 and e.dtype.kind == "f" and len(e.inputs) > 1


def column_of(e: Expr) -> Column:
    """The expressions whose entries a concatenation joins."""
    return tuple([without_reshape(x) for x in e.inputs])


def without_reshape(e: Expr) -> Expr:
    """The expression whose entries a reshape has."""
    while e.op is OPS["reshape"]:
        e = e.inputs[0]
    return e


def columns_below(roots: Iterable[Column], small: int) -> dict[Column, Operands]:
    """The columns that can be computed as one, each with the columns or numbers that it reads."""
    result: dict[Column, Operands] = {}
    stack = list(roots)
    while stack:
        column = stack.pop()
        if column not in result and can_join(column, small):
            operands = result[column] = [operand(column, i) for i in range(len(column[0].inputs))]
            stack += [x for x in operands if isinstance(x, tuple)]
    return result


def can_join(column: Column, small: int) -> bool:
    """True if all members apply one op, to operands of their own shapes or to shared numbers."""
    first = column[0]
    if len(set(column)) < len(column) or not all(can_be_member(e, small) for e in column):
        return False
    if any(e.op is not first.op or e.attrs != first.attrs for e in column):
        return False
    return all(is_aligned(column, i) for i in range(len(first.inputs)))


def can_be_member(e: Expr, small: int) -> bool:
    """True for an elementwise expression of a few real entries, whose number is known."""
    if not is_same_in_any_layout(e) or type(e.type) is not ArrayType:
        return False
    is_known = bool(e.shape) and all(isinstance(n, int) for n in e.shape)
    return is_known and 0 < size_of((e,)) <= small and e.dtype.kind in "fb"


def is_aligned(column: Column, i: int) -> bool:
    """True if operand `i` has the shape of each member and one dtype, or is a shared number."""
    first = column[0].inputs[i]
    if not first.shape:
        return all(e.inputs[i] is first for e in column)
    return all(e.inputs[i].shape == e.shape and e.inputs[i].dtype == first.dtype for e in column)


def operand(column: Column, i: int) -> Column | Expr:
    """The column of operand `i`, or the number that all members read."""
    first = column[0].inputs[i]
    return tuple([without_reshape(e.inputs[i]) for e in column]) if first.shape else first


def columns_read_once(
    graph: FrozenGraph, roots: dict[Expr, Column], columns: dict[Column, Operands]
) -> dict[Column, Operands]:
    """The columns whose members are read by columns and roots alone; readers come first."""
    reads = Counter(without_reshape(x) for e in graph.order for x in e.inputs
                    if e.op is not OPS["reshape"])  # fmt: skip
    reads.update(map(without_reshape, (*graph.results, *graph.measured)))
    place = {e: i for i, e in enumerate(graph.order)}
    through, result = Counter(roots.values()), dict[Column, Operands]()
    for column in sorted(columns, key=lambda c: max(place[e] for e in c), reverse=True):
        if all(reads[e] == through[column] for e in column):
            result[column] = columns[column]
            through.update([x for x in columns[column] if isinstance(x, tuple)])
    return result


def gain(columns: dict[Column, Operands], roots: dict[Expr, Column]) -> int:
    """The gain of joining, in entries copied: leaves are concatenated, and roots need not be."""
    read = {x for operands in columns.values() for x in operands if isinstance(x, tuple)}
    leaves = [x for x in read if x not in columns and whole_of(x) is None]
    joined = [column for column in roots.values() if column in columns]
    calls = sum(len(c) - 1 for c in columns) + len(joined) - len(leaves)
    return calls * CALL + sum(map(size_of, joined)) - sum(map(size_of, leaves))


def size_of(column: Column) -> int:
    """The number of entries of a column."""
    return sum(math.prod(e.shape) for e in column)


def whole_of(column: Column) -> Expr | None:
    """The array of one axis that the members are consecutive slices of; None if there is none."""
    whole, end = column[0].inputs[0] if column[0].inputs else None, 0
    for e in column:
        if e.op is not OPS["slice"] or e.inputs[0] is not whole or len(e.attrs["index"]) != 1:
            return None
        (entry,) = e.attrs["index"]
        if not isinstance(entry, tuple) or entry[3] not in (None, 1) or entry[1] != end:
            return None
        end = entry[2]
    return whole if whole is not None and whole.shape == (end,) else None


class Joining:
    """Makes a graph in which columns are computed as one."""

    def __init__(self, columns: dict[Column, Operands], roots: dict[Expr, Column]) -> None:
        self.columns, self.roots = columns, roots
        self.new: dict[Expr, Expr] = {}
        self.joined: dict[Column, Expr] = {}

    def make(self, e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        """The new expression for one of the graph."""
        column = self.roots.get(e)
        if column in self.columns:
            for each in self.needed(column):
                self.joined[each] = self.join(each, intern)
            self.new[e] = self.joined[column]
        else:
            self.new[e] = intern.copy(e, inputs)
        return self.new[e]

    def needed(self, root: Column) -> list[Column]:
        """The columns that a column needs and that are not made, each after those that it reads."""
        result, stack = dict[Column, None](), [(root, False)]
        while stack:
            column, is_ready = stack.pop()
            if is_ready:
                result[column] = None
            elif column not in self.joined and column not in result:
                stack.append((column, True))
                below = self.columns.get(column, ())
                stack += [(x, False) for x in below if isinstance(x, tuple)]
        return list(result)

    def join(self, column: Column, intern: Interning) -> Expr:
        """The expression of all entries of a column."""
        operands = self.columns.get(column)
        if operands is None:
            new = tuple([self.new[e] for e in column])
            whole = whole_of(new)
            return concatenated(new, intern) if whole is None else whole
        first = column[0]
        assert first.op is not None
        inputs = [self.joined[x] if isinstance(x, tuple) else self.new[x] for x in operands]
        return intern.apply(first.op.name, *inputs, like=first, **first.attrs)


def concatenated(values: Sequence[Expr], intern: Interning) -> Expr:
    """All entries of arrays of known sizes, in one row."""
    rows = [intern.reshape(e, (e.type.size,)) for e in values]
    return intern.apply("concatenate", *rows, axis=0, like=rows[0])
