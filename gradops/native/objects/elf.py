"""Object files in the format of ELF, as LLVM writes them for Linux."""

from typing import NamedTuple

import numpy as np

HEADER = np.dtype([
    ("magic", "S4"), ("bits", "u1"), ("order", "u1"), ("rest", "V10"), ("type", "<u2"),
    ("machine", "<u2"), ("version", "<u4"), ("entry", "<u8"), ("segments", "<u8"),
    ("sections", "<u8"), ("flags", "<u4"), ("header_size", "<u2"), ("segment_size", "<u2"),
    ("segment_count", "<u2"), ("section_size", "<u2"), ("section_count", "<u2"),
    ("section_names", "<u2"),
])  # fmt: skip
SECTION = np.dtype([
    ("name", "<u4"), ("type", "<u4"), ("flags", "<u8"), ("address", "<u8"), ("offset", "<u8"),
    ("size", "<u8"), ("link", "<u4"), ("info", "<u4"), ("align", "<u8"), ("entry_size", "<u8"),
])  # fmt: skip
SYMBOL = np.dtype([
    ("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"),
    ("size", "<u8"),
])  # fmt: skip
RELOCATION = np.dtype([("offset", "<u8"), ("kind", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])
OBJECT, BITS_64, LITTLE = 1, 2, 1
SYMBOLS, WITH_ADDENDS, EMPTY, WITHOUT_ADDENDS = 2, 4, 8, 9  # types of sections
WRITABLE, ALLOCATED, EXECUTABLE, OF_THREADS = 1, 2, 4, 0x400  # flags of sections
UNDEFINED, SPECIAL, ABSOLUTE = 0, 0xFF00, 0xFFF1  # for a symbol's section; from SPECIAL on none


class Unloadable(Exception):
    """An object file has something that our loader does not know."""


class Section(NamedTuple):
    """A section that is loaded into memory: bytes, or zeros."""

    number: int
    flags: int
    size: int
    align: int
    data: np.ndarray | None
    relocations: np.ndarray


class ObjectFile(NamedTuple):
    """The parts of an object file that are loaded, and its symbols."""

    machine: int
    sections: tuple[Section, ...]
    symbols: np.ndarray
    names: tuple[str, ...]


def read(data: bytes) -> ObjectFile:
    """The parts of an object file; raises Unloadable for what is not one."""
    try:
        return parsed(np.frombuffer(data, np.uint8))
    except (ValueError, IndexError) as error:
        raise Unloadable(f"an object file is damaged: {error}") from error


def parsed(data: np.ndarray) -> ObjectFile:
    """The parts of an object file."""
    header = table(data, HEADER, 0, 1)[0]
    if (header["magic"], header["bits"], header["order"]) != (b"\x7fELF", BITS_64, LITTLE):
        raise Unloadable("this is not an object file of ELF of 64 bits")
    heads = table(data, SECTION, header["sections"], header["section_count"])
    listed = [h for h in heads if h["type"] == SYMBOLS]
    if header["type"] != OBJECT or len(listed) != 1:
        raise Unloadable("this is not an object file with one table of symbols")
    symbols = entries(data, SYMBOL, listed[0])
    text = content(data, heads[listed[0]["link"]]).tobytes()
    names = tuple(text[n : text.index(b"\0", n)].decode() for n in symbols["name"].tolist())
    return ObjectFile(int(header["machine"]), loaded_of(data, heads), symbols, names)


def loaded_of(data: np.ndarray, heads: np.ndarray) -> tuple[Section, ...]:
    """The sections that are loaded: not those that only an unwinder reads."""
    result = []
    for number, head in enumerate(heads):
        flags = int(head["flags"])
        if not flags & ALLOCATED or not head["size"] or is_of_unwinder(data, heads, number):
            continue
        if flags & OF_THREADS:
            raise Unloadable("an object file has variables of threads")
        found = [h for h in heads if h["info"] == number and h["type"] == WITH_ADDENDS]
        if any(h["info"] == number and h["type"] == WITHOUT_ADDENDS for h in heads):
            raise Unloadable("an object file has relocations without addends")
        lists = [entries(data, RELOCATION, h) for h in found]
        result.append(Section(
            number, flags, int(head["size"]), max(1, int(head["align"])),
            None if head["type"] == EMPTY else content(data, head),
            np.concatenate([np.empty(0, RELOCATION), *lists]),
        ))  # fmt: skip
    return tuple(result)


def is_of_unwinder(data: np.ndarray, heads: np.ndarray, number: int) -> bool:
    """True for a table of frames, which nothing reads: our code raises no exceptions of C++."""
    names = content(data, heads[table(data, HEADER, 0, 1)[0]["section_names"]])
    at = int(heads[number]["name"])
    return names[at : at + 9].tobytes() == b".eh_frame"


def table(data: np.ndarray, dtype: np.dtype, offset: int, count: int) -> np.ndarray:
    """A table in a file."""
    part = data[int(offset) : int(offset) + dtype.itemsize * int(count)]
    if part.nbytes != dtype.itemsize * int(count):
        raise ValueError("it ends too early")
    return part.view(dtype)


def content(data: np.ndarray, head: np.void) -> np.ndarray:
    """The bytes of a section."""
    return table(data, np.dtype(np.uint8), head["offset"], head["size"])


def entries(data: np.ndarray, dtype: np.dtype, head: np.void) -> np.ndarray:
    """The entries of a section that is a table."""
    return table(data, dtype, head["offset"], head["size"] // dtype.itemsize)
