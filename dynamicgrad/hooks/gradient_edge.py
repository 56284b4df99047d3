"""Edges of the graph of nodes: what stands for a tensor where only its history is needed."""

from typing import Any

import numpy as np

from gradops import ArrayType, TapeError

from ..engine.node import edge
from ..engine.tensor import Tensor, handle


class GradientEdge:
    """A node and one of its outputs, for `grad` and `backward` in place of the tensor itself."""

    __slots__ = ("node", "output_nr", "vertex")

    def __init__(self, vertex: Any) -> None:
        self.vertex = vertex
        self.node, self.output_nr = edge(vertex)

    @property
    def type(self) -> ArrayType:
        """The type of the tensor it stands for."""
        return self.vertex.type

    @property
    def shape(self) -> Any:
        """The shape of the tensor it stands for."""
        return self.vertex.shape

    @property
    def dtype(self) -> Any:
        """The dtype of the tensor it stands for."""
        return self.vertex.dtype

    def stand_in(self) -> Tensor:
        """A tensor of the edge's type and history, whose entries do not matter."""
        return handle(np.broadcast_to(np.zeros((), self.dtype), self.shape), self.vertex)

    def __iter__(self) -> Any:
        return iter((self.node, self.output_nr))


def get_gradient_edge(t: Tensor) -> GradientEdge:
    """What stands for a tensor in `grad` and `backward`, without keeping its entries alive.

    Raises TapeError if the tensor requires no gradient.

    >>> x = dg.ones(2, requires_grad=True)
    >>> edge = dg.autograd.graph.get_gradient_edge(x)
    >>> dg.autograd.grad((x * 3).sum(), edge)
    (tensor([3., 3.]),)
    """
    if t.node is None:
        raise TapeError("It is not possible to get the gradient edge of a Tensor that does not"
                        " require gradients")  # fmt: skip
    return GradientEdge(t.node)
