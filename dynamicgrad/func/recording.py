"""Recording of a transform's function, and removal of history from its results.

Note [One tape]. Transforms nest on the one tape there is. Each gives the function it transforms
vertices of its own for the arguments, so nested ones tell theirs from each other's and from what
the function captures. A result keeps its history where somebody may still ask for a gradient in
something behind it: a leaf of the user's, or an argument of a transform whose function is still
running. Nobody can ask for one in the arguments of a run that has ended, so what depends on nothing
else is cut off from them. The walk back ends at what is older than the transform: that was settled
when it was made.

Of `vjp` and `linearize`, the function has ended when they are asked for cotangents or tangents. The
result is linear in these; unless the outputs keep their history it is recorded as that and no more.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.levels import at_level
from gradops.core.tree import flatten

from ..engine.backward import carry, gradients_at, initial_cotangents
from ..engine.grad_mode import PACKING, RECORDING, is_recording
from ..engine.handle import Face, Handle, face_of, hold, make_leaf, on_face
from ..engine.leaf import require_float
from ..engine.node import Run, clock
from ..engine.saved_tensors import constants
from ..engine.saved_tensors import tensors as variables
from ..engine.storage import storage_of
from .levels import Handles, has_history, lift_all, release, without_history
from .structure import as_handle


class Recording:
    """The run of a transform's function, and the vertices it is given."""

    def __init__(
        self, arguments: Iterable[object], surely_lifted: bool = False, outer: bool | None = None
    ) -> None:
        self.outer = bool(is_recording()) if outer is None else outer  # does the caller record?
        self.run = Run()
        tensors, self.level = lift_all([as_handle(x) for x in arguments], self.run, surely_lifted)
        with self.running():
            self.vertices = [self.vertex(x) for x in tensors]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record, whatever the caller's mode is."""
        mode, self.run.ended = RECORDING.set(PACKING.get() or True), 0
        try:
            with at_level(self.level):
                yield
        finally:
            self.run.ended = next(clock)
            RECORDING.reset(mode)

    def vertex(self, x: Handle) -> Handle:
        """A vertex for an argument: one without history is a leaf of this run."""
        found = vertex(x, self.outer)
        if found.is_leaf:
            found.node.run = self.run
        return found

    def depends_on_more(self, outputs: Handles) -> list[bool]:
        """For each output, True if it depends on a vertex whose gradient others may ask for."""
        ends = [t.node for t in outputs if t.node is not None]
        new = newer_than(self.run.began, ends)
        reached = {v for v in new if self.foreign(v)}
        for v in sorted(new, key=lambda v: int(v.number)) if reached else ():
            if any(x in reached for x in v.inputs):
                reached.add(v)
        return [t.node in reached for t in outputs]

    def foreign(self, v: Any) -> bool:
        """True if others may ask for the gradient of a vertex, or of its older inputs."""
        if v.op is None:
            return v.run is None or (v.run is not self.run and v.run.goes_on())
        return self.is_older(v) or any(self.is_older(x) and self.foreign(x) for x in v.inputs)

    def is_older(self, v: Any) -> bool:
        """True if a vertex was recorded before the run began."""
        return v is not None and v.number < self.run.began

    def leads_out(self, outputs: Handles) -> bool:
        """True if the history of the outputs leads out of the run."""
        return self.outer and any(self.depends_on_more(outputs))

    def holds_history(self, outputs: Handles) -> bool:
        """True if the values of outputs have a history, which continues in their gradients."""
        return self.outer and any(has_history(t.value) for t in outputs)

    def settle(self, outputs: Handles, maybe_more: bool = True) -> list[Handle]:
        """The outputs for the caller; recorded ones that depend on outer vertices keep history."""
        if not is_recording():
            return [release(self.without_record(t)) for t in outputs]
        kept = self.depends_on_more(outputs) if maybe_more else [False] * len(outputs)
        return [release(t if k else without_own_history(t)) for t, k in zip(outputs, kept)]

    def without_record(self, t: Handle) -> Handle:
        """`t` without history recorded since the run began, also inside its value."""
        if t.node is not None and t.node.number < self.run.began:
            return t
        value = without_history(t.value, self.run.began)
        return without_own_history(t) if value is t.value else hold(type(t), value)

    def settle_tree(self, tree: object) -> Any:
        """A tree for the caller, with its tensors settled."""
        leaves, rebuild = flatten(tree)
        found = iter(self.settle([x for x in leaves if isinstance(x, Handle)]))
        return rebuild([next(found) if isinstance(x, Handle) else x for x in leaves])


def gradients(
    outputs: Handles, vertices: Handles, cotangents: Handles | None, retain: bool, create: bool,
    linear: bool = False,
) -> list[Handle]:  # fmt: skip
    """The gradients with respect to the vertices; zeros for those without influence.

    With `linear` they are recorded as functions of the cotangents only.
    """
    faces = [face_of((*outputs, t)) for t in vertices]
    reached = [i for i, y in enumerate(outputs) if y.node is not None]
    found: list[Any] = [None] * len(vertices)
    if reached:
        weights = None if cotangents is None else [cotangents[i] for i in reached]
        seeds = initial_cotangents([outputs[i] for i in reached], weights or [])
        ends = [t.node for t in vertices]
        recorded = (constants if linear else variables) if create else None
        cotangents_of = carry(seeds, ends, retain or create, recorded)
        found = gradients_at(vertices, ends, cotangents_of, seeds)
    return [
        hold(face, np.zeros(t.shape, t.dtype)) if g is None else on_face(face, g)
        for face, t, g in zip(faces, vertices, found, strict=True)
    ]


def vertex(x: Face, keep_history: bool) -> Face:
    """`x` as a vertex of its own: a new leaf, or an identity node on the history of `x`."""
    require_float(x)
    if x.node is not None and keep_history:
        return ops.reshape(x, shape=x.shape)
    found = hold(type(x), x.value)
    found.storage = storage_of(x)
    return make_leaf(found)


def without_own_history(t: Handle) -> Handle:
    """`t` without history, on its storage, so that writes to it are still detected."""
    if t.node is None:
        return t
    found = hold(type(t), t.value)
    found.storage = storage_of(t)
    return found


def newer_than(began: int, ends: Iterable[Any]) -> set[Any]:
    """`ends` and the vertices after `began` that they were computed from."""
    seen = set(ends)
    stack = list(seen)
    while stack:
        for x in stack.pop().inputs:
            if x is not None and x.number >= began and x not in seen:
                seen.add(x)
                stack.append(x)
    return seen
