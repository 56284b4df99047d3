"""The gradient of a graph compared with finite differences: `check`."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradops import ArrayType, GraphError, depending_on
from gradops.core.source_location import describe
from gradops.core.traits import Trait
from gradops.testing.blame import Call, blame
from gradops.testing.gradient_check import OfVector, check_gradient

from ...build.graph import Graph
from ...build.inputs import placeholder
from ...build.tracing import trace
from ...control.custom_gradient import custom
from ...functions.traced_function import function
from ...ir.graph import FrozenGraph
from ...ir.reachability import reachable
from ...scipy_solvers import scipy
from ..backends.interpreter import interpret


def check(f: Callable[..., Any], x: Any, *args: Any) -> float:
    """Print the largest relative error of the gradient of `f` at `x`, and return it.

    The gradient is that of the graph that `f`, a function of (x, *args), is traced to; x is an
    array of real numbers, or a structure of such. It is compared with numerical derivatives of `f`.
    Where the error is too large for rounding, the operation whose own derivative is wrong is named,
    with its line.

    >>> error = sg.check(lambda x: np.sum(np.sin(x) ** 2), np.array([1.0, 2.0, 3.0]))
    gradient of <lambda>: largest relative error ...e-1..., at x[...], against the complex step
    >>> error < 1e-13
    True
    """
    jacobian_at = lambda flat, v: scipy.derivatives.jacobian(flat)(v)
    return check_gradient(f, x, args, plain_value, jacobian_at, blame_at)


def plain_value(f: OfVector, v: np.ndarray) -> np.ndarray:
    """The value of `f` on arrays; of its graph, if it needs expressions."""
    try:
        return np.asarray(f(v))
    except (AttributeError, TypeError, ValueError, GraphError):
        return function(f)(v)


def blame_at(f: OfVector, v: np.ndarray) -> str:
    """Describe the operation of the graph of `f` that is wrong."""
    kind = ArrayType(v.shape, np.float64)
    return blame(calls(trace(f, [kind]), v), "vjp", custom_gradients(f, kind))


def custom_gradients(f: OfVector, kind: ArrayType) -> str:
    """The source locations of custom gradients in the graph of `f`; empty if there are none."""
    with Graph().as_default():
        expressions = reachable([f(placeholder(kind.dtype, kind.shape))])
    places = [describe(e.place) for e in expressions if e.op is custom]
    return f"the custom gradient of the function called at {', '.join(places)}" if places else ""


def calls(graph: FrozenGraph, v: np.ndarray) -> Iterator[Call]:
    """The operations of a graph between its input and its outputs, with their operands."""
    values: dict[Any, Any] = {}
    interpret(graph, [v], values.__setitem__)
    moving = depending_on(graph.inputs, graph.outputs)
    for e in graph.order:
        if e.op is not None and e in moving and not e.op.traits & {Trait.CONTROL, Trait.EFFECT}:
            operands = [np.array(values[i]) for i in e.inputs]
            traced = [i in moving for i in e.inputs]
            yield Call(e.op, operands, traced, e.attrs, e.place, True)
