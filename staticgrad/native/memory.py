"""Memory of native code: the function's frame, one arena, and constants."""

from collections.abc import Sequence

import numpy as np

from .places import Place, contiguous
from .text import FunctionText, memory_type

IN_FRAME = 2048  # bytes up to which an array may become registers
ALIGNMENT = 64


class Memory:
    """Gives arrays memory: small ones in the frame of a function, others in an arena."""

    def __init__(self, f: FunctionText) -> None:
        self.f, self.bytes = f, 0
        self.globals: list[str] = []
        self.constants: dict[int, Place] = {}
        self.kept: list[np.ndarray] = []
        self.access, self.parallel = ", !llvm.access.group !0", "!1"

    def array(self, shape: Sequence[int], dtype: np.dtype) -> Place:
        """Memory of an array."""
        shape = tuple(shape)
        size = int(np.prod(shape, dtype=np.int64))
        if size * dtype.itemsize <= IN_FRAME:
            pointer = self.f.reserve(memory_type(dtype), max(size, 1))
            return Place(pointer, dtype, shape, contiguous(shape))
        offset = self.bytes
        self.bytes += -(-size * dtype.itemsize // ALIGNMENT) * ALIGNMENT
        pointer = f"%{self.f.fresh('a')}"
        self.f.frame.append(f"  {pointer} = getelementptr inbounds i8, ptr %arena, i64 {offset}")
        return Place(pointer, dtype, shape, contiguous(shape))

    def constant(self, value: np.ndarray) -> Place:
        """The place of a constant."""
        if id(value) not in self.constants:
            value = np.array(value, order="C")
            self.kept.append(value)
            name = f"@c{len(self.kept)}"
            data = "".join(f"\\{b:02X}" for b in value.tobytes())
            self.globals.append(
                f'{name} = private unnamed_addr constant [{value.nbytes} x i8] c"{data}", align 64'
            )
            self.constants[id(value)] = Place(
                name, value.dtype, value.shape, contiguous(value.shape)
            )
        return self.constants[id(value)]

    def blas(self, name: str, dtype: np.dtype) -> str | None:
        """The name of a function of BLAS for a dtype."""
        kind = {"f4": "s", "f8": "d"}.get(f"{dtype.kind}{dtype.itemsize}")
        return kind and f"@blas_{kind}{name}"

    def metadata(self) -> str:
        """The metadata that loops refer to."""
        return '!0 = distinct !{}\n!1 = distinct !{!1, !2}\n!2 = !{!"llvm.loop.parallel_accesses", !0}\n'
