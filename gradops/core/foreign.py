"""Operands of other libraries, which some ops take.

Note [Sparse operands]. SciPy's sparse arrays are no operands of ops, but a product with one of them
is an op of its own. `x @ A` comes here as an operand that `matmul` does not know. `A @ x` is asked
of SciPy first, which makes an array of x, and leaves the product to `x` if that is no array: so
traced values answer this one question by an array that is none.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

FOREIGN: dict[str, Callable[[Sequence[Any]], Any]] = {}
"""For ops by name, functions of operands of which one is another library's.

They return NotImplemented for what they do not know. Modules of ops fill it when they are imported.
"""

NO_ARRAY = np.array(None, dtype=object)
ASKING = frozenset({"_matmul_dispatch", "_rmatmul_dispatch"})


def is_sparse_product() -> bool:
    """True where the caller's caller is SciPy's product of a sparse array."""
    code = sys._getframe(2).f_code
    return code.co_name in ASKING and "sparse" in code.co_filename
