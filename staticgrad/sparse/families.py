"""Which entries of operands the entries of an op's result depend on, by families of ops.

Note [Dependence]. An elementwise op's entry depends on the entries at its place, a reduction's on
those that it combines, a product's on a row and a column. What only moves entries, and sums of
moved ones, are found out by running the op on numbers: with the entries numbered, a result that is
moved has their numbers, and the cotangents of a sum have those of the results. A second run on
other numbers makes sure. Of all other ops each entry depends on all entries, which is never too
little.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import Op
from gradops.core.op import compute
from gradops.core.traits import Trait

from ..ir.expr import Expr
from .row_sets import Ids, RowSets

Known = Any  # the value of an operand that depends on no input, or None

PRODUCTS = frozenset({"mul", "strong_product"})
ROWS = frozenset({"matmul", "layer_product"})
LANES = frozenset({"along an axis", "sorting"})  # families
SLOPES = frozenset({"softmax_slope", "log_softmax_slope"})
CUMULATIVE = frozenset({"cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"})
LONG = 1500  # lanes of cumulative ops up to which an entry depends on those before it alone
MOVERS = frozenset({"pad", "set_at", "add_at", "copy_slices"})  # beside those with a trait


class Application:
    """An op applied: its operands' types, the numbers of their sets, and values that are known."""

    def __init__(
        self, sets: RowSets, e: Expr, ids: Sequence[Ids], known: Sequence[Known],
        attrs: dict[str, Any],
    ) -> None:  # fmt: skip
        assert e.op is not None
        self.sets, self.e, self.ids, self.known, self.attrs = sets, e, list(ids), known, attrs
        self.op: Op = e.op
        self.shape = tuple(map(int, e.shape))
        self.shapes = [tuple(map(int, x.shape)) for x in e.inputs]
        self.size = int(np.prod(self.shape))

    @property
    def floats(self) -> list[int]:
        """The operands that are floats."""
        return [i for i, x in enumerate(self.e.inputs) if x.dtype.kind in "fc"]

    @property
    def active(self) -> list[int]:
        """The operands that depend on x, and on which the result depends."""
        return [i for i, ids in enumerate(self.ids) if ids.any() and has_rule(self.op, i)]

    def total(self, parts: Sequence[Ids]) -> Ids:
        """The unions of the dependences on several operands."""
        result = np.zeros(self.size, np.int64)
        for ids in parts:
            result = self.sets.union(result, ids)
        return result


def has_rule(op: Op, i: int) -> bool:
    """True if the result has a derivative by an operand."""
    return len(op.jvp) > i and op.jvp[i] is not None


def dependence(a: Application) -> tuple[Ids, bool]:
    """The sets of a result, and whether they are more than what is sure to be too many."""
    if not a.active or Trait.OF_TYPE in a.op.traits:
        return np.zeros(a.size, np.int64), True
    for family in (elementwise, reduction, contraction, lanes, moved, summed):
        found = family(a)
        if found is not None:
            return found, True
    every = a.sets.everything(np.concatenate([a.ids[i] for i in a.active]))
    return np.full(a.size, every), a.size <= 1


def elementwise(a: Application) -> Ids | None:
    """An entry depends on the entries at its place; not where it is multiplied by 0."""
    if Trait.ELEMENTWISE not in a.op.traits:
        return None
    parts = []
    for i in a.active:
        ids = np.broadcast_to(a.ids[i].reshape(a.shapes[i]), a.shape).ravel()
        if (mask := used(a, i)) is not None:
            ids = np.where(np.broadcast_to(mask, a.shape).ravel(), ids, 0)
        parts.append(ids)
    return a.total(parts)


def used(a: Application, i: int) -> Any:
    """Where an operand counts, if another one that is known says so."""
    if a.op.name in PRODUCTS and a.known[1 - i] is not None:
        return a.known[1 - i] != 0
    if a.op.name in ("where", "masked") and a.known[0] is not None:
        return a.known[0] if i == 1 else np.logical_not(a.known[0])
    return None


