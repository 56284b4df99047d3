"""Building blocks of layers: variables, checks of options, documentation."""

import math
from collections.abc import Callable

from gradops import OptionError, ShapeError
from gradops.core.types import as_size, shape_of, type_of
from gradops.typing import AnyArray, DTypeLike

from .. import initializers
from ..build.graph import get_default_graph
from ..build.inputs import Variable
from ..ir.expr import Expr

InitializerLike = Callable[..., AnyArray]  # of a shape and a dtype
Initial = InitializerLike | None  # None for the default of the layer
Activation = Callable[[Expr], Expr] | None
Training = bool | Expr


def variable(
    name: str, shape: tuple[int, ...], dtype: DTypeLike, initializer: InitializerLike, train: bool
) -> Variable:
    """A variable with a value from an initializer."""
    is_ours = isinstance(initializer, initializers.Initializer)
    full = get_default_graph().names.prefix + name
    value = initializer(shape, dtype, full) if is_ours else initializer(shape, dtype)
    if shape_of(value) != shape:
        raise ShapeError("a layer", [type_of(value)], f"{full} has the shape {shape}")
    return Variable(value, name, dtype, trainable=train)


def uniform(size: int) -> initializers.Initializer:
    """PyTorch's initial weights: uniform numbers up to 1 / sqrt(size)."""
    bound = 1 / math.sqrt(size) if size else 0.0
    return initializers.random_uniform(-bound, bound)


def features(layer: str, x: Expr) -> int:
    """The size of the last axis; raises ShapeError if it is unknown."""
    if not x.shape or not isinstance(x.shape[-1], int):
        raise ShapeError(layer, [x.label], "the size of the last axis has to be known")
    return x.shape[-1]


def count(layer: str, name: str, value: int | Expr) -> int:
    """A positive size from an argument; raises OptionError for others."""
    size = as_size(value)
    if not isinstance(size, int) or size < 1:
        raise OptionError(layer, [], f"{name}={value!r} is not a known size")
    return size


def require_functions(layer: str, *given: object) -> None:
    """Raise OptionError unless each argument is a function or None."""
    for f in given:
        if f is not None and not callable(f):
            raise OptionError(
                layer, [], f"{f!r} is not a function",
                hint="activation=sg.nn.relu, kernel_initializer=sg.initializers.zeros()",
            )  # fmt: skip
