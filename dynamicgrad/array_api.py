"""The Python array API 2025.12 on tensors, with differentiable results.

The standard promotes as NumPy does, so its functions treat a tensor as an `Array`. They return
tensors for tensors. The operators of tensors are PyTorch's; those of an `Array` are standard.

>>> from dynamicgrad import array_api as xp
>>> x = xp.asarray([1.0, 2.0]).requires_grad_()
>>> xp.sum(xp.exp(x), axis=0).backward()
>>> x.grad
tensor([2.7183, 7.3891])
"""

import numpy as np

from gradops.array_api import Making, namespace
from gradops.typing import AnyArray

from . import devices
from .dispatch import default_dtype
from .dispatch.through_arrays import on_tensors
from .engine.tensor import Tensor
from .ops import creation


def new(array: AnyArray) -> Tensor:
    """A tensor on an array that is not shared."""
    return creation.make_tensor(array, requires_grad=False)


def share_memory(x: AnyArray) -> Tensor:
    """A tensor that shares the memory of an array, or holds another operand."""
    return creation.from_numpy(x) if isinstance(x, np.ndarray) else new(x)


MAKING = Making(
    kind=Tensor,
    new=new,
    shared=share_memory,
    filled=lambda shape, value, dtype: new(np.full(shape, value, dtype)),
    filled_like=creation.full_like,
    counted=lambda *args: new(np.arange(*args)),
    default_dtype=default_dtype.get_default_dtype,
    device=devices.CPU,
)
FUNCTIONS = on_tensors(namespace(MAKING, __name__))
globals().update(FUNCTIONS)
__all__ = sorted(name for name in FUNCTIONS if not name.startswith("_"))
