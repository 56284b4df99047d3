"""Taylor mode: derivatives of high order along a curve, in one pass.

Note [Series]. A `Series` holds the coefficients of x(h) = c0 + c1 h + ... + cn h**n. An op on
series has the rate y' = sum over operands of its JVP rule on x', so every op with a JVP rule has a
Taylor rule: coefficient k of y is coefficient k - 1 of y', divided by k. The rule is called once,
with series that find their coefficients when asked (`Lazy`); what the rule asks for again, with the
same operands, is the same series. So sin needs cos, which needs that very sin, one order lower.
Products multiply out, and what is affine goes coefficient by coefficient. So n coefficients take of
the order of n**2 operations, where nested `jvp` take 2**n.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, reduce
from math import factorial
from operator import add
from typing import Any

from ..core.errors import TransformError
from ..core.levels import at_level, levels
from ..core.op import Op
from ..core.traits import Trait
from ..core.tree import flatten
from ..core.types import type_of
from ..library.families import zeros_like
from ..numpy_api.operators import Operators
from ..typing import AnyArray, Attrs
from .forward import WithDerivatives, carries_tangent, tangent_like
from .saved_operands import reads


class Series(WithDerivatives):
    """A value as a power series in one number, up to the order of the transform."""

    __slots__ = ("coefficients", "gradop_level")
    _carried, _loss = "derivatives", "they"

    def __init__(self, coefficients: Sequence[object], level: float) -> None:
        self.coefficients, self.gradop_level = list(coefficients), level

    @property
    def parts(self) -> Sequence[object]:
        """The coefficients."""
        return self.coefficients

    def with_parts(self, parts: Sequence[object]) -> "Series":
        """Other coefficients at this level."""
        return Series(parts, self.gradop_level)

    @property
    def type(self) -> Any:
        """The type of each coefficient."""
        return type_of(self.coefficients[0])

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        level = max(a.gradop_level for a in args if isinstance(a, Series | Lazy))
        if any(isinstance(a, Lazy) and a.gradop_level == level for a in args):
            return Lazy.__gradop__(op, args, attrs)
        tower = Tower(level)
        y = tower.apply(op, [tower.to_lazy(a) for a in args], attrs)
        order = max(len(a.coefficients) for a in args if is_at(a, level))
        found = Series([y.term(k) for k in range(order)], level) if isinstance(y, Lazy) else y
        tower.close()
        return found

    def term(self, k: int) -> Any:
        """The coefficient of h**k."""
        return self.coefficients[k]

    def __repr__(self) -> str:
        return f"Series({self.coefficients!r})"


def is_at(a: object, level: float) -> bool:
    """True if an operand is a series of a level."""
    return isinstance(a, Series) and a.gradop_level == level


class Tower:
    """The series that one application of an op needs, each of them once. See Note [Series]."""

    def __init__(self, level: float) -> None:
        self.level = level
        self.made: dict[Any, Any] = {}
        self.operands: list[Any] = []  # kept, so that no other object gets the identity of one
        self.series: list[Lazy] = []

    def close(self) -> None:
        """Break the reference cycles between the series."""
        for x in self.series:
            x.find = x.shifted = None
        self.made.clear()
        self.operands.clear()
        self.series.clear()

    def to_lazy(self, a: Any) -> Any:
        """A series of this tower's level as a `Lazy`; other operands unchanged."""
        return Lazy(self, a.term) if is_at(a, self.level) else a

    def apply(self, op: Op, args: Sequence[object], attrs: Attrs) -> Any:
        """The result of `op` on operands that include series; cached."""
        key = op, tuple(map(id, args)), repr(sorted(attrs.items()))
        if key not in self.made:
            self.operands += args
            self.made[key] = first = op(*self.heads(args), **attrs)
            if carries_tangent(first):
                self.made[key] = y = Lazy(self, None)
                y.known = [first]
                y.find = self.rule(op, y, args, attrs)
        return self.made[key]

    def heads(self, args: Sequence[Any]) -> list[Any]:
        """The operands with the first coefficient of each series."""
        return [a.term(0) if self.has(a) else a for a in args]

    def rule(self, op: Op, y: "Lazy", args: Sequence[object], attrs: Attrs) -> Callable[[int], Any]:
        """A function that computes coefficient k >= 1 of `op` on series."""
        series = [i for i, a in enumerate(args) if self.has(a)]
        if op.name in PRODUCTS or (Trait.LINEAR in op.traits and len(series) > 1):
            return lambda k: product_coefficient(op, args, series, attrs, k)
        if not any(reads(op, i, len(args), "jvp") for i in series):
            return lambda k: affine_coefficient(op, y, self.heads(args), series, args, attrs, k)
        return rate_coefficient(op, y, args, series, attrs)

    def has(self, a: object) -> bool:
        """True if an operand is a series of this tower."""
        return isinstance(a, Lazy) and a.tower is self


