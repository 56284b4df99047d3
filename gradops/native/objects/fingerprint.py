"""The things machine code depends on besides its text: the machine, the compiler, and versions."""

import os
import platform
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import numpy as np

OPTIONS = {"opt": 2, "reloc": "pic", "codemodel": "default"}  # of the compiler
HEAD = 16_384  # bytes of /proc/cpuinfo that have the first core in them
TELLING = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "CPU implementer",
           "CPU part", "CPU variant", "CPU revision", "Features")  # fmt: skip


@cache
def environment() -> tuple[str, ...]:
    """All of it, as texts: equal where code of one process runs in another."""
    return (sys.version, sys.platform, np.__version__, *library_of_numpy(), *processor(),
            *compiler(), repr(OPTIONS), *sources("gradops"))  # fmt: skip


@cache
def library_of_numpy() -> tuple[str, ...]:
    """NumPy's library, which is linked with one BLAS or another."""
    from numpy._core import _multiarray_umath as numpy  # type: ignore[attr-defined]

    return (stamp(str(numpy.__file__)),)


@cache
def processor() -> tuple[str, ...]:
    """The name of the processor, and what it can do."""
    from numpy._core import _multiarray_umath as numpy  # type: ignore[attr-defined]

    able = [name for name, has in numpy.__cpu_features__.items() if has]
    return platform.machine(), " ".join(able), first_core()


def first_core() -> str:
    """Linux's description of the first core; empty elsewhere."""
    try:
        with open("/proc/cpuinfo", "rb") as file:
            core = file.read(HEAD).decode(errors="replace").split("\n\n")[0]
    except OSError:
        return ""
    lines = [line for line in core.splitlines() if line.split("\t")[0].strip() in TELLING]
    return "\n".join(lines)


@cache
def compiler() -> tuple[str, ...]:
    """The version of llvmlite, without importing it."""
    spec = find_spec("llvmlite")
    folder = next(iter(spec.submodule_search_locations or ()), "") if spec else ""
    return tuple(map(stamp, (f"{folder}/_version.py", *libraries(f"{folder}/binding"))))


def libraries(folder: str) -> Iterator[str]:
    """The shared libraries in a folder."""
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        if name.endswith((".so", ".dylib", ".dll")):
            yield f"{folder}/{name}"


@cache
def sources(package: str) -> tuple[str, ...]:
    """The modules of a package: their places, sizes and times, which Python goes by, too.

    Modules that changed while this process runs, or cannot be listed, are equal to none of another
    process: what runs here may not be what they say.
    """
    spec = find_spec(package)
    try:
        found = dict(modules_in(list(spec.submodule_search_locations or ()) if spec else []))
    except OSError:
        return (f"{package} of process {os.getpid()} at {time.time_ns()}",)
    if max((status.st_mtime for status in found.values()), default=0.0) > start_of_process():
        return (f"{package} that changed, of process {os.getpid()} at {time.time_ns()}",)
    return tuple([stamp(path, status) for path, status in found.items()])


def modules_in(folders: list[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The files of modules in folders, and in those inside."""
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith(".py"):
                    yield entry.path, entry.stat()


def start_of_process() -> float:
    """The time at which this process began; of now, where the system does not say."""
    now = time.time()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        return now - (time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, AttributeError):
        return now


def stamp(path: str, status: os.stat_result | None = None) -> str:
    """The place, the size and the time of a file."""
    try:
        status = status or os.stat(path)
    except OSError:
        return path
    return f"{path} {status.st_size} {status.st_mtime_ns}"
