"""The headers of NumPy's arrays, as its C API defines them, read in machine code."""

from .text import FunctionText

DATA, RANK, SIZES, STEPS, DTYPE, FLAGS = 16, 24, 32, 40, 56, 64  # offsets in an array's header
TYPE = 8  # of any object
ALIGNED = 0x0100
NEEDED = 0x0001 | ALIGNED  # and C-contiguous
WRITABLE = 0x0400


def read(f: FunctionText, pointer: str, offset: int, type: str, prefix: str = "t") -> str:
    """A field of an object."""
    at = f.emit(f"getelementptr i8, ptr {pointer}, i64 {offset}")
    return f.emit(f"load {type}, ptr {at}", prefix)


def require(f: FunctionText, test: str, otherwise: str) -> None:
    """Go on only if an instruction gives true, else at a label."""
    good = f.fresh("good")
    f.branch(f.emit(test), good, otherwise)
    f.start(good)