def reduction(a: Application) -> Ids | None:
    """An entry depends on those along the axes."""
    if Trait.REDUCTION not in a.op.traits:
        return None
    shape, axis = a.shapes[0], a.attrs.get("axis")
    axes = range(len(shape)) if axis is None else [k % len(shape) for k in np.atleast_1d(axis)]
    kept = [1 if k in axes else n for k, n in enumerate(shape)]
    groups = np.broadcast_to(np.arange(a.size).reshape(kept), shape).ravel()
    return a.sets.together(a.ids[0], groups, a.size)


def lanes(a: Application) -> Ids | None:
    """An entry depends on those along an axis."""
    axis = a.attrs.get("axis", -1)
    if not isinstance(axis, int) or any(s != a.shape for s in a.shapes):
        return None
    if a.op.name in CUMULATIVE and a.shape[axis] <= LONG:
        return cumulative(a, axis)
    if a.op.family not in LANES and a.op.name not in SLOPES:
        return None
    kept = [1 if k == axis % len(a.shape) else n for k, n in enumerate(a.shape)]
    count = int(np.prod(kept))
    lane = np.broadcast_to(np.arange(count).reshape(kept), a.shape).ravel()
    return a.total([a.sets.together(a.ids[i], lane, count)[lane] for i in a.active])


def cumulative(a: Application, axis: int) -> Ids:
    """An entry depends on itself and on those before it."""
    places = np.moveaxis(np.arange(a.size).reshape(a.shape), axis, -1).reshape(-1, a.shape[axis])
    to, earlier = np.tril_indices(a.shape[axis])
    members, groups = places[:, earlier].ravel(), places[:, to].ravel()
    return a.sets.together(a.ids[0][members], groups, a.size)


def contraction(a: Application) -> Ids | None:
    """An entry depends on a row and a column; of a known matrix only where it is not 0."""
    if a.op.name == "einsum":
        return einsum(a)
    if a.op.name not in ROWS:
        return None
    left, right = (as_matrices(s, k) for k, s in enumerate(a.shapes))
    full = (*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1])
    parts = []
    for i in a.active:
        shape, other = (left, right)[i], a.known[1 - i]
        if other is not None and np.ndim(other) == 2 and len(shape) == 2:
            parts.append(by_matrix(a, i, np.asarray(other) != 0, shape))
        else:
            parts.append(combined(a, i, shape, [-2 if i else -1], full))
    return a.total(parts)


def combined(
    a: Application, i: int, shape: tuple[int, ...], axes: Sequence[int], full: tuple[int, ...]
) -> Ids:
    """The unions of an operand's sets along axes, repeated to a shape."""
    dropped = {k % len(shape) for k in axes}
    kept = [1 if k in dropped else n for k, n in enumerate(shape)]
    count = int(np.prod(kept))
    groups = np.broadcast_to(np.arange(count).reshape(kept), shape).ravel()
    ids = a.sets.together(a.ids[i], groups, count).reshape(kept)
    return np.broadcast_to(ids, full).ravel()


def einsum(a: Application) -> Ids | None:
    """An entry depends on those of each operand at its place, along the axes that are summed."""
    terms, out = a.attrs["subscripts"].split("->")
    each = terms.split(",")
    if any(len(set(term)) < len(term) for term in each):
        return None
    return a.total([of_term(a, i, each[i], out) for i in a.active])


