"""Define-by-run automatic differentiation on NumPy, with PyTorch's names and semantics.

Tensors record a tape as the program runs, and `backward` walks it.

>>> import dynamicgrad as dg
>>> w = dg.tensor(3.0, requires_grad=True)
>>> loss = w * w
>>> loss.backward()
>>> w.grad
tensor(6.)
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

import numpy as _np

from . import autograd, nn
from .creation import (
    FloatTensor,
    arange,
    as_tensor,
    empty,
    eye,
    from_numpy,
    full,
    full_like,
    get_default_dtype,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    randint,
    randn,
    set_default_dtype,
    tensor,
    zeros,
    zeros_like,
)  # fmt: skip
from .modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .spelling import FUNCTIONS as _FUNCTIONS
from .tensor import DetachWarning, Tensor

float16, float32, float64 = _np.dtype("float16"), _np.dtype("float32"), _np.dtype("float64")
int8, int16, int32, int64 = map(_np.dtype, ("int8", "int16", "int32", "int64"))
uint8, complex64, complex128 = map(_np.dtype, ("uint8", "complex64", "complex128"))

globals().update(_FUNCTIONS)  # one table says which ops there are under PyTorch's names

if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


__all__ = [
    "DetachWarning",
    "FloatTensor", "Tensor", "arange", "as_tensor", "autograd", "complex128", "complex64",
    "empty", "enable_grad", "eye", "float16", "float32", "float64", "from_numpy", "full",
    "full_like", "get_default_dtype", "int16", "int32", "int64", "int8", "is_grad_enabled",
    "linspace", "manual_seed", "nn", "no_grad", "ones", "ones_like", "rand", "randint", "randn",
    "set_default_dtype", "set_grad_enabled", "tensor", "uint8", "zeros", "zeros_like",
]  # fmt: skip
__all__ = sorted([*__all__, *_FUNCTIONS])
