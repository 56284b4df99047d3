"""What layers are made of: variables, options that are checked, names and words."""

import math
from collections.abc import Callable
from typing import Any

from gradops import OptionError, ShapeError
from gradops.core.types import as_size, shape_of, type_of

from .. import initializers
from ..build.graph import get_default_graph
from ..build.inputs import Variable


def made(name: str, shape: tuple[int, ...], dtype: Any, initializer: Any, train: bool) -> Variable:
    """A variable with the value that an initializer gives."""
    is_ours = isinstance(initializer, initializers.Initializer)
    full = get_default_graph().names.prefix + name
    value = initializer(shape, dtype, full) if is_ours else initializer(shape, dtype)
    if shape_of(value) != shape:
        raise ShapeError("a layer", [type_of(value)], f"{full} has the shape {shape}")
    return Variable(value, name, dtype, trainable=train)


def uniform(size: int) -> initializers.Initializer:
    """Uniform numbers up to 1 / sqrt(size), as PyTorch's layers begin with."""
    bound = 1 / math.sqrt(size) if size else 0.0
    return initializers.random_uniform(-bound, bound)


def features(layer: str, x: Any) -> int:
    """The size of the last axis, which a layer has to know."""
    if not x.shape or not isinstance(x.shape[-1], int):
        raise ShapeError(layer, [x.label], "the size of the last axis has to be known")
    return x.shape[-1]


def count(layer: str, name: str, value: Any) -> int:
    """A size that is given as an argument."""
    size = as_size(value)
    if not isinstance(size, int) or size < 1:
        raise OptionError(layer, [], f"{name}={value!r} is not a known size")
    return size


def functions(layer: str, *given: Any) -> None:
    """Refuse what should be a function, or None, and is neither."""
    for f in given:
        if f is not None and not callable(f):
            raise OptionError(
                layer, [], f"{f!r} is not a function",
                hint="activation=sg.nn.relu, kernel_initializer=sg.initializers.zeros()",
            )  # fmt: skip


def documented(layer: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    """A layer under its name, in words of its own."""
    layer.__name__ = layer.__qualname__ = name
    layer.__doc__ = doc
    return layer
