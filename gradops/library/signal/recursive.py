"""Filters along the last axis: sums of earlier entries of the operand, and of the result.

A recursive filter solves a triangular Toeplitz system, whose matrix has a[k] on its k-th diagonal
below the main one. The transposed system is the same filter in reversed time.
"""

from typing import Any

import numpy as np

from ...core.dims import product
from ...core.errors import NoKernelError, ShapeError
from ...core.op import ErrorSample, Op
from ...core.rules import JointVJP
from ...core.samples import beside, cases, complexes, drawn, reals
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.signal import filtering
from ...typing import AnyArray, Arrays, Attrs, Flags, Wanted
from ..elementwise.comparison import masked, not_equal
from ..elementwise.logic import isfinite, logical_or
from ..reduce.reduction import sum
from ..shape.joining import stack
from ..shape.movement import flip
from ..shape.padding import pad
from ..solvers.examples import each_example

__all__: list[str] = []


def delayed(x: AnyArray, k: Any) -> AnyArray:
    """`x` moved to later times by k places, with zeros before."""
    if not k:
        return x
    return pad(x, ((0, 0),) * (len(shape_of(x)) - 1) + ((k, 0),))[..., :-k]


def weighted_sum(b: AnyArray, x: AnyArray) -> AnyArray:
    """The sums over k of b[k] x[n - k], at each time n."""
    y = b[0] * x
    for k in range(1, number_of(b)):
        y = y + b[k] * delayed(x, k)
    return y


def number_of(a: AnyArray) -> int:
    """The number of coefficients; raises ShapeError if it is unknown."""
    n = shape_of(a)[0]
    if not isinstance(n, int):
        raise ShapeError(
            "recursive_filter", [type_of(a)], f"its derivative needs to know the size {n}",
            hint="give the coefficients a size",
        )  # fmt: skip
    return n


def filter_infer(a: ArrayType, x: ArrayType) -> ArrayType:
    if a.ndim != 1 or a.shape[0] == 0 or x.ndim < 1:
        raise ShapeError(
            "recursive_filter", [a, x], "it takes a vector of coefficients and an operand with axes"
        )
    try:
        dtype = filtering.filtered_dtype(a.dtype, x.dtype)
    except TypeError as error:
        raise NoKernelError("recursive_filter", [a, x], str(error)) from error
    return ArrayType(x.shape, dtype)


def product_of(ct: AnyArray, y: AnyArray) -> AnyArray:
    """A cotangent times a result; 0 for a zero cotangent of no number, and only there masked."""
    return masked(logical_or(not_equal(ct, 0), isfinite(y)), ct * y)


def filter_cotangents(wanted: Wanted, g: AnyArray, y: AnyArray, a: AnyArray, x: AnyArray) -> Arrays:
    """For x the filter in reversed time; for a[k] that times the result k places earlier."""
    ct = flip(recursive_filter(a, flip(g, axis=-1)), axis=-1)
    of_a = lambda: stack([-sum(product_of(ct, delayed(y, k))) for k in range(number_of(a))])
    return [ct if i else of_a() for i in wanted]


def filter_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch by a further axis of the operand; coefficients of their own, example by example."""
    return each_example(op, xs, batched, attrs) if batched[0] else op(*xs)


stable = lambda r, s: np.concatenate([[1.5], r.uniform(-0.4, 0.4, s[0] - 1)])

recursive_filter = Op(
    "recursive_filter", filtering.recursive_filter, arity=2, infer=filter_infer,
    flops=lambda y, a, x: 2 * a.shape[0] * product(y.shape),
    vjp=JointVJP(filter_cotangents),
    jvp=[
        lambda t, y, a, x: -recursive_filter(a, weighted_sum(t, y)),
        lambda t, y, a, x: recursive_filter(a, t),
    ],
    batch=filter_batch,
    samples=cases(
        beside(drawn(stable, [(3,)]), reals((6,))), beside(drawn(stable, [(2,)]), reals((2, 4))),
        beside(drawn(stable, [(1,)]), reals((3,))), beside(drawn(stable, [(3,)]), reals((2, 0))),
        beside(drawn(stable, [(4,)]), reals((2,))), beside(drawn(stable, [(3,)]), complexes((5,))),
    ),
    error_samples=[ErrorSample([np.ones((2, 2)), np.ones(3)], {}, ShapeError, "a vector")],
    doc="The y with a[0] y[n] + a[1] y[n - 1] + ... = x[n], along the last axis.",
)  # fmt: skip
