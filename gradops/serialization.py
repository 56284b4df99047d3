"""Archives of arrays: zip files with a manifest, safe to read even if malicious.

An archive is an uncompressed zip file: `manifest.json`, which describes what is stored, and a
`.npy` member for each array. Nothing in it is executed, and nothing is allocated that the file does
not hold.
"""

import io
import json
import math
import os
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple, NoReturn

import numpy as np

MANIFEST = "manifest.json"
KINDS = "biufc"
EARLIEST, UNIX = (1980, 1, 1, 0, 0, 0), 3  # the first date that a zip file can have; a system
MARKS = b"[{:"  # of JSON: each may take a hundred times its own memory
DAMAGED = (
    zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, RecursionError,
    ValueError, TypeError, OverflowError, LookupError, struct.error,
)  # fmt: skip

Manifest = dict[str, Any]
"""The JSON description of an archive's content."""


class Format(NamedTuple):
    """A kind of archive: name and version in its manifest, its name in errors, and their class.

    To bound time and memory, a manifest of more than `limit` bytes, or of more brackets and colons
    than a twelfth of that, is refused.
    """

    name: str
    version: int
    called: str
    error: type[Exception]
    limit: float = 64 << 20


def write_archive(file: Any, format: Format, manifest: Manifest, arrays: Sequence[Any]) -> None:
    """Write an archive to a path, or to a file open for writing bytes.

    An existing file is replaced only when the new one is complete.
    """
    if not is_path(file) and not hasattr(file, "write"):
        raise format.error(f"{file!r} is neither a path nor a file that is open")
    head = {"format": format.name, "version": format.version}
    with (
        open_for_writing(file) as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive,
    ):
        archive.writestr(entry(MANIFEST), json.dumps({**head, **manifest}))
        for i, array in enumerate(arrays):
            with archive.open(entry(f"{i}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def entry(name: str) -> zipfile.ZipInfo:
    """A zip member with a constant date and system, so that equal contents give equal bytes."""
    made = zipfile.ZipInfo(name, EARLIEST)
    made.create_system, made.external_attr = UNIX, 0o600 << 16
    return made


def read_archive(file: Any, format: Format, decode: Callable[["Archive", Manifest], Any]) -> Any:
    """Read an archive: the result of `decode(archive, manifest)`.

    Raises the format's error for an invalid file.
    """
    if is_path(file):
        with open(file, "rb") as stream:
            return read_stream(stream, describe_file(file), format, decode)
    if not hasattr(file, "seek"):
        raise format.error(f"{file!r} is neither a path nor a file that is open")
    file.seek(0)
    return read_stream(file, describe_file(file), format, decode)


def read_stream(stream: Any, name: str, format: Format, decode: Any) -> Any:
    """Read an archive from an open file; a damaged one raises the format's error."""
    try:
        with zipfile.ZipFile(stream) as file:
            archive = Archive(file, format)
            return decode(archive, archive.manifest())
    except format.error:
        raise
    except DAMAGED as reason:
        raise format.error(f"{name} is not a {format.called}: {reason}") from reason


class Archive:
    """An archive that is being read."""

    def __init__(self, file: zipfile.ZipFile, format: Format) -> None:
        self.file, self.format = file, format
        self.members: dict[str, zipfile.ZipInfo] = {}
        for member in file.infolist():
            self.enter(member)
        if sum(m.file_size for m in self.members.values()) > size_of(file.fp):
            self.refuse("its members are longer than it is")

    def refuse(self, reason: str) -> NoReturn:
        """Raise the format's error for an invalid file."""
        raise self.format.error(f"the file is not a {self.format.called}: {reason}")

    def enter(self, member: zipfile.ZipInfo) -> None:
        """Add a member; refuses duplicates and compressed members."""
        if member.filename in self.members:
            self.refuse(f"{member.filename!r} is in it twice")
        stored = member.compress_type == zipfile.ZIP_STORED
        if not stored or member.file_size != member.compress_size:
            self.refuse(f"{member.filename!r} is compressed")
        self.members[member.filename] = member

    def manifest(self) -> Manifest:
        """The JSON description of the content."""
        if MANIFEST not in self.members:
            self.refuse(f"it has no {MANIFEST}")
        if (size := self.members[MANIFEST].file_size) > (limit := self.format.limit):
            self.refuse(f"its {MANIFEST} has {size:,} bytes, and no more than {limit:,} are read")
        text = self.file.read(MANIFEST)
        if sum(text.count(mark) for mark in MARKS) > limit / 12:
            self.refuse(f"its {MANIFEST} has too many brackets and colons to be read")
        try:
            found = json.loads(text)
        except ValueError as error:
            self.refuse(f"{MANIFEST}: {error}")
        name, version = self.format.name, self.format.version
        if not isinstance(found, dict) or found.get("format") != name:
            self.refuse(f"{MANIFEST} does not say {name!r}")
        if found.get("version") != version:
            got = found.get("version")
            self.refuse(f"its version is {got!r}, and this library reads {version}")
        return found

    def array(self, i: int) -> Any:
        """Array number `i`; refuses one whose header does not match the size of its member."""
        member = self.members.get(f"{i}.npy")
        if member is None:
            self.refuse(f"it has no {i}.npy")
        stream = io.BytesIO(self.file.read(member))
        shape, fortran, dtype = self.header(stream, i)
        sound = all(type(n) is int and n >= 0 for n in shape) and type(fortran) is bool
        if dtype.kind not in KINDS or dtype.hasobject or not sound:
            self.refuse(f"{i}.npy is an array of {dtype} and shape {shape}")
        if math.prod(shape) * dtype.itemsize != len(stream.getbuffer()) - stream.tell():
            self.refuse(f"{i}.npy does not hold the {math.prod(shape)} entries that it claims")
        entries = np.frombuffer(stream.getbuffer()[stream.tell() :], dtype).copy()
        return entries.reshape(shape, order="F" if fortran else "C")

    def header(self, stream: Any, i: int) -> Any:
        """The shape, order and dtype in the header of an array."""
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # of headers that only old programs wrote
                return read[np.lib.format.read_magic(stream)](stream)
        except (ValueError, KeyError, SyntaxError, TypeError, TokenError, UserWarning) as error:
            self.refuse(f"{i}.npy: {error}")


def size_of(stream: Any) -> int:
    """How many bytes a file has."""
    return int(stream.seek(0, os.SEEK_END))


def is_path(file: object) -> bool:
    """True if `file` names a file."""
    return isinstance(file, str | os.PathLike)


def describe_file(file: object) -> str:
    """A file in an error text: its path, or its type."""
    return repr(str(file)) if is_path(file) else f"the {type(file).__name__}"


@contextmanager
def open_for_writing(file: Any) -> Iterator[Any]:
    """A stream to write to; for a path, a temporary file that replaces it at the end."""
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
