"""The types that ONNX wants of the inputs of an operator: equal ones where it gives one letter."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from gradops import GraphFormatError

from ..library import library
from .tensors import DTYPES

Letters = tuple[tuple[str, ...], bool]  # of the inputs, and whether the last one repeats


@cache
def letters_of(operator: str, opset: int) -> Letters | None:
    """The letter or the type that the schema of an operator has for each input."""
    defs = library().defs
    try:
        schema = defs.get_schema(operator, opset, "")
    except defs.SchemaError:
        return None
    inputs = schema.inputs
    repeats = bool(inputs) and inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic
    if repeats and not inputs[-1].is_homogeneous:
        return tuple(p.type_str for p in inputs[:-1]), False
    return tuple(p.type_str for p in inputs), repeats


@cache
def name_of(number: int) -> str:
    """A dtype as schemas spell it: tensor(float)."""
    names = {1: "float", 10: "float16", 11: "double"}
    return f"tensor({names.get(number, str(DTYPES[number]))})"


FIXED = {name_of(number): dtype for number, dtype in DTYPES.items()}


def require_types(operator: str, opset: int, operands: Sequence[Any]) -> None:
    """Raise GraphFormatError unless inputs of one letter have one dtype."""
    letters = letters_of(operator, opset)
    if letters is None or not letters[0]:
        return
    names, repeats = letters
    seen: dict[str, Any] = {}
    for i, x in enumerate(operands):
        if i >= len(names) and not repeats:
            break
        if x is None:
            continue
        letter = names[min(i, len(names) - 1)]
        wanted = FIXED.get(letter) or seen.setdefault(letter, x.dtype)
        if x.dtype != wanted:
            raise GraphFormatError(f"input {i} is of {x.dtype}, where {wanted} is wanted")
