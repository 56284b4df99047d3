"""The Python array API 2025.12 on tensors: what it gives can be differentiated.

The standard promotes as NumPy does, so its functions see a tensor as an `Array`, which speaks
NumPy, and give tensors for tensors. The operators of a tensor are PyTorch's; those of an `Array`
are the standard's.

>>> from dynamicgrad import array_api as xp
>>> x = xp.asarray([1.0, 2.0]).requires_grad_()
>>> xp.sum(xp.exp(x), axis=0).backward()
>>> x.grad
tensor([2.7183, 7.3891])
"""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from gradops import flatten, tree_map
from gradops.array_api import Making, namespace
from gradops.array_api.making import NAMES

from . import creation, devices, dtypes
from .arrays import Array
from .handle import on_face
from .tensor import Tensor


def new(array: Any) -> Tensor:
    """A tensor that has an array for itself."""
    return creation.finished(array, requires_grad=False)


def shared(x: Any) -> Tensor:
    """A tensor on the memory of an array, or on an operand of another kind."""
    return creation.from_numpy(x) if isinstance(x, np.ndarray) else new(x)


MAKING = Making(
    kind=Tensor,
    new=new,
    shared=shared,
    filled=lambda shape, value, dtype: new(np.full(shape, value, dtype)),
    filled_like=creation.full_like,
    counted=lambda *args: new(np.arange(*args)),
    default_dtype=dtypes.get_default_dtype,
    device=devices.CPU,
)


def by_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the standard that computes as NumPy does, and gives tensors for tensors."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not any(isinstance(leaf, Tensor) for leaf in flatten((args, options))[0]):
            return function(*args, **options)
        args, options = tree_map(lambda x: seen_as(Array, x), (args, options))
        return tree_map(lambda x: seen_as(Tensor, x), function(*args, **options))

    return call


def seen_as(face: Any, x: Any) -> Any:
    """A tensor or an array with another face; what is neither as it is."""
    return on_face(face, x) if isinstance(x, Tensor | Array) else x


def on_tensors(names: dict[str, Any]) -> dict[str, Any]:
    """The names of a namespace, with functions that take tensors as NumPy takes arrays."""
    for extension in (m for m in names.values() if isinstance(m, ModuleType)):
        vars(extension).update(on_tensors({**vars(extension)}))
    return {
        name: by_arrays(f) if callable(f) and name not in OF_THEIR_OWN else f
        for name, f in names.items()
    }


OF_THEIR_OWN = {*NAMES, "__array_namespace_info__"}  # which make tensors themselves
globals().update(on_tensors(namespace(MAKING, __name__)))
