"""Sparse derivatives of functions: compiled once for each kind of arguments."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradops import MixedOperandsError
from gradops.core.tracer_protocol import held, is_holder

from ..functions.traced_function import function
from ..ir.expr import Expr
from . import derivatives
from .derivatives import WATCHED, SparseDerivative

Function = Callable[..., Any]


class SparseFunction:
    """The sparse derivative of a function by its first argument, as a CSR array.

    Called with the function's arguments. The pattern, its colours and the compiled products are
    made for each kind of arguments, as those of `sg.function`; they are made again where indices or
    a mask that the function reads have changed.
    """

    def __init__(
        self, fn: Function, derivative: Callable[[Expr, Expr], SparseDerivative], backend: str
    ) -> None:
        functools.update_wrapper(self, fn)

        def entries(x: Any, *args: Any) -> Any:
            found = derivative(expression(fn(x, *args)), expression(x))
            return found.data, found.pattern.indices, found.pattern.indptr

        self.begin = functools.partial(function, entries, backend=backend)
        self.traced = self.begin()
        self.watched: list[tuple[np.ndarray, np.ndarray]] = []

    def __call__(self, x: Any, *args: Any) -> Any:
        """The derivative at `x`."""
        from scipy import sparse

        x = np.asarray(x) if isinstance(x, list | tuple) else x
        if any(not np.array_equal(now, then) for now, then in self.watched):
            self.traced, self.watched = self.begin(), []
        token = WATCHED.set([])
        try:
            values, indices, indptr = self.traced(x, *args)
            self.watched += [(a, a.copy()) for a in WATCHED.get() or ()]
        finally:
            WATCHED.reset(token)
        shape = len(indptr) - 1, int(np.prod(x.shape, dtype=int))
        return sparse.csr_array((np.asarray(values), indices, indptr), shape)

    def __repr__(self) -> str:
        return f"<sparse derivative of {getattr(self, '__name__', 'a function')}>"


def expression(y: Any) -> Expr:
    """The expression of what a function is given or returns, which may be inside a tensor."""
    while is_holder(y):
        y = held(y)
    if not isinstance(y, Expr):
        raise MixedOperandsError(
            "sparse derivative", [y], "the function's result does not depend on its argument",
            hint="it returns one array, computed by NumPy's functions or ours",
        )  # fmt: skip
    return y


def body_jacobian(body: Any) -> Function:
    """The sparse Jacobian of a body of one output by its first operand, as arrays in CSR order."""
    found = SparseFunction(lambda *xs: body(*xs)[0], derivatives.sparse_jacobian, "auto")

    def parts(*operands: Any) -> tuple[np.ndarray, ...]:
        matrix = found(*operands)
        return matrix.data, matrix.indices, matrix.indptr

    return parts


def either(name: str) -> Function:
    """A derivative of an expression by another one, or of a function."""
    of_expression = getattr(derivatives, name)

    @functools.wraps(of_expression)
    def derivative(y: Any, x: Expr | None = None, *, backend: str = "auto") -> Any:
        if isinstance(y, Expr):
            return of_expression(y, x)
        return SparseFunction(y, of_expression, backend)

    return derivative


sparse_jacobian = either("sparse_jacobian")
sparse_hessian = either("sparse_hessian")
