"""The names that PyTorch's documentation gives to arguments, where the functions have others."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from gradops import Op

from ..devices import IDLE

MATRICES = {"mat1": "a", "mat2": "b", "mat": "a", "vec": "b", "batch1": "a", "batch2": "b"}
NAMES: dict[str, dict[str, str]] = {
    "mm": {"mat2": "other"}, "bmm": {"mat2": "other"}, "mv": {"vec": "other"},
    "dot": {"tensor": "other"}, "addr": {"vec1": "a", "vec2": "b"},
    **dict.fromkeys(("addmm", "addmv", "addbmm", "baddbmm"), MATRICES),
    "swapaxes": {"axis0": "axis1", "axis1": "axis2"},
    "swapdims": {"dim0": "axis1", "dim1": "axis2"},
    "max": {"other": "dim"}, "min": {"other": "dim"},
    "where": {"input": "a", "other": "b"}, "trapezoid": {"y": "input"}, "trapz": {"y": "input"},
    "tensor_split": dict.fromkeys(("indices", "sections"), "indices_or_sections"),
    "hsplit": dict.fromkeys(("indices", "sections"), "indices_or_sections"),
    "vsplit": dict.fromkeys(("indices", "sections"), "indices_or_sections"),
    "dsplit": dict.fromkeys(("indices", "sections"), "indices_or_sections"),
    "broadcast_to": {"size": "shape"},
}  # fmt: skip
"""PyTorch's names for arguments, by functions, and ours."""

SPREAD = ("size", "shape", "dims", "repeats")
"""What PyTorch takes by one of these names, and ours one by one."""


def by_pytorchs_names(name: str, function: Any) -> Any:
    """`function`, called by `name`, with PyTorch's names for its arguments."""
    parameters = known_parameters(function)
    names, spreads = NAMES.get(name, {}), not parameters.keys() & set(SPREAD)

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {names.get(k, k): v for k, v in kwargs.items() if k not in IDLE}
            if "input" in kwargs and "input" not in parameters:
                args = (kwargs.pop("input"), *args)
            if spreads:
                args += tuple(kwargs.pop(k) for k in SPREAD if k in kwargs)
        return function(*args, **kwargs)

    if hasattr(function, "spells"):
        call.spells = function.spells  # type: ignore[attr-defined]
    return call


def known_parameters(function: Any) -> dict[str, Any]:
    """The parameters of a function, or of what it wraps."""
    return dict(inspect.signature(inspect.unwrap(function)).parameters)


def all_by_pytorchs_names(functions: dict[str, Any]) -> dict[str, Any]:
    """Functions by names, those wrapped that do not take PyTorch's names for arguments already."""
    return {
        name: f if is_named(name, f) else by_pytorchs_names(name, f)
        for name, f in functions.items()
    }


def is_named(name: str, function: Callable[..., Any]) -> bool:
    """Whether a function takes PyTorch's names: ops called by `fast_path` do."""
    if name in NAMES:
        return False
    of_op = isinstance(getattr(function, "spells", None), Op) and function.__module__.endswith(
        "fast"
    )
    return of_op or next(iter(known_parameters(function)), "") == "input"
