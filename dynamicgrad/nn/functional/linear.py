"""Linear maps, as functions."""

from typing import Any

import gradops as ops

from ...spelling import spelled

transposed = spelled(ops.transpose)


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """`x @ weight.T + bias`: the weight has a row per output, as in PyTorch.

    >>> dg.nn.functional.linear(dg.ones(3), dg.ones(2, 3), dg.ones(2))
    tensor([4., 4.])
    """
    y = x @ transposed(weight)
    return y if bias is None else y + bias
