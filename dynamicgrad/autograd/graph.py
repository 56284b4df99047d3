"""`dg.autograd.graph`: nodes, edges, and hooks on saved tensors and on several tensors."""

from ..engine.node import Node
from ..engine.storage import storage_of
from ..engine.tensor import Tensor
from ..hooks.gradient_edge import GradientEdge, get_gradient_edge
from ..hooks.multi_grad_hook import register_multi_grad_hook
from ..hooks.saved_tensor_hooks import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)


def increment_version(tensor: Tensor) -> None:
    """Count a write to the memory of a tensor that the library did not see.

    >>> x = dg.zeros(2)
    >>> x.numpy()[0] = 1
    >>> dg.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    storage_of(tensor).write()


__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
    "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]  # fmt: skip
