"""Linear maps, as functions."""

from typing import Any

from gradops import layers

from ...tensor import as_tensor


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """`x @ weight.T + bias`: the weight has a row per output, as in PyTorch.

    >>> dg.nn.functional.linear(dg.ones(3), dg.ones(2, 3), dg.ones(2))
    tensor([4., 4.])
    """
    return layers.linear(as_tensor(x), weight, bias)
