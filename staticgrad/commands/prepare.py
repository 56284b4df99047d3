"""`prepare`: what a machine measures and compiles once, before the first graph asks for it."""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

from gradops.native import costs
from gradops.native.objects import cache_files

from ..runtime.backends.choice import is_installed, is_known_here
from .command_line import FINE, CommandError

EXAMPLES = ("",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def command(options: argparse.Namespace) -> int:
    """Measure the cost table, and compile what all graphs share, so that first calls take less.

    It is done once for a machine, an installation and a cache: in the image of a container, say. It
    takes some ten seconds; without it, each graph that is the first to need a part waits for it.
    """
    require_a_place()
    for name, make in parts():
        start = time.perf_counter()
        make()
        print(f"{name:32}{time.perf_counter() - start:6.2f} s", flush=True)
    return FINE


def require_a_place() -> None:
    """Raise CommandError where nothing can be compiled, or be kept."""
    if not is_known_here() or not is_installed():
        raise CommandError("there is no machine code: pip install 'staticgrad[native]'")
    if (path := cache_files.directory_name()) is None:
        raise CommandError(
            f"there is no cache: {cache_files.VARIABLE} says so, or there is no home"
        )
    with cache_files.open_directory() as directory:
        if directory is None:
            raise CommandError(f"{path} is no folder of your own to which nobody else can write")


def parts() -> Iterator[tuple[str, Callable[[], object]]]:
    """Names, and functions that leave a part in the cache, if it is not there."""
    from gradops.native.kernels.library import GROUPS, code, kernels
    from gradops.native.runtime.modules import find
    from gradops.native.runtime.symbols import CONVOLUTION, GEMM, POOLING

    from ..native.output import entry

    def compiled(group: str) -> None:
        for name in kernels(group):
            code(group, name)

    yield "cost table", costs.table
    yield "calls of graphs", entry.code
    for group in GROUPS:
        yield f"kernels: {group}", partial(compiled, group)
    yield "products of matrices", partial(list, map(find, GEMM))
    yield "convolutions", partial(list, map(find, CONVOLUTION))
    yield "pooling", partial(list, map(find, POOLING))
