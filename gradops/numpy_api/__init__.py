"""NumPy's functions and ufuncs called with tensors, expressions and other operands.

Note [NumPy's calls]. NumPy hands a call to us through `__array_ufunc__` and `__array_function__`.
It is looked up by NumPy's name: first among the functions in this package, which are written to
NumPy's signature, then among all that `gradops` offers. So an op that bears NumPy's name needs no
entry. Arguments are bound by NumPy's signature and handed on by name (`binding`); a keyword that
ours has not is dropped where it asks for nothing and refused otherwise. What is not there is in
`absent`, with the reason that the error gives.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ..core.lazy_import import lazily as _lazily
from .refusals import in_place

if _TYPE_CHECKING:
    from .signatures import function_for
    from .ufuncs import apply_ufunc

__getattr__, __dir__ = _lazily(__name__, {"signatures": "function_for", "ufuncs": "apply_ufunc"})
__all__ = ["apply_ufunc", "function_for", "in_place"]
