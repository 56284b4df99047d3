"""Clipping by norms, with TensorFlow 1's names and semantics."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from gradops import OptionError, astype, isfinite, maximum, sqrt, where
from gradops import sum as reduce_sum
from gradops.core.types import type_of

from ..build.graph import name_scope


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str = "clip_by_norm") -> Any:
    """`t`, made shorter if its norm is above `clip_norm`; the norm over some axes, or all.

    >>> sg.compile(sg.clip_by_norm(sg.constant([3.0, 4.0]), 1.0))()
    array([0.6, 0.8], dtype=float32)
    """
    with name_scope(name):
        square = reduce_sum(t * t, axis=axes, keepdims=True)
        some = square > 0
        norm = where(some, sqrt(where(some, square, 1)), square)  # no root, nor slope, at zero
        return t * clip_norm / maximum(norm, clip_norm)


def global_norm(t_list: Sequence[Any], name: str = "global_norm") -> Any:
    """The norm of all entries of all of `t_list` that are not None.

    Raises OptionError if there are none.

    >>> sg.compile(sg.global_norm([sg.constant([3.0]), None, sg.constant(4.0)]))()
    np.float32(5.0)
    """
    given = [t for t in t_list if t is not None]
    if not given:
        raise OptionError("global_norm", [], "there is nothing that has a norm")
    with name_scope(name):
        return sqrt(reduce(add, [reduce_sum(t * t) for t in given]))


def clip_by_global_norm(
    t_list: Sequence[Any],
    clip_norm: Any,
    use_norm: Any = None,
    name: str = "clip_by_global_norm",
) -> tuple[list[Any], Any]:
    """All of `t_list` made shorter by one factor, if their norm together is above `clip_norm`.

    Gives the list, in which None stays None, and the norm before. `use_norm` is the norm, if it is
    known. If the norm is infinite or NaN, everything becomes NaN.

    >>> clipped, norm = sg.clip_by_global_norm([sg.constant([3.0]), None, sg.constant(4.0)], 1.0)
    >>> sg.compile([clipped[0], clipped[2], norm])()
    [array([0.6], dtype=float32), np.float32(0.8), np.float32(5.0)]
    """
    norm = global_norm(t_list) if use_norm is None else use_norm
    with name_scope(name):
        scale = where(norm > clip_norm, clip_norm / norm, 1.0)
        scale = where(isfinite(norm), scale, np.nan)
        return [None if t is None else t * in_dtype_of(t, scale) for t in t_list], norm


def in_dtype_of(t: Any, scale: Any) -> Any:
    """A factor for `t` that leaves its dtype as it is."""
    dtype = type_of(t).dtype
    return scale if type_of(scale).dtype == dtype else astype(scale, dtype=dtype)
