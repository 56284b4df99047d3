"""The ops on lists: the per-step values of a loop, which may differ in shape.

Ops that treat each entry by itself take residuals, too: see Note [Packing].
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Op, ShapeError
from gradops.core.dims import UNKNOWN, Size
from gradops.core.rules import NO_RULES, JointJVP
from gradops.core.traits import Trait
from gradops.typing import Attrs

from ..ir.expr import Expr
from ..ir.tuple_types import HistoryType, Parts, ResidualsType, with_shape

Flags = Sequence[bool]
Value = np.ndarray | np.generic | list | tuple  # of a run: an array, or a nested list of them
CONTROL = frozenset({Trait.CONTROL, Trait.VIEW})  # results may lie in the memory of operands


def no_samples(rng: "np.random.Generator") -> list[tuple[Sequence[object], Attrs]]:
    """No samples: operands are lists too. tests/staticgrad/control tests these ops."""
    return []


def stacked_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch `stacked`: a list whose entries are batches as a batch of arrays."""
    t = stacks[0].type
    assert isinstance(t, HistoryType)
    return swap_leading_axes(op(stacks[0], shape=t.element.shape, dtype=attrs["dtype"]))


def unstacked_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch `unstacked`: a batch of arrays as a list whose entries are batches."""
    return op(swap_leading_axes(stacks[0]))


def retyped_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch `retyped`: lists of batches as they are."""
    return stacks[0]


