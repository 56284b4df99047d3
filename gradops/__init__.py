"""The op library that `dynamicgrad` and `staticgrad` share: each op declared once.

Names are NumPy's and the Python array API's. Ops applied to arrays compute; to tensors, they
record; to expressions, they build.

>>> import gradops, numpy as np
>>> gradops.jvp(gradops.tanh, [np.array(0.0)], [np.array(2.0)])
(np.float64(0.0), np.float64(2.0))
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import fft, library, linalg, random, special
from .core import errors as _errors
from .core.dims import Dim
from .core.errors import *
from .core.lazy_import import lazily as _lazily
from .core.op import OPS, ErrorSample, Op
from .core.samples import beside, between, cases, distinct, exactly, integers, positive, reals
from .core.tree import flatten, leaves_of, tree_map
from .core.types import ArrayType, type_of
from .library import *
from .numpy_api import aliases
from .numpy_api.aliases import *
from .numpy_api.operators import Operators
from .transforms.batching import Batched, vmap
from .transforms.forward import Dual, jvp
from .transforms.reverse import depending_on, pull_back
from .transforms.saved_operands import reads

if _TYPE_CHECKING:
    from .transforms.taylor import Series, jet

__getattr__, __dir__ = _lazily(__name__, {"transforms.taylor": "Series jet"})

__all__ = [
    "ArrayType", "Batched", "Dim", "Dual", "ErrorSample", "OPS", "Op", "Operators", "Series",
    "beside", "between", "cases", "depending_on", "distinct", "exactly", "flatten", "integers",
    "jet", "jvp", "leaves_of", "positive", "pull_back", "reads", "reals", "tree_map", "type_of",
    "vmap",
]  # fmt: skip
__all__ = sorted([*__all__, *_errors.__all__, *aliases.__all__, *library.__all__])
