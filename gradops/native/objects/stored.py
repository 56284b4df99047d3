"""Compiled modules, kept on disk under a key of all that they depend on."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from .. import cache_files
from ..fingerprint import environment


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


def object_for(key: tuple[object, ...], make: Callable[[], ObjectCode]) -> ObjectCode:
    """The object file kept for a key; if there is none, it is made and kept.

    Equal parts of a key have equal representations.
    """
    name = hashlib.sha256(repr((environment(), key)).encode()).hexdigest() + ".o"
    found = cache_files.read(name)
    if found is not None:
        return unpacked(found)
    result = make()
    cache_files.write(name, result.packed())
    return result
