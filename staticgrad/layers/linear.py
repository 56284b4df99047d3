"""The linear layer with PyTorch's weights."""

from gradops import nn
from gradops.typing import Operand

from ..build.graph import name_scope
from ..build.inputs import as_expression
from ..ir.expr import Expr
from .weights import count, features, uniform, variable


def linear(
    inputs: Operand, units: int, use_bias: bool = True, trainable: bool = True, name: str = "linear"
) -> Expr:
    """`inputs @ weight.T + bias`: a `dense` layer whose weight has a row per output, as PyTorch's.

    The initial values of both variables are uniform numbers up to 1 / sqrt(features).

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
        weight = variable("weight", (units, size), x.dtype, start, trainable)
        bias = variable("bias", (units,), x.dtype, start, trainable) if use_bias else None
        return nn.linear(x, weight, bias)
