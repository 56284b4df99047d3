"""Dtype checks of PyTorch's functions that are stricter than those of the ops they apply.

Some compute floats only, some take operands of one dtype or convert them to one, some compute half
precision in single precision, and index arguments are int32 or int64. Their rows in `torch_names`
say so.
"""

from collections.abc import Sequence
from typing import Any

from gradops import DTypeError
from gradops.core.types import operand_types
from gradops.library.shape.movement import in_single

from ..engine.handle import Handle
from ..names.torch_names import Row, row_called
from .op_dtypes import INT64, are_floats, in_one_dtype, require_alike, require_kind
from .promotion import common_dtype
from .wrapping import Function, parameters_of, wrap

PLAIN = frozenset({bool, int, float, str, tuple, list, type(None)})
"""Types of arguments that are not operands."""

APART = frozenset({"index", "indices", "mask", "attn_mask", "condition"})
"""Arguments whose dtype is independent of the operands'."""


def check_all(functions: dict[str, Function]) -> dict[str, Function]:
    """Functions by name, each with the checks of its row."""
    return {name: check_dtypes(name, function) for name, function in functions.items()}


def check_dtypes(name: str, function: Function) -> Function:
    """`function` with the dtype checks of its row."""
    row = row_called(name)
    if not (row.accepts or row.each_accepts or row.dtypes or row.indices or row.single):
        return function
    compute = in_single(function) if row.single else function
    parameters = parameters_of(function)
    key, *dtypes = row.indices.split() or [""]
    at = parameters.index(key) if key else None
    apart = APART | {key}

    def call(*args: Any, **options: Any) -> Any:
        if not options and are_usual(args, at):
            return function(*args)
        names = (*parameters, *range(len(parameters), len(args)))  # more where it takes *args
        given = dict(zip(names, args, strict=False)) | options
        if key:
            require_indices(name, key, dtypes, given.get(key))
        operands = [a for k, a in given.items() if isinstance(a, Handle) and k not in apart]
        if operands:
            require_dtypes(name, row, operands)
            if row.dtypes == "common":
                if len(args) < 2:
                    args = tuple(given.pop(k) for k in parameters[:2] if k in given)
                    options = given
                args = (*in_one_dtype(args[:2]), *args[2:])
        return compute(*args, **options)

    return wrap(call, function)


def are_usual(args: tuple[Any, ...], at: int | None) -> bool:
    """True for floats of one dtype and int64 indices, which all functions accept."""
    if at is None or at >= len(args):
        return are_floats(args, PLAIN)
    is_int64 = isinstance(args[at], Handle) and args[at].value.dtype is INT64
    return is_int64 and are_floats((*args[:at], *args[at + 1 :]), PLAIN)


def require_dtypes(name: str, row: Row, operands: Sequence[Handle]) -> None:
    """Raise an error for operands of dtypes that a function does not take."""
    if row.accepts:
        require_kind(name, operands, common_dtype(operands), row.accepts)
    for a in operands if row.each_accepts else ():
        require_kind(name, operands, a.dtype, row.each_accepts)
    if row.dtypes == "same":
        require_alike(name, operands)


def require_indices(name: str, key: str, dtypes: Sequence[str], index: object) -> None:
    """Raise DTypeError for indices of a dtype that a function does not take."""
    if isinstance(index, Handle) and index.dtype not in dtypes:
        raise DTypeError(
            name, operand_types([index]), f"indices have the dtype {' or '.join(dtypes)}",
            hint=f"x.long() makes the {key} int64; of an array, x.astype(np.int64)",
            known_as="Expected dtype int32/int64 for index",
        )  # fmt: skip
