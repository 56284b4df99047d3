"""NumPy's methods on tensors: those that PyTorch has not, and warnings where both have one.

Note [Two methods of one name]. PyTorch's semantics win. Where they would silently give a NumPy
program other numbers, a transform that was handed arrays, and so runs what is likely such a
program, warns of the call: `x.std()` divides by n - 1 here and by n in NumPy.

Note [Numbers are named anew]. What NumPy calls a scalar is here a tensor without dimensions, with
memory that others may share. In NumPy's programs `s = y[0]; s += 1` leaves `y` as it is, so there
it does here, too.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

import gradops as ops
from gradops.places import warn
from gradops.protocols import function_for, in_place

from . import conversion
from .modes import is_recording
from .rows import numbers_as_rows
from .tensor import Tensor

OF_ARRAYS: ContextVar[bool] = ContextVar("of_arrays", default=False)
"""Whether the program that runs was handed arrays and no tensors, as a NumPy program is."""


class NumPyMethodWarning(UserWarning):
    """A method of a tensor does what PyTorch's does, in a program that seems to be NumPy's."""


@contextmanager
def running_on(given: Iterable[Any]) -> Iterator[None]:
    """What runs inside was handed these arguments."""
    token = OF_ARRAYS.set(OF_ARRAYS.get() or not any(isinstance(x, Tensor) for x in given))
    try:
        yield
    finally:
        OF_ARRAYS.reset(token)


def as_numpy(function: Any) -> Callable[..., Any]:
    """A function of NumPy's, as a method."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function_for(function)(self, *args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"As `numpy.{function.__name__}`, which see."
    return call


def clashing(name: str, function: Any, torchs: str, said: str, instead: str) -> Any:
    """PyTorch's method; NumPy's where keywords tell that it is meant, and else a warning.

    `torchs` are keywords that tell that PyTorch's is meant.
    """
    theirs, plain = as_numpy(getattr(np, name)), frozenset(torchs.split())

    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not OF_ARRAYS.get():
            return (theirs if kwargs and kwargs.keys() & NUMPYS else function)(
                self, *args, **kwargs
            )
        if kwargs.keys() & (NUMPYS | RENAMED.keys()):
            return theirs(self, *args, **kwargs)
        if kwargs.keys().isdisjoint(plain) and (args or name not in ("max", "min")):
            warn(
                f"x.{name}() of a tensor {said}\n  hint: {instead} mean the same everywhere",
                NumPyMethodWarning,
            )
        return function(self, *args, **kwargs)

    return call


def augmented(write: Callable[..., Any], compute: Callable[..., Any]) -> Callable[..., Any]:
    """An operator such as `+=`, that writes, or computes. See Note [Numbers are named anew]."""

    @functools.wraps(write)
    def call(self: Tensor, other: Any) -> Any:
        named_anew = OF_ARRAYS.get() and not self.shape
        return compute(self, other) if named_anew else write(self, other)

    return call


def along_axis(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes `dim` and `keepdim`, with NumPy's names for them too."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {RENAMED.get(k, k): v for k, v in kwargs.items()}
        return function(*args, **kwargs)

    return call


RENAMED = {"axis": "dim", "keepdims": "keepdim"}
NUMPYS = {"ddof", "where", "initial", "kind", "decimals", "mode", "out"}
"""Keywords that PyTorch's methods of these names do not have."""

BY_N = "divides by n - 1, as PyTorch's; NumPy's divides by n"
BOTH = "gives values and indices, as PyTorch's; NumPy's gives values"
CLASHES = {
    "std": ("correction unbiased", BY_N, "np.std(x) and dg.std(x, correction=...)"),
    "var": ("correction unbiased", BY_N, "np.var(x) and dg.var(x, correction=...)"),
    "max": ("dim keepdim other", BOTH, "np.max(x, axis=...) and dg.max(x, dim=...)"),
    "min": ("dim keepdim other", BOTH, "np.min(x, axis=...) and dg.min(x, dim=...)"),
    "sort": ("dim descending stable", "gives what PyTorch's does, and leaves x as it is",
             "np.sort(x) and dg.sort(x)"),
    "repeat": ("repeats", "repeats x as a whole, as PyTorch's; NumPy's repeats each entry",
               "np.repeat(x, n) and np.tile(x, n)"),
    "nonzero": ("as_tuple", "gives a row for each entry, as PyTorch's; NumPy's gives an array for"
                " each axis", "np.nonzero(x) and dg.nonzero(x)"),
}  # fmt: skip
"""The methods that give something else than NumPy's: keywords of PyTorch's, and what to say."""


def in_a_row(function: Any, numpys: Any) -> Callable[..., Any]:
    """A running result along a dimension; without one, NumPy's, of all entries in a row."""

    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs) if args or kwargs else function_for(numpys)(self)

    return call


