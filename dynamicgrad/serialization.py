"""Saving states: nested structures of tensors in a file that is safe to load.

The file is an archive of arrays, whose manifest has the structure: see `gradops/serialization.py`.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradops import StateFormatError
from gradops import serialization as archives

from .devices import require
from .engine.handle import make_leaf
from .engine.tensor import Tensor
from .ops.creation import from_numpy

STATE = archives.Format("dynamicgrad state", 1, "saved state", StateFormatError)


def save(state: Any, file: Any) -> None:
    """Save a state: dicts, lists and tuples of tensors, arrays, numbers, strings, truth and None.

    `file` is a path, or a file open for writing bytes. A path that ends in `.safetensors` gets that
    format, which holds a flat dict of tensors (the extra `safetensors`). A file that is there is
    replaced only when the new one is complete. Raises TypeError for what cannot be saved.

    >>> import io
    >>> file = io.BytesIO()
    >>> dg.save({"w": dg.ones(2), "steps": 3}, file)
    >>> dg.load(file)
    {'w': tensor([1., 1.]), 'steps': 3}
    """
    if archives.is_path(file) and Path(file).suffix == ".safetensors":
        return save_safetensors(state, file)
    arrays: list[Any] = []
    manifest = {"state": encode(state, arrays)}
    archives.write_archive(file, STATE, manifest, arrays)


OF_TORCH = {".bin", ".ckpt", ".pkl", ".pt", ".pth"}
"""How the names of files end that often are PyTorch's."""


def load(file: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """The state that `save` wrote: tensors come back with their `requires_grad`.

    Raises StateFormatError for a file that is not a saved state, or is damaged; whatever is in it,
    loading runs no code. The other arguments are PyTorch's: there is one device to be mapped to,
    and nothing but weights and plain values in a file.
    """
    if map_location is not None:
        require(map_location)
    if archives.is_path(file) and Path(file).suffix == ".safetensors":
        return load_safetensors(file)
    try:
        return archives.read_archive(file, STATE, lambda archive, m: decode(m["state"], archive))
    except StateFormatError as error:
        if archives.is_path(file) and Path(file).suffix in OF_TORCH:
            error.add_note(
                "  hint: what torch.save writes is a pickle, which could run code, and is not read;"
                " write it with safetensors.torch.save_file(model.state_dict(), path)"
            )
        raise


def encode(x: Any, arrays: list[Any]) -> Any:
    """A state as JSON has it, with its arrays put aside."""
    if x is None or (isinstance(x, bool | str | int) and not isinstance(x, np.generic)):
        return x
    if isinstance(x, float) and not isinstance(x, np.generic):
        return x if math.isfinite(x) else {"float": repr(x)}
    if isinstance(x, Tensor):
        i, parameter = put_aside(x.value, arrays), getattr(x, "is_parameter", False)
        return {"tensor": i, "requires_grad": x.node is not None, "parameter": parameter}
    if isinstance(x, np.ndarray | np.generic):
        return {"array": put_aside(x, arrays)}
    if isinstance(x, Mapping):
        return {"dict": [[key_of(k), encode(v, arrays)] for k, v in x.items()]}
    if type(x) in (list, tuple):
        return {type(x).__name__: [encode(v, arrays) for v in x]}
    raise TypeError(f"a {type(x).__name__} cannot be saved\n  hint: save its state_dict()")


def key_of(k: Any) -> Any:
    """A key of a dict, which is a string or an integer."""
    if isinstance(k, str | int) and not isinstance(k, bool):
        return k
    raise TypeError(f"{k!r} cannot be saved as a key: keys are strings and integers")


def put_aside(value: Any, arrays: list[Any]) -> int:
    """Where in the file an array will be."""
    array = np.asarray(value)
    if array.dtype.kind not in archives.KINDS:
        raise TypeError(f"an array of {array.dtype} cannot be saved: it is not made of numbers")
    arrays.append(array)
    return len(arrays) - 1


def decode(x: Any, archive: archives.Archive) -> Any:
    """The part of a state that a part of the manifest describes."""
    match x:
        case None | bool() | str() | int() | float():
            return x
        case {"float": "nan" | "inf" | "-inf" as text}:
            return float(text)
        case {"array": int(i)}:
            return archive.array(i)
        case {"tensor": int(i), "requires_grad": bool(wanted), "parameter": bool(parameter)}:
            return tensor_of(archive, archive.array(i), wanted, parameter)
        case {"list": list(parts)}:
            return [decode(part, archive) for part in parts]
        case {"tuple": list(parts)}:
            return tuple(decode(part, archive) for part in parts)
        case {"dict": list(pairs)}:
            return dict(pair_of(pair, archive) for pair in pairs)
    archive.refuse(f"{str(x)[:80]} describes nothing")


def pair_of(pair: Any, archive: archives.Archive) -> tuple[Any, Any]:
    """A key of a dict and its value."""
    match pair:
        case [str() | int() as key, value]:
            return key, decode(value, archive)
    archive.refuse(f"{str(pair)[:80]} is not an entry of a dict")


def tensor_of(archive: archives.Archive, array: Any, wanted: bool, parameter: bool) -> Tensor:
    """A tensor as it was saved, which requires gradients if that is wanted."""
    t = from_numpy(array)
    t.storage = None  # nobody else has the array
    if parameter:
        t.is_parameter = True
    if wanted and array.dtype.kind not in "fc":
        archive.refuse(f"a tensor of {array.dtype} requires gradients")
    return make_leaf(t) if wanted else t


def safetensors() -> Any:
    """The module that reads and writes the format, or the error that says how to get it."""
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ImportError(
            "files in the format safetensors need the package of that name"
            "\n  hint: pip install 'staticgrad[safetensors]'"
        ) from error
    return safetensors.numpy


def save_safetensors(state: Any, path: Any) -> None:
    """Write a flat dict of tensors in the format safetensors."""
    if not isinstance(state, Mapping) or not all(isinstance(t, Tensor) for t in state.values()):
        raise TypeError("the format safetensors holds a flat dict of tensors, as of state_dict()")
    arrays = {str(k): np.ascontiguousarray(t.value) for k, t in state.items()}
    data = safetensors().save(arrays)
    with archives.open_for_writing(path) as stream:
        stream.write(data)


def load_safetensors(path: Any) -> dict[str, Tensor]:
    """The tensors of a file in the format safetensors, by their names."""
    module = safetensors()
    data = Path(path).read_bytes()
    try:
        found = module.load(data)
    except Exception as error:
        text = f"{archives.describe_file(path)} is not a safetensors file: {error}"
        raise StateFormatError(text) from error
    return {name: from_numpy(np.array(array)) for name, array in found.items()}