def of_term(a: Application, i: int, term: str, out: str) -> Ids:
    """The dependence of an einsum on one operand, whose axes have the letters of `term`."""
    letters = [*(x for x in out if x in term), *(x for x in term if x not in out)]
    ids = a.ids[i].reshape(a.shapes[i]).transpose([term.index(x) for x in letters])
    kept = ids.shape[: len(letters) - sum(x not in out for x in term)]
    count = int(np.prod(kept))
    groups = np.repeat(np.arange(count), ids.size // max(count, 1))
    sizes = iter(kept)
    wide = [next(sizes) if x in term else 1 for x in out]
    together = a.sets.together(ids.ravel(), groups, count)
    return np.broadcast_to(together.reshape(wide), a.shape).ravel()


def as_matrices(shape: tuple[int, ...], k: int) -> tuple[int, ...]:
    """The shape of an operand of a product, with the axis that a vector lacks."""
    if len(shape) > 1:
        return shape
    return (*shape, 1) if k else (1, *shape)


def by_matrix(a: Application, i: int, mask: np.ndarray, shape: tuple[int, ...]) -> Ids:
    """The dependence on an operand that is multiplied by a known matrix."""
    rows, inner = np.nonzero(mask if i else mask.T)
    lanes = shape[1] if i else shape[0]
    lane = np.arange(lanes)
    members = inner[:, None] * lanes + lane if i else inner[:, None] + lane * shape[1]
    width = mask.shape[0] if i else mask.shape[1]
    groups = rows[:, None] * lanes + lane if i else rows[:, None] + lane * width
    return a.sets.together(a.ids[i][members.ravel()], groups.ravel(), a.size)


def moved(a: Application) -> Ids | None:
    """Entries are those of operands, or zero."""
    has_trait = not a.op.traits.isdisjoint({Trait.LINEAR, Trait.MOVING, Trait.VIEW})
    if not (has_trait or a.op.name in MOVERS) or not is_told(a):
        return None
    numbers, start = list(a.known), 1
    flat = [np.zeros(1, np.int64)]
    for i in a.floats:
        n = a.ids[i].size
        numbers[i] = np.arange(start, start + n, dtype=np.float64).reshape(a.shapes[i])
        start += n
        flat.append(a.ids[i])
    other = np.random.default_rng(0).uniform(1, 2, start)
    other[0] = 0
    places = run(a, numbers)
    if places is None or not is_number(places, start):
        return None
    places = places.astype(np.int64).ravel()
    again = run(a, [other[x.astype(np.int64)] if i in a.floats else x
                    for i, x in enumerate(numbers)])  # fmt: skip
    if again is None or not np.array_equal(np.ravel(again), other[places]):
        return None
    return np.concatenate(flat)[places]


def summed(a: Application) -> Ids | None:
    """Entries are sums of moved entries of operands."""
    if Trait.LINEAR not in a.op.traits or not is_told(a):
        return None
    numbers = np.arange(1, a.size + 1, dtype=np.float64).reshape(a.shape)
    other = np.random.default_rng(0).uniform(1, 2, a.size + 1)
    other[0] = 0
    parts = []
    for i in a.active:
        places, again = (cotangent(a, i, g) for g in (numbers, other[numbers.astype(np.int64)]))
        if places is None or not is_number(places, a.size + 1):
            return None
        groups = places.astype(np.int64).ravel()
        if not np.array_equal(np.ravel(again), other[groups]):
            return None
        parts.append(a.sets.together(a.ids[i], groups - 1, a.size))
    return a.total(parts)


def is_told(a: Application) -> bool:
    """True if all operands that are no floats, such as indices, are known."""
    return all(i in a.floats or x is not None for i, x in enumerate(a.known))


def is_number(x: np.ndarray, end: int) -> bool:
    """True if all entries are whole numbers from 0 to `end`, without it."""
    return bool(((x >= 0) & (x < end) & (x == np.rint(x))).all())


def quietly(f: Callable[[], Any]) -> Any:
    """A result as an array of floats; None if the op refuses what it gets."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(f(), np.float64)
    except Exception:
        return None


def run(a: Application, operands: Sequence[Any]) -> Any:
    """The op's result for operands; None if it refuses them, or gives another shape."""
    found = quietly(lambda: compute(a.op, list(operands), a.attrs))
    return found if found is not None and found.shape == a.shape else None


def cotangent(a: Application, i: int, g: np.ndarray) -> Any:
    """The cotangent of an operand; None if the rule refuses."""
    pairs = enumerate(zip(a.shapes, a.known, strict=True))
    values = [np.ones(s) if i in a.floats else x for i, (s, x) in pairs]
    y = np.ones(a.shape)
    found = quietly(lambda: a.op.pull([i], g, (y, *values), a.attrs)[0])
    return found if found is not None and found.shape == a.shapes[i] else None
