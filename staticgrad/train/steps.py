"""The global step: a variable that counts training steps."""

import numpy as np

from gradops import GraphError

from ..build.graph import Graph, get_default_graph
from ..build.inputs import Variable

NAME = "global_step"


def get_global_step(graph: Graph | None = None) -> Variable | None:
    """The variable that counts the steps of a graph, by default the default one; or None."""
    graph = get_default_graph() if graph is None else graph
    result: list[Variable] = graph.get_collection(NAME)
    return result[0] if result else None


def create_global_step(graph: Graph | None = None) -> Variable:
    """Create the variable that counts steps; raises GraphError if the graph has one."""
    graph = get_default_graph() if graph is None else graph
    if get_global_step(graph) is not None:
        hint = "get_or_create_global_step() gives it"
        raise GraphError(f"the graph has a global step\n  hint: {hint}")
    with graph.as_default(), graph.name_scope(""):
        counter = Variable(np.int64(0), NAME, trainable=False)
    graph.add_to_collection(NAME, counter)
    return counter


def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """The variable that counts the steps of a graph, created if there is none.

    >>> step = sg.train.get_or_create_global_step()
    >>> w = sg.Variable(1.0)
    >>> train = sg.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
    >>> session = sg.Session()
    >>> session.run(train), session.run(step)
    (None, np.int64(1))
    """
    result = get_global_step(graph)
    return create_global_step(graph) if result is None else result
