"""Patterns of derivatives of expressions, and their entries as expressions."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from gradops import ShapeError, concatenate, reshape
from gradops.core.errors import MissingExtraError
from gradops.core.levels import TRACING
from gradops.transforms.batching import vmap

from ..freezing.freezer import freeze
from ..ir.expr import Expr, Kind, as_exprs, common_names
from ..ir.names import Names
from ..ir.reachability import by_age, forward_dependencies, reachable
from ..transform.reverse import gradients, require_floats
from .compression import Plan, hessian_plan, jacobian_plan, rows_of, seeds
from .control import RULES
from .propagation import Propagation
from .row_sets import RowSets

WATCHED: ContextVar[list[np.ndarray] | None] = ContextVar("watched", default=None)
"""The arrays of indices and masks on which patterns depend that are found in this context."""

GIVEN = frozenset({Kind.PLACEHOLDER, Kind.VARIABLE, Kind.PARAMETER})


def sparsity(y: Expr, x: Expr) -> Any:
    """The pattern of the Jacobian of `y` by `x`: a CSR array of truth values, (y.size, x.size).

    It holds for all values of x and of other inputs, and is never too small. It is exact for
    elementwise operations, indexing, reductions, products with constants, and loops of known
    length; what it may have too much of is in its attribute `notes`, with the lines of the program.
    Raises ShapeError for unknown sizes. Needs SciPy.

    >>> x = sg.placeholder("float64", [4], name="x")
    >>> sg.sparsity(x[1:] - x[:-1], x).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    common_names("sparsity", [y, x])
    return pattern_of("sparsity", y, x)


def pattern_of(call: str, y: Expr, x: Expr) -> Any:
    """The pattern of a Jacobian, with notes of what it may have too much of."""
    require_floats([y], [x])
    for e in (y, x):
        if not all(isinstance(n, int) for n in e.shape):
            raise ShapeError(
                call, [e.label], "the pattern of a derivative needs the sizes of y and x",
                hint="give the axes sizes; the function form asks for none",
            )  # fmt: skip
    try:
        sets = RowSets(int(np.prod(x.shape, dtype=int)))
    except ImportError as error:
        raise MissingExtraError(call, "SciPy", "scipy") from error
    graph = freeze([y], [x, *inputs_of(y, x)])
    p = Propagation(sets, RULES)
    given = [sets.identity(), *(p.nothing(e) for e in graph.inputs[1:])]
    (ids,) = p.outputs(graph, given)
    pattern = sets.rows(ids).astype(bool)
    pattern.sort_indices()
    pattern.notes = tuple(p.notes.values())
    return pattern


def inputs_of(y: Expr, x: Expr) -> list[Expr]:
    """What `y` depends on beside x: placeholders, variables, arrays that a traced function reads.

    The values of such arrays are read anew in each call, so that no pattern may count on them, but
    for indices and masks: these become part of it, and of `WATCHED`.
    """
    arrays = getattr(TRACING.get(), "arrays", {}).values()
    read = {e for e, _ in arrays if e.dtype.kind not in "biu"}
    if (watched := WATCHED.get()) is not None:
        watched += [x for e, x in arrays if e.dtype.kind in "biu"]
    needed = reachable([y], [x], forward_dependencies)
    found = (e for e in needed if e.kind in GIVEN or e in read)
    return sorted((e for e in found if e is not x), key=by_age)


class SparseDerivative:
    """A sparse derivative of an expression: its pattern, and its entries as an expression.

    `data` has the entries in the order of CSR; `csr(values)` puts them into an array. `rows` and
    `columns` are the places of the entries, as solvers such as IPOPT take them. `products` is the
    number of products with vectors from which they are read.
    """

    def __init__(self, name: str, pattern: Any, plan: Plan, data: Expr) -> None:
        self.name, self.pattern, self.plan, self.data = name, pattern, plan, data

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        shape: tuple[int, int] = self.pattern.shape
        return shape

    @property
    def rows(self) -> np.ndarray:
        """The row of each entry."""
        return rows_of(self.pattern)

    @property
    def columns(self) -> np.ndarray:
        """The column of each entry."""
        columns: np.ndarray = self.pattern.indices
        return columns

    @property
    def products(self) -> int:
        """The number of products of the derivative with vectors."""
        return self.plan.forward + self.plan.reverse

    @property
    def notes(self) -> Sequence[str]:
        """Where the pattern may have too many entries."""
        notes: Sequence[str] = self.pattern.notes
        return notes

    def csr(self, values: np.ndarray) -> Any:
        """The values of `data` as a CSR array."""
        kind = type(self.pattern)
        return kind((values, self.pattern.indices, self.pattern.indptr), self.shape)

    def __repr__(self) -> str:
        entries, (m, n) = self.pattern.nnz, self.shape
        ways = [f"{k} {mode}" for k, mode in ((self.plan.forward, "forward"),
                                              (self.plan.reverse, "reverse")) if k]  # fmt: skip
        lines = [f"<{self.name} of {m} x {n} with {entries} entries, from"
                 f" {' and '.join(ways) or 'no'} products>"]  # fmt: skip
        return "\n".join([*lines, *(f"  maybe too many entries {note}" for note in self.notes)])


