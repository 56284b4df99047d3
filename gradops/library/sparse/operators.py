"""Products with SciPy's linear operators, which are functions of arrays."""

from typing import Any

import numpy as np

from ...core.errors import MissingRuleError, ShapeError
from ...core.op import Op
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, type_of
from ...typing import AnyArray
from ..families import multilinear
from ..solvers.examples import each_example, no_samples

__all__: list[str] = []


def apply(x: np.ndarray, operator: Any, is_symmetric: bool = False) -> np.ndarray:
    """The product of an operator with a vector."""
    infer(type_of(x), operator)
    try:
        return np.asarray(operator.matvec(x))
    except NotImplementedError as error:
        raise MissingRuleError(
            "operator_product", "vjp",
            hint="SciPy's operator has no rmatvec: give it the product with the transposed matrix",
        ) from error  # fmt: skip


def infer(x: ArrayType, operator: Any, **attrs: object) -> ArrayType:
    """A vector with an entry for each row of the operator."""
    m, n = operator.shape
    if x.ndim != 1 or conflict(x.shape, (n,)):
        raise ShapeError("operator_product", [x], f"the operator is {m} x {n}")
    dtype = np.dtype(np.float64 if operator.dtype is None else operator.dtype)
    return ArrayType((m,), np.result_type(x.dtype, dtype))


def transposed(g: AnyArray, y: AnyArray, x: AnyArray, operator: Any, is_symmetric: bool) -> Any:
    """The product with the transposed operator, which is itself if it is symmetric."""
    back = operator if is_symmetric else operator.T
    return operator_product(g, operator=back, is_symmetric=is_symmetric)


operator_product: Op = multilinear(
    "operator_product", apply, infer=infer, transpose=[transposed], batch=each_example,
    traits=[Trait.CONTROL],
    samples=no_samples, doc="The product of one of SciPy's linear operators with a vector.",
)
