"""Expressions made from nothing, or from the shape of another."""

import operator
from typing import Any

import numpy as np

import gradops as ops
from gradops import Dim, DTypeError, ShapeError
from gradops.core.dims import Size, product
from gradops.core.types import as_shape, as_size, is_inexact, native, shape_of
from gradops.library.index.indexing import positions
from gradops.library.shape.ensure_shape import ensure_shape as checked_shape

from ..build.inputs import as_expression, constant, default_dtype
from ..ir.expr import Expr, common_names, lifted, new_constant
from ..ir.set_shape import refined_shape


def fill(dims: Any, value: Any) -> Expr:
    """An array of a shape, which may have unknown sizes in it, with `value` everywhere.

    >>> x = sg.placeholder("float32", ["n", 3])
    >>> sg.fill([x.shape[0], 2], 0.5, name="y")
    <broadcast_to y: float32[n, 2]>
    """
    return ops.broadcast_to(as_expression(value), shape=as_shape(dims))


def zeros(shape: Any, dtype: Any = None) -> Expr:
    """Zeros of a shape, which may have unknown sizes in it.

    >>> sg.Session().run(sg.zeros([2]))
    array([0., 0.], dtype=float32)
    """
    return fill(shape, constant(0, dtype or default_dtype()))


def ones(shape: Any, dtype: Any = None) -> Expr:
    """Ones of a shape, which may have unknown sizes in it.

    >>> sg.Session().run(sg.ones([2], "int64"))
    array([1, 1])
    """
    return fill(shape, constant(1, dtype or default_dtype()))


def numbers(n: Size) -> Any:
    """The numbers 0, 1, 2, ... up to before a size that need not be known."""
    return positions(fill(n, 0), axis=0) if isinstance(n, Dim) else np.arange(n)


def arange(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None) -> Expr:
    """The numbers from `start`, or 0 if just a limit is given, to before `limit`, by `delta`.

    They may be expressions of sizes. Raises ValueUnknownError for other expressions.

    >>> x = sg.placeholder("float32", ["n", 3])
    >>> sg.range(x.shape[0], name="y")
    <astype y: int64[n]>
    >>> sg.Session().run(sg.range(5, 1, -2))
    array([5, 3])
    """
    given = (0, start, delta) if limit is None else (start, limit, delta)
    first, last, step = numbered = [as_size(n) if isinstance(n, Expr) else n for n in given]
    if not any(isinstance(n, Dim) for n in numbered):
        found: Any = np.arange(*numbered)  # type: ignore[arg-type]
        return constant(found.astype(native(dtype or own_dtype(found))))
    width = operator.index(step)
    length = (last - first if width > 0 else first - last) + abs(width) - 1
    found = numbers(length // abs(width)) * width + first
    return as_expression(ops.astype(found, dtype=native(dtype or np.int64)))


def own_dtype(x: Any) -> Any:
    """The dtype of an array made of Python numbers: of floats, the default one."""
    return x.dtype if x.dtype.kind in "iu" else default_dtype()


def linspace(start: Any, stop: Any, num: int) -> Expr:
    """`num` numbers from `start` to `stop`, both included, at equal distances.

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


def eye(num_rows: Any, num_columns: Any = None, batch_shape: Any = (), dtype: Any = None) -> Expr:
    """Ones on the diagonal and zeros elsewhere; of a batch of matrices if it has a shape.

    >>> sg.Session().run(sg.eye(2))
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows = as_size(num_rows)
    columns = rows if num_columns is None else as_size(num_columns)
    ones = ops.equal(ops.expand_dims(numbers(rows), axis=1), numbers(columns))
    found = as_expression(ops.astype(ones, dtype=native(dtype or default_dtype())))
    batch = as_shape(batch_shape)
    return ops.broadcast_to(found, shape=(*batch, *found.shape)) if batch else found


def shape_vector(input: Any, out_type: Any = "int64") -> Any:
    """The shape as a vector of integers, whose entries ops take for sizes.

    >>> x = sg.placeholder("float32", [None, 3], name="x")
    >>> sg.reshape(x, [sg.shape(x)[0], 1, -1], name="y")
    <reshape y: float32[x.0, 1, 3]>
    """
    sizes = shape_of(input)
    return numbers_of(input, list(sizes), out_type)


def number_of_entries(input: Any, out_type: Any = "int64") -> Any:
    """How many entries there are.

    >>> sg.Session().run(sg.size(sg.ones([2, 3])))
    np.int64(6)
    """
    return numbers_of(input, product(shape_of(input)), out_type)


def rank(input: Any) -> Any:
    """How many axes there are.

    >>> sg.Session().run(sg.rank(sg.ones([2, 3])))
    np.int64(2)
    """
    return numbers_of(input, len(shape_of(input)), np.int64)


def numbers_of(x: Any, sizes: Any, dtype: Any) -> Any:
    """A size, or a list of them, as numbers: an expression if `x` is one."""
    if not isinstance(x, Expr):
        return np.array(sizes, native(dtype))
    names, several = common_names("shape", [x]), isinstance(sizes, list)
    if not any(isinstance(n, Dim) for n in (sizes if several else [sizes])):
        return new_constant(names, np.array(sizes, native(dtype)), "constant")
    found = ops.stack(lifted(names, sizes)) if several else lifted(names, [sizes])[0]
    return found if found.dtype == native(dtype) else ops.astype(found, dtype=native(dtype))


def ensure_shape(x: Any, shape: Any) -> Any:
    """The operand, of whose shape more is known; a size that is None may be any.

    Raises ShapeError if it cannot have the shape, in a run where it has another.

    >>> x = sg.placeholder("float32", [None, None], name="x")
    >>> sg.ensure_shape(x, [None, 3], name="y")
    <ensure_shape y: float32[x.0, 3]>
    """
    x = as_expression(x)
    return checked_shape(x, shape=refined_shape(x, shape))
