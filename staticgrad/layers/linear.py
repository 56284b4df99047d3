"""The linear layer with PyTorch's weights."""

from typing import Any

from gradops import nn

from ..build.graph import name_scope
from ..build.inputs import as_expression
from .weights import count, features, made, uniform


def linear(
    inputs: Any, units: int, use_bias: bool = True, trainable: bool = True, name: str = "linear"
) -> Any:
    """`inputs @ weight.T + bias`: a `dense` layer whose weight has a row per output, as PyTorch's.

    Both variables begin with uniform numbers up to 1 / sqrt(features).

    >>> x = sg.placeholder("float32", ["batch", 3], name="x")
    >>> sg.layers.linear(x, 2)
    <linear linear/linear: float32[batch, 2]>
    >>> [(v.name, v.shape) for v in sg.trainable_variables()]
    [('linear/weight', (2, 3)), ('linear/bias', (2,))]
    """
    x = as_expression(inputs)
    size, units = features("linear", x), count("linear", "units", units)
    start = uniform(size)
    with name_scope(name):
        weight = made("weight", (units, size), x.dtype, start, trainable)
        bias = made("bias", (units,), x.dtype, start, trainable) if use_bias else None
        return nn.linear(x, weight, bias)
