"""Operands of every dtype: tensors with and without dimensions, and numbers of both kinds."""

import numpy as np

DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
    "complex64", "complex128",
]  # fmt: skip
TENSORS = [f"{dtype}[3]" for dtype in DTYPES]
POINTS = [f"{dtype}[]" for dtype in DTYPES]
PYTHON = ["bool", "int", "float", "complex"]
NUMPY = [f"np.{dtype}" for dtype in DTYPES if dtype not in ("bool", "complex64")]
"""Scalars of NumPy's, but for those that torch takes for floats."""

NUMBERS = [*PYTHON, *NUMPY]

FIRST = {"b": [1, 0, 1], "iu": [3, 1, 2], "f": [2.5, 1.25, 0.75], "c": [2.5 + 1j, 1.25, 1j]}
SECOND = {"b": [1, 1, 1], "iu": [2, 1, 3], "f": [1.5, 0.75, 3.25], "c": [1.5 - 1j, 2, 0.5 + 2j]}


def entries(dtype, of):
    """Three entries of a dtype, for which the results of all ops are small."""
    kind = np.dtype(dtype).kind
    return np.array(next(of[kinds] for kinds in of if kind in kinds), dtype)


def operand(lib, spec, of):
    """The operand that a word such as `int8[3]`, `int8[]`, `np.int8` or `int` names."""
    if spec in PYTHON:
        return entries(spec, of)[0].item()
    if spec.startswith("np."):
        return entries(spec[3:], of)[0]
    dtype, dimensions = spec[:-1].split("[")
    values = entries(dtype, of)
    return lib.tensor(values if dimensions else values[0], dtype=getattr(lib, dtype))


def of_one(first=(*TENSORS, *POINTS)):
    """Each operand by itself."""
    return [(a,) for a in first]


def of_two(first=(*TENSORS, *POINTS), second=(*TENSORS, *POINTS)):
    """Each pair of operands."""
    return [(a, b) for a in first for b in second]


def pairs():
    """Pairs of tensors and numbers of which one at least is a tensor."""
    tensors = [*TENSORS, *POINTS]
    return of_two(tensors, [*tensors, *NUMBERS]) + of_two(NUMBERS, tensors)
