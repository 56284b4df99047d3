"""Signals of Python in machine code that runs for long, and the turns of other threads.

Note [Signals]. Python handles signals, Ctrl-C among them, only between its own instructions. So
loops with much work call `@check` after each piece of it. That looks at the clock, and now and then
takes Python's lock and asks for signals; if a handler raises an error, the code returns 2. Until
then it keeps the lock of a short call; after the first look it goes on without, unless it calls
Python itself. Parts of a loop that threads share are stopped by a word that all of them read: only
the caller's thread, which is the first, knows Python.

Where the code is called from C, there is no context, and nothing to ask.
"""

import time
from collections.abc import Iterator

from ..ir.text import FunctionText, Index, least, minus, plus, times

OFTEN = 1 << 20  # operations after which there is a check, a millisecond or so
PERIOD = 40_000_000  # nanoseconds between two looks
STOPPED = 4  # the status of a part that another one stopped; 2 is that of a raised error
CONTEXT = "{ ptr, i64, i32, i32 }"  # state of the thread without the lock, time, stop, keeps
TEXT = f"""
define internal i32 @check(ptr %context, i64 %thread) noinline nounwind {{
  %clock = alloca [2 x i64]
  %none = icmp eq ptr %context, null
  br i1 %none, label %go_on, label %known
known:
  %stop = getelementptr {CONTEXT}, ptr %context, i64 0, i32 2
  %word = load atomic i32, ptr %stop monotonic, align 4
  %stopped = icmp ne i32 %word, 0
  br i1 %stopped, label %end, label %running
running:
  %first = icmp eq i64 %thread, 0
  br i1 %first, label %time, label %go_on
time:
  call i32 @clock_gettime(i32 {time.CLOCK_MONOTONIC}, ptr %clock)
  %seconds = load i64, ptr %clock
  %rest = getelementptr i64, ptr %clock, i64 1
  %nanoseconds = load i64, ptr %rest
  %scaled = mul i64 %seconds, 1000000000
  %now = add i64 %scaled, %nanoseconds
  %last = getelementptr {CONTEXT}, ptr %context, i64 0, i32 1
  %before = load i64, ptr %last
  %elapsed = sub i64 %now, %before
  %early = icmp ult i64 %elapsed, {PERIOD}
  br i1 %early, label %go_on, label %look
look:
  store i64 %now, ptr %last
  %old = load ptr, ptr %context
  %held = icmp eq ptr %old, null
  br i1 %held, label %release, label %restore
release:
  %own = call ptr @PyEval_SaveThread()
  br label %restore
restore:
  %state = phi ptr [ %old, %look ], [ %own, %release ]
  call void @PyEval_RestoreThread(ptr %state)
  %raised = call i32 @PyErr_CheckSignals()
  %kept = getelementptr {CONTEXT}, ptr %context, i64 0, i32 3
  %keeps = load i32, ptr %kept
  %lets_go = icmp eq i32 %keeps, 0
  br i1 %lets_go, label %free, label %decide
free:
  %saved = call ptr @PyEval_SaveThread()
  store ptr %saved, ptr %context
  br label %decide
decide:
  %good = icmp eq i32 %raised, 0
  br i1 %good, label %go_on, label %raise
raise:
  store atomic i32 1, ptr %stop monotonic, align 4
  ret i32 2
end:
  ret i32 {STOPPED}
go_on:
  ret i32 0
}}
"""
"""The function that looks for signals. See Note [Signals]."""


def check(f: FunctionText) -> None:
    """Return here if a signal raises an error, or another thread's part was stopped by one."""
    if not f.interruptible:
        return
    f.checks = True
    thread = "%thread" if f.outer else "0"
    status = f.emit(f"call i32 @check(ptr %context, i64 {thread})")
    go_on, stop = f.fresh("go"), f.fresh("stop")
    f.branch(f.emit(f"icmp eq i32 {status}, 0"), go_on, stop)
    f.start(stop)
    f.do(f"ret i32 {status}")
    f.start(go_on)


def check_now_and_then(f: FunctionText, i: Index, work: int) -> None:
    """Check in a pass of a loop, with its number, if passes of so much work add up to much."""
    every = passes_between(work)
    if isinstance(i, int) or every == 1:
        check(f)
        return
    with f.given(f.emit(f"icmp eq i64 {f.emit(f'and i64 {i}, {every - 1}')}, {every - 1}")):
        check(f)


def passes_between(work: int) -> int:
    """After how many passes of so many operations there is a check; a power of two."""
    return 1 << max(0, (OFTEN // max(work, 1)).bit_length() - 1)


def blocks(
    f: FunctionText, some: tuple[Index, Index], count: int, work: int
) -> Iterator[tuple[Index, Index]]:
    """A range of passes, at most `count` of so many operations, in pieces with checks between.

    It is one piece where there is little work, and where a pass has so much that its own loops have
    checks.
    """
    if not f.interruptible or not work < OFTEN < work * count:
        yield some
        return
    begin, end = some
    size = OFTEN // max(work, 1)
    pieces = f.emit(f"udiv i64 {plus(f, minus(f, end, begin), size - 1)}, {size}", "n")
    for piece in f.loop(pieces):
        first = plus(f, begin, times(f, piece, size))
        yield first, least(f, plus(f, first, size), end)
        check(f)
