"""Ops along one axis: running sums and the like, and entries at indices."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gradops.native.copies import fill
from gradops.native.places import Place
from gradops.native.scalars import BOOL, NotNative, Scalar, cast
from gradops.native.text import Index, is_computable, memory_type, minus, plus

from ..ir.expr import Expr
from .indexing import within
from .kinds import aligned
from .reductions import extreme
from .writers import WRITERS

if TYPE_CHECKING:
    from .lowering import GraphWriter

INT64 = np.dtype("i8")
Join = Callable[[Scalar, Scalar], Scalar]
RUNNING: dict[str, Join] = {
    "cumsum": lambda a, b: a + b, "cumprod": lambda a, b: a * b,
    "cummax": lambda a, b: extreme("max", a, b), "cummin": lambda a, b: extreme("min", a, b),
}  # fmt: skip
"""How an entry is joined with the result before it."""


def require_arithmetic(e: Expr) -> None:
    """Raise NotNative for dtypes without arithmetic."""
    if not all(is_computable(x.dtype) for x in (e, *e.inputs)):
        raise NotNative(f"{e.label} of {e.inputs[0].dtype}")


def write_running(w: "GraphWriter", e: Expr) -> None:
    """Write running totals: those of the entries before, joined with the next."""
    require_arithmetic(e)
    assert e.op is not None
    axis, rank = e.attrs["axis"] % len(e.shape), len(e.shape)
    source, to, join = w.place(e.inputs[0]), w.place_for(e), RUNNING[e.op.name]
    total = None
    if axis == rank - 1:
        total = Place(w.f.reserve(memory_type(e.dtype)), e.dtype, (), ())

    def write(index: tuple[Index, ...]) -> None:
        """Write the loops of the axes from here on; the first entry of the axis is by itself."""
        if len(index) == rank:
            x, k = cast(source.load(w.f, index), e.dtype), index[axis]
            if k != 0:
                before = (*index[:axis], minus(w.f, k, 1), *index[axis + 1 :])
                x = join(to.load(w.f, before) if total is None else total.load(w.f, ()), x)
            if total is not None:
                total.store(w.f, (), x)
            to.store(w.f, index, x)
        elif len(index) == axis and e.shape[axis]:
            write((*index, 0))
            for i in w.f.loop(e.shape[axis] - 1):
                write((*index, plus(w.f, i, 1)))
        else:
            for i in w.f.loop(e.shape[len(index)]):
                write((*index, i))

    write(())


def over(w: "GraphWriter", shape: Sequence[int], index: tuple[Index, ...] = ()):  # type: ignore[no-untyped-def]
    """Loops over the entries of a shape: what follows is written once."""
    if len(index) == len(shape):
        yield index
        return
    for i in w.f.loop(shape[len(index)]):
        yield from over(w, shape, (*index, i))


def write_take(w: "GraphWriter", e: Expr) -> None:
    """Write the entries at indices along an axis."""
    source, numbers, axis = operands_along(w, e)
    to = w.place_for(e)
    for index in over(w, e.shape):
        k = number_at(w, numbers, index, source.shape[axis])
        full = (*index[:axis], k, *index[axis + 1 :])
        to.store(w.f, index, source.load(w.f, aligned_but(source.shape, full, axis)))


def write_add_along(w: "GraphWriter", e: Expr) -> None:
    """Add entries to those of zeros at indices along an axis."""
    require_arithmetic(e)
    if e.dtype == BOOL:
        raise NotNative("sums of truth values")
    source, numbers, axis = operands_along(w, e)
    to = w.place_for(e)
    fill(w.f, to, 0)
    rank = len(e.shape)
    shape = np.broadcast_shapes(e.inputs[0].shape, e.inputs[1].shape)
    for index in over(w, shape):
        k = number_at(w, numbers, index, e.shape[axis])
        x = source.load(w.f, aligned(source.shape, index))
        full = (*index[:axis], k, *index[axis + 1 :])
        at = tuple([0 if i != axis and e.shape[i] == 1 else full[i] for i in range(rank)])
        to.store(w.f, at, to.load(w.f, at) + cast(x, e.dtype))


def operands_along(w: "GraphWriter", e: Expr) -> tuple[Place, Place, int]:
    """The array, the indices and the axis of an op; both have all axes."""
    x, numbers = e.inputs
    if len(x.shape) != len(numbers.shape) or numbers.dtype.kind != "i":
        raise NotNative(f"{e.label} has other operands")
    return w.place(x), w.place(numbers), e.attrs["axis"] % len(x.shape)


def number_at(w: "GraphWriter", numbers: Place, index: tuple[Index, ...], n: int) -> Index:
    """The index that an array has at an entry; gives up at one out of range."""
    return within(w, numbers.load(w.f, aligned(numbers.shape, index)), n).name


def aligned_but(shape: Sequence[int], index: Sequence[Index], axis: int) -> tuple[Index, ...]:
    """The index of an operand that is broadcast along all axes but one."""
    pairs = enumerate(zip(shape, index, strict=True))
    return tuple([0 if n == 1 and k != axis else i for k, (n, i) in pairs])


WRITERS |= dict.fromkeys(RUNNING, write_running) | {
    "add_along_axis": write_add_along, "take_along_axis": write_take,
}  # fmt: skip
