"""Gradient edges: a node and the number of its output, in place of a tensor."""

from collections.abc import Iterator

import numpy as np

from gradops import ArrayType, TapeError
from gradops.core.dims import Shape

from ..engine.node import Leaf, Node, Vertex, edge
from ..engine.tensor import Tensor, handle


class GradientEdge:
    """A node and one of its outputs, for `grad` and `backward` in place of a tensor."""

    __slots__ = ("node", "output_nr", "vertex")

    def __init__(self, vertex: Vertex) -> None:
        self.vertex = vertex
        self.node, self.output_nr = edge(vertex)

    @property
    def type(self) -> ArrayType:
        """The type of the tensor."""
        return self.vertex.type

    @property
    def shape(self) -> Shape:
        """The shape of the tensor."""
        return self.type.shape

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the tensor."""
        return self.type.dtype

    def stand_in(self) -> Tensor:
        """A tensor with the type and history of the edge; its entries are zeros."""
        sizes = tuple(map(int, self.shape))
        return handle(np.broadcast_to(np.zeros((), self.dtype), sizes), self.vertex)

    def __iter__(self) -> Iterator[Node | Leaf | int | None]:
        return iter((self.node, self.output_nr))


def get_gradient_edge(t: Tensor) -> GradientEdge:
    """The edge of a tensor, for `grad` and `backward`; it does not keep the entries alive.

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
