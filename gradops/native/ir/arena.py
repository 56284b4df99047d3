"""Ranges of bytes in an arena, of which others take what is not read any more."""

from bisect import bisect_left

from .text import FunctionText


class Arena:
    """Gives out ranges of bytes by names, and takes them back; it grows where none is free."""

    def __init__(self, name: str = "arena") -> None:
        self.name, self.bytes = name, 0
        self.free: list[tuple[int, int]] = []  # offsets and sizes
        self.taken: dict[str, tuple[int, int]] = {}

    def take(self, name: str, size: int) -> int:
        """The offset of free bytes: the first range that is large enough, or behind all."""
        offset = self.free_range(size)
        self.taken[name] = offset, size
        return offset

    def free_range(self, size: int) -> int:
        """The offset of bytes that were free, or are new."""
        for i, (offset, room) in enumerate(self.free):
            if room >= size:
                self.free[i : i + 1] = [(offset + size, room - size)] if room > size else []
                return offset
        self.bytes += size
        return self.bytes - size

    def release(self, name: str) -> None:
        """Let others have what was taken under a name."""
        offset, size = self.taken.pop(name)
        begin = end = bisect_left(self.free, (offset, size))
        if end < len(self.free) and self.free[end][0] == offset + size:
            size += self.free[end][1]
            end += 1
        if begin and sum(self.free[begin - 1]) == offset:
            begin -= 1
            offset, size = self.free[begin][0], self.free[begin][1] + size
        self.free[begin:end] = [(offset, size)]


class PartArena(Arena):
    """The memory of one thread in a part of a loop, which other threads run at the same time.

    What one thread has done with, another may still read: so each has a piece of the arena around
    for the whole part. Its size is known when the part is written.
    """

    def __init__(self, f: FunctionText) -> None:
        super().__init__(f.fresh("a"))
        self.frame = f.frame
        self.ended: list[str] = []  # of the arena around, which nothing reads after the part

    def end(self, f: FunctionText, around: Arena, threads: int) -> None:
        """Take pieces for so many threads, and write where that of a thread begins."""
        if self.bytes:
            own, at = f"%{f.fresh('n')}", f"%{f.fresh('n')}"
            first = around.take(self.name, self.bytes * threads)
            around.release(self.name)  # for what follows the part
            self.frame[:0] = [
                f"  {own} = mul nsw i64 %thread, {self.bytes}",
                f"  {at} = add nsw i64 {own}, {first}",
                f"  %{self.name} = getelementptr inbounds i8, ptr %arena, i64 {at}",
            ]
        for name in self.ended:
            around.release(name)
