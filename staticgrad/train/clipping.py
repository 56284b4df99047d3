"""Clipping by norms, with TensorFlow 1's names and semantics."""

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from gradops import OptionError, isfinite, maximum, sqrt, where
from gradops import sum as reduce_sum
from gradops.core.types import type_of
from gradops.typing import AnyArray, Axis, Operand

from ..build.graph import name_scope
from ..ops.pointwise import of_type

Given = AnyArray | None
Gradients = Sequence[Given]


def clip_by_norm(
    t: AnyArray, clip_norm: Operand, axes: Axis = None, name: str = "clip_by_norm"
) -> AnyArray:
    """Scale `t` down to the norm `clip_norm` if its norm, over axes or all entries, is larger.

    >>> sg.compile(sg.clip_by_norm(sg.constant([3.0, 4.0]), 1.0))()
    array([0.6, 0.8], dtype=float32)
    """
    with name_scope(name):
        square = reduce_sum(t * t, axis=axes, keepdims=True)
        some = square > 0  # there is no root and no derivative at zero
        norm = where(some, sqrt(where(some, square, 1)), square)
        return t * clip_norm / maximum(norm, clip_norm)


def global_norm(t_list: Gradients, name: str = "global_norm") -> AnyArray:
    """The norm of all entries of all of `t_list`, None left out.

    Raises OptionError if there are none.

    >>> sg.compile(sg.global_norm([sg.constant([3.0]), None, sg.constant(4.0)]))()
    np.float32(5.0)
    """
    arrays = [t for t in t_list if t is not None]
    if not arrays:
        raise OptionError("global_norm", [], "there is nothing to take the norm of")
    with name_scope(name):
        return sqrt(reduce(add, [reduce_sum(t * t) for t in arrays]))


def clip_by_global_norm(
    t_list: Gradients, clip_norm: Operand, use_norm: Given = None, name: str = "clip_by_global_norm"
) -> tuple[list[Given], AnyArray]:
    """Scale all of `t_list` by one factor, to a global norm of at most `clip_norm`.

    Returns the list, in which None stays None, and the norm before clipping, which may be given as
    `use_norm`. If it is infinite or NaN, all entries become NaN.

    >>> clipped, norm = sg.clip_by_global_norm([sg.constant([3.0]), None, sg.constant(4.0)], 1.0)
    >>> sg.compile([clipped[0], clipped[2], norm])()
    [array([0.6], dtype=float32), np.float32(0.8), np.float32(5.0)]
    """
    norm = global_norm(t_list) if use_norm is None else use_norm
    with name_scope(name):
        scale = where(norm > clip_norm, clip_norm / norm, 1.0)
        scale = where(isfinite(norm), scale, np.nan)
        return [None if t is None else t * of_type(scale, type_of(t).dtype) for t in t_list], norm
