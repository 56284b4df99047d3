"""Memory of native code: the function's frame, one arena, and constants."""

import math
from collections.abc import Sequence

import numpy as np

from gradops.kernels.threads import cores

from .arena import Arena, PartArena
from .places import Place, contiguous
from .scalars import NotNative
from .text import FunctionText, memory_type

IN_FRAME = 2048  # bytes up to which an array may become registers
MOST_IN_FRAME = 1 << 17  # bytes of all such arrays: a thread's stack may be small
LARGEST = 1 << 47  # bytes of an arena; more than a process can address
ALIGNMENT = 64
SMALL = 4096  # bytes up to which a constant is part of the code
KEPT = "kept"
ESCAPED = tuple([f"\\{b:02X}" for b in range(256)])  # bytes in LLVM's language


class TooLarge(NotNative):
    """A graph whose values do not fit into any memory, which NumPy finds when it runs."""


def require_addressable(size: int) -> None:
    """Raise TooLarge for more bytes than a process can address."""
    if size > LARGEST:
        raise TooLarge(f"arrays take {size:,} bytes")


class Memory:
    """Gives arrays memory: small ones in the frame of a function, others in an arena."""

    def __init__(self, f: FunctionText) -> None:
        self.f, self.in_frame, self.arena = f, 0, Arena()
        self.of_part: PartArena | None = None
        self.globals: list[str] = []
        self.constants: dict[int, tuple[np.ndarray, Place]] = {}
        self.kept: list[object] = []  # what code refers to, as @kept0 and so on
        self.origins: list[object] = []  # of what is kept, for whoever finds it again
        self.calls_python = self.calls_blas = False
        self.most_inside: float = SMALL
        self.blas_integer = ""  # the type of BLAS's integers; by default that of the BLAS here
        self.threads = cores()  # which work on parts of a loop

    def array(self, shape: Sequence[int], dtype: np.dtype) -> Place:
        """Memory of an array."""
        shape = tuple(shape)
        count = math.prod(shape)
        size = -(-count * dtype.itemsize // ALIGNMENT) * ALIGNMENT
        require_addressable(size + self.arena.bytes)
        if size <= IN_FRAME and self.in_frame + size <= MOST_IN_FRAME:
            self.in_frame += size
            return Place(self.f.reserve(memory_type(dtype), count), dtype, shape, contiguous(shape))
        return Place(self.in_arena(size), dtype, shape, contiguous(shape))

    def in_arena(self, size: int) -> str:
        """The address of memory in the arena; in a part, each thread has some of its own."""
        pointer, arena = f"%{self.f.fresh('a')}", self.part() if self.f.outer else self.arena
        at = f"ptr %{arena.name}, i64 {arena.take(pointer, size)}"
        self.f.frame.append(f"  {pointer} = getelementptr inbounds i8, {at}")
        return pointer

    def part(self) -> PartArena:
        """The memory of a thread in the part that is being written."""
        if self.of_part is None or self.of_part.frame is not self.f.frame:
            self.of_part = PartArena(self.f)
        return self.of_part

    def end_part(self) -> None:
        """Give the threads of a part that has been written their memory."""
        part = self.part()
        require_addressable(part.bytes * self.threads + self.arena.bytes)
        part.end(self.f, self.arena, self.threads)

    def release(self, place: Place) -> None:
        """Let others use memory that is not read any more; that around a part when this ends."""
        name, part = place.pointer, self.part() if self.f.outer else None
        if part is not None and name in part.taken:
            part.release(name)
        elif name in self.arena.taken and part is not None:
            part.ended.append(name)
        elif name in self.arena.taken:
            self.arena.release(name)

    def constant(self, value: np.ndarray) -> Place:
        """The place of a constant: in the code, or of a large one, where it is."""
        if id(value) not in self.constants:
            data = in_order(value)
            if data.nbytes > self.most_inside:
                name = self.refer(data, f"constant [{data.nbytes} x i8]", value)
            else:
                name = f"@c{len(self.globals)}"
                text = "".join([ESCAPED[b] for b in data.tobytes()])
                type = f"[{data.nbytes} x i8]"
                self.globals.append(f'{name} = private constant {type} c"{text}", align 64')
            place = Place(name, data.dtype, data.shape, contiguous(data.shape))
            self.constants[id(value)] = value, place
        return self.constants[id(value)][1]

    def numbers(self, values: Sequence[int]) -> str:
        """The address of integers that are known."""
        if not values:
            return "null"
        name = f"@n{len(self.globals)}"
        listed = ", ".join(f"i64 {n}" for n in values)
        self.globals.append(f"{name} = private constant [{len(values)} x i64] [{listed}]")
        return name

    def keep(self, value: object, origin: object) -> str:
        """The address of a Python object, which lives as long as the code."""
        self.calls_python = True
        return self.refer(value, "global i8", origin)

    def refer(self, value: object, type: str, origin: object) -> str:
        """The name of what lies outside the code, and stays where it is while the code lives."""
        name = f"@{KEPT}{len(self.kept)}"
        self.globals.append(f"{name} = external {type}")
        self.kept.append(value)
        self.origins.append(origin)
        return name

    def blas(self, name: str, dtype: np.dtype) -> str | None:
        """The name of a function of BLAS for a dtype."""
        kind = {"f4": "s", "f8": "d"}.get(f"{dtype.kind}{dtype.itemsize}")
        return kind and f"@blas_{kind}{name}"


def in_order(value: np.ndarray) -> np.ndarray:
    """A constant's array as code reads it: itself, or a copy whose entries lie in order."""
    return np.require(value, requirements=["C_CONTIGUOUS", "ALIGNED"])


def addresses(kept: Sequence[object]) -> dict[str, int]:
    """The addresses of what code refers to, by name: of arrays, those of their entries."""
    return {
        f"{KEPT}{i}": x.ctypes.data if isinstance(x, np.ndarray) else id(x)
        for i, x in enumerate(kept)
    }