def dotted(function: Any) -> Callable[..., Any]:
    """PyTorch's `dot`, of two vectors; in a program of NumPy's, NumPy's."""

    @functools.wraps(function)
    def call(self: Any, other: Any) -> Any:
        return (function_for(np.dot) if OF_ARRAYS.get() else function)(self, other)

    return call


def take(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The entries at indices of all in a row, or as NumPy has it along an axis."""
    return function_for(np.take)(self, *args, **kwargs)


def compress(self: Any, condition: Any, axis: Any = None) -> Any:
    """The entries along an axis where a condition holds."""
    return function_for(np.compress)(condition, self, axis=axis)


def rounded(self: Any, decimals: int = 0) -> Any:
    """The nearest integers, or numbers with so many decimals."""
    return function_for(np.round)(self, decimals)


exchanged = numbers_as_rows(lambda x, dim0, dim1: ops.swapaxes(x, dim0, dim1))


def transpose(self: Any, *dims: Any) -> Any:
    """Two dimensions exchanged, as PyTorch has it; or NumPy's: all reversed, or in an order."""
    if len(dims) == 2:
        return exchanged(self, *dims)
    order = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return ops.transpose(self, axes=tuple(order) if order else None)


def item(self: Any, *index: Any) -> Any:
    """The one entry, or the one at an index, as a Python number."""
    if not index:
        return conversion.item(self)
    if len(index) == 1 and not isinstance(index[0], tuple):
        return conversion.item(ops.reshape(self, shape=(-1,))[index[0]])
    return conversion.item(self[index if len(index) > 1 else index[0]])


def conjugate(self: Any) -> Any:
    """The complex conjugate; of real entries the tensor itself, in NumPy as in PyTorch."""
    return ops.conj(self) if self.dtype.kind == "c" else self


def listed(self: Any) -> Any:
    """The entries as nested lists of Python numbers."""
    if OF_ARRAYS.get() and self.node is not None and is_recording():
        warn(
            "x.tolist() of a tensor that requires gradients cuts it off from the graph"
            "\n  hint: iterate over x; x.detach().tolist() where it is meant",
            ops.DetachWarning,
        )
    return conversion.tolist(self)


METHODS: dict[str, Any] = {
    **{f.__name__: as_numpy(f) for f in (np.copy, np.choose, np.trace)},
    "astype": lambda self, dtype, copy=True: ops.astype(self, dtype=dtype),
    "conjugate": conjugate,
    "compress": compress, "fill": in_place("fill", "x.fill_(value)"),
    "partition": in_place("partition", "np.partition(x, kth)"),
    "transpose": transpose, "item": item,
    "flat": property(lambda self: iter(ops.reshape(self, shape=(-1,)))),
    "itemsize": property(lambda self: self.dtype.itemsize),
    "nbytes": property(lambda self: self.dtype.itemsize * self.size),
}  # fmt: skip


def with_numpys(methods: dict[str, Any]) -> dict[str, Any]:
    """The methods of tensors, with NumPy's names for arguments and what NumPy has beside."""
    found = {name: named_axis(f) for name, f in methods.items()}
    own = {
        **{name: clashing(name, found[name], *about) for name, about in CLASHES.items()},
        "cumsum": in_a_row(found["cumsum"], np.cumsum),
        "cumprod": in_a_row(found["cumprod"], np.cumprod),
        "dot": dotted(found["dot"]),
        "transpose": transpose, "item": item, "tolist": listed, "conj": conjugate, "take": take,
        "round": rounded,
    }  # fmt: skip
    return {**METHODS, **found, **own}


def named_axis(function: Any) -> Any:
    """A function that takes `dim` and not `axis`, with either."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    return along_axis(function) if "dim" in names and "axis" not in names else function
