"""Triangular matrices that are solved with often are inverted once: what is left are products.

A product takes a half to a tenth of the time of a solve: of a small one for what a call of LAPACK
costs, of one with many right sides for the rows that are substituted one after the other.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gradops import OPS, Op
from gradops.core.float_errors import without_float_errors
from gradops.core.rules import NO_RULES
from gradops.core.traits import Trait
from gradops.kernels.elementwise.guards import is_finite
from gradops.kernels.linalg.triangular import TINY, solve_triangular

from ...control.stacks import no_samples
from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ..interface import Pass

MOST = 64  # rows up to which solves are slow beside products
MANY = 4  # right sides for each row from which one solve is worth an inverse; of several, 1
FEW = 3  # solves by one matrix of up to `TINY` rows, which are fast, that are worth an inverse
FEW_OF_ENTRIES = 2  # those that are if the inverses of all steps can be computed before a loop
SOLVE = OPS["solve_triangular"]


def multiply_by_inverse(
    inverse: np.ndarray, a: np.ndarray, b: np.ndarray, lower: bool, unit_diagonal: bool,
    checked: bool, out: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """The solution of a @ x = b by the inverse; by a solve if that is not finite.

    Zeros of an inverse times infinity are NaN where a solve has numbers, and the inverse of a
    matrix near a singular one may overflow where solutions do not.
    """
    y, fine = without_float_errors(product, inverse, b, out)
    if not fine:
        y = solve_triangular(a, b, lower, unit_diagonal, checked)
        if out is not None:
            np.copyto(out, y)
    return y if out is None else out


def product(a: np.ndarray, b: np.ndarray, out: np.ndarray | None) -> tuple[np.ndarray, bool]:
    """A product, and True if all of it is finite."""
    y = a.dot(b, out=out) if a.ndim == b.ndim == 2 else np.matmul(a, b, out=out)
    return y, is_finite(y)


solve_by_inverse: Op = Op(
    "solve_by_inverse", multiply_by_inverse, arity=3,
    traits=[Trait.C_CONTIGUOUS, Trait.LOWERED],
    infer=lambda inverse, a, b, **attrs: SOLVE.infer(a, b, **attrs),
    flops=lambda y, inverse, a, b, **attrs: 2 * math.prod(y.shape) * a.shape[-1],
    source="solve_by_inverse({0}, {1}, {2}, lower={lower}, unit_diagonal={unit_diagonal},"
           " checked={checked}{out})",
    vjp=NO_RULES, jvp=NO_RULES,
    doc="The solutions of linear equations with triangular matrices, by their inverses.",
    samples=no_samples,
)  # fmt: skip


@dataclass(frozen=True)
class InvertFactors(Pass):
    """Invert triangular matrices with which many right sides are solved, in double precision.

    An inverse has the rounding errors of a solve with the columns of the identity. Errors of
    singular matrices are those of the solves. Matrices of less than `least` rows are left alone.
    """

    bound: ClassVar[float] = 64.0
    least: int = 1

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        groups: dict[Factor, list[Expr]] = {}
        for e in graph.order:
            if e.op is SOLVE and may_invert(e, self.least):
                groups.setdefault(factor_of(e), []).append(e)
        chosen = {e for f, solves in groups.items() if is_worth(f.matrix, solves) for e in solves}
        return graph.remade(Inverses(chosen).make) if chosen else graph


class Factor(NamedTuple):
    """A triangular matrix: a matrix that is no transpose, and which part of it is read."""

    matrix: Expr
    lower: bool
    unit_diagonal: bool


def may_invert(e: Expr, least: int) -> bool:
    """True for a small float64 solve of known size."""
    a, b = e.inputs
    rows = a.shape[-1]
    known = all(type(n) is int for n in (*a.shape, *b.shape))
    return known and least <= rows <= MOST and a.dtype == b.dtype == np.float64


def is_worth(matrix: Expr, solves: Sequence[Expr]) -> bool:
    """True if the right sides of a matrix are many beside its rows."""
    few = FEW_OF_ENTRIES if matrix.kind is Kind.PARAMETER else FEW
    if matrix.shape[-1] <= TINY and matrix.type.ndim == 2 and len(solves) < few:
        return False
    n = matrix.shape[-1] * math.prod(matrix.shape[:-2])
    sides = sum(e.shape[-1] * math.prod(e.shape[:-2]) for e in solves)
    return sides >= (n if len(solves) > 1 else MANY * n)


def factor_of(e: Expr, inputs: Iterable[Expr] = ()) -> Factor:
    """The matrix of a solve with these inputs, if they are not its own."""
    a, *_ = inputs or e.inputs
    lower = e.attrs["lower"]
    while is_swap(a):
        a, lower = a.inputs[0], not lower
    return Factor(a, lower, e.attrs["unit_diagonal"])


def is_swap(a: Expr) -> bool:
    """True for matrices that are transposed."""
    if a.op is None or a.op.name != "transpose":
        return False
    rank = a.type.ndim
    return a.attrs["axes"] == swapped(rank) or (a.attrs["axes"] is None and rank == 2)


def swapped(rank: int) -> tuple[int, ...]:
    """The axes with the last two exchanged."""
    return (*range(rank - 2), rank - 1, rank - 2)


class Inverses:
    """The inverses of the matrices of the chosen solves of a graph that is being remade."""

    def __init__(self, chosen: set[Expr]) -> None:
        self.chosen = chosen
        self.made: dict[Factor, Expr] = {}

    def make(self, e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
        """An expression on new inputs; a chosen solve as a product."""
        if e not in self.chosen:
            if inputs is e.inputs:
                intern.order[e] = None
                return e
            return intern.copy(e, inputs)
        factor = factor_of(e, inputs)
        inverse = self.made.get(factor)
        if inverse is None:
            inverse = self.made[factor] = inverse_of(factor, e, intern)
        if factor.lower != e.attrs["lower"]:
            inverse = intern.apply("transpose", inverse, axes=swapped(inverse.type.ndim), like=e)
        return intern.apply("solve_by_inverse", inverse, *inputs, like=e, **e.attrs)


def inverse_of(factor: Factor, e: Expr, intern: Interning) -> Expr:
    """The solutions for the columns of the identity, in the place of `e`; NaN if it is singular."""
    matrix, lower, unit_diagonal = factor
    one = intern.constant(np.eye(matrix.shape[-1]), like=e)
    attrs = {"lower": lower, "unit_diagonal": unit_diagonal, "checked": False}
    return intern.apply("solve_triangular", matrix, one, like=e, **attrs)
