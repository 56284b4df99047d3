"""TensorFlow 1's spelling of the ops, in one table: its names, and `name=` on every one of them."""

from collections.abc import Callable
from typing import Any

import gradops as ops

from ..ir.expr import renamed

AS_IN_GRADOPS = (
    "abs", "add", "argmax", "argmin", "broadcast_to", "ceil", "cos", "cross_entropy", "einsum",
    "equal", "erf", "exp", "expand_dims", "expm1", "flip", "floor", "gelu", "greater",
    "greater_equal", "less", "less_equal", "log", "log1p", "log_softmax", "logical_and",
    "logical_not", "logical_or", "matmul", "maximum", "minimum", "not_equal", "one_hot",
    "ones_like", "pad", "relu", "reshape", "scatter_add", "sigmoid", "sign", "silu", "sin",
    "softmax", "softplus", "split", "sqrt", "square", "squeeze", "stack", "stop_gradient", "tan",
    "tanh", "transpose", "where", "zeros_like", "binary_cross_entropy_with_logits", "floor_divide",
    "reciprocal", "take", "isnan", "isfinite", "astype",
)  # fmt: skip
RENAMED = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "negative": "neg", "pow": "power",
    "mod": "remainder", "reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max",
    "reduce_min": "min", "reduce_prod": "prod", "reduce_logsumexp": "logsumexp",
    "reduce_any": "any", "reduce_all": "all", "concat": "concatenate", "gather": "take",
    "cast": "astype", "clip_by_value": "clip", "identity": "copy",
}  # fmt: skip


def spelled(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """An op under TensorFlow's name, whose result can be named."""
    doc = function.__doc__ or ""

    def call(*args: Any, name: str | None = None, **attrs: Any) -> Any:
        found = function(*args, **attrs)
        return found if name is None else renamed(found, name)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc.split(">>>")[0].rstrip()
    return call


SOURCES = {name: getattr(ops, RENAMED.get(name, name)) for name in (*AS_IN_GRADOPS, *RENAMED)}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: spelled(function, name) for name, function in SOURCES.items()
}
OPS_CALLED = {FUNCTIONS[name]: op for name, op in SOURCES.items() if isinstance(op, ops.Op)}
"""The op that one of these functions applies, if it applies just one."""
