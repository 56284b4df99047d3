"""The global step: the variable that counts the steps of a training."""

from typing import Any

import numpy as np

from gradops import GraphError

from ..build.graph import Graph, get_default_graph
from ..build.inputs import Variable

NAME = "global_step"


def get_global_step(graph: Graph | None = None) -> Variable | None:
    """The variable that counts the steps in a graph, by default in the default one, or None."""
    graph = get_default_graph() if graph is None else graph
    result: list[Any] = graph.get_collection(NAME)
    return result[0] if result else None


def create_global_step(graph: Graph | None = None) -> Variable:
    """A variable that counts steps; raises GraphError if the graph has one."""
    graph = get_default_graph() if graph is None else graph
    if get_global_step(graph) is not None:
        raise GraphError(
            "the graph has a global step\n  hint: get_or_create_global_step() gives it"
        )
    with graph.as_default(), graph.name_scope(""):
        made = Variable(np.int64(0), NAME, trainable=False)
    graph.add_to_collection(NAME, made)
    return made


def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """The variable that counts the steps in a graph, made if there is none.

    >>> step = sg.train.get_or_create_global_step()
    >>> w = sg.Variable(1.0)
    >>> train = sg.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
    >>> session = sg.Session()
    >>> session.run(train), session.run(step)
    (None, np.int64(1))
    """
    result = get_global_step(graph)
    return create_global_step(graph) if result is None else result
