"""Linear layers."""

from typing import Any

from gradops.typing import DTypeLike

from ...engine.tensor import Tensor
from ...ops.creation import empty
from ...ops.matrices import einsum
from .. import functional as F
from ..modules.module import Module
from ..modules.parameter import Parameter
from .parameters import add_parameter, draw_uniformly

__all__ = ["Bilinear", "Identity", "Linear"]


class Linear(Module):
    """`x @ weight.T + bias`, for `x` of shape (..., in_features).

    The weight has the shape (out_features, in_features); both begin with uniform random numbers
    up to 1 / sqrt(in_features).

    >>> layer = dg.nn.Linear(3, 2)
    >>> layer(dg.ones(5, 3)).shape
    (5, 2)
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, dtype: DTypeLike = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        add_parameter(self, "bias", (out_features,) if bias else None, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialize the weight and the bias."""
        draw_uniformly(self, self.in_features)

    def forward(self, input: Tensor) -> Tensor:
        """The output, of shape (..., out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Identity(Module):
    """Returns its input; arguments of the constructor are ignored.

    >>> dg.nn.Identity()(3)
    3
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input."""
        return input


class Bilinear(Module):
    """`x1 @ weight[k] @ x2 + bias[k]` for each output k.

    The weight has the shape (out_features, in1_features, in2_features); both begin with uniform
    random numbers up to 1 / sqrt(in1_features).

    >>> dg.nn.Bilinear(3, 4, 2)(dg.ones(5, 3), dg.ones(5, 4)).shape
    (5, 2)
    """

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
        dtype: DTypeLike = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in1_features, in2_features, dtype=dtype))
        add_parameter(self, "bias", (out_features,) if bias else None, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialize the weight and the bias."""
        draw_uniformly(self, self.in1_features)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The output, of shape (..., out_features)."""
        y = einsum("...i,kij,...j->...k", input1, self.weight, input2)
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        """The sizes."""
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        return f"{sizes}, out_features={self.out_features}, bias={self.bias is not None}"
