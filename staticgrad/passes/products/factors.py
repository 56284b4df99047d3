"""Constant factors, collected: what is scaled several times on its way is scaled once.

Derivatives bring factors of their own: 1/n of a mean, the 2 of a square, a learning rate. They meet
in products, and pass linear ops: matrix products, sums, changes of shape.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from itertools import chain
from typing import ClassVar

import numpy as np

from gradops import OPS, ArrayType
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass

ADD, MUL, NEG = OPS["add"], OPS["mul"], OPS["neg"]
LEAST, MOST = 1e-30, 1e30  # of factors that are multiplied: no product overflows
FAR = 32  # ops that a factor passes at most
CONSTANT = Kind.CONSTANT  # looking up a member of an Enum takes long


class CollectFactors(Pass):
    """Multiply constant factors with each other instead of one by one with an array.

    A factor is moved only to another one or to a smaller array, and only past values that nothing
    else reads. Factors that met scale the smallest array on the way.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        factors = {e: found for e in graph.order if (found := factor_of(e)) is not None}
        return graph.remade(Scaled(graph, factors).make) if factors else graph


@dataclass(frozen=True, eq=False)
class Product:
    """A value as a factor times another value.

    `scaled` makes that other value times a number, which scales the smallest array on the way, one
    of `size` entries. The product is `changed` if the factor is another one than is written. It
    passed `distance` ops, each of which is made anew: not many, or chains would take too long.
    """

    factor: float
    scaled: Callable[[float], Expr]
    size: float
    changed: bool = False
    distance: int = 0


class Scaled:
    """The values of a graph that is being remade that are products with a factor."""

    def __init__(self, graph: FrozenGraph, factors: Mapping[Expr, tuple[float, int]]) -> None:
        self.factors = factors
        self.reads = Counter(chain.from_iterable([e.inputs for e in graph.order]))
        self.reads.subtract([e.inputs[0] for e in graph.order if reads_twice(e)])  # at once
        self.reads.update([*graph.results, *graph.measured] * 2)
        self.products: dict[Expr, Product] = {}

    def make(self, e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        """An expression on new inputs; a product of factors has them in one."""
        product = None
        if e in self.factors or not self.products.keys().isdisjoint(inputs):
            product = self.product_of(e, inputs, intern)
        if product is not None and product.changed:
            new = product.scaled(product.factor)
        elif inputs is e.inputs:
            intern.order[e] = None
            new = e
        else:
            new = intern.copy(e, inputs)
        if product is not None and self.reads[e] == 1:
            self.products[new] = product
        return new

    def product_of(self, e: Expr, inputs: Sequence[Expr], intern: Interning) -> Product | None:
        """An expression as a factor times another; None if it has no factor that may move."""
        if e.op is None or not may_scale(e):
            return None
        found = [self.products.get(x) for x in inputs]
        if (own := self.factors.get(e)) is not None:
            factor, place = own
            x = inputs[place]
            inner = self.products.get(x)
            if inner is None or not in_range(factor * inner.factor):
                return Product(factor, lambda f: times(f, x, e, intern), entries(e))
            return replaced(inner, factor=factor * inner.factor, changed=True)
        if is_doubled(e) and (first := found[0]) is not None:
            factor = 2 * first.factor
            return replaced(first, factor=factor, changed=True) if in_range(factor) else None
        return self.passed(e, inputs, found, intern)

    def passed(
        self, e: Expr, inputs: Sequence[Expr], found: Sequence[Product | None], intern: Interning
    ) -> Product | None:
        """The factors of the operands of a linear op, times the op of what they scale."""
        if e.op is None or (e.op is not MUL and Trait.LINEAR not in e.op.traits):
            return None
        scaling = {
            i: p for i, p in enumerate(found) if p is not None and inputs[i].dtype == e.dtype
        }
        factor = math.prod([p.factor for p in scaling.values()])
        distance = 1 + max([p.distance for p in scaling.values()], default=FAR)
        if distance > FAR or not in_range(factor):
            return None

        smallest = min(scaling, key=lambda i: scaling[i].size)
        size = min(scaling[smallest].size, entries(e))

        def scaled(f: float) -> Expr:
            inside = {smallest: f} if scaling[smallest].size < entries(e) else {}
            xs = [
                scaling[i].scaled(inside.get(i, 1.0)) if i in scaling else x
                for i, x in enumerate(inputs)
            ]
            y = intern.copy(e._replace(inputs=tuple(xs)), xs)
            return y if inside else times(f, y, e, intern)

        changed = any(entries(e) < p.size for p in scaling.values())
        return Product(factor, scaled, size, changed, distance)


def entries(e: Expr) -> float:
    """The number of entries of an array; infinite if it is not known."""
    return math.prod(e.shape) if all(type(n) is int for n in e.shape) else math.inf


def may_scale(e: Expr) -> bool:
    """True for an array of floats, of which a factor may be taken out."""
    return type(e.type) is ArrayType and e.dtype.char in "fd" and bool(e.shape)


def in_range(factor: float) -> bool:
    """True for a factor that may be multiplied by another one."""
    return LEAST < abs(factor) < MOST


def reads_twice(e: Expr) -> bool:
    """True if both operands are one value."""
    return len(e.inputs) == 2 and e.inputs[0] is e.inputs[1]


def is_doubled(e: Expr) -> bool:
    """True for a value that is added to itself."""
    return e.op is ADD and reads_twice(e)


def factor_of(e: Expr) -> tuple[float, int] | None:
    """The constant factor of a product, and the place of the operand that it scales."""
    if e.op is NEG and may_scale(e):
        return -1.0, 0
    if e.op is not MUL or not may_scale(e):
        return None
    for i, c in enumerate(e.inputs):
        if c.op is None and c.kind is CONSTANT and e.inputs[1 - i].type == e.type and is_number(c):
            factor = float(c.value.item(0))
            return (factor, 1 - i) if in_range(factor) else None
    return None


def is_number(c: Expr) -> bool:
    """True for a constant with one value only."""
    if not c.shape:
        return True
    return bool(c.value.size) and bool((c.value == c.value.flat[0]).all())


def times(f: float, x: Expr, e: Expr, intern: Interning) -> Expr:
    """A number times a value, in the place of `e`."""
    if f == 1:
        return x
    if f == -1:
        return intern.apply("neg", x, like=e)
    return intern.apply("mul", intern.constant(np.array(f, x.dtype), like=e), x, like=e)
