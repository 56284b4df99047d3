"""Linear layers."""

from typing import Any

from ..library.movement import transpose


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """`x @ weight.T + bias`, for a weight with a row per output.

    >>> linear(np.ones(3), np.ones((2, 3)), np.ones(2))
    array([4., 4.])
    """
    y = x @ transpose(weight)
    return y if bias is None else y + bias
