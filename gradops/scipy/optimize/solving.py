"""The way of all solvers: closed functions, a run, and its solution as a function of operands."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.op import PLAIN
from ...kernels.solvers.running import INFO, reports
from ...library.elementwise.comparison import not_equal
from ...library.index.indexing import index
from ...library.shape.creation import ones_like
from ...library.solvers.implicit import solution, solver, way_of_solving
from ...transforms.closing import Closed, close
from ...transforms.layers import constant
from .unknowns import Unknowns, pairs

Function = Callable[..., Any]
Bodies = Sequence[Any]


class Solved:
    """The solution that a solver found: `x` is a vector, in any mode, and `report` what it said."""

    def __init__(self, unknowns: Unknowns, closed: Closed, x: Any, info: Any, report: Any) -> None:
        self.unknowns, self.closed, self.x, self.info, self.report = (
            unknowns, closed, x, info, report
        )  # fmt: skip

    @property
    def is_plain(self) -> bool:
        """True if all operands are arrays, so that the report has all there is."""
        return type(self.x) in PLAIN and self.closed.like is None and not self.unknowns.has_holders

    @property
    def vector(self) -> Any:
        """The solution as one vector, a tensor where the program has tensors."""
        if self.unknowns.has_holders and self.unknowns.is_vector:
            return self.unknowns.unpack(self.x)
        return self.closed.alike(self.x)

    @property
    def structure(self) -> Any:
        """The solution in the form of the start."""
        return self.vector if self.unknowns.is_vector else self.unknowns.unpack(self.vector)

    @property
    def facts(self) -> dict[str, Any]:
        """Whether it converged, and the numbers of steps and evaluations, as operands."""
        success = not_equal(index(self.info, -INFO), 0.0)
        return {"success": success, "nit": index(self.info, 2 - INFO),
                "nfev": index(self.info, 3 - INFO)}  # fmt: skip

    def result(self, fun: Callable[[Any], Any], **more: Any) -> Any:
        """SciPy's OptimizeResult, in which `x` and `fun` are differentiable."""
        from scipy.optimize import OptimizeResult

        x = self.structure
        if self.report is None:
            return OptimizeResult(x=x, fun=fun(x), **self.facts, **more)
        known = {k: getattr(self.report, k) for k in dir(self.report) if k[0] != "_"}
        known = dict(self.report) if isinstance(self.report, Mapping) else known
        if self.is_plain:
            return OptimizeResult({**known, "x": x, **more})
        return OptimizeResult({**known, "x": x, "fun": fun(x), **more})


def solve(
    how: str, functions: Sequence[Function], unknowns: Unknowns, args: Sequence[Any],
    run: Callable[[Bodies], Sequence[Any]], equations: Callable[[Bodies], Any],
    options: Mapping[str, Any], extra: Sequence[Any] = (), by: Any = "",
) -> Solved:  # fmt: skip
    """Solve for unknowns: `run(bodies)` are the functions that the solver calls.

    `equations(bodies)` gives what is zero at the solution. `functions` take the unknowns in the
    form of the start, and `args`; `extra` operands are for the solver and the equations.
    """
    skip = len(extra)

    def of_vector(f: Function) -> Function:
        return lambda v, *others: f(unknowns.unpack(v), *others[skip:])

    closed = close([of_vector(f) for f in functions], (unknowns.start, *extra, *args))
    constants = map(constant, closed.operands)
    with reports() as found:
        solved = solver(
            *constants, functions=tuple(run(closed.bodies)), how=how, options=pairs(options),
            extra=skip,
        )  # fmt: skip
    by = by or way_of_solving(unknowns.start)
    x = solution(solved, *closed.operands[1:], function=equations(closed.bodies), by=by)
    report = found[-1] if found and not np.ndim(solved) > 1 else None
    return Solved(unknowns, closed, x, solved, report if is_single(solved) else None)


def is_single(solved: Any) -> bool:
    """True if a run was one run on arrays, so that the report of a solver belongs to it."""
    return type(solved) in PLAIN


def slope_of(body: Any, x: Any, *others: Any) -> tuple[Any]:
    """The derivative of each entry of a function by the entry of x at its place."""
    return body.tangents([0])(x, *others, ones_like(x))


def require_convergence(found: Solved, call: str, reason: str) -> None:
    """Raise RuntimeError, as SciPy does, if a solver did not converge."""
    if found.report is not None and not getattr(found.report, "success", True):
        residual = float(found.info[-3])
        raise RuntimeError(f"{call} failed to converge: {reason}; the residual is {residual:.3g}")
