"""NumPy's products of vectors, matrices and tensors."""

from typing import Any

import numpy as np

import gradops as ops

from ...core.types import shape_of
from ...library.linalg.einsum import LETTERS
from ...library.shape.movement import compute_in
from ...typing import AnyArray, DTypeLike, OperandLike
from .joining import as_array

__all__ = ["cross", "dot", "einsum", "inner", "trace", "vdot"]


def strong(x: OperandLike) -> Any:
    """An operand with a strong dtype: lists and numbers become arrays."""
    return x if hasattr(x, "gradop_level") else np.asarray(x)


def dot(a: OperandLike, b: OperandLike) -> AnyArray:
    """The product of vectors or matrices; of numbers, or over the last axis and last but one."""
    a, b = strong(a), strong(b)
    left, right = len(shape_of(a)), len(shape_of(b))
    if not left or not right:
        return ops.mul(a, b)
    if right <= 2:
        return ops.matmul(a, b)
    return ops.tensordot(a, b, ([-1], [-2]))


def cross(
    a: OperandLike, b: OperandLike, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None,
) -> AnyArray:  # fmt: skip
    """The vector products of vectors that lie along an axis of each operand, and of the result."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = ops.moveaxis(as_array(a), axisa, -1), ops.moveaxis(as_array(b), axisb, -1)
    return ops.moveaxis(ops.cross(left, right), -1, axisc)


def inner(a: OperandLike, b: OperandLike) -> AnyArray:
    """The products summed over the last axes."""
    return ops.inner(strong(a), strong(b))


def vdot(a: OperandLike, b: OperandLike) -> AnyArray:
    """The product of all entries, in a row, those of `a` conjugated."""
    flat = [ops.reshape(strong(x), shape=(-1,)) for x in (a, b)]
    return ops.matmul(ops.conj(flat[0]), flat[1])


def einsum(*operands: Any, optimize: object = False) -> Any:
    """Products summed over indices, given in Einstein's notation or as lists of numbers."""
    if isinstance(operands[0], str):
        equation, *xs = operands
        found = view_of(equation, xs[0]) if len(xs) == 1 else None
        return ops.einsum(equation, *map(as_array, xs)) if found is None else found
    *pairs, last = operands if len(operands) % 2 else (*operands, None)
    sides = [written_out(s) for s in pairs[1::2]]
    equation = ",".join(sides) + ("" if last is None else f"->{written_out(last)}")
    return ops.einsum(equation, *map(as_array, pairs[::2]))


def view_of(equation: str, x: OperandLike) -> Any:
    """The view that an equation without sums gives of its only operand, as in NumPy; else None.

    Writes to it reach the operand: `np.einsum("ii->i", x)[...] = 1` fills a diagonal.
    """
    given, arrow, wanted = equation.replace(" ", "").partition("->")
    labels, shape = list(given), shape_of(x)
    if not arrow or not given.isalpha() or len(labels) != len(shape):
        return None
    if {*wanted} != {*labels} or len({*wanted}) != len(wanted):
        return None
    if any(shape[i] != shape[given.index(k)] for i, k in enumerate(labels)):
        return None
    for k in wanted:
        while labels.count(k) > 1:
            i = labels.index(k)
            j = labels.index(k, i + 1)
            x = ops.diagonal(x, axis1=i, axis2=j)
            labels = [*(n for m, n in enumerate(labels) if m not in (i, j)), k]
    return ops.transpose(x, axes=tuple(map(labels.index, wanted)))


def trace(
    a: AnyArray, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike = None
) -> AnyArray:
    """The sums of diagonals."""
    return compute_in(dtype, ops.trace, a, offset=offset, axis1=axis1, axis2=axis2)


def written_out(axes: Any) -> str:
    """A list of axis numbers as letters of an einsum equation."""
    return "".join("..." if i is Ellipsis else LETTERS[int(i)] for i in axes)