def sparse_jacobian(y: Expr, x: Expr) -> SparseDerivative:
    """The Jacobian of `y` by `x`, of shape (y.size, x.size), with the entries of its pattern alone.

    They are read from few products of the Jacobian with vectors, whichever of forward and reverse
    mode, or both, needs fewer. Raises ShapeError for unknown sizes. Needs SciPy.

    >>> x = sg.placeholder("float64", [4], name="x")
    >>> jacobian = sg.sparse_jacobian(x[1:] * x[:-1], x)
    >>> jacobian
    <Jacobian of 3 x 4 with 6 entries, from 2 forward products>
    >>> jacobian.csr(sg.compile(jacobian.data, [x])([1.0, 2.0, 3.0, 4.0])).toarray()
    array([[2., 1., 0., 0.],
           [0., 3., 2., 0.],
           [0., 0., 4., 3.]])
    """
    names = common_names("sparse_jacobian", [y, x])
    pattern = pattern_of("sparse_jacobian", y, x)
    plan = jacobian_plan(pattern)
    return SparseDerivative("Jacobian", pattern, plan, entries(names, y, x, plan))


def sparse_hessian(y: Expr, x: Expr) -> SparseDerivative:
    """The Hessian of a scalar `y` by `x`, with the entries of its pattern alone.

    They are read from few products with vectors; the symmetry is used. Raises ShapeError for
    unknown sizes, and for a y that is no scalar. Needs SciPy.

    >>> x = sg.placeholder("float64", [3], name="x")
    >>> hessian = sg.sparse_hessian(sg.reduce_sum(x[1:] * x[:-1] ** 2), x)
    >>> hessian.csr(sg.compile(hessian.data, [x])([1.0, 2.0, 3.0])).toarray()
    array([[4., 2., 0.],
           [2., 6., 4.],
           [0., 4., 0.]])
    """
    names = common_names("sparse_hessian", [y, x])
    if y.shape and y.shape != (1,):
        raise ShapeError("sparse_hessian", [y.label], "y is a scalar")
    require_floats([y], [x])
    (g,) = gradients(y, x, unconnected="zero")
    assert g is not None
    pattern = symmetric(pattern_of("sparse_hessian", g, x))
    plan = hessian_plan(pattern)
    return SparseDerivative("Hessian", pattern, plan, entries(names, g, x, plan))


def symmetric(pattern: Any) -> Any:
    """A pattern with the mirror images of its entries."""
    result = (pattern + pattern.T).tocsr()
    result.sort_indices()
    result.notes = pattern.notes
    return result


def entries(names: Names, y: Expr, x: Expr, plan: Plan) -> Expr:
    """The entries of a Jacobian as one vector, read from products."""
    given = [x, *inputs_of(y, x)]
    graph: Any = freeze([y], given)
    parts = []
    if plan.forward:
        vectors = seeds(plan.columns, tuple(map(int, x.shape)), x.dtype)
        parts.append(products(names, graph.tangents([0]), given, vectors))
    if plan.reverse:
        vectors = seeds(plan.rows, tuple(map(int, y.shape)), y.dtype)
        parts.append(products(names, graph.pullback([0]), given, vectors))
    if not parts:
        return as_exprs(names, [np.zeros(0, y.dtype), y])[0]
    flat = [reshape(part, shape=(-1,)) for part in parts]
    every = flat[0] if len(flat) == 1 else concatenate(flat)
    result: Expr = every[plan.places]
    return result


def products(names: Names, body: Any, given: Sequence[Expr], vectors: np.ndarray) -> Any:
    """The results of the linear map of a body for each of some vectors, as rows."""
    (stack,) = as_exprs(names, [vectors])
    return vmap(lambda v: body(*given, v)[0])(stack)
