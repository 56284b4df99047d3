"""`doctor`: what this installation has, and what a missing library would bring."""

import argparse
import ctypes
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from gradops.kernels.threads import get_num_threads
from gradops.native.objects import cache_files
from gradops.native.runtime.blas import CONTROL, is_of_numpy, loaded

from ..runtime.backends.choice import is_installed, is_known_here
from .command_line import FINE

EXAMPLES = ("",)
EXTRAS = {
    "dask": (("dask", "distributed"), "data larger than one machine, on a cluster of Dask"),
    "mpi": (("mpi4py",), "the same sums and trainings in processes of MPI"),
    "native": (("llvmlite", "scipy"), "graphs as machine code"),
    "onnx": (("onnx",), "reading and writing ONNX models"),
    "safetensors": (("safetensors",), "parameters in files of safetensors"),
    "scipy": (("scipy",), "solvers, distributions, sparse matrices and special functions"),
    "tensorboard": (("tensorboardX", "pillow"), "files of events for TensorBoard"),
}
"""Of each extra the distributions it installs, and what it brings."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def command(options: argparse.Namespace) -> int:
    """Print what this installation has, and what each missing extra would bring.

    It measures nothing, writes nothing, and reads no file of yours: paste it into a report.
    """
    rows = [*versions(), *blas(), *native(), *cache(), *extras()]
    print("\n".join(f"{name:14}{text}" for name, text in rows))
    return FINE


def versions() -> Iterator[tuple[str, str]]:
    """The versions of what always is there."""
    yield "staticgrad", version_of("staticgrad") or "not installed, but imported from a folder"
    yield "Python", f"{platform.python_version()}, {sys.implementation.name}"
    yield "system", f"{platform.system()} on {platform.machine()}"
    yield "NumPy", np.__version__
    yield "networkx", version_of("networkx") or "missing"


def version_of(distribution: str) -> str | None:
    """The version of an installed distribution; None if there is none."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def blas() -> Iterator[tuple[str, str]]:
    """NumPy's BLAS, the processor whose kernels it chose, and threads."""
    built = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    yield "BLAS", f"{built.get('name', 'unknown')} {built.get('version', '')}".strip()
    yield "kernels", kernels() or "not known: the library does not say"
    yield "threads", f"{get_num_threads()} for graphs and kernels; {threads_of_blas()}"


def kernels() -> str | None:
    """The processor whose kernels OpenBLAS has chosen; None of another library."""
    name = of_openblas("get_corename", ctypes.c_char_p)
    return name.decode() if name else None


def threads_of_blas() -> str:
    """On how many threads BLAS runs, in words."""
    number = of_openblas("get_num_threads", ctypes.c_int)
    return f"{number} for BLAS" if number else "BLAS does not say"


def of_openblas(name: str, result: type) -> Any:
    """What a function of OpenBLAS without arguments returns; None in another library."""
    for pattern in CONTROL:
        if function := getattr(loaded(), pattern.format(name), None):
            function.restype = result
            return function()
    return None


def native() -> Iterator[tuple[str, str]]:
    """Whether graphs can be machine code here."""
    if not is_known_here():
        yield "machine code", "no: it is for CPython with its lock, on Linux and macOS"
    elif not is_installed():
        yield "machine code", "no: it needs the extra native"
    else:
        yield "machine code", f"yes, with the BLAS of {'NumPy' if is_of_numpy() else 'SciPy'}"


def cache() -> Iterator[tuple[str, str]]:
    """Where compiled code is kept, and how much of it."""
    path = cache_files.directory_name()
    if path is None:
        yield "cache", f"none: {cache_files.VARIABLE} says so, or there is no home directory"
    elif not path.is_dir():
        yield "cache", f"{path}, which is not there yet"
    else:
        yield "cache", f"{path}, {kept()}"


def kept() -> str:
    """How large the files of the cache are, in words."""
    with cache_files.open_directory() as directory:
        if directory is None:
            return "which is not used: it is not yours alone"
        sizes = [status.st_size for _, status in cache_files.files_in(directory)]
    return f"{sum(sizes) / 2**20:.1f} of at most {cache_files.megabytes():g} MB"


def extras() -> Iterator[tuple[str, str]]:
    """Of each extra what is installed, or what it would bring."""
    for name, (distributions, use) in EXTRAS.items():
        found = {each: version_of(each) for each in distributions}
        if missing := [each for each, number in found.items() if number is None]:
            advice = f"it would bring {use}: pip install 'staticgrad[{name}]'"
            yield f"[{name}]", f"without {' and '.join(missing)}; {advice}"
        else:
            yield f"[{name}]", ", ".join(f"{each} {number}" for each, number in found.items())
