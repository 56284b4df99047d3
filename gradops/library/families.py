"""Families of ops: what follows for an op from the kind of op it is.

In rules, `x, a, b` are operands, `y` the output, `g` its cotangent, `t` a tangent, `d` partial
derivatives. A rule never undoes broadcasting and never casts: the driver does, once.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.attributes import attributes
from ..core.errors import ShapeError
from ..core.op import OPS, ErrorSample, Op
from ..core.rules import JointJVP, JointVJP
from ..core.samples import with_edges
from ..core.traits import Trait
from ..core.types import (
    ArrayType,
    broadcast_shapes,
    normalize_axes,
    normalize_axis,
    result_dtype,
    shape_of,
    type_of,
)
from ..typing import AnyArray, Arrays, Attrs, Flags, Operand, Rule
from .scalar_sources import scalar_source

__all__ = ["discrete", "elementwise", "joining", "linear", "multilinear", "selection", "singular"]


class singular:
    """A partial derivative that may be infinite or NaN; a zero cotangent times it is zero."""

    def __init__(self, partial: Callable[..., Any]) -> None:
        self.partial = partial


def invalid(
    *shapes: tuple[int, ...], says: str, error: type[Exception] = ShapeError, **attrs: object
) -> ErrorSample:
    """Arrays of ones that an op must refuse: the class of its error, and a part of the text."""
    return ErrorSample([np.ones(shape) for shape in shapes], attrs, error, says)


Partial = Callable[..., Any] | singular | int | None

Kernel = Callable[..., Any]
"""An op on arrays: operands by position, attributes by name."""


def elementwise_type(op: object, kernel: Kernel, *types: ArrayType) -> ArrayType:
    """The type of an elementwise result."""
    shape = broadcast_shapes(op, types)
    return ArrayType(shape, result_dtype(kernel, tuple(t.dtype for t in types)))


def elementwise(name: str, kernel: Kernel, *, d: Sequence[Partial], **facets: Any) -> Op:
    """An op applied entry by entry; `d[i](y, *xs)` is its partial derivative in operand i."""
    if isinstance(kernel, np.ufunc):
        operands = ", ".join(f"{{{i}}}" for i in range(len(d)))
        facets.setdefault("source", f"np.{kernel.__name__}({operands}{{out}})")
        facets.setdefault("scalar", scalar_source(kernel))
    kinds = {Trait.ELEMENTWISE, *facets.get("traits", ())}
    facets["traits"] = kinds | {Trait.SINGULAR for p in d if isinstance(p, singular)}
    facets.setdefault("family", "elementwise")
    facets["samples"] = with_edges(facets["samples"])
    if len(d) > 1:
        facets.setdefault("error_samples", [unequal(len(d))])
    facets.setdefault("infer", lambda *types, **attrs: elementwise_type(name, kernel, *types))
    arity = 0 if attributes(kernel, len(d)) else len(d)
    rules = [scaled_by(partial, arity) for partial in d]
    facets.setdefault("vjp", rules)
    facets.setdefault("jvp", rules)
    return Op(name=name, kernel=kernel, batch=batch_elementwise, arity=len(d), **facets)


@cache
def unequal(arity: int) -> ErrorSample:
    """Operands whose shapes do not broadcast."""
    shapes = [(2, 3), (4,), *((),) * (arity - 2)]
    return ErrorSample([np.ones(shape) for shape in shapes], {}, ShapeError, "3 against 4")


def scaled_by(partial: Partial, arity: int) -> Rule | None:
    """The rule v -> v * partial, which serves cotangents and tangents alike.

    Of ops of one or two operands without attributes, as `arity` says, it has fixed parameters: the
    tape calls it for every operation, and `*xs, **attrs` would take longer than the rest.
    """
    match partial:
        case None:
            return None
        case singular():
            return through_singular(partial.partial)
        case 0:
            return lambda v, y, *xs, **attrs: zeros_like(v)
        case 1:
            return (lambda v, y, a, b: v) if arity == 2 else lambda v, y, *xs, **attrs: v
        case -1:
            return (lambda v, y, a, b: -v) if arity == 2 else lambda v, y, *xs, **attrs: -v
        case int():
            raise ValueError(f"a constant partial derivative is 0, 1 or -1, not {partial}")
    if arity == 1:
        return lambda v, y, x: v * partial(y, x)
    if arity == 2:
        return lambda v, y, a, b: v * partial(y, a, b)
    return lambda v, y, *xs, **attrs: v * partial(y, *xs, **attrs)


def zeros_like(x: Operand) -> AnyArray:
    """Zeros of the type of `x`, whose shape may have unknown dimensions."""
    return OPS["full_like"](x, value=0)


def through_singular(partial: Callable[..., Any]) -> Rule:
    """The rule v -> v * partial in which a zero stays zero, whatever the partial."""

    def rule(v: AnyArray, y: AnyArray, *xs: AnyArray, **attrs: object) -> AnyArray:
        return OPS["strong_product"](v, partial(y, *xs, **attrs))

    return rule


def selection(name: str, kernel: Kernel, *, masks: Sequence[Any], **facets: object) -> Op:
    """An elementwise op that passes one operand on; `masks[i](y, *xs)` says where operand i is.

    Its rule selects and never multiplies, so an infinity or NaN elsewhere does not leak in.
    """
    rules = [None if mask is None else selected_by(mask) for mask in masks]
    facets["family"] = "selection"
    return elementwise(name, kernel, d=[None] * len(masks), vjp=rules, jvp=rules, **facets)


def selected_by(mask: Callable[..., Any]) -> Rule:
    """The rule v -> v where the mask holds, 0 elsewhere."""

    def rule(v: AnyArray, y: AnyArray, *xs: AnyArray) -> AnyArray:
        return OPS["masked"](mask(y, *xs), v)

    return rule


def discrete(name: str, kernel: Kernel, arity: int = 2, **facets: object) -> Op:
    """An elementwise op without derivative: a comparison, a test, a logical connective."""
    traits = [Trait.CORRECTLY_ROUNDED]
    return elementwise(name, kernel, d=[None] * arity, family="discrete", traits=traits, **facets)


def linear(name: str, kernel: Kernel, *, transpose: Rule, **facets: Any) -> Op:
    """An op linear in its one operand: the op is its own JVP, and its transpose its VJP."""

    def forward(t: AnyArray, y: AnyArray, x: AnyArray, **attrs: object) -> Any:
        return op(t, **attrs)

    facets["traits"] = {Trait.LINEAR, *facets.get("traits", ())}
    facets.setdefault("family", "linear")
    op = Op(name=name, kernel=kernel, vjp=[transpose], jvp=[forward], **facets)
    return op


def joining(name: str, kernel: Kernel, *, transpose: Rule, **facets: Any) -> Op:
    """An op on any number of operands, linear in all together.

    `transpose(wanted, g, y, *xs, **attrs)` gives the cotangents of the wanted operands.
    """

    def forward(tangents: Mapping[int, Any], y: AnyArray, *xs: AnyArray, **attrs: object) -> Any:
        ts = [tangents[i] if i in tangents else zeros_like(x) for i, x in enumerate(xs)]
        return op(*ts, **attrs)

    vjp, jvp = JointVJP(transpose), JointJVP(forward)
    facets.setdefault("family", "joining")
    op = Op(name=name, kernel=kernel, vjp=vjp, jvp=jvp, arity=None, **facets)
    return op


def multilinear(name: str, kernel: Kernel, *, transpose: Sequence[Rule], **facets: Any) -> Op:
    """An op linear in each operand; `transpose[i](g, y, *xs)` carries a cotangent back to i."""

    def forward(i: int) -> Rule:
        return lambda t, y, *xs, **attrs: op(*xs[:i], t, *xs[i + 1 :], **attrs)

    arity = len(transpose)
    facets["traits"] = {Trait.LINEAR, *facets.get("traits", ())}
    facets.setdefault("family", "multilinear")
    jvp = [forward(i) for i in range(arity)]
    op = Op(name=name, kernel=kernel, vjp=transpose, jvp=jvp, arity=arity, **facets)
    return op


def batch_elementwise(op: Op, stacks: Arrays, batched: Flags, attrs: Attrs) -> Any:
    """Batch an elementwise op: give stacks the axes that broadcasting would add in front."""
    ndim = max(len(shape_of(x)) - b for x, b in zip(stacks, batched, strict=True))
    pairs = zip(stacks, batched, strict=True)
    return op(*(pad_leading(x, ndim + 1 - len(shape_of(x))) if b else x for x, b in pairs), **attrs)


def batch_along_axis(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    """Batch an op along the axes that `axis` names, which in stacks are one place further on."""
    x, axis = type_of(xs[0]).example, attrs["axis"]
    if isinstance(axis, int):
        return op(*xs, **{**attrs, "axis": normalize_axis(op, x, axis) + 1})
    return op(*xs, **{**attrs, "axis": tuple([i + 1 for i in normalize_axes(op, x, axis)])})


def pad_leading(x: AnyArray, n: int) -> AnyArray:
    """A stack whose examples have `n` more axes of size 1 in front."""
    shape = shape_of(x)
    return OPS["reshape"](x, shape=(shape[0], *(1,) * n, *shape[1:])) if n else x
