"""Quantiles of distributions, without derivatives: `gradops.scipy.stats` gives them theirs."""

import numpy as np

from ...core.op import Op
from ...core.rules import NO_RULES
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes
from ...kernels.solvers import quantiles as kernels
from ..families import batch_elementwise
from .examples import no_samples

__all__: list[str] = []


def quantile_type(*operands: ArrayType, name: str, upper: bool) -> ArrayType:
    """The type of the quantiles of probabilities and shapes that broadcast."""
    dtype = np.result_type(*(t.dtype for t in operands))
    shape = broadcast_shapes("quantile", operands)
    return ArrayType(shape, dtype if dtype.kind == "f" else np.dtype(np.float64))


quantile = Op(
    "quantile", kernels.quantile, arity=None, infer=quantile_type, traits=[Trait.CONTROL],
    vjp=NO_RULES, jvp=NO_RULES, batch=batch_elementwise, samples=no_samples,
    doc="The quantiles of a distribution of SciPy's, by its name.",
)  # fmt: skip
