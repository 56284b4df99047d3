"""What batch normalization remembers of the batches that it has seen."""

from typing import Any

from ..library.arithmetic import square
from ..library.movement import reshape
from ..library.normalization import all_but_channels
from ..library.reduction import count, mean, sum
from ..types import shape_of


def running_moments(x: Any, moments: tuple[Any, Any], momentum: Any) -> tuple[Any, Any]:
    """Running mean and variance of each channel after a batch `x` (examples, channels, ...).

    Each moves towards the batch's own, of which the variance is the unbiased one, by the share
    `momentum`.

    >>> running_moments(np.array([[1.0], [3.0]]), (np.zeros(1), np.ones(1)), 0.5)
    (array([1.]), array([1.5]))
    """
    axes = all_but_channels(x)
    middle = mean(x, axis=axes)
    n = count(x, axes)
    offset = x - reshape(middle, shape=(-1, *(1,) * (len(shape_of(x)) - 2)))
    variance = sum(square(offset), axis=axes) / (n - 1)
    before, spread = moments
    return before + momentum * (middle - before), spread + momentum * (variance - spread)
