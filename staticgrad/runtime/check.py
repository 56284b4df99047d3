"""The gradient of a graph beside difference quotients of the function: `check`."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradops import ArrayType, GraphError, depending_on
from gradops.core.source_location import describe
from gradops.core.traits import Trait
from gradops.scipy.solvers import Packing, on_vector, vector
from gradops.testing.blame import Call, first_wrong
from gradops.testing.gradient_check import compare

from ..build.graph import Graph
from ..build.inputs import placeholder
from ..build.tracing import trace
from ..control.custom_gradient import custom
from ..functions.traced_function import function
from ..ir.graph import FrozenGraph
from ..ir.reachability import reachable
from ..scipy_solvers import scipy
from .interpreter import interpret


def check(f: Callable[..., Any], x: Any, *args: Any) -> float:
    """Print how far the gradient of `f` at `x` is from difference quotients, and return that.

    The gradient is that of the graph that `f`, a function of (x, *args), is traced to; x is an
    array of real numbers, or a structure of such. The error is relative, the largest over all
    entries and outputs. Where it is too large for rounding, the operation whose own derivative is
    wrong is named, with its line.

    >>> error = sg.check(lambda x: np.sum(np.sin(x) ** 2), np.array([1.0, 2.0, 3.0]))
    gradient of <lambda>: largest relative error ...e-1..., at x[...], beside the complex step
    >>> error < 1e-13
    True
    """
    packing = Packing(x)
    flat = vector(on_vector(f, packing))
    found = scipy.derivatives.jacobian(flat)(packing.vector, *args)
    result = compare(lambda v: plain_value(flat, v, args), found, packing)
    print(f"gradient of {getattr(f, '__name__', type(f).__name__)}: {result}")
    if result.is_wrong:
        kind = ArrayType(packing.vector.shape, np.float64)
        graph = trace(lambda v: flat(v, *args), [kind])
        unchecked = by_hand(lambda v: flat(v, *args), kind)
        print(f"  {first_wrong(calls(graph, packing.vector), 'vjp', unchecked)}")
    return result.error


def by_hand(f: Callable[..., Any], kind: ArrayType) -> str:
    """Where a function has gradients that the user gave, not those of operations; "" if nowhere."""
    with Graph().as_default():
        result = reachable([f(placeholder(kind.dtype, kind.shape))])
    places = [describe(e.place) for e in result if e.op is custom]
    return f"the custom gradient of the function called at {', '.join(places)}" if places else ""


def plain_value(f: Callable[..., Any], v: Any, args: Any) -> Any:
    """The value of `f` on arrays; of its graph, if it is written for expressions alone."""
    try:
        return np.asarray(f(v, *args))
    except (AttributeError, TypeError, ValueError, GraphError):
        return function(f)(v, *args)


def calls(graph: FrozenGraph, v: Any) -> Iterator[Call]:
    """The operations of a graph between its input and its outputs, with their operands."""
    values: dict[Any, Any] = {}
    interpret(graph, [v], values.__setitem__)
    moving = depending_on(graph.inputs, graph.outputs)
    for e in graph.order:
        if e.op is not None and e in moving and not e.op.traits & {Trait.CONTROL, Trait.EFFECT}:
            operands = [np.array(values[i]) for i in e.inputs]
            traced = [i in moving for i in e.inputs]
            yield Call(e.op, operands, traced, e.attrs, e.place, True)
