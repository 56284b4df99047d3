"""Loading: an object file as code in memory.

Note [Loading]. Each object lies in one mapping of memory: code, constants, the table of addresses
and stubs in pages that are executable, then variables in pages that are writable. Pages of code are
written first, and made executable after that; none is both at once.
"""

import ctypes
import mmap
import os
import platform
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from . import elf
from .elf import ObjectFile, Section, Unloadable
from .relocations import STUBS, number_at, rule_for, write

SLOT, STUB = 8, 16  # bytes
MACHINES = {"x86_64": 62, "amd64": 62, "aarch64": 183, "arm64": 183}
PAGES = mmap.PAGESIZE


class Loaded:
    """The code of object files, in memory as long as this lives. See Note [Loading].

    `find` gives the addresses of what none of them defines. Raises Unloadable for an object of
    another machine or format, or with something that is not known here.
    """

    def __init__(self, objects: Sequence[bytes], find: Callable[[str], int]) -> None:
        self.images = [Image(data) for data in objects]
        self.addresses: dict[str, int] = {}
        for image in self.images:
            self.addresses |= image.layout.defined(image.base)
        for image in self.images:
            image.fill(lambda name: self.addresses.get(name) or find(name))

    def address(self, name: str) -> int:
        """The address of a function or of a variable; raises KeyError for an unknown one."""
        return self.addresses[name]


class Image:
    """The memory of an object file."""

    def __init__(self, data: bytes) -> None:
        object = elf.read(data)
        if object.machine != MACHINES.get(platform.machine().lower()):
            raise Unloadable(f"an object file is of machine {object.machine}")
        self.layout = Layout(object)
        self.memory = mmap.mmap(-1, self.layout.size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.bytes = np.frombuffer(self.memory, np.uint8)
        self.base = self.bytes.ctypes.data

    def fill(self, find: Callable[[str], int]) -> None:
        """Write the object into its memory, and make its code executable."""
        self.layout.fill(self.bytes, self.base, find)
        protect(self.base, self.layout.fixed)


class Layout:
    """Where the parts of an object lie in its memory, as offsets."""

    def __init__(self, object: ObjectFile) -> None:
        self.object, self.size = object, 0
        self.offsets: dict[int, int] = {}
        fixed = [s for s in object.sections if not s.flags & elf.WRITABLE]
        fixed.sort(key=lambda s: not s.flags & elf.EXECUTABLE)
        for section in fixed:
            self.offsets[section.number] = self.take(section.size, section.align)
        self.slots = self.take(SLOT * len(object.symbols), STUB)
        self.stubs = self.take(STUB * len(object.symbols), STUB)
        self.fixed = self.take(0, PAGES)  # bytes that will not be writable
        for section in object.sections:
            if section.flags & elf.WRITABLE:
                self.offsets[section.number] = self.take(section.size, section.align)
        self.size = self.take(0, PAGES)

    def take(self, size: int, align: int) -> int:
        """The offset of memory behind all."""
        if align > PAGES or align & (align - 1):
            raise Unloadable(f"a section is aligned to {align} bytes")
        at = -(-self.size // align) * align
        self.size = at + size
        return at

    def fill(self, image: np.ndarray, base: int, find: Callable[[str], int]) -> None:
        """Write the object into memory at an address."""
        addresses = self.addresses_of(base, find)
        self.write_table(image, addresses)
        for section in self.object.sections:
            if section.data is not None:
                at = self.offsets[section.number]
                image[at : at + section.size] = section.data
            self.relocate(image, base, addresses, section)

    def defined(self, base: int) -> dict[str, int]:
        """The addresses of what the object defines, in memory at an address."""
        addresses = self.addresses_of(base, lambda name: 0).tolist()
        found = zip(self.object.names, self.object.symbols["section"].tolist(), addresses)
        return {name: at for name, section, at in found if name and section}

    def addresses_of(self, base: int, find: Callable[[str], int]) -> np.ndarray:
        """The addresses of all symbols; zero for those that are not loaded."""
        result = []
        symbols = self.object.symbols
        rows = zip(self.object.names, symbols["section"].tolist(), symbols["value"].tolist())
        for name, section, value in rows:
            if section == elf.UNDEFINED:
                result.append(find(name) if name else 0)
            elif section == elf.ABSOLUTE:
                result.append(value)
            elif section >= elf.SPECIAL:
                raise Unloadable(f"{name} is in no section that is known")
            else:
                result.append(base + self.offsets.get(section, -base) + value)
        return np.array(result, np.int64)

    def write_table(self, image: np.ndarray, addresses: np.ndarray) -> None:
        """Write the table of addresses, and a stub for each."""
        n = len(addresses)
        image[self.slots : self.slots + SLOT * n] = addresses.view(np.uint8)
        code, place = STUBS[self.object.machine]
        stubs = image[self.stubs : self.stubs + STUB * n].reshape(n, STUB)
        stubs[:, : len(code)] = np.frombuffer(code, np.uint8)
        stubs[:, place : place + SLOT] = addresses.view(np.uint8).reshape(n, SLOT)

    def relocate(
        self, image: np.ndarray, base: int, addresses: np.ndarray, section: Section
    ) -> None:
        """Fill in the addresses in a section."""
        rows = section.relocations
        at = rows["offset"].astype(np.int64) + self.offsets[section.number]
        for kind in set(rows["kind"].tolist()):
            rule = rule_for(self.object.machine, kind)
            some = rows["kind"] == kind
            symbols = rows["symbol"][some].astype(np.int64)
            sources = self.sources(rule.source, symbols, addresses, base)
            number = number_at(rule, sources + rows["addend"][some], base + at[some])
            write(rule, image, at[some], number)

    def sources(
        self, source: str, symbols: np.ndarray, addresses: np.ndarray, base: int
    ) -> np.ndarray:
        """The addresses of symbols, of their slots, or of where they are called."""
        if source == "G":
            return base + self.slots + SLOT * symbols
        if source == "S":
            return addresses[symbols]
        is_outside = self.object.symbols["section"][symbols] == elf.UNDEFINED
        return np.where(is_outside, base + self.stubs + STUB * symbols, addresses[symbols])


def protect(address: int, size: int) -> None:
    """Make pages executable, and no longer writable."""
    readable_and_executable = 1 | 4
    failed = system().mprotect(
        ctypes.c_void_p(address), ctypes.c_size_t(size), readable_and_executable
    )
    if failed:
        number = ctypes.get_errno()
        raise Unloadable(f"memory cannot be made executable: {os.strerror(number)}")


@cache
def system() -> ctypes.CDLL:
    """The C library."""
    return ctypes.CDLL(None, use_errno=True)
