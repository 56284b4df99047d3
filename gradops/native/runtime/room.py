"""Stack and memory for the compiler, which would end the process where it gets none."""

import ctypes
import mmap
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

STACK = 1 << 24  # bytes for the compiler, which is recursive
ALWAYS = 1 << 25  # bytes that the compiler takes, more than were measured
EACH = 256  # bytes that it takes for each character of a module, also more
ATTRIBUTES = 256  # bytes; more than those of a thread take
ROUTINE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def with_room(compile: Callable[[str], Any], text: str) -> Any:
    """The compiler's output for a text. Raises MemoryError if there is too little memory."""
    require_memory(ALWAYS + EACH * len(text))
    if threading.current_thread() is threading.main_thread():
        return compile(text)
    return in_thread(compile, text)


def require_memory(size: int) -> None:
    """Raise MemoryError unless the process can have so many bytes more."""
    try:
        mmap.mmap(-1, size).close()
    except OSError as error:
        raise MemoryError(f"there are no {size >> 20} MB for the compiler") from error


def at_once(tasks: Sequence[Callable[[], Any]], threads: int) -> list[Any]:
    """The results of calls, which some threads share that have large stacks."""
    todo, results = [*enumerate(tasks)][::-1], [None] * len(tasks)
    failures: list[BaseException] = []

    def work(_: Any = None) -> None:
        with suppress(IndexError):  # which says that there is none left
            while not failures:
                k, task = todo.pop()
                results[k] = result_of(task, failures)

    routines = [ROUTINE(work) for _ in range(min(threads, len(tasks)) - 1)]
    started = [start(routine) for routine in routines]
    try:
        here(work)
    finally:
        for thread in started:
            join(thread)
    if failures:
        raise failures.pop()  # or it would refer to itself
    return results


def result_of(task: Callable[[], Any], failures: list[BaseException]) -> Any:
    """The result of a call; None for one that fails, which is noted."""
    try:
        return task()
    except BaseException as failure:
        failures.append(failure)


def here(work: Callable[[], Any]) -> None:
    """Call a function with a large stack: the main thread has one."""
    if threading.current_thread() is threading.main_thread():
        work()
    else:
        in_thread(lambda _: work(), "")


def in_thread(compile: Callable[[str], Any], text: str) -> Any:
    """The result of a call in a thread with a large stack; here, if there can be none."""
    found: list[Any] = []
    failures: list[BaseException] = []

    def run(_: Any) -> None:
        try:
            found.append(compile(text))
        except BaseException as failure:
            failures.append(failure)

    if not run_in_thread(ROUTINE(run)):
        return compile(text)
    if failures:
        raise failures.pop()  # or it would refer to itself
    return found[0]


def run_in_thread(routine: Any) -> bool:
    """Run a routine in a thread of the system, and wait for its end; False if there is none.

    `threading` has one size of stacks for all threads, and another thread may set it meanwhile.
    """
    return join(start(routine))


def start(routine: Any) -> ctypes.c_void_p | None:
    """A thread of the system that runs a routine; None if there is none."""
    system = ctypes.CDLL(None)
    attributes, thread = ctypes.create_string_buffer(ATTRIBUTES), ctypes.c_void_p()
    system.pthread_attr_init(attributes)
    try:
        system.pthread_attr_setstacksize(attributes, ctypes.c_size_t(STACK))
        failed = system.pthread_create(ctypes.byref(thread), attributes, routine, None)
    finally:
        system.pthread_attr_destroy(attributes)
    return None if failed else thread


def join(thread: ctypes.c_void_p | None) -> bool:
    """Wait for the end of a thread; False if there is none."""
    return thread is not None and ctypes.CDLL(None).pthread_join(thread, None) == 0
