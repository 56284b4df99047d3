"""The functions of `__gradop_tape__`: tensors that a function captures, as operands of an op.

See `Tape` in `gradops.core.tracer_protocol`.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from gradops.transforms.layers import with_zeros

from ..engine.array import Array
from ..engine.backward import carry, initial_cotangents
from ..engine.grad_mode import PACKING, RECORDING, Mode, is_recording
from ..engine.handle import Handle, hold, on_face
from ..engine.node import Leaf, Vertex
from ..engine.saved_tensors import tensors
from ..engine.storage import storage_of


def vertex(t: Handle) -> Vertex | None:
    """The node of a tensor, None if it requires no gradient."""
    return t.node


def value(t: Handle) -> Any:
    """The value of a tensor."""
    return t.value


def plain(t: Handle) -> Handle:
    """The tensor as rules see it: an `Array`."""
    return on_face(Array, t)


def alike(t: Handle, x: Any) -> Handle:
    """`x` on the face of `t`: its history, if it has one, is kept."""
    return on_face(type(t), x)


def before(outputs: Sequence[Handle], began: int) -> list[Handle]:
    """Arrays on the vertices older than `began` from which outputs were computed."""
    found: dict[Vertex, Any] = {}
    for t in outputs:
        for v in older_than(began, t.node):
            found.setdefault(v, t.value)
    return [array_on(v, found[v]) for v in sorted(found, key=lambda v: v.number)]


def older_than(began: int, end: Vertex) -> list[Vertex]:
    """The vertices older than `began` that newer ones, from `end` on, were computed from."""
    seen, older = {end}, []
    stack = [end]
    while stack:
        v = stack.pop()
        if v.number < began:
            older.append(v)
            continue
        new = [x for x in v.inputs if x is not None and x not in seen]
        seen.update(new)
        stack += new
    return older


def array_on(v: Vertex, like: Any) -> Array:
    """An array on a vertex, with its value if that is known, or else with a zero of its level."""
    owner = v.variable if type(v) is Leaf else None
    if owner is not None and owner.node is v:
        return on_face(Array, owner)
    found = hold(Array, with_zeros(like, v.dtype), v)
    if v.storage is None:
        v.storage = storage_of(found)
    found.storage = v.storage
    return found


def pull(
    outputs: Sequence[Handle], ends: Sequence[Vertex], seeds: Sequence[Any], stop: Sequence[Vertex]
) -> list[Any]:
    """The gradients at vertices, recorded if operations are; None where there is none."""
    pairs = [(y, g) for y, g in zip(outputs, seeds, strict=True) if y.node is not None]
    if not pairs:
        return [None] * len(ends)
    recorded = tensors if is_recording() else None
    watches = [v.watch for v in ends]
    try:
        for v in ends:
            v.watch = None
        seeded = initial_cotangents([y for y, _ in pairs], [hold_array(g) for _, g in pairs])
        found = carry(seeded, ends, True, recorded, stop=frozenset(stop))
    finally:
        for v, watch in zip(ends, watches, strict=True):
            v.watch = watch
    return [found.get(v) for v in ends]


def hold_array(g: Any) -> Any:
    """A cotangent as an array."""
    return g if isinstance(g, Handle) else hold(Array, g)


@contextmanager
def mode(value: Mode) -> Iterator[None]:
    """Record, or not, in the block."""
    token = RECORDING.set(value)
    try:
        yield
    finally:
        RECORDING.reset(token)


def recording(on: bool) -> AbstractContextManager[None]:
    """Record operations, or not, in the block."""
    return mode((PACKING.get() or True) if on else False)


def sparse_jacobian(body: Any) -> Any:
    """The function of a body's operands that gives the entries of its Jacobian, by pattern."""
    from ..sparse import body_jacobian

    return body_jacobian(body)
