"""Linear layers."""

from typing import Any

from ..library.nn.linear import linear as with_bias
from ..library.shape.movement import transpose
from ..typing import AnyArray


def linear(x: AnyArray, weight: AnyArray, bias: Any = None) -> Any:
    """`x @ weight.T + bias`, for a weight with a row per output.

    >>> linear(np.ones(3), np.ones((2, 3)), np.ones(2))
    array([4., 4.])
    """
    return x @ transpose(weight) if bias is None else with_bias(x, weight, bias)
