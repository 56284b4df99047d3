"""What a transform records, and what of it may leave.

Note [One tape]. Transforms nest on the one tape there is. Each gives the function it transforms
vertices of its own for the arguments, so nested ones tell theirs from each other's and from what
the function captures. What comes out is recorded only where it depends on something that no
transform made: an argument with a history, or a captured tensor that requires gradients. A vertex
that is older than the transform is not of its making; nested transforms share the set of those
that are.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakSet

import numpy as np

import gradops as ops
from gradops.levels import at_level
from gradops.tree import flatten

from ..backward import grad as pull
from ..handle import Face, Handle, face_of, hold, make_leaf, on_face
from ..leaves import require_float
from ..modes import RECORDING, is_recording
from ..sharing import storage_of
from ..tape import clock
from .levels import has_history, lifted, released
from .structure import entered

Own = WeakSet[Any]
INSIDE: ContextVar[Own | None] = ContextVar("inside", default=None)


class Recording:
    """The vertices that a transform made, and when it began."""

    def __init__(self, arguments: Iterable[Any], surely_lifted: bool = False) -> None:
        self.outer = bool(is_recording())  # whether the caller records
        self.began = next(clock)
        shared = INSIDE.get()
        self.own: Own = WeakSet() if shared is None else shared
        tensors, self.level = lifted([entered(x) for x in arguments], surely_lifted)
        with self.running():
            self.vertices = [self.vertex(x) for x in tensors]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record, whatever the caller's mode is."""
        mode, inside = RECORDING.set(True), INSIDE.set(self.own)
        try:
            with at_level(self.level):
                yield
        finally:
            INSIDE.reset(inside)
            RECORDING.reset(mode)

    def vertex(self, x: Handle) -> Handle:
        """A vertex for an argument; one without history is of this transform's making."""
        found = vertex(x, self.outer)
        if found.is_leaf:
            self.own.add(found.node)
        return found

    def depends_on_more(self, outputs: Sequence[Handle]) -> list[bool]:
        """Which outputs depend on something that no transform made."""
        ends = [t.node for t in outputs if t.node is not None]
        if not self.outer or not ends:
            return [False] * len(outputs)
        new = newer_than(self.began, ends)
        reached = {v for v in new if self.foreign(v)}
        if not reached:
            return [False] * len(outputs)
        for v in sorted(new, key=lambda v: int(v.number)):
            if any(x in reached for x in v.inputs):
                reached.add(v)
        return [t.node in reached for t in outputs]

    def foreign(self, v: Any) -> bool:
        """Whether a vertex is not of a transform's making, or has an input that is older."""
        if v.op is None:
            return v not in self.own
        return v.number < self.began or any(older(x, self.began) for x in v.inputs)

    def must_record(self, outputs: Sequence[Handle]) -> bool:
        """Whether the way back from the outputs is to be recorded, here or in what they hold."""
        if not self.outer:
            return False
        return any(has_history(t.value) for t in outputs) or any(self.depends_on_more(outputs))

    def settled(self, outputs: Sequence[Handle], maybe_more: bool = True) -> list[Handle]:
        """The outputs, without history where nothing but this transform's vertices is behind."""
        kept = self.depends_on_more(outputs) if maybe_more else [False] * len(outputs)
        return [released(t if keep else cut(t)) for t, keep in zip(outputs, kept, strict=True)]

    def settled_tree(self, tree: Any) -> Any:
        """The same for the tensors in a tree."""
        leaves, rebuild = flatten(tree)
        found = iter(self.settled([x for x in leaves if isinstance(x, Handle)]))
        return rebuild([next(found) if isinstance(x, Handle) else x for x in leaves])


def gradients(
    outputs: Sequence[Handle],
    vertices: Sequence[Handle],
    cotangents: Sequence[Any] | None,
    retain: bool,
    create: bool,
) -> list[Handle]:
    """The gradients in the vertices, zeros where the outputs do not depend on them."""
    seeded = [i for i, y in enumerate(outputs) if y.node is not None]
    if not seeded:
        return [hold(face_of((*outputs, t)), np.zeros(t.shape, t.dtype)) for t in vertices]
    found: Any = pull(
        [outputs[i] for i in seeded],
        vertices,
        None if cotangents is None else [cotangents[i] for i in seeded],
        retain_graph=retain or create,
        create_graph=create,
        materialize_grads=True,
    )
    return [on_face(face_of((*outputs, t)), g) for t, g in zip(vertices, found, strict=True)]


def vertex(x: Face, keep_history: bool) -> Face:
    """The value of `x` as a vertex of its own: a leaf, or what follows from the history of `x`."""
    require_float(x)
    if x.node is not None and keep_history:
        return ops.reshape(x, shape=x.shape)
    found = make_leaf(hold(type(x), x.value))
    found.storage = storage_of(x)
    return found


def cut(t: Handle) -> Handle:
    """`t` without its history; a write to it is noticed by whoever saved it."""
    if t.node is None:
        return t
    found = hold(type(t), t.value)
    found.storage = storage_of(t)
    return found


def older(v: Any, began: int) -> bool:
    """Whether a vertex was there before."""
    return v is not None and v.number < began


def newer_than(began: int, ends: Iterable[Any]) -> set[Any]:
    """What `ends` were computed from since then, and they themselves."""
    seen = set(ends)
    stack = list(seen)
    while stack:
        for x in stack.pop().inputs:
            if x is not None and x.number >= began and x not in seen:
                seen.add(x)
                stack.append(x)
    return seen
