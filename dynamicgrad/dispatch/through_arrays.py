"""The functions of the array API on tensors, computed by NumPy's rules on `Array`."""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gradops import flatten, tree_map
from gradops.array_api.making import NAMES

from ..engine.array import Array
from ..engine.handle import Handle, on_face
from ..engine.tensor import Tensor

OF_THEIR_OWN = {*NAMES, "__array_namespace_info__"}
"""Names of functions that make tensors themselves."""


def on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the standard by NumPy's rules, with tensors for tensors."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not any(isinstance(leaf, Tensor) for leaf in flatten((args, options))[0]):
            return function(*args, **options)
        args, options = tree_map(lambda x: with_face(Array, x), (args, options))
        return tree_map(lambda x: with_face(Tensor, x), function(*args, **options))

    return call


def with_face(face: type[Handle], x: object) -> object:
    """A tensor or an array with another face; anything else unchanged."""
    return on_face(face, x) if isinstance(x, Tensor | Array) else x


def on_tensors(names: dict[str, Any]) -> dict[str, Any]:
    """The names of a namespace, with functions that apply NumPy's rules to tensors."""
    for extension in (m for m in names.values() if isinstance(m, ModuleType)):
        vars(extension).update(on_tensors({**vars(extension)}))
    return {
        name: on_arrays(f) if callable(f) and name not in OF_THEIR_OWN else f
        for name, f in names.items()
    }
