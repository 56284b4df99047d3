"""Concatenation, stacking and splitting."""

import operator
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ...core.dims import Size
from ...core.errors import ShapeError
from ...core.op import Op
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, normalize_axis, shape_of, type_of
from ...kernels.index.indexing import FULL
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike, Wanted
from ..families import invalid, joining
from ..index.index_keys import slice_bound, with_strong_dtypes
from ..index.indexing import slice_
from .broadcasting import repeat_shared
from .movement import reshape

__all__ = ["concatenate", "split", "stack"]


def concatenate_infer(*types: ArrayType, axis: int) -> ArrayType:
    if not types or not all(t.ndim for t in types):
        raise ShapeError(
            "concatenate", types, "it needs operands with at least one axis",
            hint="stack puts what has no axes together, as np.stack does" if types else None,
        )  # fmt: skip
    k = normalize_axis("concatenate", types[0], axis)
    rest = [t.shape[:k] + t.shape[k + 1 :] for t in types]
    if any(len(r) != len(rest[0]) for r in rest) or any(conflict(r, rest[0]) for r in rest):
        raise ShapeError("concatenate", types, f"only axis {k} may differ in size")
    total: Size = 0
    for t in types:
        total = total + t.shape[k]
    return ArrayType((*rest[0][:k], total, *rest[0][k:]), np.result_type(*(t.dtype for t in types)))


def concatenate_vjp(wanted: Wanted, g: AnyArray, y: AnyArray, *xs: AnyArray, axis: int) -> Arrays:
    """The parts of the cotangent for the wanted operands."""
    k = axis % len(shape_of(g))
    starts = list(accumulate((shape_of(x)[k] for x in xs), initial=0))
    lead = (FULL,) * k
    return [slice_(g, index=(*lead, ("slice", starts[i], starts[i + 1], None))) for i in wanted]


def joining_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    axis = attrs["axis"]
    return op(*repeat_shared(xs, batched), axis=axis + 1 if axis >= 0 else axis)


def concatenate_kernel(*xs: Any, axis: int = 0, out: np.ndarray | None = None) -> np.ndarray:
    """`np.concatenate` of operands given one by one."""
    return np.concatenate(xs, axis, out)


concatenate_op = joining(
    "concatenate", concatenate_kernel, infer=concatenate_infer,
    traits=[Trait.KEEPS_C_ORDER, Trait.MOVING, Trait.PROPAGATING],
    transpose=concatenate_vjp, batch=joining_batch,
    source="np.concatenate(({operands},), axis={axis}{out})",
    samples=cases(
        reals((2, 3), (4, 3)), reals((2, 3), (2, 1), (2, 2), axis=-1), reals((3,)),
        reals((0, 2), (1, 2)),
    ),
    error_samples=[
        invalid((2, 3), (2, 4), says="only axis 0 may differ"),
        invalid((), (), says="at least one axis"),
        invalid((2,), (3,), axis=1, says="axis 1 is out of range"),
    ],
    doc="The operands joined along an existing axis.",
)


def stack_infer(*types: ArrayType, axis: int) -> ArrayType:
    if not types:
        raise ShapeError("stack", types, "it needs at least one operand")
    first = types[0].shape
    if any(t.ndim != len(first) or conflict(t.shape, first) for t in types):
        raise ShapeError("stack", types, "the shapes differ", hint="concatenate may do")
    dtype = np.result_type(*(t.dtype for t in types))
    k = normalize_axis("stack", types[0], axis, added=1)
    return ArrayType((*first[:k], len(types), *first[k:]), dtype)


def stack_vjp(wanted: Wanted, g: AnyArray, y: AnyArray, *xs: AnyArray, axis: int) -> Arrays:
    """The slices of the cotangent for the wanted operands."""
    k = axis % len(shape_of(g))
    if type(g) is np.ndarray and not k:  # views or numbers, at a fraction of the cost of ops
        return [g[i] for i in wanted]
    lead = (FULL,) * k
    return [slice_(g, index=(*lead, i)) for i in wanted]


SMALL = 1024  # entries of a stack up to which a second copy is cheaper than `np.stack`