PRODUCTS = frozenset({"mul", "strong_product"})


def product_coefficient(
    op: Op, args: Sequence[Any], series: Sequence[int], attrs: Attrs, k: int
) -> Any:
    """Coefficient k of an op that is linear in each series: a convolution of coefficients."""
    terms = []
    for orders in splits(k, len(series)):
        parts = list(args)
        for i, n in zip(series, orders, strict=True):
            parts[i] = args[i].term(n)
        terms.append(op(*parts, **attrs))
    return reduce(add, terms)


def splits(k: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write k as a sum of `parts` numbers."""
    if parts == 1:
        yield (k,)
        return
    for first in range(k + 1):
        for rest in splits(k - first, parts - 1):
            yield (first, *rest)


def affine_coefficient(
    op: Op, y: "Lazy", heads: Sequence[AnyArray], series: Sequence[int], args: Sequence[Any],
    attrs: dict[str, Any], k: int,
) -> Any:  # fmt: skip
    """Coefficient k of an op that is affine in its series: its JVP on their coefficients k."""
    rules = [(op.rule("jvp", i), args[i].term(k)) for i in series]
    found = [rule(t, y.term(0), *heads, **attrs) for rule, t in rules if rule]
    return tangent_like(reduce(add, found), y.term(0)) if found else zeros_like(y.term(0))


def rate_coefficient(
    op: Op, y: "Lazy", args: Sequence[Any], series: Sequence[int], attrs: Attrs
) -> Callable[[int], Any]:
    """A function that computes coefficient k from the derivative y', which JVP rules give."""

    @cache
    def rate() -> Any:
        rules = [(op.rule("jvp", i), args[i].derivative) for i in series]
        terms = [rule(t, y, *args, **attrs) for rule, t in rules if rule]
        return tangent_like(reduce(add, terms), y) if terms else zeros_like(y.term(0))

    def coefficient(k: int) -> Any:
        if y.tower.has(slope := rate()):
            return slope.term(k - 1) / k
        return slope if k == 1 else zeros_like(slope)

    return coefficient


class Lazy(Operators):
    """A series inside a tower whose coefficients are computed on demand."""

    __slots__ = ("find", "gradop_level", "known", "shifted", "tower")

    def __init__(self, tower: Tower, find: Callable[[int], Any] | None) -> None:
        self.tower, self.find, self.gradop_level = tower, find, tower.level
        self.known: list[Any] = []
        self.shifted: Lazy | None = None
        tower.series.append(self)

    @property
    def type(self) -> Any:
        """The type of each coefficient."""
        return type_of(self.term(0))

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        tower = next(a.tower for a in args if isinstance(a, Lazy))
        return tower.apply(op, args, attrs)

    @property
    def derivative(self) -> "Lazy":
        """The derivative of the series."""
        if self.shifted is None:
            self.shifted = Lazy(self.tower, lambda k: (k + 1) * self.term(k + 1))
        return self.shifted

    def term(self, k: int) -> Any:
        """The coefficient of h**k."""
        while len(self.known) <= k:
            assert self.find is not None
            self.known.append(self.find(len(self.known)))
        return self.known[k]


def jet(
    f: Callable[..., Any], primals: Sequence[object], series: Sequence[Sequence[Any]]
) -> tuple[Any, list[Any]]:
    """The value of `f` on a curve, and its derivatives of order 1 to n along the curve.

    The curve runs through `primals` with the derivatives `series`: for each primal a list of n, the
    first one the direction. Bettencourt, Johnson and Duvenaud, "Taylor-mode automatic
    differentiation for higher-order derivatives in JAX" (2019). Raises TransformError.

    >>> import numpy as np
    >>> y, ds = jet(lambda x: x * x * x, [np.array(2.0)], [[np.array(1.0), 0.0, 0.0]])
    >>> float(y), [float(d) for d in ds]
    (8.0, [12.0, 12.0, 6.0])
    """
    order = len(series[0]) if series else 0
    if len(series) != len(primals) or any(len(s) != order for s in series):
        raise TransformError(
            f"jet: {len(primals)} primals with series of {[len(s) for s in series]} derivatives"
            "\n  hint: give each primal a list of derivatives, all of one length"
        )
    level = next(levels)
    curves = [
        Series([x, *(tangent_like(d, x) / factorial(k) for k, d in enumerate(s, 1))], level)
        for x, s in zip(primals, series, strict=True)
    ]
    with at_level(level):
        leaves, rebuild = flatten(f(*curves))
    value = rebuild([y.term(0) if is_at(y, level) else y for y in leaves])
    return value, [
        rebuild([y.term(k) * factorial(k) if is_at(y, level) else zeros_like(y) for y in leaves])
        for k in range(1, order + 1)
    ]
