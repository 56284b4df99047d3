"""Converts keys that users write in brackets to the index attributes of ops."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dims import Dim, Size
from ...core.errors import IndexingError
from ...core.op import OPS, as_operand
from ...core.types import PYTHON_SCALARS, as_size, operand_types, type_of
from ...kernels.index.indexing import Index
from ...typing import AnyArray, Arrays, Operand


def index_form(x: Any, key: Any) -> tuple[Index, Sequence[Any]]:
    """The index attribute for a key (see Note [Index form]) and its arrays."""
    arrays: list[Any] = []
    entries = key if isinstance(key, tuple) else (key,)
    return tuple([encode_entry(x, entry, arrays) for entry in entries]), arrays


def encode_entry(x: Operand, entry: Any, arrays: list[Operand]) -> Any:
    """One entry of a key in the form of Note [Index form]; appends its array to `arrays`."""
    if entry is None or isinstance(entry, Dim):
        return entry
    if entry is ...:
        return "..."
    if isinstance(entry, slice):
        return "slice", *(slice_bound(x, b) for b in (entry.start, entry.stop, entry.step))
    if isinstance(entry, int | np.integer) and not isinstance(entry, bool):
        return int(entry)
    arrays.append(index_array(x, entry))
    return "array"


def slice_bound(x: Any, b: Any) -> Size | None:
    """A bound of a slice as an integer or Dim."""
    if b is None:
        return b
    try:
        return as_size(b)
    except TypeError as error:
        raise IndexingError(
            "index", [type_of(x)], f"a slice has the bound {b!r}, which is not an integer",
            hint="for bounds that are computed, index with an array of integers",
        ) from error


def index_array(x: Any, entry: Any) -> AnyArray:
    """An index array as an operand; a list of tracers is stacked."""
    if type(entry) is list and any(hasattr(e, "gradop_level") for e in entry):
        return OPS["stack"](*with_strong_dtypes(entry), axis=0)
    a = as_operand(entry)
    if hasattr(a, "gradop_level"):
        return a
    a = np.asarray(a)
    if a.dtype.kind not in "biufc":
        raise IndexingError(
            "index", [type_of(x)], f"{entry!r} is not an index",
            hint="index with integers, truth values, slices, None or ...",
        )
    return a if a.size or a.dtype.kind != "f" else a.astype(np.intp)  # [] has a float dtype


def with_strong_dtypes(xs: Sequence[Any]) -> Arrays:
    """The operands, with Python numbers as arrays of the dtype that the others give them."""
    if not any(type(x) in PYTHON_SCALARS for x in xs):
        return xs
    return [
        np.asarray(x, t.dtype) if type(x) in PYTHON_SCALARS else x
        for x, t in zip(xs, operand_types(xs))
    ]
