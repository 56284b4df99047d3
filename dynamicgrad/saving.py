"""Saving states: nested structures of tensors in a file that is safe to load.

A file is an uncompressed zip archive: `manifest.json`, which describes the structure, and a `.npy`
member for each array. Nothing in it is executed, and nothing is allocated that the file does not
hold.
"""

import io
import json
import math
import os
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from gradops import StateFormatError

from .creation import from_numpy
from .tensor import Tensor, make_leaf

FORMAT, VERSION = "dynamicgrad state", 1
MANIFEST, LONGEST_MANIFEST = "manifest.json", 1 << 26
KINDS = "biufc"


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
    if is_path(file) and Path(file).suffix == ".safetensors":
        return save_safetensors(state, file)
    arrays: list[Any] = []
    manifest = {"format": FORMAT, "version": VERSION, "state": encoded(state, arrays)}
    with opened(file) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(MANIFEST, json.dumps(manifest))
        for i, array in enumerate(arrays):
            with archive.open(f"{i}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load(file: Any) -> Any:
    """The state that `save` wrote: tensors come back with their `requires_grad`.

    Raises StateFormatError for a file that is no saved state, or is damaged; whatever is in it,
    loading runs no code.
    """
    if is_path(file) and Path(file).suffix == ".safetensors":
        return load_safetensors(file)
    if is_path(file):
        with open(file, "rb") as stream:
            return read(stream, shown(file))
    file.seek(0)
    return read(file, shown(file))


DAMAGED = (
    zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, RecursionError,
    ValueError, LookupError, struct.error,
)  # fmt: skip


def read(stream: Any, name: str) -> Any:
    """The state in an open file; what `zipfile` raises for a damaged one is one kind of error."""
    try:
        with zipfile.ZipFile(stream) as archive:
            members = checked_members(archive)
            manifest = read_manifest(archive, members)
            return decoded(manifest["state"], archive, members)
    except StateFormatError:
        raise
    except DAMAGED as error:
        raise StateFormatError(f"{name} is no saved state: {error}") from error


def is_path(file: Any) -> bool:
    """Whether `file` names a file."""
    return isinstance(file, str | os.PathLike)


def shown(file: Any) -> str:
    """A file as an error names it."""
    return repr(str(file)) if is_path(file) else f"the {type(file).__name__}"


@contextmanager
def opened(file: Any) -> Iterator[Any]:
    """A stream to write to; for a path, a file beside it that takes its place at the end."""
    if not is_path(file):
        yield file
        return
    path = Path(file)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with open(descriptor, "wb") as stream:
            yield stream
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def encoded(x: Any, arrays: list[Any]) -> Any:
    """A state as JSON has it, with its arrays put aside."""
    if x is None or (isinstance(x, bool | str | int) and not isinstance(x, np.generic)):
        return x
    if isinstance(x, float) and not isinstance(x, np.generic):
        return x if math.isfinite(x) else {"float": repr(x)}
    if isinstance(x, Tensor):
        parameter = getattr(x, "is_parameter", False)
        return {
            "tensor": put_aside(x.value, arrays), "requires_grad": x.node is not None,
            "parameter": parameter,
        }  # fmt: skip
    if isinstance(x, np.ndarray | np.generic):
        return {"array": put_aside(x, arrays)}
    if isinstance(x, Mapping):
        return {"dict": [[key_of(k), encoded(v, arrays)] for k, v in x.items()]}
    if type(x) in (list, tuple):
        return {type(x).__name__: [encoded(v, arrays) for v in x]}
    raise TypeError(f"a {type(x).__name__} cannot be saved\n  hint: save its state_dict()")


def key_of(k: Any) -> Any:
    """A key of a dict, which is a string or an integer."""
    if isinstance(k, str | int) and not isinstance(k, bool):
        return k
    raise TypeError(f"{k!r} cannot be saved as a key: keys are strings and integers")


def put_aside(value: Any, arrays: list[Any]) -> int:
    """Where in the file an array will be."""
    array = np.asarray(value)
    if array.dtype.kind not in KINDS:
        raise TypeError(f"an array of {array.dtype} cannot be saved: it is not made of numbers")
    arrays.append(array)
    return len(arrays) - 1


def refuse(reason: str) -> NoReturn:
    """Raise the error for a file that is no saved state."""
    raise StateFormatError(f"the file is no saved state: {reason}")


def checked_members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members of an archive by name: each one once, and as long as it claims to be."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        if member.filename in found:
            refuse(f"{member.filename!r} is in it twice")
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            refuse(f"{member.filename!r} is compressed")
        found[member.filename] = member
    return found


def read_manifest(archive: zipfile.ZipFile, members: dict[str, Any]) -> dict[str, Any]:
    """What describes the structure of the state."""
    if MANIFEST not in members or members[MANIFEST].file_size > LONGEST_MANIFEST:
        refuse(f"it has no {MANIFEST}")
    try:
        found = json.loads(archive.read(MANIFEST))
    except ValueError as error:
        refuse(f"{MANIFEST}: {error}")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        refuse(f"{MANIFEST} does not say {FORMAT!r}")
    if found.get("version") != VERSION:
        refuse(f"its version is {found.get('version')!r}, and this library reads {VERSION}")
    return found


def decoded(x: Any, archive: zipfile.ZipFile, members: dict[str, Any]) -> Any:
    """The part of a state that a part of the manifest describes."""
    match x:
        case None | bool() | str() | int() | float():
            return x
        case {"float": "nan" | "inf" | "-inf" as text}:
            return float(text)
        case {"array": int(i)}:
            return read_array(archive, members, i)
        case {"tensor": int(i), "requires_grad": bool(wanted), "parameter": bool(parameter)}:
            return tensor_of(read_array(archive, members, i), wanted, parameter)
        case {"list": list(parts)}:
            return [decoded(part, archive, members) for part in parts]
        case {"tuple": list(parts)}:
            return tuple(decoded(part, archive, members) for part in parts)
        case {"dict": list(pairs)}:
            return dict(pair_of(pair, archive, members) for pair in pairs)
    refuse(f"{str(x)[:80]} describes nothing")


def pair_of(pair: Any, archive: zipfile.ZipFile, members: dict[str, Any]) -> tuple[Any, Any]:
    """A key of a dict and its value."""
    match pair:
        case [str() | int() as key, value]:
            return key, decoded(value, archive, members)
    refuse(f"{str(pair)[:80]} is no entry of a dict")


def tensor_of(array: Any, requires_grad: bool, parameter: bool) -> Tensor:
    """A tensor as it was saved."""
    t = from_numpy(array)
    t.storage = None  # nobody else has the array
    if parameter:
        t.is_parameter = True
    if requires_grad and array.dtype.kind not in "fc":
        refuse(f"a tensor of {array.dtype} requires gradients")
    return make_leaf(t) if requires_grad else t


def read_array(archive: zipfile.ZipFile, members: dict[str, Any], i: int) -> Any:
    """An array of the file, whose header must not claim more than the member holds."""
    member = members.get(f"{i}.npy")
    if member is None:
        refuse(f"it has no {i}.npy")
    stream = io.BytesIO(archive.read(member))
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        shape, fortran, dtype = read[version](stream)
    except (ValueError, KeyError, SyntaxError, TypeError) as error:
        refuse(f"{i}.npy: {error}")
    if dtype.kind not in KINDS or dtype.hasobject or any(n < 0 for n in shape):
        refuse(f"{i}.npy is an array of {dtype} and shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(stream.getbuffer()) - stream.tell():
        refuse(f"{i}.npy does not hold the {math.prod(shape)} entries that it claims")
    entries = np.frombuffer(stream.getbuffer()[stream.tell() :], dtype).copy()
    return entries.reshape(shape, order="F" if fortran else "C")


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
    with opened(path) as stream:
        stream.write(data)


def load_safetensors(path: Any) -> dict[str, Tensor]:
    """The tensors of a file in the format safetensors, by their names."""
    module = safetensors()
    try:
        found = module.load(Path(path).read_bytes())
    except Exception as error:
        raise StateFormatError(f"{shown(path)} is no file of safetensors: {error}") from error
    return {name: from_numpy(np.array(array)) for name, array in found.items()}
