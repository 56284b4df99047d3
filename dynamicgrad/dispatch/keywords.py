"""Functions called with the argument names that PyTorch's documentation gives."""

from collections.abc import Callable
from typing import Any

from gradops import OPS, Op

from ..devices import IDLE
from ..engine.handle import Handle
from ..engine.tensor import Tensor
from ..names.torch_names import TABLE, row_called
from .fast_path import operand, several
from .operand_dtypes import checked
from .wrapping import like, parameters_of

NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}
"""NumPy's names for arguments, which PyTorch takes too."""
PACKED = ("size", "shape", "dims", "repeats")
"""Names by which PyTorch takes a sequence whose entries our functions take one by one."""


def function_of(op: Op) -> Callable[..., Any]:
    """`op` as a function of tensors: the specialised code, or that for ops with attributes."""
    return Tensor.specialised[op] or several(op, {"dim": "axis", "keepdim": "keepdims"})


def ops_named(prefix: str = "") -> dict[str, Op]:
    """Ops by the names that begin with `prefix`, such as `special.`, without it."""
    rows = ((OPS[key], row) for key, row in TABLE.items() if key in OPS and row.names)
    return {
        name.removeprefix(prefix): op
        for op, row in rows
        for name in row.names.split()
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    }


def as_function(
    name: str, function: Callable[..., Any], converts: bool = False
) -> Callable[..., Any]:
    """A function of `dg` that checks dtypes and takes PyTorch's names for arguments.

    With `converts`, the first argument may be anything that becomes a tensor.
    """
    row = row_called(name)
    takes_keywords = hasattr(function, "spells") or parameters_of(function)[:1] == ("input",)
    function = checked(name, function)
    if takes_keywords and not row.keywords:
        return function
    return with_keywords(name, function, converts)


def as_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that checks dtypes, and takes `axis` for `dim` and PyTorch's other names."""
    parameters = parameters_of(function)
    function = checked(name, function)
    if row_called(name).keywords or ("dim" in parameters and "axis" not in parameters):
        return with_keywords(name, function, converts=False)
    return function


def with_keywords(name: str, function: Callable[..., Any], converts: bool) -> Callable[..., Any]:
    """`function` with PyTorch's names for its arguments."""
    parameters, renamed = parameters_of(function), row_called(name).renamed
    if "dim" in parameters and "axis" not in parameters:
        renamed |= NUMPY_NAMES
    takes_input, packs = "input" in parameters, set(parameters).isdisjoint(PACKED)

    def call(*args: Any, **options: Any) -> Any:
        if options:
            options = {renamed.get(k, k): v for k, v in options.items() if k not in IDLE}
            if "input" in options and not takes_input:
                args = (options.pop("input"), *args)
            if packs:
                args += tuple(options.pop(k) for k in PACKED if k in options)
        if converts and args and not isinstance(args[0], Handle):
            args = (operand(args[0]), *args[1:])
        return function(*args, **options)

    return like(call, function)
