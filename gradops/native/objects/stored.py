"""Compiled modules, kept on disk under a key of all that they depend on."""

import hashlib
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from . import cache_files
from .fingerprint import environment


class ObjectCode(NamedTuple):
    """An object file, the names of what it does not define, and notes of whoever made it.

    `more` are object files that belong to it: they define some of those names for one another.
    """

    data: bytes
    externals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    more: tuple[bytes, ...] = ()

    @property
    def all(self) -> tuple[bytes, ...]:
        """All object files."""
        return (self.data, *self.more)

    def packed(self) -> bytes:
        """All of it as bytes."""
        sizes = " ".join(str(len(data)) for data in self.all)
        lines = " ".join(self.externals), " ".join(self.notes), sizes, ""
        return "\n".join(lines).encode() + b"".join(self.all)


def unpacked(data: bytes) -> ObjectCode:
    """An object file, and those that belong to it, from its bytes."""
    *lines, rest = data.split(b"\n", 3)
    externals, notes, sizes = (tuple(line.decode().split()) for line in lines)
    ends = [*accumulate(map(int, sizes))]
    first, *more = (rest[end - int(size) : end] for size, end in zip(sizes, ends, strict=True))
    return ObjectCode(first, externals, notes, tuple(more))


Key = tuple[object, ...]
"""Parts of which equal ones have equal representations."""


def stored(key: Key) -> ObjectCode | None:
    """The object file kept for a key; None for what lies under its name, but is of another key."""
    name = file_of(key)
    data = cache_files.read(name)
    if data is None or not data.startswith(head(name)):
        return None
    return unpacked(data.removeprefix(head(name)))


def store(key: Key, object: ObjectCode) -> None:
    """Keep an object file."""
    name = file_of(key)
    cache_files.write(name, head(name) + object.packed())


def head(name: str) -> bytes:
    """The beginning of a file: its own name, so that files that were mixed up are not read."""
    return name.encode() + b"\n"


def object_for(key: Key, make: Callable[[], ObjectCode]) -> ObjectCode:
    """The object file kept for a key; if there is none, it is made and kept."""
    result = stored(key)
    if result is None:
        result = make()
        store(key, result)
    return result


def file_of(key: Key) -> str:
    """The name of the file for a key. Sources, versions and the machine are part of every key."""
    return hashlib.sha256(repr((environment(), key)).encode()).hexdigest() + ".o"
