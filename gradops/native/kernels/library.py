"""The library of kernels, each of which is compiled when it is first called."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from ..ir.functions import declarations
from ..ir.text import METADATA
from ..runtime import symbols
from ..runtime.builtins import builtin
from ..runtime.machine import Code
from ..runtime.modules import find
from .entry import entry, symbol_of_entry
from .kernel import Kernel

GROUPS = (
    "activations", "exponentials", "gates", "matrices", "norms", "products", "rows", "sequences",
    "softmax", "totals", "triangular", "updates",
)  # fmt: skip


@cache
def kernels(group: str) -> dict[str, Kernel]:
    """The kernels of a group by name."""
    return {k.name: k for k in import_module(f".{group}", __package__).KERNELS}


def text_of(kernel: Kernel) -> str:
    """The module of a kernel: its functions for each dtype, and their entry."""
    bodies = [kernel.text(dtype) for dtype in kernel.dtypes]
    used = dict.fromkeys((name for f in bodies for name in f.used), 0)
    lines, functions = declarations(used)
    written = [*functions, *bodies, entry(kernel)]
    return "\n".join([*symbols.declared(), *lines, *[f.text() for f in written], METADATA])


@cache
def code(group: str, name: str) -> Code:
    """The code of a kernel, from the cache on disk if it has been compiled before.

    Each is a module of its own: to compile one takes 50 to 150 ms, a whole group up to 1.5 s.
    """
    key = "kernels", group, name
    return Code.for_key(key, lambda: text_of(kernels(group)[name]), find=find, length=200)


@cache
def callable_kernel(group: str, name: str) -> Callable[..., Any]:
    """The function by which Python calls a kernel. See Note [Entry of a kernel]."""
    found = code(group, name)
    return builtin(found, name, found.address(symbol_of_entry(kernels(group)[name])), ())
