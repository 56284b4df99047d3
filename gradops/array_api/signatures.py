"""Signatures shared by many functions of the standard, as wrappers."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import gradops as ops

from ..library.shape.movement import compute_in

Function = Callable[..., Any]
Functions = dict[str, Function]


def each(family: Callable[[Function], Function], names: str, module: ModuleType = ops) -> Functions:
    """Functions of a module by name, each wrapped by `family`."""
    return {name: family(getattr(module, name)) for name in names.split()}


def one(f: Function) -> Function:
    """A function of one array."""
    return lambda x, /: f(x)


def two(f: Function) -> Function:
    """A function of two arrays, or of an array and a number."""
    return lambda x1, x2, /: f(x1, x2)


def over(f: Function) -> Function:
    """A reduction over axes."""
    return lambda x, /, *, axis=None, keepdims=False: f(x, axis=axis, keepdims=keepdims)


def over_in(f: Function) -> Function:
    """A reduction over axes, in a dtype."""
    return lambda x, /, *, axis=None, dtype=None, keepdims=False: compute_in(
        dtype, f, x, axis=axis, keepdims=keepdims
    )


def spread_over(f: Function) -> Function:
    """A measure of spread over axes, whose divisor is corrected."""
    return lambda x, /, *, axis=None, correction=0.0, keepdims=False: f(
        x, axis=axis, correction=correction, keepdims=keepdims
    )


def running(f: Function) -> Function:
    """A cumulative reduction along an axis, in a dtype."""
    return lambda x, /, *, axis=None, dtype=None, include_initial=False: f(
        x, axis=axis, dtype=dtype, include_initial=include_initial
    )


def ordering(f: Function) -> Function:
    """A sort along an axis."""
    return lambda x, /, *, axis=-1, descending=False, stable=True: f(
        x, axis=axis, descending=descending, stable=stable
    )


def along_one(f: Function) -> Function:
    """A transform along one axis."""
    return lambda x, /, *, n=None, axis=-1, norm="backward": f(x, n=n, axis=axis, norm=norm)


def along_several(f: Function) -> Function:
    """A transform along several axes."""
    return lambda x, /, *, s=None, axes=None, norm="backward": f(x, s=s, axes=axes, norm=norm)


def shift(f: Function) -> Function:
    """A rearrangement of frequencies."""
    return lambda x, /, *, axes=None: f(x, axes=axes)
