"""The ops of lists: the values that the steps of a loop gave, which may differ in shape.

Those that treat each entry by itself take residuals, too: see Note [Packing].
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Op, ShapeError
from gradops.core.dims import UNKNOWN
from gradops.core.rules import NO_RULES, Jointly
from gradops.core.traits import Trait

from ..ir.tuple_types import HistoryType, Parts, ResidualsType, relaxed

Flags = Sequence[bool]
CONTROL = frozenset({Trait.CONTROL, Trait.VIEW})  # results may lie in the memory of operands


def no_samples(rng: Any) -> list[Any]:
    """Their operands are no arrays alone; tests/staticgrad/control has their properties."""
    return []


def stacked_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """The lists of all examples, whose entries have the examples first, as arrays of examples."""
    t = stacks[0].type.element
    return to_front(op(stacks[0], shape=t.shape, dtype=attrs["dtype"]))


def unstacked_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """Arrays of examples as a list, whose entries have the examples first."""
    return op(to_front(stacks[0]))


def retyped_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """Lists of examples as they are."""
    return stacks[0]


def alike_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """An op that treats each entry by itself, on lists of examples."""
    return op(*stacks)


def spread_batch(op: Any, stacks: Sequence[Any], batched: Flags, attrs: dict[str, Any]) -> Any:
    """An op on lists or residuals, of which all have to have examples."""
    return op(*spread_all(stacks, batched, size_of(stacks, batched)), **attrs)


def spread_all(stacks: Sequence[Any], batched: Flags, size: Any) -> list[Any]:
    """Operands of which all have so many examples in front."""
    return [x if b else spread(x, size) for x, b in zip(stacks, batched, strict=True)]


def to_front(x: Any) -> Any:
    """An array with its first two axes exchanged."""
    return OPS["transpose"](x, axes=(1, 0, *range(2, len(x.shape))))


class Listed:
    """The cotangent of the list `x`, which is added to another one entry by entry."""

    __slots__ = ("dtype", "shape", "values", "x")

    def __init__(self, values: Any, x: Any) -> None:
        self.values, self.x, self.shape, self.dtype = values, x, x.shape, x.dtype

    def __add__(self, other: Any) -> "Listed":
        return Listed(plus(self.values, plain(other)), self.x)


class Partly:
    """The cotangent of the residuals `x`: that of some of the values in them, zeros for others."""

    __slots__ = ("dtype", "found", "shape", "x")

    def __init__(self, x: Any, found: Mapping[int, Any]) -> None:
        self.x, self.found, self.shape, self.dtype = x, dict(found), x.shape, x.dtype

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Partly):
            return other + self
        total = dict(self.found)
        for i, ct in other.found.items():
            total[i] = total[i] + ct if i in total else ct
        return Partly(self.x, total)

    @property
    def values(self) -> Any:
        """The cotangent as residuals."""
        return OPS["zero_but"](self.x, *map(plain, self.found.values()), places=tuple(self.found))


def is_list(x: Any) -> bool:
    """Whether an expression is a list, or residuals, and not an array."""
    return isinstance(x.type, HistoryType | ResidualsType)


def plus(a: Any, b: Any) -> Any:
    """The sum of two arrays or two lists."""
    return summed(a, b) if is_list(a) else a + b


def zeros_like(x: Any) -> Any:
    """Zeros of the type of an array or a list."""
    return zeroed(x) if is_list(x) else OPS["full_like"](x, value=0)


def plain(ct: Any) -> Any:
    """A cotangent as an expression."""
    return ct.values if isinstance(ct, Listed | Partly) else ct


def share_of(x: Any, ct: Any) -> Any:
    """The cotangent that a rule gives for `x`: the list `ct` as an array, if that is what x is."""
    if is_list(x):
        return Listed(ct if ct.type == x.type else retyped(ct, x), x)
    return stacked(ct, shape=x.shape[1:], dtype=x.dtype) if is_list(ct) else ct


def values_of(g: Parts) -> dict[int, Any]:
    """The cotangents of several values, as expressions."""
    return {i: plain(ct) for i, ct in g.found.items()}


def filled(values: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Arrays of one shape, in a list, as one array."""
    result = np.empty((len(values), *shape), dtype)
    for i, x in enumerate(values):
        result[i] = x
    return result


def stacked_infer(values: ArrayType, shape: Any, dtype: Any) -> ArrayType:
    """The type of a list as an array."""
    if not isinstance(values, HistoryType) or UNKNOWN in values.shape:
        raise ShapeError(
            "stacked", [values], "values of different shapes are no array",
            hint="give each step's value the same shape: pad it, or keep it in the loop's state",
        )  # fmt: skip
    return ArrayType(values.shape, values.dtype)


stacked: Op = Op(
    name="stacked", kernel=filled, infer=stacked_infer, traits=frozenset({Trait.CONTROL}),
    source="stacked({0}, {shape}, {dtype})",
    vjp=[lambda g, y, xs, shape, dtype: share_of(xs, unstacked(g))],
    jvp=[lambda t, y, xs, shape, dtype: stacked(t, shape=shape, dtype=dtype)],
    batch=stacked_batch, doc="The values of a loop's steps as one array.", samples=no_samples,
)  # fmt: skip


