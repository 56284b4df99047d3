"""Integrals of functions, with derivatives of any order.

Note [Integrals]. The integral of f(x, a) from b to c is an op of b, c and a, whose attribute is the
body f(x, *a). Its tangent is the integral of the tangent of f, and f at the limits times theirs.
Its cotangents are the integral of those of f. So both rules are the op itself, of other bodies.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.op import Op
from ...core.rules import JointJVP, JointVJP
from ...core.traits import Trait
from ...core.types import ArrayType, type_of
from ...kernels.solvers import integrals as kernels
from ...typing import AnyArray, Wanted
from ..elementwise.comparison import masked
from ..elementwise.logic import isfinite
from ..index.indexing import index
from ..reduce.reduction import sum
from ..shape.joining import concatenate
from ..shape.movement import reshape
from .compositions import Composition, require_tangents
from .examples import each_example, no_samples
from .ode_bodies import cotangents, size_of, split

__all__: list[str] = []

FIRST = 2  # the operands before those of the function: both limits


class TangentsOf(Composition):
    """The tangents of a body's output along tangents of operands, which come after them."""

    def __call__(self, body: Any, *operands: Any) -> tuple[Any, ...]:
        """The tangents of the output."""
        (moved,) = self.fields
        result: tuple[Any, ...] = body.tangents(moved)(*operands)
        return result


class CotangentsOf(Composition):
    """The cotangents of operands as one vector, for those of the output, which come last."""

    def __call__(self, body: Any, *operands: Any) -> tuple[Any, ...]:
        """The cotangents of the operands in the field."""
        (wanted,) = self.fields
        found = cotangents(body, wanted, *operands)
        return (concatenate([reshape(ct, shape=(-1,)) for ct in found]),)


def with_error(value: AnyArray) -> AnyArray:
    """A tangent of integrals and, of the estimate of their error, none."""
    return concatenate([value, np.zeros(1)])


def body_of(f: Any, composition: Composition, operands: Any, more: Any) -> Any:
    """A body that takes further operands after its own."""
    types = [ArrayType((), np.dtype(np.float64)), *map(type_of, operands), *map(type_of, more)]
    return f.composed(composition, types)


def at_limit(f: Any, limit: AnyArray, others: Any) -> AnyArray:
    """The function at a limit; 0 where that is infinite."""
    finite = isfinite(limit)
    value = f(masked(finite, limit), *others)[0]
    return masked(finite, value)


def integral_jvp(
    tangents: Mapping[int, AnyArray], y: AnyArray, low: AnyArray, high: AnyArray,
    *others: AnyArray, functions: Any, **attrs: Any,
) -> AnyArray:  # fmt: skip
    """The tangent of the integral. See Note [Integrals]."""
    (f,) = functions
    parts: list[AnyArray] = []
    if active := sorted(i for i in tangents if i >= FIRST):
        require_tangents(f, [i - 1 for i in active])
        more = [tangents[i] for i in active]
        inner = body_of(f, TangentsOf(tuple([i - 1 for i in active])), others, more)
        found = integral(low, high, *others, *more, functions=(inner,), **attrs)
        parts.append(index(found, slice(None, -1)))
    if 0 in tangents:
        parts.append(-at_limit(f, low, others) * tangents[0])
    if 1 in tangents:
        parts.append(at_limit(f, high, others) * tangents[1])
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return with_error(total)


def integral_vjp(
    wanted: Wanted, g: AnyArray, y: AnyArray, low: AnyArray, high: AnyArray, *others: AnyArray,
    functions: Any, size: int, **attrs: Any,
) -> list[AnyArray]:  # fmt: skip
    """The cotangents of limits and operands. See Note [Integrals]."""
    (f,) = functions
    seeds = index(g, slice(None, -1))
    found: dict[int, AnyArray] = {}
    if asked := [i for i in wanted if i >= FIRST]:
        inner = body_of(f, CotangentsOf(tuple([i - 1 for i in asked])), others, [seeds])
        like = [others[i - FIRST] for i in asked]
        size = size_of(like)
        cts = integral(low, high, *others, seeds, functions=(inner,), size=size, **attrs)
        parts = split(index(cts, slice(None, -1)), like)
        found = dict(zip(asked, parts, strict=True))
    if 0 in wanted:
        found[0] = -sum(at_limit(f, low, others) * seeds)
    if 1 in wanted:
        found[1] = sum(at_limit(f, high, others) * seeds)
    return [found[i] for i in wanted]


integral = Op(
    "integral", kernels.integral, arity=None, traits=[Trait.CONTROL],
    infer=lambda *operands, size, **attrs: ArrayType((size + 1,), np.float64),
    vjp=JointVJP(integral_vjp), jvp=JointJVP(integral_jvp),
    batch=each_example, samples=no_samples,
    doc="The integrals of a function between limits, and an estimate of their error.",
)  # fmt: skip
