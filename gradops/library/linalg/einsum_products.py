"""Einstein summation by other ops: matrix products where indices are summed, else products."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...core.types import shape_of
from ...typing import AnyArray
from ..index.diagonals import diagonal
from ..reduce.reduction import sum
from ..shape.movement import expand_dims, reshape, transpose
from .contraction import matmul

Term = tuple[AnyArray, str]
"""An array, and a letter for each of its axes."""


def by_products(xs: Sequence[AnyArray], terms: Sequence[str], output: str) -> AnyArray:
    """The operands joined one after the other."""
    x, term = on_diagonals(xs[0], terms[0])
    for k in range(1, len(xs)):
        later = set(output).union(*terms[k + 1 :])
        x, term = joined((x, term), on_diagonals(xs[k], terms[k]), later)
    x, term = summed((x, term), output)
    return arranged(x, term, output)


def on_diagonals(x: AnyArray, term: str) -> Term:
    """Each letter once: entries off the diagonal of equal letters are left out."""
    while repeated := next((c for c in term if term.count(c) > 1), None):
        i = term.index(repeated)
        k = term.index(repeated, i + 1)
        x = diagonal(x, axis1=i, axis2=k)
        term = "".join(c for j, c in enumerate(term) if j not in (i, k)) + repeated
    return x, term


def summed(part: Term, kept: Iterable[str]) -> Term:
    """The sum over all indices but some."""
    x, term = part
    gone = tuple([i for i, c in enumerate(term) if c not in {*kept}])
    if not gone:
        return x, term
    return sum(x, axis=gone), "".join(c for c in term if c in {*kept})


def arranged(x: AnyArray, term: str, order: str) -> AnyArray:
    """The axes in another order."""
    return x if term == order else transpose(x, axes=tuple([term.index(c) for c in order]))


def joined(left: Term, right: Term, later: set[str]) -> Term:
    """The product of two operands, summed over the indices that nothing reads later."""
    left, right = summed(left, {*right[1]} | later), summed(right, {*left[1]} | later)
    (x, t), (y, u) = left, right
    shared = [c for c in t if c in u]
    sizes = dict(zip(t, shape_of(x), strict=True))
    others = dict(zip(u, shape_of(y), strict=True))
    over = "".join(c for c in shared if c not in later)
    if over and all(sizes[c] == others[c] for c in shared):
        stacks = "".join(c for c in shared if c in later)
        return multiplied(left, right, stacks, over)
    letters = t + "".join(c for c in u if c not in t)
    return summed((spread(x, t, letters) * spread(y, u, letters), letters), later)


def multiplied(left: Term, right: Term, stacks: str, over: str) -> Term:
    """The product of matrices, or of stacks of them."""
    (x, t), (y, u) = left, right
    rows, columns = ("".join(c for c in v if c not in stacks + over) for v in (t, u))
    sizes: dict[str, Any] = dict(zip(t + u, (*shape_of(x), *shape_of(y)), strict=True))
    x = merged(arranged(x, t, stacks + rows + over), sizes, (*stacks, rows, over))
    y = merged(arranged(y, u, stacks + over + columns), sizes, (*stacks, over, columns))
    letters = stacks + rows + columns
    return merged(matmul(x, y), sizes, tuple(letters)), letters


def merged(x: AnyArray, sizes: dict[str, Any], axes: Sequence[str]) -> AnyArray:
    """An array with one axis for each group of letters."""
    shape = []
    for group in axes:
        n = 1
        for c in group:
            n *= sizes[c]
        shape.append(n)
    return x if tuple(shape) == tuple(shape_of(x)) else reshape(x, shape=tuple(shape))


def spread(x: AnyArray, term: str, letters: str) -> AnyArray:
    """An array with an axis for each letter, of size 1 for those that it lacks."""
    x = arranged(x, term, "".join(c for c in letters if c in term))
    missing = tuple([i for i, c in enumerate(letters) if c not in term])
    return expand_dims(x, axis=missing) if missing else x
