"""Products in logarithms: log(sum(exp(x[k] + m[k, j]))) over k for a matrix that no step changes.

Forward algorithms are loops over them. With the exponentials of the matrix, which are computed
once, a step takes those of a vector, a product by BLAS and logarithms of a vector.
"""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gradops import OPS, ArrayType, Op
from gradops.core.float_errors import without_float_errors
from gradops.core.rules import NO_RULES
from gradops.core.traits import Trait
from gradops.kernels.sums import TOP, logsumexp

from ...control.stacks import no_samples
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.layouts.values import WHOLE
from ..interface import Pass
from ..loops.editing import LoopEditor, Values, with_loops
from ..subgraphs import parameters_for

LEAST = {np.dtype("f8"): 1e-290, np.dtype("f4"): 1e-28}
"""Sums of exponentials down to which those that underflow are not missed."""
FEW = 64  # entries of which Python finds the largest sooner than NumPy


def exp_below_kernel(m: np.ndarray, top: np.ndarray) -> np.ndarray:
    """exp(m - top) of largest entries of columns; -1 everywhere if some of them is not finite."""
    if not np.isfinite(top).all():
        return np.full_like(m, -1)
    return np.asarray(without_float_errors(np.exp, m - top))


def log_matmul_kernel(
    x: np.ndarray, m: np.ndarray, exp_m: np.ndarray, top: np.ndarray, out: np.ndarray | None = None
) -> Any:
    """log(exp(x) @ exp(m)) by a product; entry by entry where that overflows or underflows."""
    y = without_float_errors(log_of_product, x, exp_m, top, out)
    if y is not None:
        return y
    return logsumexp(without_float_errors(np.add, x[..., None], m), -2, False, out)


def log_of_product(x: Any, exp_m: Any, top: Any, out: np.ndarray | None) -> Any:
    """log(exp(x) @ exp(m)); None if a sum is not large enough, or not a number."""
    if x.ndim == 1 and x.size <= FEW:
        y = np.subtract(x, shift := max(x.tolist()))
        y = np.exp(y, y).dot(exp_m)
        fine = min(y.tolist()) > LEAST[x.dtype]
    else:
        y = np.subtract(x, shift := TOP(x, -1, None, None, True))
        y = np.matmul(np.exp(y, y), exp_m)
        fine = (y > LEAST[x.dtype]).all()
    if not fine:
        return None
    np.add(np.log(y, y), top, y)
    return np.add(y, shift, y if out is None else out)


exp_below: Op = Op(
    "exp_below", exp_below_kernel, arity=2, traits=[Trait.LOWERED],
    infer=lambda m, top: m, vjp=NO_RULES, jvp=NO_RULES,
    doc="The exponentials of a matrix of which each column is divided by its largest.",
    samples=no_samples,
)  # fmt: skip
log_matmul: Op = Op(
    "log_matmul", log_matmul_kernel, arity=4, traits=[Trait.C_CONTIGUOUS, Trait.LOWERED],
    infer=lambda x, m, exp_m, top: ArrayType((*x.shape[:-1], m.shape[-1]), x.dtype),
    flops=lambda y, x, m, exp_m, top: 2 * math.prod(x.shape) * m.shape[-1],
    source="log_matmul({0}, {1}, {2}, {3}{out})", vjp=NO_RULES, jvp=NO_RULES,
    doc="The logarithms of a product of a vector and a matrix that are given as logarithms.",
    samples=no_samples,
)  # fmt: skip


class MultiplyLogs(Pass):
    """Compute logsumexp of a vector and an unchanging matrix in a loop by a product by BLAS.

    Where exponentials would underflow, which each step checks, it is computed entry by entry.
    """

    bound: ClassVar[float] = 8.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return with_loops(graph, with_products)


class Matrix(NamedTuple):
    """A matrix that all steps of a loop share; transposed if its rows are what is summed."""

    value: Expr
    transposed: bool


class Product(NamedTuple):
    """A product in logarithms: which operand of the sum is the vector, and the matrix."""

    vector: int
    matrix: Matrix


