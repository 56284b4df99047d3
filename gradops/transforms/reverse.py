"""Reverse mode: the one loop that carries cotangents from outputs back to inputs.

Note [Complex]. The gradient of a real loss by z = a + ib is dL/da + i dL/db, the direction in which
the loss grows, as in PyTorch. A rule v -> v * partial serves tangents; the same rule between two
conjugations serves cotangents, so ops with complex outputs need no rules of their own. An op with
a real output of complex operands (`abs`, `real`, `angle`) gives that direction by itself.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any, Protocol

import numpy as np

from ..core.errors import NotDifferentiableError, TapeError
from ..core.op import OPS, Op
from ..core.source_location import Place, describe
from ..core.traits import Trait
from ..typing import Attrs
from .saved_operands import reads


class VertexOp(Protocol):
    """The operation of a vertex: an `Op`, or another object with derivative rules."""

    @property
    def name(self) -> str:
        """What errors and graphs call it."""

    @property
    def traits(self) -> frozenset[Trait]:
        """What is known of it beside its rules."""

    def pull(
        self, wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs, /
    ) -> Sequence[Any]:
        """The cotangents of the wanted operands; `values` are the output and the operands."""


class Vertex(Protocol):
    """What a tape node and an expression share.

    `number` grows in the order of creation, so an input always has a smaller one than its user.
    `wanted` are the numbers of the inputs that get cotangents, where `pull_back` is not told the
    active vertices.
    """

    op: VertexOp | None
    inputs: tuple[Any, ...]
    attrs: Attrs
    number: int
    watch: Any
    wanted: Sequence[int]
    shape: Any
    dtype: Any
    place: Place | None


Inspect = Callable[[Any, Sequence[int], Sequence[Any]], Sequence[Any]]


class Hooks(Protocol):
    """Functions that a reverse pass calls at vertices which have a `watch`."""

    def visit(self, v: Any, cotangents: dict[Any, Any]) -> None:
        """Call the hooks of `v`, whose cotangent is complete; it may be replaced or removed."""

    def turn(self, leaf: Any) -> float:
        """When to visit a leaf: between the negative numbers of the vertices around it."""


def pull_back(
    seeds: Mapping[Any, Any],
    read: Callable[[Any], Sequence[Any]],
    active: AbstractSet[Any] | None = None,
    keep: Container[Any] = (),
    hooks: Hooks | None = None,
    inspect: Inspect | None = None,
    view: Callable[[Any], Any] | None = None,
) -> dict[Any, Any]:
    """Carry the cotangents in `seeds` back; return those of leaves and of vertices in `keep`.

    `read(vertex)` gives the output and the operands that the rules see, and their type decides
    what the rules do: arrays are computed, tensors recorded, expressions built. With `active`,
    only those vertices receive a cotangent. `inspect(vertex, numbers of operands, cotangents)` sees
    what the rules of a vertex compute and may replace it; `view(vertex)` gives another vertex to
    differentiate in its place.

    Vertices are visited from the newest to the oldest. A user is always newer than its inputs, so
    a vertex is reached when its cotangent is complete, and no order need be found beforehand.
    """
    cotangents = dict(seeds)
    frontier: list[tuple[float, Any]] = [(-v.number, v) for v in cotangents]
    heapify(frontier)
    while frontier:
        v = heappop(frontier)[1]
        if v.watch is not None:
            hooks.visit(v, cotangents)  # type: ignore[union-attr]
        shown = v if view is None else view(v)
        if (op := shown.op) is None:
            continue
        g, inputs = cotangents[v] if v in keep else cotangents.pop(v), shown.inputs
        wanted = shown.wanted if active is None else positions(inputs, active)
        if not wanted:
            continue
        try:
            cts = op.pull(wanted, g, read(shown), shown.attrs)
            for i, ct in zip(wanted, cts if inspect is None else inspect(shown, wanted, cts)):
                if ct is None:
                    continue
                x = inputs[i]
                if ct.shape != x.shape or ct.dtype is not x.dtype:
                    ct = fit(ct, x)
                if x in cotangents:
                    cotangents[x] = cotangents[x] + ct
                    continue
                cotangents[x] = ct
                if x.op is not None:
                    heappush(frontier, (-x.number, x))
                elif x.watch is not None:  # other leaves carry it nowhere
                    heappush(frontier, (hooks.turn(x), x))  # type: ignore[union-attr]
        except Exception as error:
            blame(error, "the backward of", shown)
            raise
    return cotangents


def positions(inputs: Sequence[Any], active: AbstractSet[Any]) -> list[int]:
    """The numbers of the inputs that are active."""
    return [i for i, x in enumerate(inputs) if x in active]


class Conjugated:
    """An op whose output is complex, with rules for cotangents. See Note [Complex]."""

    def __init__(self, op: Op) -> None:
        self.op = op

    def pull(
        self, wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs
    ) -> Sequence[Any]:
        """The cotangents that the rules of the op give between two conjugations."""
        return [conjugate(ct) for ct in self.op.pull(wanted, conjugate(g), values, attrs)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __str__(self) -> str:
        return str(self.op)


@cache
def conjugated(op: Op) -> Conjugated:
    """`op` as it stands where its output is complex; raises NotDifferentiableError."""
    if not takes_complex(op):
        raise NotDifferentiableError(
            f"{op} of complex numbers has no gradient\n  hint: compute with abs(), real and imag"
        )
    return Conjugated(op)


def takes_complex(op: Op) -> bool:
    """Whether the rules of an op hold for complex numbers: it has such a sample, or is linear.

    An op says so by a trait where differences cannot tell, as a phase of its result is free.
    """
    if Trait.COMPLEX in op.traits:
        return True
    samples = list(op.samples(np.random.default_rng(0)))
    if any(np.iscomplexobj(x) for xs, _ in samples for x in xs):
        return True
    return not any(
        np.asarray(xs[j]).dtype.kind not in "iub" if j >= 0 else True
        for xs, _ in samples
        for i in range(len(xs))
        if i < len(op.vjp) and op.vjp[i] is not None
        for j in reads(op, i, len(xs))
    )


def conjugate(x: Any) -> Any:
    """The conjugate of a cotangent, if it is complex and there is one."""
    return x if x is None or x.dtype.kind != "c" else OPS["conj"](x)


def blame(error: Exception, doing: str, v: Any) -> None:
    """Add a note to an error in a hook or a rule that names the forward call it belongs to."""
    if isinstance(error, TapeError):
        return  # names it already
    where = "a leaf" if v.op is None else f"{v.op}, called at {describe(v.place)}"
    error.add_note(f"in {doing} {where}")


def fit(ct: Any, x: Any) -> Any:
    """`ct` with broadcasting undone and in the dtype of `x`."""
    if ct.shape != x.shape:
        if type(ct) is np.ndarray and ct.shape[1:] == x.shape:  # a bias: the common case
            ct = np.add.reduce(ct, axis=0)
        else:
            ct = OPS["sum_to"](ct, shape=x.shape)
    if ct.dtype.kind == "c" and x.dtype.kind != "c":
        ct = OPS["real"](ct)
    return ct if ct.dtype == x.dtype else OPS["astype"](ct, dtype=x.dtype)


def depending_on(wrt: Iterable[Any], ends: Iterable[Any], stop: Container[Any] = ()) -> set[Any]:
    """The vertices between `wrt` and `ends`, through which a derivative passes.

    What is in `stop` counts as constant: it is there only if it is in `wrt`, and nothing behind it
    is looked at.
    """
    found = set(wrt)
    oldest = min((v.number for v in found), default=0)
    between = ancestors(ends, oldest, stop)
    for v in sorted(between, key=attrgetter("number")):
        if v not in found and v not in stop and not found.isdisjoint(v.inputs):
            found.add(v)
    return found


def ancestors(ends: Iterable[Any], oldest: int = 0, stop: Container[Any] = ()) -> set[Any]:
    """What `ends` are computed from, themselves included: nothing older, or behind `stop`."""
    stack = [v for v in ends if v.number >= oldest]
    seen = set(stack)
    while stack:
        v = stack.pop()
        for x in () if v in stop else v.inputs:
            if x is not None and x not in seen and x.number >= oldest:
                seen.add(x)
                stack.append(x)
    return seen