def entrywise_batch(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch an op that treats each entry by itself."""
    return op(*stacks, **attrs)


def all_batched(op: Op, stacks: Sequence[Expr], batched: Flags, attrs: Attrs) -> Expr:
    """Batch an op on lists or residuals whose operands all need a batch axis."""
    return op(*add_batch_axes(stacks, batched, batch_size(stacks, batched)), **attrs)


def add_batch_axes(stacks: Sequence[Expr], batched: Flags, size: Size) -> list[Expr]:
    """The operands, all with a leading batch axis."""
    return [x if b else add_batch_axis(x, size) for x, b in zip(stacks, batched, strict=True)]


def swap_leading_axes(x: Expr) -> Expr:
    """An array with its first two axes exchanged."""
    return OPS["transpose"](x, axes=(1, 0, *range(2, len(x.shape))))


class ListCotangent:
    """The cotangent of the list `x`; two of them are added entry by entry."""

    __slots__ = ("dtype", "shape", "values", "x")

    def __init__(self, values: Expr, x: Expr) -> None:
        self.values, self.x, self.shape, self.dtype = values, x, x.shape, x.dtype

    def __add__(self, other: "Cotangent") -> "ListCotangent":
        return ListCotangent(add(self.values, as_expr(other)), self.x)


class PartialCotangent:
    """The cotangent of the residuals `x`, given for some of their values, zero for others."""

    __slots__ = ("dtype", "found", "shape", "x")

    def __init__(self, x: Expr, found: Mapping[int, "Cotangent"]) -> None:
        self.x, self.found, self.shape, self.dtype = x, dict(found), x.shape, x.dtype

    def __add__(self, other: "Cotangent") -> "Cotangent":
        if not isinstance(other, PartialCotangent):
            return other + self
        total = dict(self.found)
        for i, ct in other.found.items():
            total[i] = total[i] + ct if i in total else ct
        return PartialCotangent(self.x, total)

    @property
    def values(self) -> Expr:
        """The cotangent as residuals."""
        return OPS["zero_but"](self.x, *map(as_expr, self.found.values()), places=tuple(self.found))


Cotangent = Expr | ListCotangent | PartialCotangent


def is_list(x: Expr) -> bool:
    """Whether an expression is a list or residuals, not an array."""
    return isinstance(x.type, HistoryType | ResidualsType)


def add(a: Expr, b: Expr) -> Expr:
    """The sum of two arrays or two lists."""
    return summed(a, b) if is_list(a) else a + b


def zeros_like(x: Expr) -> Expr:
    """Zeros of the type of an array or a list."""
    return zeroed(x) if is_list(x) else OPS["full_like"](x, value=0)


def as_expr(ct: Cotangent) -> Expr:
    """A cotangent as an expression."""
    return ct.values if isinstance(ct, ListCotangent | PartialCotangent) else ct


def cotangent_like(x: Expr, ct: Expr) -> Cotangent:
    """The cotangent of `x` in the form of `x`: an array for an array, a list for a list."""
    if is_list(x):
        return ListCotangent(ct if ct.type == x.type else retyped(ct, x), x)
    return stacked(ct, shape=x.shape[1:], dtype=x.dtype) if is_list(ct) else ct


def cotangents_in(g: Parts) -> dict[int, Expr]:
    """The cotangents of several values, as expressions."""
    return {i: as_expr(ct) for i, ct in g.by_index.items()}


def stack_values(
    values: Sequence[np.ndarray], shape: tuple[int, ...], dtype: np.dtype
) -> np.ndarray:
    """The kernel of `stacked`."""
    result = np.empty((len(values), *shape), dtype)
    for i, x in enumerate(values):
        result[i] = x
    return result


def stacked_infer(values: ArrayType, shape: tuple[Size, ...], dtype: np.dtype) -> ArrayType:
    """The type of a list as an array."""
    if not isinstance(values, HistoryType) or UNKNOWN in values.shape:
        raise ShapeError(
            "stacked", [values], "values of different shapes do not form an array",
            hint="give each step's value the same shape: pad it, or keep it in the loop's state",
        )  # fmt: skip
    return ArrayType(values.shape, values.dtype)


stacked: Op = Op(
    name="stacked", kernel=stack_values, infer=stacked_infer,
    traits=frozenset({Trait.CONTROL, Trait.C_CONTIGUOUS}),
    source="stacked({0}, {shape}, {dtype})",
    vjp=[lambda g, y, xs, shape, dtype: cotangent_like(xs, unstacked(g))],
    jvp=[lambda t, y, xs, shape, dtype: stacked(t, shape=shape, dtype=dtype)],
    batch=stacked_batch, doc="The per-step values of a loop as one array.", samples=no_samples,
)  # fmt: skip


def unstack_values(values: np.ndarray) -> list[np.ndarray]:
    """The entries of an array along its first axis, as a list."""
    return list(values)


unstacked: Op = Op(
    name="unstacked", kernel=unstack_values, traits=CONTROL, source="unstacked({0})",
    infer=lambda x: HistoryType(x.shape[0], ArrayType(x.shape[1:], x.dtype)),
    vjp=[lambda g, y, x: cotangent_like(x, as_expr(g))],
    jvp=[lambda t, y, x: unstacked(t)],
    batch=unstacked_batch, doc="An array as a list of entries for a loop's steps.",
    samples=no_samples,
)  # fmt: skip


list_entry: Op = Op(
    name="list_entry", kernel=lambda values, index: values[index], source="{0}[{index}]",
    infer=lambda values, index: values.element, traits=CONTROL, vjp=NO_RULES, jvp=NO_RULES,
    batch=entrywise_batch, doc="The entry of a list at a place.", samples=no_samples,
)  # fmt: skip
list_slice: Op = Op(
    name="list_slice", kernel=lambda values, start, stop, step: values[start:stop:step],
    source="{0}[{start}:{stop}:{step}]",
    infer=lambda values, start, stop, step: HistoryType(
        len(range(*slice(start, stop, step).indices(values.length))), values.element
    ),
    traits=CONTROL, vjp=NO_RULES, jvp=NO_RULES, batch=entrywise_batch,
    doc="The entries of a list in a range of places.", samples=no_samples,
)  # fmt: skip


def first_value(values: Value, like: Value) -> Value:
    """The kernel of `retyped`: the first operand."""
    return values


retyped: Op = Op(
    name="retyped", kernel=first_value, infer=lambda values, like: like, arity=2, traits=CONTROL,
    source="{0}",
    vjp=[lambda g, y, values, like: cotangent_like(values, as_expr(g)), None],
    jvp=[lambda t, y, values, like: retyped(t, like), None],
    batch=retyped_batch, doc="A list that is known to be as long as another.",
    samples=no_samples,
)  # fmt: skip


def entry_by_entry(f: Callable[..., Any], *values: Any) -> Value:
    """A function of arrays applied to the entries of lists that are alike.

    Generated code has lists of a type of its own, of the rows of an array: see `RowList`.
    """
    if not isinstance(values[0], list | tuple):
        return f(*values)
    found = [entry_by_entry(f, *entries) for entries in zip(*values, strict=True)]
    return found if isinstance(values[0], list) else tuple(found)


def add_lists(a: Any, b: Any) -> Value:
    """The sums of the entries of two lists."""
    return entry_by_entry(operator.add, a, b)


summed: Op = Op(
    name="summed", kernel=add_lists, infer=lambda a, b: a, arity=2, traits=CONTROL,
    source="summed({0}, {1})",
    vjp=[lambda g, y, a, b: cotangent_like(a, as_expr(g)),
         lambda g, y, a, b: cotangent_like(b, as_expr(g))],
    jvp=JointJVP(lambda tangents, y, a, b: summed_jvp(*tangents.values())),
    batch=all_batched, doc="The sum of two lists, entry by entry.", samples=no_samples,
)  # fmt: skip


def summed_jvp(t: Expr, *others: Expr) -> Expr:
    """The tangent of a sum of lists, of which one or both have a tangent."""
    return summed(t, *others) if others else t


def zeros(values: Any) -> Value:
    """Zeros like the entries of a list."""
    zero = lambda x: type(x)() if isinstance(x, np.generic) else np.zeros_like(x)
    return entry_by_entry(zero, values)


zeroed: Op = Op(
    name="zeroed", kernel=zeros, infer=lambda values: values, source="zeroed({0})",
    traits=frozenset({Trait.CONTROL}), vjp=NO_RULES, jvp=NO_RULES, batch=entrywise_batch,
    doc="A list of zeros, like another list.", samples=no_samples,
)  # fmt: skip


def add_batch_axis(x: Expr, size: Size) -> Expr:
    """An array, or each entry of a list, broadcast along a new leading batch axis."""
    return repeated(x, size=size) if is_list(x) else OPS["broadcast_to"](x, shape=(size, *x.shape))


def broadcast_entries(values: Any, size: int) -> Value:
    """Entries broadcast along a new first axis."""
    return entry_by_entry(lambda x: np.broadcast_to(x, (size, *np.shape(x))), values)


def sum_entries(values: Any) -> Value:
    """Entries summed over their first axis."""
    return entry_by_entry(lambda x: np.sum(x, axis=0), values)


def with_batch_axis(type: ArrayType, size: Size) -> ArrayType:
    """The type with a leading batch axis; in a list, each entry has one."""
    return with_entries(type, lambda t: with_shape(t, (size, *t.shape)))


def batch_size(stacks: Sequence[Expr], batched: Flags) -> Size:
    """The size of the batch axis."""
    return entry_of(next(x for x, b in zip(stacks, batched, strict=True) if b)).shape[0]


def with_entries(type: ArrayType, entry: Callable[[ArrayType], ArrayType]) -> ArrayType:
    """The type of a list, with another type for its entries."""
    if isinstance(type, HistoryType):
        return HistoryType(type.length, with_entries(type.element, entry))
    return entry(type)


repeated: Op = Op(
    name="repeated", kernel=broadcast_entries, source="repeated({0}, {size})", traits=CONTROL,
    infer=with_batch_axis,
    vjp=[lambda g, y, values, size: cotangent_like(values, totalled(as_expr(g)))],
    jvp=[lambda t, y, values, size: repeated(t, size=size)],
    doc="A list whose entries are broadcast along a new batch axis.", samples=no_samples,
)  # fmt: skip
totalled: Op = Op(
    name="totalled", kernel=sum_entries, source="totalled({0})", traits=frozenset({Trait.CONTROL}),
    infer=lambda values: with_entries(values, lambda t: t.example),
    vjp=[lambda g, y, values: cotangent_like(
        values, add_batch_axis(as_expr(g), entry_of(values).shape[0])
    )],
    jvp=[lambda t, y, values: totalled(t)],
    doc="A list whose entries are summed over the batch axis.", samples=no_samples,
)  # fmt: skip


def entry_of(values: Expr) -> ArrayType:
    """The type of the innermost entries of nested lists."""
    type = values.type
    while isinstance(type, HistoryType):
        type = type.element
    return type
