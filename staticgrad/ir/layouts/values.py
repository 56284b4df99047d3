"""Layouts: the order in which the axes of a value lie in memory, where that is certain.

Note [Axes in memory]. NumPy gives the result of an elementwise operation the layout of its
operands. Of two axes, the one with the larger stride in some operand comes first, and operands that
disagree give C order. So the layout of a result follows from those of operands without their
strides. Axes of size 1, and axes along which an operand is repeated, have no place in memory and
take no part. What a rule does not cover has no known layout.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gradops import Dim
from gradops.core.dims import Shape
from gradops.core.traits import Trait
from gradops.core.types import normalize_axes
from gradops.library.shape.broadcasting import COPIED

from ..expr import Expr
from ..kinds import Kind
from ..tuple_types import TupleType

Known = Mapping[Expr, "Layout"]

VIEW = Trait.VIEW  # looking up a member of an Enum takes long


@dataclass(frozen=True)
class Layout:
    """The axes that have a place in memory, from the largest stride to the smallest.

    It is `dense` if there are no gaps between entries, and none is repeated.
    """

    axes: tuple[int, ...]
    dense: bool = True

    @property
    def is_increasing(self) -> bool:
        """True if the axes lie in memory in their own order."""
        return self.axes == tuple(sorted(self.axes))

    @property
    def is_c(self) -> bool:
        """True for an array in C order."""
        return self.dense and self.is_increasing


def places(shape: Shape) -> tuple[int, ...]:
    """The axes of a dense array that have a place in memory: those whose size is not 1."""
    return tuple([i for i, n in enumerate(shape) if n != 1])


def c_order(e: Expr) -> Layout:
    """The layout of an array in C order."""
    return c_order_of(e.type.shape)


@lru_cache(maxsize=4096)
def c_order_of(shape: Shape) -> Layout:
    """The layout of an array in C order, shared by all of a shape."""
    return Layout(places(shape))


def any_order(shape: Shape) -> Layout | None:
    """The layout of an array of which nothing is known but its shape: it may have gaps."""
    return Layout(places(shape), False) if len(shape) < 2 else None


def layout_of(e: Expr, known: Known) -> Layout | None:
    """The layout of the value of an expression, given those of its operands; None if unknown."""
    shape = e.type.shape
    if e.op is None:
        return layout_of_leaf(e)
    traits = e.op.traits
    if isinstance(e.type, TupleType):
        return None
    if VIEW in traits:
        rule = VIEWS.get(e.op.name)
        return rule(e, known) if rule and e.inputs[0] in known else None
    if len(places(shape)) < 2 or Trait.C_CONTIGUOUS in traits:
        return c_order(e)
    if Trait.CHANNELS_LAST in traits:
        channels_last = (0, *range(2, len(shape)), 1)
        return Layout(tuple([i for i in channels_last if shape[i] != 1]))
    if Trait.C_ORDER in traits:
        return layout_of_stack(e, known)
    if Trait.ELEMENTWISE in traits:
        return combined([(x.type.shape, known.get(x)) for x in e.inputs], shape)
    if Trait.KEEPS_C_ORDER in traits:
        return c_order(e) if all(x in known and known[x].is_c for x in e.inputs) else None
    if Trait.REDUCTION in traits:
        return c_order(e) if all(increasing(x, known) for x in e.inputs) else None
    if Trait.LIKE_OPERAND in traits and not (e.op.name == "put_into_windows" and is_padded(e)):
        return layout_of_operand(e, known)
    return None


def is_padded(e: Expr) -> bool:
    """True if windows reach beyond an array, so that what is computed of them has gaps."""
    return any(map(any, e.attrs["pads"] or ()))


def layout_of_operand(e: Expr, known: Known) -> Layout | None:
    """The layout that dense operands of two or more axes have in common."""
    found = {known.get(x) for x in e.inputs if len(places(x.type.shape)) > 1}
    first = known.get(e.inputs[0])
    same = first and first.dense and places(e.inputs[0].shape) == places(e.type.shape)
    return first if same and found == {first} else None


def layout_of_leaf(e: Expr) -> Layout | None:
    """The layout of a constant; of a feed in C order, of which one axis may have gaps."""
    if e.kind is Kind.PARAMETER:  # of a body, whose operands have any layout
        return any_order(e.type.shape)
    if e.kind is Kind.CONSTANT and not e.value.flags.c_contiguous:
        return None
    return Layout(places(e.type.shape), len(e.type.shape) > 1)


def increasing(x: Expr, known: Known) -> bool:
    """True if the axes of an operand lie in memory in their order, or if it has one at most."""
    if len(places(x.type.shape)) < 2:
        return True
    return x in known and known[x].is_increasing


def combined(operands: Sequence[tuple[Shape, Layout | None]], shape: Shape) -> Layout | None:
    """The layout of an elementwise result. See Note [Axes in memory]."""
    orders = []
    for own, layout in operands:
        here, shift = places(own), len(shape) - len(own)
        if len(here) < 2:
            continue
        if layout is None:
            return None
        orders.append([i + shift for i in layout.axes])
    mine = places(shape)
    if all(order == sorted(order) for order in orders):
        return Layout(mine)
    for order in orders:
        if len(order) == len(mine) and all(is_part(other, order) for other in orders):
            return Layout(tuple(order))
    return None


def is_part(some: Sequence[int], order: Sequence[int]) -> bool:
    """True if axes come in the same order in another order."""
    return list(some) == [i for i in order if i in some]


def layout_of_stack(e: Expr, known: Known) -> Layout | None:
    """The layout of a stack of matrices: its leading axes lie as those of the operands do."""
    if len(e.type.shape) < 3 or len(e.inputs[-1].type.shape) == 2:  # rows times one matrix
        return c_order(e)
    for x in e.inputs:
        leading = [i for i in places(x.type.shape) if i < len(x.type.shape) - 2]
        if len(leading) < 2:
            continue
        if x not in known:
            return None
        order = [i for i in known[x].axes if i in leading]
        if order != sorted(order):
            return None
    return c_order(e)


def transposed(e: Expr, known: Known) -> Layout | None:
    """The layout of an array with its axes in another order."""
    before, x = known[e.inputs[0]], e.inputs[0]
    axes = e.attrs["axes"]
    order = (
        tuple(reversed(range(len(x.shape)))) if axes is None else normalize_axes(e, x.type, axes)
    )
    return Layout(tuple([order.index(i) for i in before.axes]), before.dense)


def reshaped(e: Expr, known: Known) -> Layout | None:
    """The layout of an array in another shape, a copy if need be."""
    before, x = known[e.inputs[0]], e.inputs[0]
    if not before.is_increasing or before.axes != places(x.type.shape):
        return same_places(e, known)
    return Layout(places(e.type.shape), before.dense)


def same_places(e: Expr, known: Known) -> Layout | None:
    """The layout of an array with more or fewer axes of size 1."""
    before, x = known[e.inputs[0]], e.inputs[0]
    old, new = places(x.type.shape), places(e.type.shape)
    if [x.type.shape[i] for i in old] != [e.type.shape[i] for i in new]:
        return None
    return Layout(tuple([new[old.index(i)] for i in before.axes]), before.dense)


def repeated(e: Expr, known: Known) -> Layout | None:
    """The layout of an array that is repeated along axes, which have no place in memory then."""
    before, x = known[e.inputs[0]], e.inputs[0]
    shift = len(e.type.shape) - len(x.type.shape)
    same = all(m in (1, n) for m, n in zip(x.type.shape, e.type.shape[shift:], strict=True))
    axes = tuple([i + shift for i in before.axes])
    return Layout(axes, before.dense and axes == places(e.type.shape)) if same else None


def broadcast(e: Expr, known: Known) -> Layout | None:
    """The layout of an array that is repeated along axes, as a view or as a copy in C order."""
    result, size = repeated(e, known), e.type.size
    if isinstance(size, int):
        return c_order(e) if size <= COPIED else result
    increasing = result is not None and result.is_increasing
    return Layout(places(e.type.shape), False) if increasing else None


def summed(e: Expr, known: Known) -> Layout | None:
    """The layout of an array summed to a shape, or of itself."""
    before = known[e.inputs[0]]
    return Layout(places(e.type.shape), before.dense) if before.is_increasing else None


def converted(e: Expr, known: Known) -> Layout | None:
    """The layout of an array in another dtype, or of itself."""
    before = known[e.inputs[0]]
    if e.inputs[0].type.dtype == e.type.dtype:
        return before
    full = before.axes if len(before.axes) == len(places(e.type.shape)) else None
    return Layout(before.axes) if full else None


def unchanged(e: Expr, known: Known) -> Layout | None:
    """The layout of the operand itself."""
    return known[e.inputs[0]]


def sliced(e: Expr, known: Known) -> Layout | None:
    """The layout of a part of an array, taken with integers and slices in steps forwards."""
    before, shape = known[e.inputs[0]], e.type.shape
    parts = parts_by_axis(e.attrs["index"], len(e.inputs[0].type.shape))
    if any(isinstance(part, tuple) and not is_forward(part) for _, part in parts.values()):
        return None
    kept = {i: new for i, (new, part) in parts.items() if isinstance(part, tuple)}
    axes = tuple([kept[i] for i in before.axes if i in kept and shape[kept[i]] != 1])
    return Layout(axes, before.dense and has_no_gaps(before.axes, parts))


Part = tuple[Any, ...] | int | Dim
WHOLE: Part = ("slice", None, None, None)


def parts_by_axis(index: Sequence[Any], ndim: int) -> dict[int, tuple[int, Part]]:
    """The axis of the result, and the part that is taken, for each axis of an operand."""
    result: dict[int, tuple[int, Part]] = {}
    rest = ndim - sum(1 for part in index if part is not None and part != "...")
    new = 0
    for part in index if "..." in index else (*index, "..."):
        if part is None:
            new += 1
            continue
        for each in [WHOLE] * rest if part == "..." else [part]:
            result[len(result)] = new, each
            new += isinstance(each, tuple)
    return result


def is_forward(part: Part) -> bool:
    """True for a slice in steps forwards."""
    step = part[3] if isinstance(part, tuple) else 1
    return step is None or (isinstance(step, int) and step > 0)


def has_no_gaps(axes: Sequence[int], parts: Mapping[int, tuple[int, Part]]) -> bool:
    """True if a part of a dense array is one run in memory, whose axes are in this order."""
    taken = [parts[i][1] for i in axes]
    while taken and not isinstance(taken[0], tuple):
        taken.pop(0)
    first = taken[0] if taken else WHOLE
    is_run = isinstance(first, tuple) and first[3] in (None, 1)
    return is_run and all(part == WHOLE for part in taken[1:])


def entries(e: Expr, known: Known) -> Layout | None:
    """The layout of the entries of an array along its first axis."""
    before = known[e.inputs[0]]
    return entry_layout(before, e.inputs[0].type.shape)


def entry_layout(whole: Layout, shape: Shape) -> Layout:
    """The layout of the entries along the first axis of an array."""
    first = 0 not in places(shape) or whole.axes[:1] == (0,)
    return Layout(tuple([i - 1 for i in whole.axes if i]), whole.dense and first)


VIEWS: dict[str, Callable[[Expr, Known], Layout | None]] = {
    "transpose": transposed, "reshape": reshaped, "expand_dims": same_places,
    "squeeze": same_places, "broadcast_to": broadcast, "expand_to": repeated, "slice": sliced,
    "stop_gradient": same_places, "sum_to": summed, "astype": converted, "unstacked": entries,
    "retyped": unchanged, "list_entry": unchanged, "list_slice": unchanged,
    "ensure_shape": same_places, "forget_sizes": same_places,
}  # fmt: skip
"""How ops that return views of their operand lay out the result."""
