"""Creating arrays in a graph, and reading shapes."""

import operator
from typing import Any

import numpy as np

import gradops as ops
from gradops import Dim, DTypeError, ShapeError
from gradops.core.dims import Size, product
from gradops.core.types import as_shape, as_size, is_inexact, native, shape_of
from gradops.library.index.indexing import positions
from gradops.library.shape.ensure_shape import ensure_shape as checked_shape
from gradops.typing import AnyArray, DTypeLike, Operand, ShapeLike, SizeLike

from ..build.inputs import as_expression, constant, default_dtype
from ..ir.expr import Expr, as_exprs, common_names, new_constant
from ..ir.shapes.refinement import refined_shape

Limit = Operand | Size | None


def fill(dims: ShapeLike, value: Operand) -> Expr:
    """An array filled with `value`; its shape may have unknown sizes.

    >>> x = sg.placeholder("float32", ["n", 3])
    >>> sg.fill([x.shape[0], 2], 0.5, name="y")
    <broadcast_to y: float32[n, 2]>
    """
    return ops.broadcast_to(as_expression(value), shape=as_shape(dims))


def zeros(shape: ShapeLike, dtype: DTypeLike = None) -> Expr:
    """Zeros of a shape, which may have unknown sizes.

    >>> sg.Session().run(sg.zeros([2]))
    array([0., 0.], dtype=float32)
    """
    return fill(shape, constant(0, dtype or default_dtype()))


def ones(shape: ShapeLike, dtype: DTypeLike = None) -> Expr:
    """Ones of a shape, which may have unknown sizes.

    >>> sg.Session().run(sg.ones([2], "int64"))
    array([1, 1])
    """
    return fill(shape, constant(1, dtype or default_dtype()))


def numbers(n: Size) -> AnyArray:
    """The numbers 0, 1, ..., n - 1 for a size n, which may be unknown."""
    return positions(fill(n, 0), axis=0) if isinstance(n, Dim) else np.arange(n)


def arange(
    start: Operand | Size, limit: Limit = None, delta: Operand = 1, dtype: DTypeLike = None
) -> Expr:
    """The numbers from `start`, or 0 if only a limit is given, to before `limit`, by `delta`.

    Arguments may be expressions of sizes. Raises ValueUnknownError for other expressions.

    >>> x = sg.placeholder("float32", ["n", 3])
    >>> sg.range(x.shape[0], name="y")
    <astype y: int64[n]>
    >>> sg.Session().run(sg.range(5, 1, -2))
    array([5, 3])
    """
    given = (0, start, delta) if limit is None else (start, limit, delta)
    numbered: list[Any] = [as_size(n) if isinstance(n, Expr) else n for n in given]
    first, last, step = numbered
    if not any(isinstance(n, Dim) for n in numbered):
        result: Any = np.arange(*numbered)
        return constant(result.astype(native(dtype or own_dtype(result))))
    width = operator.index(step)
    length = (last - first if width > 0 else first - last) + abs(width) - 1
    result = numbers(length // abs(width)) * width + first
    return as_expression(ops.astype(result, dtype=native(dtype or np.int64)))


def own_dtype(x: np.ndarray) -> np.dtype:
    """The dtype for an array of Python numbers: the default one for floats."""
    return x.dtype if x.dtype.kind in "iu" else default_dtype()


def linspace(start: Any, stop: Any, num: int) -> Expr:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    >>> sg.Session().run(sg.linspace(0.0, 1.0, 3))
    array([0. , 0.5, 1. ], dtype=float32)
    """
    num = operator.index(as_size(num))
    if num < 0:
        raise ShapeError("linspace", [num], f"the size {num} is negative")
    if not isinstance(start, Expr) and not isinstance(stop, Expr):
        return constant(np.linspace(start, stop, num).astype(own_dtype(np.asarray(0.0))))
    like = start if isinstance(start, Expr) else stop
    if not is_inexact(like.dtype):
        raise DTypeError(
            "linspace", [like.label], "numbers at equal distances are floats",
            hint="convert the ends: cast(x, 'float32')",
        )  # fmt: skip
    first, last = as_expression(start, like=like), as_expression(stop, like=like)
    return first + (last - first) * (np.arange(num) / max(num - 1, 1)).astype(like.dtype)


def eye(
    num_rows: SizeLike,
    num_columns: SizeLike | None = None,
    batch_shape: ShapeLike = (),
    dtype: DTypeLike = None,
) -> Expr:
    """Identity matrices: ones on the diagonal and zeros elsewhere.

    >>> sg.Session().run(sg.eye(2))
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows = as_size(num_rows)
    columns = rows if num_columns is None else as_size(num_columns)
    ones = ops.equal(ops.expand_dims(numbers(rows), axis=1), numbers(columns))
    result = as_expression(ops.astype(ones, dtype=native(dtype or default_dtype())))
    batch = as_shape(batch_shape)
    return ops.broadcast_to(result, shape=(*batch, *result.shape)) if batch else result


def shape_vector(input: Operand, out_type: DTypeLike = "int64") -> AnyArray:
    """The shape as a vector of integers; ops accept its entries as sizes.

    >>> x = sg.placeholder("float32", [None, 3], name="x")
    >>> sg.reshape(x, [sg.shape(x)[0], 1, -1], name="y")
    <reshape y: float32[x.0, 1, 3]>
    """
    sizes = shape_of(input)
    return numbers_of(input, list(sizes), out_type)


def number_of_entries(input: Operand, out_type: DTypeLike = "int64") -> AnyArray:
    """The number of entries.

    >>> sg.Session().run(sg.size(sg.ones([2, 3])))
    np.int64(6)
    """
    return numbers_of(input, product(shape_of(input)), out_type)


def rank(input: Operand) -> AnyArray:
    """The number of axes.

    >>> sg.Session().run(sg.rank(sg.ones([2, 3])))
    np.int64(2)
    """
    return numbers_of(input, len(shape_of(input)), np.int64)


def numbers_of(x: Operand, sizes: Any, dtype: DTypeLike) -> AnyArray:
    """A size or a list of sizes as integers: an expression if `x` is one."""
    if not isinstance(x, Expr):
        return np.array(sizes, native(dtype))
    names, several = common_names("shape", [x]), isinstance(sizes, list)
    if not any(isinstance(n, Dim) for n in (sizes if several else [sizes])):
        return new_constant(names, np.array(sizes, native(dtype)), "constant")
    result = ops.stack(as_exprs(names, sizes)) if several else as_exprs(names, [sizes])[0]
    return result if result.dtype == native(dtype) else ops.astype(result, dtype=native(dtype))


def ensure_shape(x: Operand, shape: ShapeLike) -> AnyArray:
    """The operand with a more precise shape; None stands for any size.

    Raises ShapeError if it cannot have the shape, or at run time if it has another.

    >>> x = sg.placeholder("float32", [None, None], name="x")
    >>> sg.ensure_shape(x, [None, 3], name="y")
    <ensure_shape y: float32[x.0, 3]>
    """
    x = as_expression(x)
    return checked_shape(x, shape=refined_shape(x, shape))
