"""Functions of the derivative f(y, t, *others) of a differential equation, as compositions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dims import product
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.odes.tableaus import EXPLICIT, tableau
from ...typing import AnyArray
from ..families import zeros_like
from ..index.indexing import index
from ..shape.joining import concatenate, stack
from ..shape.movement import astype, reshape
from .compositions import Composition

LARGE = 64  # entries of a state, from which Jacobians may be sparse


class RungeKuttaStep(Composition):
    """The state after a step of an explicit scheme, and the stages as rows."""

    def __call__(self, body: Any, y: Any, during: Any, *others: Any) -> tuple[Any, ...]:
        """The step of the time and the size in `during`."""
        (method,) = self.fields
        scheme, t, h = tableau(method), index(during, 0), index(during, 1)
        stages = [body(y, t, *others)[0]]
        new = y
        for row, node in zip(scheme.rows, scheme.nodes, strict=True):
            state = y + h * weighted(row, stages)
            if row is scheme.result:
                new = state
            stages.append(body(state, t + node * h, *others)[0])
        return new, stack(stages)


def weighted(weights: Sequence[float], xs: Sequence[Any]) -> Any:
    """The sum of operands times numbers, of which those that are 0 are left out."""
    terms = [w * x for w, x in zip(weights, xs, strict=True) if w]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


class WithTangents(Composition):
    """The derivative of a state and its tangent, one after the other.

    After the operands of the body come tangents of those numbered in the field.
    """

    def __call__(self, body: Any, z: Any, t: Any, *others: Any) -> tuple[Any, ...]:
        """The derivatives by time of both halves of `z`."""
        (moved,) = self.fields
        n: Any = shape_of(z)[0] // 2
        y, v = index(z, slice(None, n)), index(z, slice(n, None))
        size = len(others) - len(moved)
        own, tangents = others[:size], others[size:]
        (of_state,) = body(y, t, *own)
        (of_tangent,) = body.tangents([0, *moved])(y, t, *own, v, *tangents)
        return (concatenate([of_state, of_tangent]),)


def cotangents(body: Any, wanted: Sequence[int], *operands: Any) -> list[AnyArray]:
    """The cotangents of operands of a body, zeros where it does not read them."""
    found = body.pullback(wanted)(*operands)
    pairs = zip(wanted, found, strict=True)
    return [zeros_like(operands[i]) if ct is None else ct for i, ct in pairs]


def size_of(xs: Sequence[AnyArray]) -> int:
    """The number of entries of several operands; raises TypeError where a size is unknown."""
    return sum(int(product(shape_of(x))) for x in xs)


def split(packed: AnyArray, like: Sequence[AnyArray]) -> list[AnyArray]:
    """Parts of a vector, in the shapes and dtypes of operands."""
    found, at = [], 0
    for x in like:
        shape, dtype, n = shape_of(x), type_of(x).dtype, size_of([x])
        part = reshape(index(packed, slice(at, at + n)), shape=shape)
        found.append(part if dtype == np.float64 else astype(part, dtype=dtype))
        at += n
    return found


def helper(f: Any, method: str, y: AnyArray) -> Any:
    """What a method calls beside f: its step, or for SciPy's solvers the Jacobian by the state."""
    if method not in EXPLICIT:
        return f.sparse_jacobian() if size_of([y]) >= LARGE else f.jacobian()
    types = [ArrayType(shape_of(y), np.dtype(np.float64)), ArrayType((2,), np.dtype(np.float64))]
    return f.composed(RungeKuttaStep(method), types, outputs=2)
