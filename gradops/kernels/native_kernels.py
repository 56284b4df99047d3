"""Kernels that run in machine code where the extra `native` is installed.

Note [Native kernels]. A composite kernel is many passes of NumPy's over its arrays. The decorator
`native` names a kernel of `gradops.native.kernels` that computes the same in one pass; both modes
and the interpreter call the one that is decorated, so their bits stay equal. Which of the two runs
depends on the operands' types and layouts alone: machine code takes arrays of float32 or float64 in
the order of C, of any size, and NumPy's kernel the others. `STATICGRAD_NATIVE_KERNELS=0` in the
environment, or `native_kernels(False)`, has NumPy's kernels run always, and so has Python without
llvmlite. Nothing is compiled before the first call.
"""

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np

from ..core.interpreters import is_main_interpreter
from ..core.types import NATIVE_KERNELS

USED = NATIVE_KERNELS
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

FLOATS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})

TEMPLATE = """def make(by_numpy, library, used, in_any_layout):
    def {name}({signature}):
        if used(){when}:
            found = library.call({arguments}){retry}
            if found is not NotImplemented:
                return {result}
        return by_numpy({names})
    return {name}
"""
RETRY = """
            if found is NotImplemented:
                found = in_any_layout(library.call, {count}, {arguments})"""


@contextmanager
def native_kernels(used: bool) -> Iterator[None]:
    """In this context kernels run in machine code, where they can, or by NumPy alone.

    >>> with native_kernels(False):
    ...     USED.get()
    False
    """
    token = USED.set(used)
    try:
        yield
    finally:
        USED.reset(token)


class LibraryCall:
    """The call of a kernel of the library, which is looked up when it is first called."""

    __slots__ = ("call", "group", "name")

    def __init__(self, group: str, name: str) -> None:
        self.group, self.name = group, name
        self.call: Callable[..., Any] = self.first

    def first(self, *args: Any) -> Any:
        """Look up the kernel, which compiles it if it is not in the cache, and call it."""
        self.call = native_kernel(self.group, self.name)
        return self.call(*args)


def resolved(kernel: Any) -> Callable[..., Any]:
    """The function in machine code of a decorated kernel whose operands it is known to take.

    It saves a loop over many steps the choice in each. Without one, that by NumPy.
    """
    if not USED.get():
        return kernel.by_numpy
    library = kernel.library
    found = native_kernel(library.group, library.name)
    return kernel.by_numpy if found is refuse else found


def native_kernel(group: str, name: str) -> Callable[..., Any]:
    """The builtin function of a kernel; one that refuses all operands if there is none."""
    if not is_installed():
        return refuse
    from ..native.kernels.library import callable_kernel

    try:
        return callable_kernel(group, name)
    except (
        ImportError,
        OSError,
        RuntimeError,
    ):  # llvmlite does not load, or does not know the machine
        return refuse


@cache
def is_installed() -> bool:
    """True if machine code can be made."""
    return find_spec("llvmlite") is not None and is_main_interpreter()


def run_for(dtype: Any) -> bool:
    """True if native kernels take contiguous arrays of a dtype: they allocate results alone."""
    return dtype in FLOATS and USED.get() and is_installed()


def unless_native(workspace: Callable[..., int]) -> Callable[..., int]:
    """The bytes that NumPy's kernel allocates besides its result, none where a native one runs."""
    return lambda y, *xs, **attrs: 0 if run_for(y.dtype) else workspace(y, *xs, **attrs)


def refuse(*args: Any) -> Any:
    """NotImplemented, for operands that a kernel does not take."""
    return NotImplemented


def in_any_layout(call: Callable[..., Any], count: int, *args: Any) -> Any:
    """An entrywise kernel of `count` numbers or arrays of one dtype that are not alike."""
    xs, outs = args[:count], args[count:]
    if not all(isinstance(x, np.ndarray | np.generic) and x.dtype == xs[0].dtype for x in xs):
        return NotImplemented
    if xs[0].dtype.kind != "f":
        return NotImplemented
    wide = np.broadcast_arrays(*xs) if count > 1 else xs
    flat = [np.ascontiguousarray(x).reshape(-1) for x in wide]
    found = call(*flat, *[None] * len(outs))
    if found is NotImplemented:
        return found
    like = xs[0] if xs[0].shape == wide[0].shape else np.empty(wide[0].shape, xs[0].dtype)
    if len(outs) == 1:
        return laid_as(like, found, outs[0])
    return tuple([laid_as(like, y, out) for y, out in zip(found, outs, strict=True)])


def laid_as(x: Any, y: Any, out: Any) -> Any:
    """A row of entries in `out`, or in the shape and layout of `x`."""
    if out is None and not x.ndim:
        return y[0]
    out = np.empty_like(x) if out is None else out
    np.copyto(out, y.reshape(x.shape), casting="same_kind")
    return out


def native(
    group: str, name: str, arguments: str, when: str = "", result: str = "found",
    entrywise: int = 0,
) -> Callable[[Kernel], Kernel]:  # fmt: skip
    """A decorator of kernels by NumPy. See Note [Native kernels].

    `arguments` are expressions of the kernel's parameters that the native kernel is given, `when`
    is the condition under which it is called, and `result` what is returned then. A kernel that is
    `entrywise` in its first operands takes numbers and arrays in any layout, too.
    """

    def decorate(by_numpy: Kernel) -> Kernel:
        parameters = inspect.signature(by_numpy).parameters.values()
        plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
        source = TEMPLATE.format(
            name=by_numpy.__name__, signature=", ".join(map(str, plain)), arguments=arguments,
            when=f" and {when}" if when else "", names=", ".join(p.name for p in plain),
            result=result,
            retry=RETRY.format(count=entrywise, arguments=arguments) if entrywise else "",
        )  # fmt: skip
        scope: dict[str, Any] = {}
        file = f"{os.path.dirname(__file__)}/<{group}.{name}>"  # ours, not the user's code
        exec(compile(source, file, "exec"), by_numpy.__globals__, scope)
        library = LibraryCall(group, name)
        kernel = scope["make"](by_numpy, library, USED.get, in_any_layout)
        kernel.library = library
        kernel.__wrapped__ = by_numpy
        kernel.by_numpy = getattr(by_numpy, "by_numpy", by_numpy)
        kernel.__module__, kernel.__doc__ = by_numpy.__module__, by_numpy.__doc__
        return kernel

    return decorate
