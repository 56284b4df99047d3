"""Loops over lists whose rows do not meet: blocks of rows go through all steps by themselves.

Note [Loops by rows]. Where each op of a loop's body keeps the first axis of the state apart, as in
a recurrent network for a batch, a block of rows can go through all steps before the next one, or
beside it on another thread. Then a thread is called once for the loop, and state stays in its
cache. The body is written for the rows of a block, all of which are the same number; it depends on
the graph and the machine alone, so the number of threads changes no bits.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, repeat

from gradops import ArrayType
from gradops.core.traits import Trait
from gradops.kernels.threads import machine_cores
from gradops.native.ir.places import Place
from gradops.native.ir.text import FunctionText, Index, is_computable

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..planning.kinds import is_computed, is_reduction, name_of
from .reductions import Reduction

FEWEST, MOST = 8, 32  # rows of a block
WHOLE = ("slice", None, None, None)
Axes = Mapping[Expr, int | None]
"""The axis of each value that has the rows; None where the value is that of all rows."""


class Entangled(Exception):
    """An op brings rows together, or nobody knows if it does."""


def body_by_rows(e: Expr) -> FrozenGraph | None:
    """The body of a loop for the rows of one block, if its rows do not meet."""
    body, carries = e.attrs["body"], e.attrs["carries"]
    count = body.inputs[0].shape[0] if carries and body.inputs[0].shape else 1
    size = rows_of_block(count)
    of_steps, first = carries + e.attrs["lists"], (count,)
    for given in (body.inputs[:of_steps], body.inputs) if size else ():
        try:
            axes = axes_of(body, [x for x in given if x.shape[:1] == first])
            if all(axes[x] == 0 for x in body.inputs[:carries]):
                return with_rows(body, axes, size)
        except Entangled:
            continue
    return None


def operand_axes(e: Expr, body: FrozenGraph) -> list[int | None]:
    """The axes of a loop's operands that have rows, if its body for a block of them is `body`."""
    carries, lists = e.attrs["carries"], e.attrs["lists"]
    before = e.attrs["body"].inputs
    found = [int(carries <= i < carries + lists) for i in range(len(before))]
    return [a if x.shape != y.shape else None
            for a, x, y in zip(found, before, body.inputs, strict=True)]  # fmt: skip


