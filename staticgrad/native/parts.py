"""Loops whose passes threads share.

Note [Shared loops]. The passes of such a loop are a function of their own, of a range of them. It
reads what it takes from the function around it from an array of pointers and numbers. Whether a
loop is cut depends on its work alone, and each pass computes what it would on one thread: so the
number of threads changes no bits. Sums over passes are sums of `CHUNKS` sums, on one thread, too.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradops.native.ir.cuts import Definitions, names_taken
from gradops.native.ir.subjects import remind
from gradops.native.ir.text import Index, calls_library, minus, plus
from gradops.native.runtime.interrupts import blocks

if TYPE_CHECKING:
    from .lowering import GraphWriter

CHUNKS = 16
GIVEN = "env", "begin", "end", "thread"


def split(w: "GraphWriter", count: int, work: int) -> Iterator[Index]:
    """A loop whose passes do not wait for one another, of so many operations in all."""
    for begin, end in shared(w, count, work):
        for first, last in blocks(w.f, (begin, end), count, work // max(count, 1)):
            for i in w.f.loop(minus(w.f, last, first)):
                yield plus(w.f, first, i)


def shared(w: "GraphWriter", count: int, work: int) -> Iterator[tuple[Index, Index]]:
    """The ranges of passes that threads take: what follows is written once, for a range."""
    f = w.f
    if f.outer or work < w.table.worth or count < 2:
        yield 0, count
        return
    w.pick(w.table.times_of_loop(work))
    f.enter()
    remind(f)
    yield "%begin", "%end"
    w.memory.end_part()
    lines = f.leave()
    names = [name for name in names_taken("\n".join(lines)) if name not in GIVEN]
    found = Definitions(f.lines, f.frame, names)
    taken = {name: found.type_of(name) for name in names}
    name = f"@part{f.fresh('')}"
    f.parts.append(function(name, taken, lines))
    if not w.is_inner:
        f.works[name.removeprefix("@")] = 0 if calls_library(lines) else work
    env = f.reserve("i64", max(1, len(taken)))
    for k, (x, type) in enumerate(taken.items()):
        at = f.emit(f"getelementptr inbounds i64, ptr {env}, i64 {k}")
        f.do(f"store {type} %{x}, ptr {at}")
    given = f"ptr {name}, ptr {env}, i64 {count}, i64 {w.memory.threads}"
    status = f.emit(f"call i32 @run_parts({given})")
    f.require_zero(status)


def function(name: str, taken: dict[str, str], lines: list[str]) -> str:
    """The text of the function of a range of passes."""
    head = f"define internal i32 {name}(ptr noalias %env, i64 %begin, i64 %end, i64 %thread)"
    reads = []
    for k, (x, type) in enumerate(taken.items()):
        at = f"%env{k}"
        reads += [f"  {at} = getelementptr inbounds i64, ptr %env, i64 {k}",
                  f"  %{x} = load {type}, ptr {at}"]  # fmt: skip
    return "\n".join([f"{head} nounwind {{", "start:", *reads, *lines, "}", ""])
