"""Sparse derivatives from few products: the entries of a pattern, read from compressed ones.

A Jacobian times one vector for each colour of its columns has all its entries (A. R. Curtis, M. J.
D. Powell, J. K. Reid, On the estimation of sparse Jacobian matrices, IMA J. Appl. Math. 13, 1974);
so has the product of vectors for the colours of its rows with it. Where a few rows are dense, these
come from reverse mode and all others from forward mode.
"""

from typing import Any, NamedTuple

import numpy as np

from .coloring import alone, color_columns, color_symmetric


class Plan(NamedTuple):
    """Colours of columns for forward mode, of rows for reverse mode, and where entries are read.

    A colour of -1 takes no part. `places` are those of the entries of the pattern, in its order,
    among the products: forward ones first, row by row.
    """

    columns: np.ndarray
    rows: np.ndarray
    places: np.ndarray

    @property
    def forward(self) -> int:
        """The number of products with vectors."""
        return int(self.columns.max(initial=-1)) + 1

    @property
    def reverse(self) -> int:
        """The number of products of vectors with the Jacobian."""
        return int(self.rows.max(initial=-1)) + 1


def rows_of(pattern: Any) -> np.ndarray:
    """The row of each entry of a CSR pattern."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))


def without_empty(colors: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Colours, -1 for what has no entries."""
    return np.where(np.bincount(used, minlength=colors.size) > 0, colors, -1)


def jacobian_plan(pattern: Any) -> Plan:
    """The plan of a Jacobian with the fewest products."""
    m = pattern.shape[0]
    counts, lanes = np.diff(pattern.indptr), np.bincount(pattern.indices)
    least = int(counts.max(initial=0)), int(lanes.max(initial=0))  # colours of columns, of rows
    first = np.full(m, least[1] < least[0])
    plans = [plan_of(pattern, first)]
    if products(plans[0]) > max(least):
        plans.append(plan_of(pattern, ~first))
    heavy = counts > 4 * np.median(counts) + 8 if m else np.zeros(0, bool)
    if heavy.any() and not heavy.all():
        plans.append(plan_of(pattern, heavy))
    return min(plans, key=products)


def products(plan: Plan) -> int:
    """The number of products of a plan."""
    return plan.forward + plan.reverse


def plan_of(pattern: Any, reverse: np.ndarray) -> Plan:
    """The plan in which the rows of `reverse` come from reverse mode, and others from forward."""
    (m, n), rows = pattern.shape, rows_of(pattern)
    columns, colors = np.full(n, -1), np.full(m, -1)
    if not reverse.all():
        forward = pattern if not reverse.any() else pattern[~reverse]
        columns = without_empty(color_columns(forward), forward.indices)
    if reverse.any():
        back = pattern[reverse]
        colors[reverse] = without_empty(color_columns(back.T.tocsr()), rows_of(back))
    count = int(columns.max(initial=-1)) + 1
    forth = columns[pattern.indices] * m + rows
    places = count * m + colors[rows] * n + pattern.indices
    return Plan(columns, colors, np.where(reverse[rows], places, forth))


def hessian_plan(pattern: Any) -> Plan:
    """The plan of a symmetric matrix, whose entries may be read in those of their mirror images."""
    n, rows, columns = pattern.shape[0], rows_of(pattern), pattern.indices
    colors = without_empty(color_symmetric(pattern), columns)
    own = alone(pattern, colors)
    places = np.where(own, colors[columns] * n + rows, colors[rows] * n + columns)
    return Plan(colors, np.full(n, -1), places)


def seeds(colors: np.ndarray, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """A vector of zeros and ones for each colour, in the shape of an operand."""
    count = int(colors.max(initial=-1)) + 1
    result = np.zeros((count, colors.size), dtype)
    taken = np.flatnonzero(colors >= 0)
    result[colors[taken], taken] = 1
    return result.reshape(count, *shape)