def rows_of_block(count: int) -> int:
    """How many rows of `count` a block has: enough blocks for the machine's cores; 0 for none."""
    cores = machine_cores()  # not those that may be used now: bits would depend on that
    most = min(MOST, count // cores) if cores > 1 else 0
    sizes = [n for n in range(FEWEST, most + 1) if count % n == 0]
    return max(sizes, key=lambda n: (n % FEWEST == 0, n), default=0)


def axes_of(body: FrozenGraph, apart: Sequence[Expr]) -> Axes:
    """The axes with the rows if they are the first ones of some inputs, and of all results."""
    axes: dict[Expr, int | None] = dict.fromkeys(apart, 0)
    for e in body.order:
        if e not in axes:
            axes[e] = axis_of(e, axes)
    if any(axes[e] != 0 for e in body.results):
        raise Entangled
    return axes


def axis_of(e: Expr, axes: Axes) -> int | None:
    """The axis of an expression that has the rows of its operands; raises Entangled."""
    if not has_code(e):
        raise Entangled
    if all(axes[x] is None for x in e.inputs):
        return None
    if is_reduction(e):
        return axis_of_reduction(e, axes)
    rule = RULES.get(name_of(e))
    if rule is not None:
        return rule(e, axes)
    assert e.op is not None
    if is_computed(e) and (Trait.ELEMENTWISE in e.op.traits or e.op.name in ALIKE):
        return common_axis(e, axes)
    raise Entangled


def has_code(e: Expr) -> bool:
    """True for what never calls Python, which threads do not know, and has no effects."""
    name = name_of(e)
    if name in ("matmul", "concatenate", "stack"):
        is_float = e.dtype.kind == "f" and is_computable(e.dtype)
        return is_float and all(x.dtype == e.dtype for x in e.inputs)
    return e.op is None or is_reduction(e) or name in RULES or is_computed(e)


ALIKE = frozenset({"summed", "astype", "full_like", "zeroed"})
"""Ops that are computed entry by entry, beside those that say so."""


def common_axis(e: Expr, axes: Axes) -> int:
    """The one axis with rows of operands that are broadcast; other operands have none there."""
    rank = len(e.shape)
    found = {rank - len(x.shape) + a for x in e.inputs if (a := axes[x]) is not None}
    if len(found) != 1:
        raise Entangled
    axis = found.pop()
    for x in e.inputs:
        at = axis - (rank - len(x.shape))
        if axes[x] is None and at >= 0 and x.shape[at] != 1:
            raise Entangled
    return axis


def axis_of_reduction(e: Expr, axes: Axes) -> int:
    """The rows of what is added up along other axes."""
    axis, r = rows_axis(e.inputs[0], axes), Reduction(e)
    if axis in r.axes:
        raise Entangled
    if r.name == "sum_to":
        return axis - r.extra
    return axis if e.attrs["keepdims"] else axis - sum(i < axis for i in r.axes)


def axis_of_product(e: Expr, axes: Axes) -> int:
    """Rows of the first matrix or columns of the second, or matrices of a stack."""
    a, b = e.inputs
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise Entangled
    if axes[b] is None and axes[a] == len(a.shape) - 2 and len(a.shape) >= len(b.shape):
        return len(e.shape) - 2
    if axes[a] is None and axes[b] == len(b.shape) - 1 and len(b.shape) >= len(a.shape):
        return len(e.shape) - 1
    if any(axes[x] is None or rows_axis(x, axes) >= len(x.shape) - 2 for x in (a, b)):
        raise Entangled
    return common_axis(e, axes)


def axis_of_transpose(e: Expr, axes: Axes) -> int:
    rank = len(e.shape)
    order = e.attrs["axes"] or range(rank)[::-1]
    return [i % rank for i in order].index(rows_axis(e.inputs[0], axes))


def axis_of_slice(e: Expr, axes: Axes) -> int:
    """The rows of an array of which other axes are cut."""
    axis, index, rank = rows_axis(e.inputs[0], axes), e.attrs["index"], len(e.inputs[0].shape)
    if None in index:
        raise Entangled
    missing = repeat(WHOLE, rank - len(index) + ("..." in index))
    at = index.index("...") if "..." in index else len(index)
    entries = list(chain(index[:at], missing, index[at + 1 :]))
    if entries[axis] != WHOLE:
        raise Entangled
    return axis - sum(isinstance(i, int) for i in entries[:axis])


def axis_of_units(e: Expr, axes: Axes) -> int:
    """The rows where axes of one entry come or go, or axes behind the rows change."""
    x = e.inputs[0]
    axis = rows_axis(x, axes)
    if axis == 0 and e.shape[:1] == x.shape[:1]:
        return 0
    kept, others = ([i for i, n in enumerate(y.shape) if n != 1] for y in (x, e))
    if [x.shape[i] for i in kept] != [e.shape[i] for i in others]:
        raise Entangled
    return others[kept.index(axis)]


def axis_of_joined(e: Expr, axes: Axes) -> int:
    """The rows of arrays that lie beside one another."""
    found = {axes[x] for x in e.inputs}
    if len(found) != 1:
        raise Entangled
    axis, at = rows_axis(e.inputs[0], axes), e.attrs["axis"] % len(e.shape)
    if name_of(e) == "stack":
        return axis + (at <= axis)
    if at == axis:
        raise Entangled
    return axis


def rows_axis(x: Expr, axes: Axes) -> int:
    """The axis of a value that has rows."""
    axis = axes[x]
    assert axis is not None
    return axis


RULES: dict[str, Callable[[Expr, Axes], int]] = {
    "matmul": axis_of_product, "transpose": axis_of_transpose, "slice": axis_of_slice,
    "reshape": axis_of_units, "expand_dims": axis_of_units, "squeeze": axis_of_units,
    "broadcast_to": common_axis, "concatenate": axis_of_joined, "stack": axis_of_joined,
}  # fmt: skip


def with_rows(body: FrozenGraph, axes: Axes, size: int) -> FrozenGraph:
    """The body for another number of rows."""
    intern, made = Interning(), dict[Expr, Expr]()
    for e in body.order:
        new, axis = e, axes[e]
        if axis is not None:
            shape = (*e.shape[:axis], size, *e.shape[axis + 1 :])
            attrs = {**e.attrs, "shape": shape} if "shape" in e.attrs else e.attrs
            new = e._replace(type=ArrayType(shape, e.dtype), attrs=attrs)
        made[e] = intern.copy(new, [made[x] for x in e.inputs])
    return body.with_others(made, intern)


def result_axes(e: Expr, count: int) -> list[int]:
    """The axes of a loop's results that have rows: the second ones of lists."""
    return [int(i >= e.attrs["carries"]) for i in range(count)]


def rows_of_places(
    f: FunctionText, places: Sequence[Place], axes: Sequence[int | None], some: tuple[Index, int]
) -> list[Place]:
    """A block of rows of each array, from one on, so many; all of one without rows."""
    pairs = zip(places, axes, strict=True)
    return [p if axis is None else some_rows(f, p, axis, some) for p, axis in pairs]


def some_rows(f: FunctionText, p: Place, axis: int, some: tuple[Index, int]) -> Place:
    """A block of rows of an array."""
    first, size = some
    pointer = p.address(f, [first if i == axis else 0 for i in range(len(p.shape))])
    shape = (*p.shape[:axis], size, *p.shape[axis + 1 :])
    return p._replace(pointer=pointer, offset=0, shape=shape)