def stack_kernel(*xs: Any, axis: int = 0) -> np.ndarray:
    """`np.stack`, at a fifth of the cost of a call along the first axis, at half of few entries."""
    if xs and (axis == 0 or is_small(xs, axis)):
        y = np.array(xs)
        if y.dtype.kind != "O":  # as sizes with names are
            return y if axis == 0 else first_axis_moved(y, axis)
    return np.stack(xs, axis)


def is_small(xs: Sequence[Any], axis: int) -> bool:
    """True for arrays of few entries, that have such an axis."""
    x = xs[0]
    return (
        type(x) is np.ndarray and x.size * len(xs) <= SMALL and -x.ndim - 1 <= axis <= x.ndim
    )


def first_axis_moved(y: np.ndarray, axis: int) -> np.ndarray:
    """A copy of an array with its first axis in another place."""
    axes = list(range(1, y.ndim))
    axes.insert(axis if axis >= 0 else axis + y.ndim, 0)
    return y.transpose(axes).copy()


def stack_source(*types: ArrayType, axis: int) -> str:
    if axis in (0, -1 - types[0].ndim):
        return "np.array(({operands},))"
    size = types[0].size
    if isinstance(size, int) and size * len(types) <= SMALL:
        if types[0].ndim == 1:
            return "np.array(({operands},)).T.copy()"
        return "stack({operands}, axis={axis})"
    return "np.stack(({operands},), axis={axis})"


stack_op = joining(
    "stack", stack_kernel, infer=stack_infer, transpose=stack_vjp,
    traits=[Trait.MOVING, Trait.PROPAGATING],
    batch=joining_batch, source=stack_source,
    samples=cases(
        reals((3,), (3,)), reals((2, 3), (2, 3), axis=-1), reals((), (), ()), reals((0,), (0,)),
        reals((3,), (3,), axis=-2),
    ),
    error_samples=[
        invalid((2,), (3,), says="the shapes differ"),
        invalid((2,), (2,), axis=2, says="axis 2 is out of range"),
    ],
    doc="The operands, of equal shapes, joined along a new axis.",
)


def concatenate(xs: Iterable[Operand], axis: int | None = 0) -> Any:
    """The arrays `xs` joined along `axis`; with axis None, flattened first.

    Raises ShapeError if their shapes differ in another axis.

    >>> concatenate([np.ones(2), np.zeros(1)])
    array([1., 1., 0.])
    """
    if axis is None:
        xs, axis = (reshape(x, shape=(-1,)) for x in with_strong_dtypes(list(xs))), 0
    return concatenate_op(*with_strong_dtypes(list(xs)), axis=axis)


def stack(xs: Iterable[AnyArray], axis: int = 0) -> Any:
    """The arrays `xs` joined along a new `axis`; raises ShapeError if their shapes differ.

    >>> stack([np.ones(2), np.zeros(2)]).shape
    (2, 2)
    """
    return stack_op(*with_strong_dtypes(list(xs)), axis=axis)


def split(x: OperandLike, indices_or_sections: int | Sequence[Size], axis: int = 0) -> list[Any]:
    """`x` split along `axis` into equal sections, or at the given indices.

    Raises ShapeError if equal sections are impossible.

    >>> [p.shape for p in split(np.zeros((6, 2)), 3)]
    [(2, 2), (2, 2), (2, 2)]
    >>> split(np.arange(5), [1, 3])
    [array([0]), array([1, 2]), array([3, 4])]
    """
    k = normalize_axis("split", type_of(x), axis)
    ends: Sequence[Size | None]
    if isinstance(indices_or_sections, Iterable):
        ends = [slice_bound(x, i) for i in indices_or_sections]
    else:
        ends = equal_ends(x, k, operator.index(indices_or_sections))
    pairs = pairwise([None, *ends, None])
    return [slice_(x, index=(FULL,) * k + (("slice", a, b, None),)) for a, b in pairs]


def equal_ends(x: Any, axis: int, sections: int) -> list[Size]:
    """The indices that split an axis into equal sections."""
    n = shape_of(x)[axis]
    each = n // sections if sections > 0 else 0
    if sections < 1 or each * sections != n:
        raise ShapeError(
            "split", [type_of(x)], f"axis {axis} of size {n} has no {sections} equal parts",
            hint="give the indices where parts end",
        )
    return [each * i for i in range(1, sections)]
