"""Tensors and types of a model as arrays and types of ours."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradops import GraphFormatError

from ..errors import Unsupported
from ..library import library

DTYPES: dict[int, np.dtype] = {
    1: np.dtype(np.float32), 2: np.dtype(np.uint8), 3: np.dtype(np.int8), 4: np.dtype(np.uint16),
    5: np.dtype(np.int16), 6: np.dtype(np.int32), 7: np.dtype(np.int64), 9: np.dtype(np.bool_),
    10: np.dtype(np.float16), 11: np.dtype(np.float64), 12: np.dtype(np.uint32),
    13: np.dtype(np.uint64), 14: np.dtype(np.complex64), 15: np.dtype(np.complex128),
}  # fmt: skip
"""The dtypes by their numbers in ONNX."""
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
MOST_BYTES = 2**31  # of one tensor, as a file of protobuf is smaller
EXTERNAL = 1  # a tensor's entries lie in another file


def dtype_of(number: int) -> np.dtype:
    """The dtype of an element type; raises Unsupported for those without a dtype of NumPy."""
    if number not in DTYPES:
        kinds = library().TensorProto.DataType
        name = kinds.Name(number) if number in kinds.values() else f"number {number}"
        raise Unsupported(f"the element type {name.lower()}")
    return DTYPES[number]


def array_of(tensor: Any, folder: Path | None = None) -> np.ndarray:
    """The entries of a tensor, whose external data is read from `folder` alone."""
    dtype, shape = dtype_of(tensor.data_type), tuple(tensor.dims)
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize > MOST_BYTES:
        raise GraphFormatError(f"the tensor {tensor.name!r} has the shape {shape}")
    if tensor.data_location == EXTERNAL:
        raw = external_bytes(tensor, folder)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    else:
        return listed_entries(tensor, dtype, shape)
    return entries_of(tensor.name, raw, dtype, shape)


def entries_of(name: str, raw: bytes, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
    """The array whose bytes, the lowest first, are `raw`."""
    if len(raw) != math.prod(shape) * dtype.itemsize:
        raise GraphFormatError(
            f"the tensor {name!r} of {dtype} and shape {tuple(shape)} has {len(raw)} bytes"
        )
    return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype, copy=False).reshape(shape)


def listed_entries(tensor: Any, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
    """The entries of a tensor that lists them one by one, in the field of their kind."""
    match tensor.data_type:
        case 1 | 14:
            entries = np.array(tensor.float_data, np.float32)
        case 11 | 15:
            entries = np.array(tensor.double_data, np.float64)
        case 7:
            entries = np.array(tensor.int64_data, np.int64)
        case 12 | 13:
            entries = np.array(tensor.uint64_data, np.uint64)
        case 10:
            entries = np.array(tensor.int32_data, np.int32).astype(np.uint16).view(np.float16)
        case _:
            entries = np.array(tensor.int32_data, np.int32)
    entries = entries.view(dtype) if dtype.kind == "c" else entries.astype(dtype)
    if entries.size != math.prod(shape):
        raise GraphFormatError(
            f"the tensor {tensor.name!r} of shape {tuple(shape)} has {entries.size} entries"
        )
    return entries.reshape(shape)


def external_bytes(tensor: Any, folder: Path | None) -> bytes:
    """The bytes of a tensor in a file of its own, which lies in `folder`."""
    where = {entry.key: entry.value for entry in tensor.external_data}
    name = where.get("location", "")
    if folder is None:
        raise GraphFormatError(
            f"the tensor {tensor.name!r} has its entries in the file {name!r}"
            "\n  hint: give the directory of such files, external_data=..."
        )
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise GraphFormatError(
            f"the tensor {tensor.name!r} has its entries in {name!r}, which is no file within"
            f" {folder}"
        )
    offset, length = (int(where[k]) if k in where else None for k in ("offset", "length"))
    wanted = math.prod(tensor.dims) * dtype_of(tensor.data_type).itemsize
    if not 0 <= (wanted if length is None else length) <= wanted or (offset or 0) < 0:
        raise GraphFormatError(f"the tensor {tensor.name!r} has {length} bytes in {name!r}")
    with path.open("rb") as file:
        file.seek(offset or 0)
        return file.read(wanted if length is None else length)
