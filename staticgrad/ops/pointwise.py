"""TensorFlow's functions that are formulas of other ops."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

import gradops as ops
from gradops import GraphError, OptionError
from gradops.core.types import is_inexact, native, type_of
from gradops.typing import AnyArray, Axis, DTypeLike, Operand

from ..build.inputs import Variable
from ..ir.expr import sequence


def add_n(inputs: Sequence[Operand]) -> AnyArray:
    """The sum of several operands.

    >>> float(sg.add_n([1.0, 2.0, 3.0]))
    6.0
    """
    first, *rest = sequence(inputs) or [None]
    if first is None:
        raise OptionError("add_n", [], "there is nothing to add")
    return reduce(ops.add, rest, first) if rest else ops.copy(first)  # so that it can be named


def squared_difference(x: Operand, y: Operand) -> AnyArray:
    """The squares of the differences of entries.

    >>> float(sg.squared_difference(1.0, 3.0))
    4.0
    """
    return ops.square(ops.sub(x, y))


def lbeta(x: Operand) -> AnyArray:
    """The logarithm of the beta function of the entries along the last axis.

    >>> round(float(sg.lbeta(np.array([2.0, 3.0]))), 6)
    -2.484907
    """
    return ops.sum(ops.gammaln(x), axis=-1) - ops.gammaln(ops.sum(x, axis=-1))


def div_no_nan(x: Operand, y: Operand) -> AnyArray:
    """x / y, and 0 where y is 0.

    >>> sg.div_no_nan(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    if type(y) in (int, float) and is_inexact(dtype := type_of(x).dtype):
        y = np.asarray(y, dtype)
    zero = ops.equal(y, 0)
    return ops.where(zero, 0, ops.div(x, ops.where(zero, 1, y)))


def truncatediv(x: Operand, y: Operand) -> AnyArray:
    """The quotient of integers, rounded towards zero.

    >>> sg.truncatediv(np.array([7, -7]), 2)
    array([ 3, -3])
    """
    return ops.floor_divide(ops.sub(x, ops.fmod(x, y)), y)


def matmul(
    a: Operand, b: Operand, transpose_a: bool = False, transpose_b: bool = False
) -> AnyArray:
    """The matrix product, optionally with the last two axes of an operand exchanged.

    >>> sg.matmul(np.ones((2, 3)), np.ones((2, 4)), transpose_a=True).shape
    (3, 4)
    """
    a = ops.swapaxes(a, -1, -2) if transpose_a else a
    return ops.matmul(a, ops.swapaxes(b, -1, -2) if transpose_b else b)


def argmax(input: Operand, axis: int | None = 0, output_type: DTypeLike = "int64") -> AnyArray:
    """The index of the first largest entry along an axis.

    >>> sg.argmax(np.array([[1.0, 5.0], [2.0, 3.0]]))
    array([1, 0])
    """
    return of_type(ops.argmax(input, axis=axis or 0), output_type)


def argmin(input: Operand, axis: int | None = 0, output_type: DTypeLike = "int64") -> AnyArray:
    """The index of the first smallest entry along an axis.

    >>> sg.argmin(np.array([[1.0, 5.0], [2.0, 3.0]]))
    array([0, 1])
    """
    return of_type(ops.argmin(input, axis=axis or 0), output_type)


def of_type(x: AnyArray, dtype: DTypeLike) -> AnyArray:
    """`x` cast to a dtype unless it has it."""
    return x if x.dtype == native(dtype) else ops.astype(x, dtype=native(dtype))


def as_tuple(axis: Axis) -> Axis:
    """Convert a list of axes to a tuple."""
    return tuple(axis) if isinstance(axis, list) else axis


def assign(ref: Operand, value: Operand) -> AnyArray:
    """Set a variable to `value`; see `Variable.assign`.

    >>> w = sg.Variable(1.0)
    >>> sg.Session().run(sg.assign(w, 5.0))
    np.float32(5.0)
    """
    return variable(ref).assign(value)


def assign_add(ref: Operand, value: Operand) -> AnyArray:
    """Add `value` to a variable.

    >>> w = sg.Variable(1.0)
    >>> sg.Session().run(sg.assign_add(w, 5.0))
    np.float32(6.0)
    """
    return variable(ref).assign_add(value)


def assign_sub(ref: Operand, value: Operand) -> AnyArray:
    """Subtract `value` from a variable.

    >>> w = sg.Variable(1.0)
    >>> sg.Session().run(sg.assign_sub(w, 5.0))
    np.float32(-4.0)
    """
    return variable(ref).assign_sub(value)


def scatter_add(ref: Operand, indices: Operand, updates: Operand) -> AnyArray:
    """Add `updates` to a variable at indices along its first axis; returns the new value.

    For other operands the sum is returned, and nothing is assigned.

    >>> w = sg.Variable([1.0, 2.0, 3.0])
    >>> session = sg.Session()
    >>> session.run(sg.scatter_add(w, [2, 0, 2], 1.0)), session.run(w)
    (array([2., 2., 5.], dtype=float32), array([2., 2., 5.], dtype=float32))
    """
    result = ops.scatter_add(ref, indices, updates)
    return ref.assign(result, "scatter_add") if isinstance(ref, Variable) else result


def variable(ref: Operand) -> Variable:
    """Return `ref`; raises GraphError unless it is a variable."""
    if not isinstance(ref, Variable):
        label = getattr(ref, "label", ref)
        raise GraphError(f"{label!s} is not a variable and cannot be assigned to")
    return ref
