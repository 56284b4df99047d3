"""Define-by-run automatic differentiation on NumPy, with PyTorch's names and semantics.

Tensors record a tape as the program runs, and `backward` walks it.

>>> import dynamicgrad as dg
>>> w = dg.tensor(3.0, requires_grad=True)
>>> loss = w * w
>>> loss.backward()
>>> w.grad
tensor(6.)
"""

import math as _math
from typing import TYPE_CHECKING as _TYPE_CHECKING

import numpy as _np

from gradops import DetachWarning
from gradops.core.lazy_import import lazily as _lazily
from gradops.kernels.threads import get_num_threads, set_num_threads

from . import linalg, special
from .devices import device
from .dispatch.default_dtype import get_default_dtype, set_default_dtype
from .engine import grad_mode as _grad_mode
from .engine.array import Array, array
from .engine.grad_mode import *
from .engine.tensor import Tensor
from .methods import installation as _installation  # gives tensors their methods
from .methods.torch_functions import FUNCTIONS as _FUNCTIONS
from .names.missing_names import missing as _missing
from .ops import creation as _creation
from .ops.conversion import from_dlpack
from .ops.creation import *

float16, float32, float64 = _np.dtype("float16"), _np.dtype("float32"), _np.dtype("float64")
complex64, complex128 = _np.dtype("complex64"), _np.dtype("complex128")
int8, int16, int32, int64 = map(_np.dtype, ("int8", "int16", "int32", "int64"))
uint8, complex64, complex128 = map(_np.dtype, ("uint8", "complex64", "complex128"))
half, float, double, bool = float16, float32, float64, _np.dtype("bool")
short, int, long = int16, int32, int64
contiguous_format, preserve_format = "contiguous_format", "preserve_format"
channels_last = "channels_last"
e, inf, nan, pi = _math.e, _math.inf, _math.nan, _math.pi

globals().update(_FUNCTIONS)  # one table says which ops there are under PyTorch's names

if _TYPE_CHECKING:
    from . import array_api, autograd, cuda, data, fft, func, nn, optim, random, utils
    from .autograd import checkpoint
    from .checking.check import check
    from .comparison import compare
    from .func import grad, hessian, hvp, jacobian, value_and_grad, vmap
    from .func.scipy_solvers import scipy
    from .introspection.explain import explain
    from .introspection.formats import (
        from_json,
        to_dot,
        to_gexf,
        to_graphml,
        to_json,
        to_mermaid,
        to_networkx,
        to_svg,
        to_text,
    )
    from .introspection.pages import inspect
    from .introspection.profile import profile
    from .introspection.timeline import timeline
    from .introspection.to_python import to_python
    from .serialization import load, save
    from .sparse import sparse_hessian, sparse_jacobian


def _places() -> dict[str, list[str]]:
    """The names in the modules where a name may be that is not here."""
    from . import data, fft, func, nn, optim, random
    from .nn import functional

    modules = {
        "nn.functional": functional, "nn": nn, "func": func, "linalg": linalg, "fft": fft,
        "special": special, "random": random, "optim": optim, "data": data,
    }  # fmt: skip
    return {place: module.__all__ for place, module in modules.items()}


__getattr__, __dir__ = _lazily(
    __name__,
    {
        "array_api": "array_api", "autograd": "autograd checkpoint", "cuda": "cuda",
        "data": "data", "fft": "fft", "nn": "nn", "optim": "optim", "random": "random",
        "func": "func grad hessian hvp jacobian value_and_grad vmap", "checking.check": "check",
        "comparison": "compare", "sparse": "sparse_hessian sparse_jacobian",
        "func.scipy_solvers": "scipy", "introspection.explain": "explain",
        "introspection.formats": "from_json to_dot to_gexf to_graphml to_json to_mermaid"
        " to_networkx to_svg to_text",
        "introspection.pages": "inspect", "introspection.profile": "profile",
        "introspection.timeline": "timeline", "introspection.to_python": "to_python",
        "serialization": "load save",
        "dispatch.torch_phrases": "__gradop_words__", "utils": "utils",
    },
    lambda name: _missing(name, _places),
)  # fmt: skip


__all__ = [
    "Array", "DetachWarning", "Tensor", "array", "array_api", "autograd", "bool", "channels_last",
    "check", "checkpoint", "compare", "complex128", "complex64", "contiguous_format", "cuda",
    "data", "device", "double", "e", "explain", "fft", "float", "float16", "float32", "float64",
    "from_dlpack", "from_json", "func", "get_default_dtype", "get_num_threads", "grad", "half",
    "hessian", "hvp", "inf", "inspect", "int", "int16", "int32", "int64", "int8", "jacobian",
    "linalg", "load", "long", "nan", "nn", "optim", "pi", "preserve_format", "profile", "random",
    "save", "scipy", "set_default_dtype", "set_num_threads", "short", "sparse_hessian",
    "sparse_jacobian", "special", "timeline",
    "to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid", "to_networkx", "to_python",
    "to_svg", "to_text", "uint8", "utils",
    "value_and_grad", "vmap",
]  # fmt: skip
__all__ = sorted([*__all__, *_grad_mode.__all__, *_creation.__all__, *_FUNCTIONS])