def apart(values: Any) -> Any:
    """An array as the list of its entries along the first axis."""
    return list(values)


unstacked: Op = Op(
    name="unstacked", kernel=apart, traits=CONTROL, source="unstacked({0})",
    infer=lambda x: HistoryType(x.shape[0], ArrayType(x.shape[1:], x.dtype)),
    vjp=[lambda g, y, x: share_of(x, plain(g))],
    jvp=[lambda t, y, x: unstacked(t)],
    batch=unstacked_batch, doc="An array as values for a loop's steps.", samples=no_samples,
)  # fmt: skip


def same(values: Any, like: Any) -> Any:
    """The first operand."""
    return values


retyped: Op = Op(
    name="retyped", kernel=same, infer=lambda values, like: like, arity=2, traits=CONTROL,
    source="{0}",
    vjp=[lambda g, y, values, like: share_of(values, plain(g)), None],
    jvp=[lambda t, y, values, like: retyped(t, like), None],
    batch=retyped_batch, doc="A list that is known to be as long as another.",
    samples=no_samples,
)  # fmt: skip


def sums(a: Any, b: Any) -> Any:
    """The sums of the entries of two lists."""
    if type(a) not in (list, tuple):
        return a + b
    return type(a)([sums(x, y) for x, y in zip(a, b, strict=True)])


summed: Op = Op(
    name="summed", kernel=sums, infer=lambda a, b: a, arity=2, traits=CONTROL,
    source="summed({0}, {1})",
    vjp=[lambda g, y, a, b: share_of(a, plain(g)), lambda g, y, a, b: share_of(b, plain(g))],
    jvp=Jointly(lambda tangents, y, a, b: summed_push(*tangents.values())),
    batch=spread_batch, doc="The sum of two lists, entry by entry.", samples=no_samples,
)  # fmt: skip


def summed_push(t: Any, *others: Any) -> Any:
    """The tangent of a sum of lists, of which one or both move."""
    return summed(t, *others) if others else t


def zeros(values: Any) -> Any:
    """Zeros in the place of the entries of a list."""
    if isinstance(values, np.generic):
        return type(values)()
    if type(values) not in (list, tuple):
        return np.zeros_like(values)
    return type(values)([zeros(x) for x in values])


zeroed: Op = Op(
    name="zeroed", kernel=zeros, infer=lambda values: values, source="zeroed({0})",
    traits=frozenset({Trait.CONTROL}), vjp=NO_RULES, jvp=NO_RULES, batch=alike_batch,
    doc="A list of zeros, like another list.", samples=no_samples,
)  # fmt: skip


def spread(x: Any, size: Any) -> Any:
    """An array, or each entry of a list, once for each of so many examples."""
    return repeated(x, size=size) if is_list(x) else OPS["broadcast_to"](x, shape=(size, *x.shape))


def copies(values: Any, size: int) -> Any:
    """Entries with a new first axis, along which they are repeated."""
    if type(values) in (list, tuple):
        return type(values)([copies(x, size) for x in values])
    return np.broadcast_to(values, (size, *np.shape(values)))


def totals(values: Any) -> Any:
    """Entries summed over their first axis."""
    if type(values) not in (list, tuple):
        return np.sum(values, axis=0)
    return type(values)([totals(x) for x in values])


def with_examples(type: ArrayType, size: Any) -> ArrayType:
    """The type of a stack of examples; of a list, the entries are stacks."""
    return with_entries(type, lambda t: relaxed(t, (size, *t.shape)))


def size_of(stacks: Sequence[Any], batched: Flags) -> Any:
    """How many examples there are."""
    return entry_of(next(x for x, b in zip(stacks, batched, strict=True) if b)).shape[0]


def with_entries(type: ArrayType, entry: Callable[[ArrayType], ArrayType]) -> ArrayType:
    """The type of a list, with another type for its entries."""
    if isinstance(type, HistoryType):
        return HistoryType(type.length, with_entries(type.element, entry))
    return entry(type)


repeated: Op = Op(
    name="repeated", kernel=copies, source="repeated({0}, {size})", traits=CONTROL,
    infer=with_examples,
    vjp=[lambda g, y, values, size: share_of(values, totalled(plain(g)))],
    jvp=[lambda t, y, values, size: repeated(t, size=size)],
    doc="A list whose entries are repeated, for each of several examples.", samples=no_samples,
)  # fmt: skip
totalled: Op = Op(
    name="totalled", kernel=totals, source="totalled({0})", traits=frozenset({Trait.CONTROL}),
    infer=lambda values: with_entries(values, lambda t: t.example),
    vjp=[lambda g, y, values: share_of(values, spread(plain(g), entry_of(values).shape[0]))],
    jvp=[lambda t, y, values: totalled(t)],
    doc="A list whose entries are summed over several examples.", samples=no_samples,
)  # fmt: skip


def entry_of(values: Any) -> ArrayType:
    """The type of the entries of a list."""
    type = values.type
    while isinstance(type, HistoryType):
        type = type.element
    return type
