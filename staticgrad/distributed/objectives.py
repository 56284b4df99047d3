"""An objective over blocks of data, with derivatives by one vector, for SciPy's solvers."""

from collections.abc import Callable
from typing import Any, NoReturn, Protocol

import numpy as np

from gradops.core.errors import OptionError
from gradops.core.tree import leaves_of
from gradops.scipy.arguments import Packing
from gradops.scipy.solvers import Derivatives

Function = Callable[..., Any]


class Objective(Protocol):
    """A value with its gradient, and products with the Hessian, in structures of arrays."""

    def __call__(self, parameters: Any) -> tuple[np.ndarray, Any]:
        """The value and the gradient."""

    def hvp(self, parameters: Any, vector: Any) -> Any:
        """The product of the Hessian with a vector."""


def derivatives_by_vector(objective: Objective, packing: Packing) -> Derivatives:
    """The derivatives of an objective by the vector that a structure is packed into."""

    def both(x: np.ndarray) -> tuple[Any, np.ndarray]:
        value, gradient = objective(packing.unpack(x))
        return value, packed(gradient)

    def product(x: np.ndarray, v: np.ndarray) -> np.ndarray:
        return packed(objective.hvp(packing.unpack(x), packing.unpack(v)))

    def hessian(x: np.ndarray) -> np.ndarray:
        return np.stack([product(x, unit) for unit in np.eye(len(x))])

    return Derivatives(
        value=lambda f: lambda x: both(x)[0],
        value_and_gradient=lambda f: both,
        product=lambda f: product,
        hessian=lambda f: hessian,
        jacobian=lambda f: lambda x: both(x)[1],
        sparse_hessian=lambda f: refuse_sparse(),
        sparse_jacobian=lambda f: refuse_sparse(),
    )


def packed(tree: Any) -> np.ndarray:
    """The leaves of a structure as one vector."""
    leaves = [np.ravel(x) for x in leaves_of(tree)]
    return np.concatenate(leaves) if leaves else np.empty(0)


def refuse_sparse() -> NoReturn:
    """Raise OptionError: sums over blocks are dense."""
    raise OptionError("scipy", [], "an objective over blocks has no sparse Hessian",
                      hint="trust-ncg and Newton-CG use products with it")  # fmt: skip
