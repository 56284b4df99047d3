"""Property tests of errors: each op on operands and attributes that it was not declared for."""

import contextlib
import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core.errors import DTypeError, GradError, OperandError, ShapeError
from ..core.op import ErrorSample, Op
from ..core.types import is_inexact, type_of


class PropertyError(AssertionError):
    """An op lacks a property that ops have."""


def demand(holds: Any, message: str) -> None:
    """Raise unless something holds."""
    if not holds:
        raise PropertyError(message)


UNUSUAL: Mapping[str, Callable[[Any], Any]] = {
    "text": lambda x: np.full(np.shape(x), "a"),
    "without axes": lambda x: x.ravel()[:1].sum(),
    "without entries": lambda x: np.zeros((0,) * x.ndim, x.dtype),
    "with one entry": lambda x: x.ravel()[:1].reshape((1,) * x.ndim) if x.size else x,
    "with an axis more": lambda x: x[None],
    "with an axis less": lambda x: x.sum(axis=0, dtype=x.dtype) if x.ndim else x,
    "twice as long": lambda x: np.concatenate([x, x]) if x.ndim else x,
    "truth values": lambda x: x.astype(bool),
    "integers": lambda x: x.real.astype(int) if x.dtype.kind != "b" else x,
    "bytes": lambda x: x.real.astype(np.int8) if x.dtype.kind != "b" else x,
    "complex": lambda x: x.astype(complex),
    "half": lambda x: x.astype(np.float16) if x.dtype.kind == "f" else x,
    "NaN": lambda x: np.full_like(x, np.nan) if is_inexact(x.dtype) else x,
    "infinite": lambda x: np.full_like(x, np.inf) if is_inexact(x.dtype) else x,
    "zeros": np.zeros_like,
}
"""Operands that no op was declared for, by how they are changed."""

UNUSUAL_ATTRS: Mapping[str, Sequence[Any]] = {
    "axis": (99, -99, (0, 99), 0.5, "a"),
    "shape": (0.5, -0.5),
    "dtype": ("text", "U3"),
}
"""Attributes that no op takes."""


def what_an_op_refuses_it_refuses_in_words(op: Op) -> None:
    """Unusual operands, one or all of them, are computed with or refused in the op's own words."""
    for operands, attrs in itertools.islice(op.samples(np.random.default_rng(0)), 1):
        xs = [np.asarray(x) for x in operands]
        for changed in UNUSUAL.values():
            for which in [*range(len(xs)), len(xs)]:
                unusual = [changed(x) if which in (i, len(xs)) else x for i, x in enumerate(xs)]
                with contextlib.suppress(GradError), warnings.catch_warnings(action="ignore"):
                    op(*unusual, **attrs)


def wrong_attributes_are_refused_in_words(op: Op) -> None:
    """A missing axis, or an invalid shape or dtype, is refused by the op."""
    for operands, attrs in itertools.islice(op.samples(np.random.default_rng(0)), 1):
        for name in op.params.keys() & UNUSUAL_ATTRS.keys():
            for value in UNUSUAL_ATTRS[name]:
                try:
                    bound = op.bind(operands, {**attrs, name: value})[1]
                    found = op.infer(*map(type_of, operands), **bound)
                except GradError:
                    continue
                raise PropertyError(f"{name}={value!r} is taken, and gives {found}")


def bad_operands_are_refused(op: Op) -> None:
    """Operands the op cannot take are refused in words: by the kernel, and by inference."""
    for bad in op.error_samples:
        require_refusal(op, bad, partial(op, *bad.operands, **bad.attrs))
        if issubclass(bad.error, ShapeError | DTypeError):
            attrs = op.bind(bad.operands, bad.attrs)[1]
            require_refusal(op, bad, partial(op.infer, *map(type_of, bad.operands), **attrs))


def require_refusal(op: Op, bad: ErrorSample, call: Callable[[], Any]) -> None:
    """Demand that a call raises the error it should, naming the op and its operands."""
    try:
        got = call()
    except GradError as error:
        said = str(error)
        demand(isinstance(error, bad.error), f"{bad} raises {error!r}")
        demand(bad.says in said, f"{bad} says: {said}")
        if isinstance(error, OperandError):
            demand(error.op == op.name, f"{bad} is reported for {error.op}")
            demand(all(str(t) in said for t in error.operands), f"{bad} names no types: {said}")
        return
    raise PropertyError(f"{bad} is taken, and gives {got}")
