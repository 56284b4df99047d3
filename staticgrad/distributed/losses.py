"""Losses as graphs of parameters and of the columns of a block, with their derivatives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, DTypeError, FeedError, ShapeError, flatten, reshape, type_of
from gradops.core.errors import OptionError
from gradops.core.types import is_float, shape_of

from ..build.tracing import trace
from ..freezing.freezer import freeze
from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from ..transform.forward import hvp
from ..transform.reverse import gradients
from .programs import Block

ROWS = Dim("rows")  # the size of the first axis of columns


@dataclass(frozen=True)
class Loss:
    """A loss of parameters and columns, which is a sum or a mean over rows.

    `parameters` and `columns` are the types of its arguments, `rebuild` makes the structure of the
    parameters.
    """

    function: Callable[..., Any]
    parameters: tuple[ArrayType, ...]
    rebuild: Callable[..., Any]
    columns: tuple[ArrayType, ...]

    def value_and_gradient(self) -> FrozenGraph:
        """The graph of the value and of its gradient by each parameter."""

        def both(parameters: Sequence[Expr], *columns: Expr) -> list[Any]:
            y = self.value(parameters, columns)
            return [y, *gradients(y, list(parameters), unconnected="zero")]

        return self.traced(both, [list(self.parameters)])

    def hessian_product(self) -> FrozenGraph:
        """The graph of the Hessian times a vector, which is as many arguments as parameters."""

        def product(parameters: Sequence[Expr], v: Sequence[Expr], *columns: Expr) -> list[Any]:
            return list(hvp(self.value(parameters, columns), list(parameters), list(v)))

        types = list(self.parameters)
        return self.traced(product, [types, types])

    def traced(self, f: Callable[..., Any], types: list[list[ArrayType]]) -> FrozenGraph:
        """The graph of a function of parameters and columns; raises OptionError if it draws."""
        graph = trace(f, [*types, *self.columns])
        if len(graph.inputs) > sum(map(len, types)) + len(self.columns):
            raise OptionError(
                "distributed", ["loss"], "the loss draws random numbers, which are no part of a sum"
                " over rows", hint="draw them beforehand, as a column of the data",
            )  # fmt: skip
        return graph

    def value(self, parameters: Sequence[Expr], columns: Sequence[Expr]) -> Any:
        """The loss of expressions, as a scalar."""
        y = self.function(self.rebuild(list(parameters)), *columns)
        if any(n != 1 for n in shape_of(y)):
            raise ShapeError(
                "distributed", [type_of(y)], "the loss is more than one number",
                hint="take the sum or the mean over rows",
            )  # fmt: skip
        return reshape(y, shape=()) if shape_of(y) else y


def loss_of_function(function: Callable[..., Any], wrt: Any, block: Block) -> Loss:
    """The loss of a function `f(parameters, *columns)`, for parameters like `wrt`."""
    leaves, rebuild = flatten(wrt)
    types = [parameter_type(x) for x in leaves]
    return Loss(function, tuple(types), rebuild, tuple(map(column_type, block)))


def parameter_type(x: Any) -> ArrayType:
    """The type of a parameter; integers count as float64. Raises DTypeError for others."""
    t = type_of(np.asarray(x))
    if t.dtype.kind in "biu":
        return ArrayType(t.shape, "float64")
    if not is_float(t.dtype):
        raise DTypeError("distributed", [t], "parameters are floats")
    return t


def column_type(column: np.ndarray) -> ArrayType:
    """The type of a column, with any number of rows."""
    return ArrayType((ROWS, *column.shape[1:]), column.dtype)


def loss_of_expression(loss: Expr, wrt: Any, feeds: Sequence[Expr]) -> Loss:
    """The loss that an expression is, of the parameters `wrt` and of the columns `feeds`."""
    leaves, rebuild = flatten(wrt)
    for e in (*leaves, *feeds):
        if not isinstance(e, Expr):
            raise FeedError(f"distributed: {e!r} is not an expression, as the loss is one")
    graph = freeze([loss], [*leaves, *feeds])
    if others := graph.inputs[len(leaves) + len(feeds) :]:
        raise FeedError(
            f"distributed: the loss reads {', '.join(e.label for e in others)}"
            "\n  hint: variables are parameters, in wrt; a loss that draws random numbers has no"
            " value that is the same on all blocks"
        )

    def function(parameters: Any, *columns: Expr) -> Any:
        return graph(*flatten(parameters)[0], *columns)[0]

    types = [ArrayType(e.shape, e.dtype) for e in (*leaves, *feeds)]
    return Loss(function, tuple(types[: len(leaves)]), rebuild, tuple(types[len(leaves) :]))
