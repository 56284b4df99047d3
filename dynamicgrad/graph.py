"""What `dg.autograd.graph` offers: nodes, edges, hooks on what is saved and on several tensors."""

from . import saved as saved  # gives nodes their attributes
from .edges import GradientEdge, get_gradient_edge
from .keeping import allow_mutation_on_saved_tensors
from .multigrad import register_multi_grad_hook
from .packing import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from .sharing import storage_of
from .tape import Node
from .tensor import Tensor


def increment_version(tensor: Tensor) -> None:
    """Count a write to the memory of a tensor that was made behind the library's back.

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
