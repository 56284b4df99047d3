"""Solvers of one's own, as differentiable functions."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.levels import clock
from ...core.tree import flatten, leaves_of
from ...transforms.closing import is_operand
from .solving import solve
from .unknowns import Unknowns, as_vector

Function = Callable[..., Any]


def implicit(f: Function, solver: Function, tol: float = 1e-6) -> Function:
    """The solution x of f(x, *args) = 0 that a solver of one's own finds, as a function.

    `solver(f, x0, *args)` gets arrays, in the structure of the arguments of the call, and returns
    x; it may be any program, and is not differentiated. The result `implicit(f, solver)(x0, *args)`
    is a function of `args`, and of what `f` captures, by the implicit function theorem. If the
    norm of the residual is above `tol` times that of x, or 1, it counts as not converged, and its
    derivative warns. In a graph the solver is called when that runs, and the graph cannot be saved.

    >>> def halve(f, x0, a):
    ...     return np.sqrt(a)
    >>> root = implicit(lambda x, a: x * x - a, halve)
    >>> gradops.jvp(lambda a: root(np.array(1.0), a), [np.array(4.0)], [np.array(1.0)])
    (array(2.), array(0.25))
    """

    def find(x0: Any, *args: Any) -> Any:
        unknowns = Unknowns([x0])
        call = OwnSolver(solver, unknowns, args, tol)
        found = solve(
            "custom", [lambda xs, *others: as_vector(f(xs[0], *others))], unknowns, args,
            lambda bodies: bodies[:1], lambda bodies: bodies[0], {"call": call},
        )  # fmt: skip
        return found.structure[0]

    return find


class OwnSolver:
    """A call of a solver: from vectors and operands to the structures that it takes."""

    def __init__(
        self, solver: Function, unknowns: Unknowns, args: Sequence[Any], tol: float
    ) -> None:
        self.solver, self.tol, self.number = solver, tol, next(clock)
        self.shapes: Any = unknowns.shapes
        self.rebuild = unknowns.rebuild
        leaves, self.rebuild_args = flatten(tuple(args))
        self.at = [i for i, x in enumerate(leaves) if is_operand(x)]
        self.leaves = [None if i in self.at else x for i, x in enumerate(leaves)]

    def __call__(self, f: Any, x: np.ndarray, others: Sequence[Any]) -> np.ndarray:
        """The solution as a vector; `f` takes a vector and all operands after it."""
        own, captured = list(others[: len(self.at)]), others[len(self.at) :]

        def function(x: Any, *args: Any) -> Any:
            leaves = leaves_of(args)
            return f(vector_of(x), [leaves[i] for i in self.at] if args else own, captured)

        return vector_of(self.solver(function, self.unpack(x), *self.arguments(own)))

    def unpack(self, v: np.ndarray) -> Any:
        """The structure of the start, of a vector."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        parts = np.split(v, ends)
        pieces = [p.reshape(s) for p, s in zip(parts, self.shapes, strict=True)]
        return self.rebuild(pieces)[0]

    def arguments(self, own: Sequence[Any]) -> Any:
        """The arguments of the call with arrays as their operands."""
        leaves = list(self.leaves)
        for i, x in zip(self.at, own, strict=True):
            leaves[i] = x
        return self.rebuild_args(leaves)

    def __repr__(self) -> str:
        return f"<solver {getattr(self.solver, '__name__', 'of your own')}, call {self.number}>"


def vector_of(x: Any) -> np.ndarray:
    """A structure of arrays as one vector."""
    return np.concatenate([np.ravel(np.asarray(a, np.float64)) for a in leaves_of(x)])
