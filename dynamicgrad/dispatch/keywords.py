"""Functions and methods with PyTorch's names for arguments."""

from functools import cache
from typing import Any

from gradops import OPS, Op

from ..devices import IDLE
from ..engine.handle import Handle
from ..engine.tensor import Tensor
from ..names.torch_names import TABLE, Row, row_called
from .fast_path import operand, several
from .wrapping import Function, parameters_of, wrap

Names = tuple[str, ...]
Translation = tuple[dict[str, str], frozenset[str], frozenset[str]]

NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}
"""NumPy's names for arguments, which PyTorch takes too."""
PACKED = frozenset({"size", "shape", "dims", "repeats"})
"""Names by which PyTorch takes a sequence whose entries our functions take one by one."""


def function_of(op: Op) -> Function:
    """`op` as a function of tensors, by specialised code if it has no attributes."""
    return Tensor.specialised[op] or several(op, {"dim": "axis", "keepdim": "keepdims"})


@cache
def ops_named(prefix: str = "") -> dict[str, Op]:
    """The ops with names that begin with `prefix`, such as `special.`, by the rest of the name."""
    return {
        name.removeprefix(prefix): OPS[key]
        for key, row in TABLE.items()
        if key in OPS
        for name in row.names.split()
        if name.startswith(prefix) and "." not in name.removeprefix(prefix)
    }


def as_function(name: str, function: Function, converts: bool = False) -> Function:
    """A function of `dg` that takes PyTorch's names for arguments.

    With `converts`, the first argument may be anything that becomes a tensor.
    """
    row, parameters = row_called(name), parameters_of(function)
    if not row.keywords and (parameters[:1] == ("input",) or hasattr(function, "spells")):
        return function
    return with_keywords(function, row, parameters, converts)


def as_method(name: str, function: Function) -> Function:
    """A method that takes PyTorch's names for arguments, and NumPy's `axis` for `dim`."""
    row, parameters = row_called(name), parameters_of(function)
    if row.keywords or ("dim" in parameters and "axis" not in parameters):
        return with_keywords(function, row, parameters, converts=False)
    return function


def with_keywords(function: Function, row: Row, parameters: Names, converts: bool) -> Function:
    """`function`, which has these parameters, with PyTorch's names for arguments."""
    renamed, positional, handled = translation(
        row.keywords,
        has_dim="dim" in parameters and "axis" not in parameters,
        takes_input="input" in parameters,
        packs=PACKED.isdisjoint(parameters),
    )

    def call(*args: Any, **options: Any) -> Any:
        if options and not handled.isdisjoint(options):
            options = {renamed.get(k, k): v for k, v in options.items() if k not in IDLE}
            if "input" in options and "input" in positional:
                args = (options.pop("input"), *args)
            args = (*args, *[options.pop(k) for k in tuple(options) if k in positional])
        if converts and args and not isinstance(args[0], Handle):
            args = (operand(args[0]), *args[1:])
        return function(*args, **options)

    return wrap(call, function)


@cache
def translation(keywords: str, has_dim: bool, takes_input: bool, packs: bool) -> Translation:
    """Names of arguments and ours, those passed by position, and all that are translated."""
    renamed = dict(pair.split("=") for pair in keywords.split()) | (NUMPY_NAMES if has_dim else {})
    positional = frozenset(() if takes_input else ("input",)) | (PACKED if packs else frozenset())
    return renamed, positional, IDLE.union(renamed, positional)
