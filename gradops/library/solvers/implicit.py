"""Solutions of equations, with derivatives by the implicit function theorem.

Note [Implicit]. A solution x of F(x, a) = 0 is a function of a, whatever found it. With J the
partial derivative of F by x, a tangent b of a gives the tangent -J^-1 F_a b of x, and a cotangent g
of x the cotangent -F_a^T J^-T g of a. So there are two ops: `solver` runs, without a derivative,
and `solution` is its result as a function of a. The rules read the solution and F alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.errors import MissingRuleError
from ...core.op import Op
from ...core.rules import NO_RULES, JointJVP, JointVJP
from ...core.traits import Trait
from ...core.types import ArrayType, shape_of
from ...kernels.solvers import linear
from ...kernels.solvers.krylov import Method
from ...kernels.solvers.running import INFO
from ...kernels.solvers.table import run_solver
from ...typing import AnyArray, Wanted
from ..elementwise.arithmetic import div
from ..linalg.contraction import matmul
from ..shape.creation import ones_like
from ..shape.movement import expand_dims
from ..shape.rearrange import matrix_transpose
from .examples import each_example, no_samples

__all__: list[str] = []

MANY = 1000  # unknowns, from which equations are solved without a matrix


solver = Op(
    "solver", run_solver, arity=None, traits=[Trait.CONTROL, Trait.CHECKING],
    infer=lambda x, *others, **attrs: ArrayType((x.shape[0] + INFO,), np.float64),
    vjp=NO_RULES, jvp=NO_RULES, batch=each_example, samples=no_samples,
    doc="The run of a solver, without a derivative: see `solution`.",
)


def implicit_solve_vjp(
    wanted: Wanted, g: AnyArray, y: AnyArray, solved: AnyArray, a: AnyArray, b: AnyArray
) -> list[Any]:
    """For b the solution with the transposed matrix; for a that times the solution."""
    ct = implicit_solve(solved, matrix_transpose(a), g)
    outer = lambda: -expand_dims(ct, axis=1) * expand_dims(y, axis=0)
    return [None if i == 0 else outer() if i == 1 else ct for i in wanted]


implicit_solve = Op(
    "implicit_solve", linear.solve_implicit, arity=3, traits=[Trait.CONTROL, Trait.CHECKING],
    infer=lambda solved, a, b: ArrayType(b.shape, np.result_type(a.dtype, b.dtype)),
    vjp=JointVJP(implicit_solve_vjp),
    jvp=[None, lambda t, y, solved, a, b: -implicit_solve(solved, a, matmul(t, y)),
         lambda t, y, solved, a, b: implicit_solve(solved, a, t)],
    batch=each_example, samples=no_samples,
    doc="The solution of equations with the Jacobian at the solution of others.",
)  # fmt: skip


def implicit_krylov_vjp(
    wanted: Wanted, g: AnyArray, y: AnyArray, solved: AnyArray, b: AnyArray, *operands: AnyArray,
    product: Any, transposed: Any, method: Method | None,
) -> list[Any]:  # fmt: skip
    """For b the solution of the transposed equations; for operands of the map that pulled back."""
    back = method and method.transposed
    ct = implicit_krylov(
        solved, g, *operands, product=transposed, transposed=product, method=back
    )
    asked = [i - 2 for i in wanted if i > 1]
    cts = iter(product.pullback(asked)(*operands, y, -ct) if asked else ())
    return [None if i == 0 else ct if i == 1 else next(cts) for i in wanted]


def implicit_krylov_jvp(
    tangents: Mapping[int, AnyArray], y: AnyArray, solved: AnyArray, b: AnyArray,
    *operands: AnyArray, product: Any, transposed: Any, method: Method | None,
) -> AnyArray | None:  # fmt: skip
    """The solution for the change of the right side, that of the map included."""
    active = sorted(i - 2 for i in tangents if i > 1)
    change: Any = tangents.get(1)
    if active:
        moved = product.tangents(active)(*operands, y, *[tangents[i + 2] for i in active])[0]
        change = -moved if change is None else change - moved
    if change is None:
        return None
    return implicit_krylov(
        solved, change, *operands, product=product, transposed=transposed, method=method
    )


implicit_krylov = Op(
    "implicit_krylov", linear.solve_by_products, arity=None,
    traits=[Trait.CONTROL, Trait.CHECKING],
    infer=lambda solved, b, *operands, **attrs: ArrayType(b.shape, b.dtype),
    vjp=JointVJP(implicit_krylov_vjp), jvp=JointJVP(implicit_krylov_jvp),
    batch=each_example, samples=no_samples,
    doc="As `implicit_solve`, for many unknowns: products with the Jacobian, and no matrix.",
)


def implicit_divide(solved: AnyArray, slope: AnyArray, b: AnyArray) -> AnyArray:
    """The quotient b / slope; at the slope of an equation of one unknown, at its solution."""
    return div(b, checked_slope(slope, solved))


checked_slope = Op(
    "checked_slope", linear.checked_slope, arity=2, traits=[Trait.CONTROL, Trait.CHECKING],
    infer=lambda slope, solved: slope,
    vjp=[lambda g, y, slope, solved: g, None], jvp=[lambda t, y, slope, solved: t, None],
    batch=each_example, samples=no_samples,
    doc="The slopes of equations at their solutions; none of them may be zero.",
)


checked_residual = Op(
    "checked_residual", linear.checked_residual, arity=2, traits=[Trait.CONTROL, Trait.CHECKING],
    infer=lambda solved, residual: solved, vjp=NO_RULES, jvp=NO_RULES,
    batch=each_example, samples=no_samples,
    doc="What a solver found; the residual there must still be as small as it was.",
)


def solve_with_jacobian(
    f: Any, solved: AnyArray, b: AnyArray, operands: Sequence[AnyArray], by: str | Method,
    transposed: bool,
) -> AnyArray:  # fmt: skip
    """The solution v of J v = b, or J^T v = b, with the Jacobian J of a body by its first operand.

    `by` is "matrix", "products" or a method of products, or "entries" where each entry of the
    result depends on the entry of x at its place alone. Any other text is the reason why there is
    no derivative.
    """
    if isinstance(by, str) and by not in ("entries", "products", "matrix"):
        raise MissingRuleError("solution", "vjp" if transposed else "jvp", hint=by)
    if not f.is_frozen:
        solved = checked_residual(solved, *f(*operands))
    if by == "entries":
        x = operands[0]
        (slope,) = f.tangents([0])(*operands, ones_like(x))
        return implicit_divide(solved, slope, b)
    if by == "products" or isinstance(by, Method):
        return solve_by_products(f, solved, b, operands, by, transposed)
    (a,) = f.jacobian()(*operands)
    return implicit_solve(solved, matrix_transpose(a) if transposed else a, b)


def solve_by_products(
    f: Any, solved: AnyArray, b: AnyArray, operands: Sequence[AnyArray], by: str | Method,
    transposed: bool,
) -> AnyArray:  # fmt: skip
    """The solution v of J v = b, or J^T v = b, by products with J or its transpose."""
    method = by if isinstance(by, Method) else None
    forth = f.tangents([0])
    back = forth if method is not None and method.is_symmetric else f.pullback([0])
    if transposed:
        forth, back, method = back, forth, method and method.transposed
    return implicit_krylov(solved, b, *operands, product=forth, transposed=back, method=method)


def solution_vjp(
    wanted: Wanted, g: AnyArray, y: AnyArray, solved: AnyArray, *others: AnyArray, function: Any,
    by: str | Method,
) -> list[Any]:  # fmt: skip
    """The cotangents of what the equations depend on. See Note [Implicit]."""
    operands, asked = (y, *others), [i for i in wanted if i]
    if not asked:
        return [None] * len(wanted)
    ct = solve_with_jacobian(function, solved, g, operands, by, transposed=True)
    cts = iter(function.pullback(asked)(*operands, -ct))
    return [next(cts) if i else None for i in wanted]


def solution_jvp(
    tangents: Mapping[int, AnyArray], y: AnyArray, solved: AnyArray, *others: AnyArray,
    function: Any, by: str | Method,
) -> AnyArray | None:  # fmt: skip
    """The tangent of the solution. See Note [Implicit]."""
    operands, active = (y, *others), sorted(i for i in tangents if i)
    if not active:
        return None
    (t,) = function.tangents(active)(*operands, *[tangents[i] for i in active])
    return -solve_with_jacobian(function, solved, t, operands, by, transposed=False)


solution = Op(
    "solution", lambda *operands, function, by: operands[0][:-INFO], arity=None,
    traits=[Trait.CONTROL],
    infer=lambda solved, *others, **attrs: ArrayType((solved.shape[0] - INFO,), solved.dtype),
    vjp=JointVJP(solution_vjp), jvp=JointJVP(solution_jvp), batch=each_example, samples=no_samples,
    doc="The solution that a solver found, as a function of what its equations depend on.",
)


def way_of_solving(x: AnyArray) -> str:
    """How the linear equations for the derivatives of a solution like `x` are solved."""
    n = shape_of(x)[0]
    return "products" if isinstance(n, int) and n > MANY else "matrix"
