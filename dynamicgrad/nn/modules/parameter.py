"""Parameters: tensors that a module trains."""

from typing import Any

from ...engine.leaf import requires_grad_
from ...engine.storage import memory, storage_of
from ...engine.tensor import Tensor, as_tensor, handle

__all__ = ["Parameter"]


class ParameterType(type):
    """Makes `isinstance(t, Parameter)` test the `is_parameter` attribute.

    A parameter is a `Tensor` and nothing else, because what happens a million times is specialised
    for exactly that type; so its class cannot tell it from other tensors.
    """

    def __instancecheck__(cls, x: Any) -> bool:
        return getattr(x, "is_parameter", False) is True


class Parameter(Tensor, metaclass=ParameterType):
    """A leaf that a module registers when it becomes an attribute; it shares the memory of `data`.

    Raises TapeError for integers that are to require gradients.

    >>> dg.nn.Parameter(dg.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        t = as_tensor(Tensor() if data is None else data)
        found = handle(memory(t))
        if data is not None:
            found.storage = storage_of(t)
            found.storage.lend()
        found.is_parameter = True
        return requires_grad_(found) if requires_grad else found
