"""Activation functions as modules."""

from typing import Any

from . import functional as F
from .module import Module


class ReLU(Module):
    """The positive part of each entry.

    >>> dg.nn.ReLU()(dg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """The positive part."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it writes to its input."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """x where it is positive, else `negative_slope` times x.

    >>> dg.nn.LeakyReLU(0.5)(dg.tensor([-1.0, 2.0]))
    tensor([-0.5000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Any) -> Any:
        """Each entry, scaled if it is negative."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(Module):
    """x where it is positive, else alpha (exp(x) - 1).

    >>> dg.nn.ELU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Any) -> Any:
        """The function of each entry."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The height of the negative part."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GELU(Module):
    """x times the normal distribution function, or with `approximate="tanh"` nearly so.

    >>> dg.nn.GELU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Any:
        """The function of each entry."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Which form it is."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x times its logistic function, also called swish.

    >>> dg.nn.SiLU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """The function of each entry."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """Whether it writes to its input."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """The logistic function, 1 / (1 + exp(-x)).

    >>> dg.nn.Sigmoid()(dg.zeros(1))
    tensor([0.5000])
    """

    def forward(self, input: Any) -> Any:
        """The function of each entry."""
        return F.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent.

    >>> dg.nn.Tanh()(dg.zeros(1))
    tensor([0.])
    """

    def forward(self, input: Any) -> Any:
        """The function of each entry."""
        return F.tanh(input)


class Softplus(Module):
    """log(1 + exp(beta x)) / beta, a smooth relu; x itself where beta x is over `threshold`.

    >>> dg.nn.Softplus()(dg.zeros(1))
    tensor([0.6931])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Any) -> Any:
        """The function of each entry."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The constants."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """exp(x) divided by its sum along a dimension.

    >>> dg.nn.Softmax(dim=0)(dg.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        """The shares along the dimension."""
        return F.softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """The logarithm of softmax, accurate where softmax underflows.

    >>> dg.nn.LogSoftmax(dim=0)(dg.zeros(2))
    tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Any) -> Any:
        """The logarithms of the shares along the dimension."""
        return F.log_softmax(input, self.dim)
