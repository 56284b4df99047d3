"""Linear layers, and the running statistics of batch normalization."""

from collections.abc import Sequence
from typing import Any

from ..library.nn.linear import linear as with_bias
from ..library.nn.normalization import all_but_channels
from ..library.reduce.reduction import mean
from ..library.reduce.statistics import var
from ..library.shape.movement import transpose
from ..typing import AnyArray


def linear(x: AnyArray, weight: AnyArray, bias: Any = None) -> Any:
    """`x @ weight.T + bias`, for a weight with a row per output.

    >>> linear(np.ones(3), np.ones((2, 3)), np.ones(2))
    array([4., 4.])
    """
    return x @ transpose(weight) if bias is None else with_bias(x, weight, bias)


def running_moments(
    x: AnyArray, moments: Sequence[AnyArray], momentum: Any, by_example: bool = False
) -> list[AnyArray]:
    """Running mean and variance of each channel after a batch `x` (examples, channels, ...).

    Each moves towards that of the batch by the share `momentum`; None stays None. The variance is
    the unbiased one, of all examples, or the average of each one's if `by_example`.

    >>> running_moments(np.array([[1.0], [3.0]]), (np.zeros(1), np.ones(1)), 0.5)
    [array([1.]), array([1.5])]
    """
    axes = all_but_channels(x)
    if by_example:
        variance = mean(var(x, axis=axes[1:], correction=1), axis=0)
    else:
        variance = var(x, axis=axes, correction=1)
    return [
        None if before is None else before + momentum * (found - before)
        for before, found in zip(moments, (mean(x, axis=axes), variance), strict=True)
    ]
