"""Parts of a tensor along a dimension, computed at once as the outputs of one node.

The backward pass of separate parts would add an array of the full size for each; this one joins
their gradients.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.traits import Trait
from gradops.kernels.index.indexing import FULL
from gradops.library.index.indexing import slice_
from gradops.transforms.several_outputs import SEVERAL, Parts

from ..engine.grad_mode import is_recording
from ..engine.handle import Face, Handle, cut_off, hold
from ..engine.node import Part
from ..engine.record import node_of
from ..engine.storage import alias_together
from ..engine.tensor import Tensor
from ..hooks.saved_tensor_hooks import apply_mode
from ..introspection.node_names import camel

MADE_TOGETHER = (
    "Output {i} of {op} is a view and is being modified inplace. This view is the output of a"
    " function that returns multiple views. Such functions do not allow the output views to be"
    " modified inplace.\n"
    "  hint: write a new tensor (y = y + 1), or to the part itself, as in x[:2] += 1"
)


class Apart:
    """The op of nodes with several parts as outputs, in place of an `Op`."""

    traits = frozenset[Trait]()

    def __init__(self, name: str, rule: Any) -> None:
        self.name, self.rule = name, rule

    def pull(
        self, wanted: Sequence[int], g: Parts, values: Sequence[Any], attrs: dict[str, Any]
    ) -> list[Any]:
        """The cotangent of the whole, from those of the parts."""
        return [self.rule(g, *values, **attrs)]

    def __str__(self) -> str:
        return self.name


def stack_cotangents(g: Parts, y: Any, x: Any, axis: int) -> Any:
    """The cotangents of all slices, zeros for those without one, as one array."""
    known, n = g.by_index, x.shape[axis]
    none = ops.zeros_like(next(iter(known.values()))) if len(known) < n else None
    return ops.stack([known.get(i, none) for i in range(n)], axis=axis)


def concatenate_cotangents(g: Parts, y: Any, x: Any, axis: int, ends: Sequence[int]) -> Any:
    """The cotangents of all parts, zeros for those without one, as one array."""
    known, before, after = g.by_index, x.shape[:axis], x.shape[axis + 1 :]
    dtype = next(iter(known.values())).dtype
    shapes = [(*before, end - start, *after) for start, end in pairwise(ends)]
    parts = [known[i] if i in known else np.zeros(n, dtype) for i, n in enumerate(shapes)]
    return ops.concatenate(parts, axis=axis)


UNBIND = Apart("unbind", stack_cotangents)
SPLIT = Apart("split", concatenate_cotangents)
SPLIT_WITH_SIZES = Apart("split_with_sizes", concatenate_cotangents)


def entries(x: Handle) -> list[Handle]:
    """The entries of a tensor along its first dimension; neither is ever written to."""
    return outputs(x, x.value, node_of_parts(x, UNBIND, {"axis": 0}))


def entries_along(x: Any, axis: int) -> list[Any]:
    """The slices of a tensor along a dimension, as views of one node."""
    attrs = slices_along(axis, x.shape[axis])
    if not (isinstance(x, Handle) and type(x.value) is np.ndarray):
        return mark_together(UNBIND, [slice_(x, **a) for a in attrs])
    rows = np.moveaxis(x.value, axis, 0) if axis else x.value
    values = [rows[i, ...] for i in range(len(rows))]
    return views(x, UNBIND, outputs(x, values, node_of_parts(x, UNBIND, {"axis": axis})), attrs)


@lru_cache(maxsize=256)
def slices_along(axis: int, n: int) -> list[dict[str, Any]]:
    """The attributes of the `n` slices along an axis."""
    lead = (FULL,) * axis
    return [{"index": (*lead, i)} for i in range(n)]


def parts_at(x: Any, axis: int, ends: Sequence[int], op: Apart) -> list[Any]:
    """The parts of a tensor between positions along a dimension, which include both ends."""
    indices = [{"index": ((FULL,) * axis) + (("slice", a, b, None),)} for a, b in pairwise(ends)]
    if not (isinstance(x, Handle) and type(x.value) is np.ndarray):
        return mark_together(op, [slice_(x, **index) for index in indices])
    lead = (slice(None),) * axis
    values = [x.value[(*lead, slice(a, b))] for a, b in pairwise(ends)]
    attrs = {"axis": axis, "ends": tuple(ends)}
    return views(x, op, outputs(x, values, node_of_parts(x, op, attrs)), indices)


def node_of_parts(x: Handle, op: Apart, attrs: dict[str, Any]) -> Any:
    """The node of all parts of `x`; None if nothing is recorded."""
    mode = is_recording()
    if x.node is None or not mode:
        return None
    inputs = (x.node,)
    node = node_of(op, inputs, inputs, attrs, None, (0,), SEVERAL, SEVERAL)
    if mode is not True:
        apply_mode(hold(type(x), x.value, node), mode)
    return node


def outputs(x: Face, values: Iterable[Any], node: Any) -> list[Face]:
    """The parts of `x` with these values, each with an output of a node as its history."""
    face = type(x)
    if node is not None:
        return [hold(face, v, Part(node, i, v.shape, v.dtype)) for i, v in enumerate(values)]
    parts = [hold(face, v) for v in values]
    cut = cut_off(hold(face, x.value), slice_, True).cut if x.node is not None else x.cut
    for part in parts:
        part.cut = cut
    return parts


def views(x: Handle, op: Apart, parts: list[Any], attrs: Iterable[Any]) -> list[Any]:
    """Mark the parts as views of `x` by slices with these attributes."""
    if type(x) is Tensor and x.alias is None and x.value.size and not x.is_inference():
        alias_together(x, parts, slice_, attrs, refusals(op.name, len(parts)))
        return parts
    for part, index in zip(parts, attrs, strict=True):
        part.share(x, slice_, index)
    return mark_together(op, parts)


def mark_together(op: Apart, parts: list[Any]) -> list[Any]:
    """Mark views as outputs of one call, which may not be written to while recording."""
    name = op.name
    for i, part in enumerate(parts):
        if isinstance(part, Tensor) and (alias := part.alias) is not None:
            alias.refusal = refusal(name, i)
    return parts


@lru_cache(maxsize=256)
def refusals(op: str, count: int) -> list[str]:
    """The error texts for recorded writes to each of some parts."""
    return [refusal(op, i) for i in range(count)]


@lru_cache(maxsize=4096)
def refusal(op: str, i: int) -> str:
    """The error text for a recorded write to a part."""
    return MADE_TOGETHER.format(i=i, op=camel(op))


def iterate(self: Handle) -> Iterator[Any]:
    """The entries along the first dimension, one after another."""
    if not self.shape:
        raise TypeError(f"iteration over a 0-d {type(self).__name__.lower()}")
    return iter(entries_along(self, 0))
