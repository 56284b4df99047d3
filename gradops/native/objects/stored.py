"""Compiled modules, kept on disk under a key of all that they depend on."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from . import cache_files
from .fingerprint import environment


@dataclass(frozen=True)
class ObjectCode:
    """An object file, the names of what it does not define, and notes of whoever made it."""

    data: bytes
    externals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def packed(self) -> bytes:
        """All of it as bytes."""
        lines = " ".join(self.externals), " ".join(self.notes), ""
        return "\n".join(lines).encode() + self.data


def unpacked(data: bytes) -> ObjectCode:
    """An object file from its bytes."""
    externals, notes, rest = data.split(b"\n", 2)
    return ObjectCode(rest, *[tuple(part.decode().split()) for part in (externals, notes)])


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
