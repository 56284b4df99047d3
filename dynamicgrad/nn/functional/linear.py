"""Linear maps, as functions."""

from gradops import ShapeError, nn
from gradops.core.types import operand_types, shape_of

from ...engine.tensor import Tensor, as_tensor

__all__ = ["linear"]


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x @ weight.T + bias`: the weight has a row per output, as in PyTorch.

    >>> dg.nn.functional.linear(dg.ones(3), dg.ones(2, 3), dg.ones(2))
    tensor([4., 4.])
    """
    if len(shape_of(weight)) > 2:
        raise ShapeError(
            "linear", operand_types([x, weight]), "the weight is a matrix, or a vector",
            known_as="t() expects a tensor with <= 2 dimensions",
        )  # fmt: skip
    return nn.linear(as_tensor(x), weight, bias)