def with_products(loop: LoopEditor) -> Values | None:
    """The values of a loop whose steps multiply logarithms; None if none does."""
    body = loop.body
    shared = dict(zip(body.inputs[loop.end :], loop.operands[loop.end :], strict=True))
    found = {e: p for e in body.order if (p := product_in(e, shared))}
    if not found:
        return None
    matrices = dict.fromkeys(p.matrix for p in found.values())
    factors = [x for m in matrices for x in factors_of(m, shared, loop)]
    parameters = parameters_for(body, factors)
    step = Products(found, [*matrices], parameters).in_body(body)
    new = loop.rebuilt(step, [*loop.operands, *factors], loop.types)
    return loop.parts(new, range(len(loop.types)))


def product_in(e: Expr, shared: Container[Expr]) -> Product | None:
    """What logsumexp of a vector plus a matrix along one axis multiplies; None for others."""
    if e.op is not OPS["logsumexp"] or e.dtype not in LEAST or e.inputs[0].op is not OPS["add"]:
        return None
    (x,), axis = e.inputs, e.attrs["axis"]
    from_end = axis % len(x.shape) - len(x.shape) if isinstance(axis, int) else 0
    if len(x.shape) < 2 or from_end not in (-1, -2):
        return None
    for i, matrix in enumerate(x.inputs[::-1]):
        if matrix in shared and are_factors(x, x.inputs[i], matrix, from_end):
            return Product(i, Matrix(matrix, transposed=from_end == -1))
    return None


def are_factors(x: Expr, vector: Expr, matrix: Expr, axis: int) -> bool:
    """True if `x` is a matrix plus vectors along the axis that is summed."""
    n, k = x.shape[-2:]
    wanted = (1, k) if axis == -1 else (n, 1)
    known = all(isinstance(size, int) and size > 0 for size in (n, k))
    shape = vector.shape if len(vector.shape) > 1 else (1, *vector.shape)
    same = vector.dtype == matrix.dtype == x.dtype and matrix.shape == (n, k)
    return known and same and shape == (*x.shape[:-2], *wanted)


def factors_of(m: Matrix, shared: Mapping[Expr, Expr], loop: LoopEditor) -> Sequence[Expr]:
    """The matrix, its exponentials, and the largest of its columns: made before the loop."""
    matrix = shared[m.value]
    if m.transposed:
        matrix = loop.make("transpose", matrix, axes=(1, 0))
    top = loop.make("max", matrix, axis=0)
    return matrix, loop.make("exp_below", matrix, top), top


@dataclass(frozen=True, eq=False)
class Products:
    """Products of a body, their matrices, and three parameters for the factors of each matrix."""

    found: Mapping[Expr, Product]
    matrices: Sequence[Matrix]
    parameters: Sequence[Expr]

    def in_body(self, body: FrozenGraph) -> FrozenGraph:
        """The body with products, and the parameters behind its own."""
        wide = FrozenGraph(
            (*body.inputs, *self.parameters), body.outputs, measured=body.measured,
            merged=body.merged, sequence=(*self.parameters, *body.order), lowering=body.lowering,
        )  # fmt: skip
        new: dict[Expr, Expr] = {}

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            if e in self.found:
                factors = [new[p] for p in self.factors(self.found[e].matrix)]
                return product_of(e, inputs[0].inputs[self.found[e].vector], factors, intern)
            new[e] = intern.copy(e, inputs)
            return new[e]

        return wide.remade(make)

    def factors(self, matrix: Matrix) -> Sequence[Expr]:
        """The parameters for the factors of a matrix."""
        first = 3 * self.matrices.index(matrix)
        return self.parameters[first : first + 3]


def product_of(e: Expr, vector: Expr, factors: Sequence[Expr], intern: Interning) -> Expr:
    """The product in the place of `e`."""
    shape = (*e.inputs[0].shape[:-2], factors[0].shape[0])
    x = intern.reshape(without_new_axes(vector), shape, like=e)
    return intern.reshape(intern.apply("log_matmul", x, *factors, like=e), e.shape, like=e)


def without_new_axes(x: Expr) -> Expr:
    """The array that `x` is, but for axes of one entry."""
    while x.op is OPS["slice"] and all(part in (None, "...", WHOLE) for part in x.attrs["index"]):
        (x,) = x.inputs
    return x
