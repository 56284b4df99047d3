"""Activation functions as modules."""

from gradops.typing import DTypeLike

from ...engine.tensor import Tensor
from ...ops.creation import full
from .. import functional as F
from ..modules.function_module import REQUIRED, Applied
from ..modules.module import Module
from ..modules.parameter import Parameter

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "Mish", "PReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid",
    "Softmax", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip


class ReLU(Applied, function=F.relu, inplace=False):
    """The positive part of each entry.

    >>> dg.nn.ReLU()(dg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """


class ReLU6(Applied, function=F.relu6, inplace=False):
    """The positive part of each entry, at most 6.

    >>> dg.nn.ReLU6()(dg.tensor([-1.0, 8.0]))
    tensor([0., 6.])
    """


class LeakyReLU(Applied, function=F.leaky_relu, negative_slope=0.01, inplace=False):
    """x where it is positive, else `negative_slope` times x.

    >>> dg.nn.LeakyReLU(0.5)(dg.tensor([-1.0, 2.0]))
    tensor([-0.5000,  2.0000])
    """


class ELU(Applied, function=F.elu, alpha=1.0, inplace=False):
    """x where it is positive, else alpha (exp(x) - 1).

    >>> dg.nn.ELU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """


class CELU(Applied, function=F.celu, alpha=1.0, inplace=False):
    """x where it is positive, else alpha (exp(x / alpha) - 1).

    >>> dg.nn.CELU(2.0)(dg.tensor([-1.0, 2.0]))
    tensor([-0.7869,  2.0000])
    """


class SELU(Applied, function=F.selu, inplace=False):
    """elu, scaled so that activations tend to mean 0 and variance 1.

    >>> dg.nn.SELU()(dg.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """


class GELU(Applied, function=F.gelu, approximate="none"):
    """x times the normal distribution function, or with `approximate="tanh"` nearly so.

    >>> dg.nn.GELU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """


class SiLU(Applied, function=F.silu, inplace=False):
    """x times its logistic function, also called swish.

    >>> dg.nn.SiLU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """


class Mish(Applied, function=F.mish, inplace=False):
    """x times tanh of its softplus.

    >>> dg.nn.Mish()(dg.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """


class Sigmoid(Applied, function=F.sigmoid):
    """The logistic function, 1 / (1 + exp(-x)).

    >>> dg.nn.Sigmoid()(dg.zeros(1))
    tensor([0.5000])
    """


class LogSigmoid(Applied, function=F.logsigmoid):
    """The logarithm of the logistic function.

    >>> dg.nn.LogSigmoid()(dg.zeros(1))
    tensor([-0.6931])
    """


class Hardsigmoid(Applied, function=F.hardsigmoid, inplace=False):
    """A straight line from 0 at -3 to 1 at 3, and level elsewhere.

    >>> dg.nn.Hardsigmoid()(dg.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """


class Hardswish(Applied, function=F.hardswish, inplace=False):
    """x times `Hardsigmoid` of it.

    >>> dg.nn.Hardswish()(dg.tensor([-4.0, 4.0]))
    tensor([0., 4.])
    """


class Tanh(Applied, function=F.tanh):
    """The hyperbolic tangent.

    >>> dg.nn.Tanh()(dg.zeros(1))
    tensor([0.])
    """


class Hardtanh(Applied, function=F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False):
    """Each entry, but at least `min_val` and at most `max_val`.

    >>> dg.nn.Hardtanh()(dg.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """


class Tanhshrink(Applied, function=F.tanhshrink):
    """x less its hyperbolic tangent.

    >>> dg.nn.Tanhshrink()(dg.zeros(1))
    tensor([0.])
    """


class Softsign(Applied, function=F.softsign):
    """x / (1 + |x|).

    >>> dg.nn.Softsign()(dg.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """


class Softplus(Applied, function=F.softplus, beta=1.0, threshold=20.0):
    """log(1 + exp(beta x)) / beta, a smooth relu; x itself where beta x is over `threshold`.

    >>> dg.nn.Softplus()(dg.zeros(1))
    tensor([0.6931])
    """


class Hardshrink(Applied, function=F.hardshrink, lambd=0.5):
    """Each entry, or 0 where it is at most as far from 0 as `lambd`.

    >>> dg.nn.Hardshrink()(dg.tensor([-1.0, 0.2]))
    tensor([-1.,  0.])
    """


class Softshrink(Applied, function=F.softshrink, lambd=0.5):
    """Each entry moved towards 0 by `lambd`, but not beyond it.

    >>> dg.nn.Softshrink()(dg.tensor([-1.0, 0.2]))
    tensor([-0.5000,  0.0000])
    """


class Threshold(Applied, function=F.threshold, threshold=REQUIRED, value=REQUIRED, inplace=False):
    """Each entry that is over `threshold`, `value` in the place of others.

    >>> dg.nn.Threshold(0.5, 9.0)(dg.tensor([1.0, 0.2]))
    tensor([1., 9.])
    """


class GLU(Applied, function=F.glu, dim=-1):
    """The first half along a dimension times the logistic function of the second.

    >>> dg.nn.GLU()(dg.tensor([3.0, 0.0]))
    tensor([1.5000])
    """


class Softmax(Applied, function=F.softmax, dim=None):
    """exp(x) divided by its sum along a dimension.

    >>> dg.nn.Softmax(dim=0)(dg.zeros(2))
    tensor([0.5000, 0.5000])
    """


class LogSoftmax(Applied, function=F.log_softmax, dim=None):
    """The logarithm of softmax, accurate where softmax underflows.

    >>> dg.nn.LogSoftmax(dim=0)(dg.zeros(2))
    tensor([-0.6931, -0.6931])
    """


class Softmin(Applied, function=F.softmin, dim=None):
    """Softmax of -x.

    >>> dg.nn.Softmin(dim=0)(dg.zeros(2))
    tensor([0.5000, 0.5000])
    """


class PReLU(Module):
    """x where it is positive, else `weight` times x: one slope, or one for each channel.

    Slopes begin with `init`; channels are the dimension 1.

    >>> dg.nn.PReLU()(dg.tensor([-1.0, 2.0]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, dtype: DTypeLike = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(full((num_parameters,), init, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        """Each entry, scaled if it is negative."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return f"num_parameters={self.num_parameters}"
