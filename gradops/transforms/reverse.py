"""Reverse mode: the loop that carries cotangents from outputs back to inputs.

Note [Complex]. The gradient of a real loss by z = a + ib is dL/da + i dL/db, the direction of
steepest ascent, as in PyTorch. A rule v -> v * partial is right for tangents; between two
conjugations it is right for cotangents, so ops with complex outputs need no further rules. The
rules of ops with real outputs of complex operands (`abs`, `real`, `angle`) give that direction.
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
from ..core.source_location import Place, describe, with_one_line
from ..core.traits import Trait
from ..kernels.sums import sum_of
from ..typing import Arrays, Attrs
from .saved_operands import reads
from .several_outputs import GATHER, Parts


class VertexOp(Protocol):
    """The operation of a vertex: an `Op`, or another object with derivative rules."""

    @property
    def name(self) -> str:
        """The name in errors and graphs."""

    @property
    def traits(self) -> frozenset[Trait]:
        """The traits of the op."""

    def pull(self, wanted: Sequence[int], g: Any, values: Arrays, attrs: Attrs, /) -> Sequence[Any]:
        """The cotangents of the wanted operands; `values` are the output and the operands."""


class Vertex(Protocol):
    """A tape node or an expression.

    `number` grows in the order of creation, so an input has a smaller number than its users.
    `wanted` are the positions of the inputs that may get cotangents.
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
    """Calls the hooks of vertices with a `watch` during a reverse pass."""

    def visit(self, v: Any, cotangents: dict[Any, Any]) -> None:
        """Call the hooks of `v`, whose cotangent is complete; it may be replaced or removed."""

    def turn(self, leaf: Any) -> float:
        """When to visit a leaf: between the negative numbers of the vertices around it."""


@with_one_line
def pull_back(
    seeds: Mapping[Any, Any], read: Callable[[Any], Sequence[Any]],
    active: AbstractSet[Any] | None = None, keep: Container[Any] = (), hooks: Hooks | None = None,
    inspect: Inspect | None = None, view: Callable[[Any], Any] | None = None,
) -> dict[Any, Any]:  # fmt: skip
    """Carry the cotangents in `seeds` back; return those of leaves and of vertices in `keep`.

    `read(vertex)` gives the output and the operands that the rules see, and their type decides
    what the rules do: arrays are computed, tensors recorded, expressions built. With `active`,
    only those vertices receive a cotangent. `inspect(vertex, numbers of operands, cotangents)` sees
    what the rules of a vertex compute and may replace it; `view(vertex)` is the vertex that is
    differentiated in its place.

    Vertices are visited from the newest to the oldest. A user is always newer than its inputs, so
    a vertex is visited when its cotangent is complete, without a topological sort.
    """
    cotangents = dict(seeds)
    summed: set[Any] = set()  # vertices whose cotangent is an array that this pass has made
    frontier: list[tuple[float, Any]] = [(-v.number, v) for v in cotangents]
    heapify(frontier)
    direct = GATHER if inspect is None and view is None else NOBODY  # see `several_outputs`
    while frontier:
        v = heappop(frontier)[1]
        if v.watch is not None:
            hooks.visit(v, cotangents)  # type: ignore[union-attr]
        shown = v if view is None else view(v)
        if (op := shown.op) is None:
            continue
        g, inputs = cotangents[v] if v in keep else cotangents.pop(v), shown.inputs
        wanted = shown.wanted
        if active is not None:
            for i in wanted:
                if inputs[i] not in active:
                    wanted = [j for j in wanted if inputs[j] in active]
                    break
            if not wanted:
                continue
        try:
            cts = op.pull(wanted, g, read(shown), shown.attrs)
            if inspect is not None:
                cts = inspect(shown, wanted, cts)
            for i, ct in zip(wanted, cts):
                if ct is None:
                    continue
                x = inputs[i]
                if ct.shape != x.shape or ct.dtype is not x.dtype:
                    ct = fit(ct, x)
                if x.op is direct and x.watch is None and x not in keep:
                    number, x = x.index, x.inputs[0]
                    if x in cotangents:
                        cotangents[x].add(number, ct)
                        continue
                    ct = Parts({number: ct})
                if x in cotangents:
                    if type(ct) is ndarray and ct.nbytes > LARGE:
                        cotangents[x] = add_up(cotangents[x], ct, x, summed)
                    else:
                        cotangents[x] = cotangents[x] + ct
                    continue
                cotangents[x] = ct
                if x.op is not None:
                    heappush(frontier, (-x.number, x))
                elif x.watch is not None:  # other leaves need no visit
                    heappush(frontier, (hooks.turn(x), x))  # type: ignore[union-attr]
            del ct, cts  # or they would outlive the next computation
        except Exception as error:
            blame(error, "the backward of", shown)
            raise
    return cotangents


ndarray = np.ndarray
NOBODY = object()
LARGE = 16384  # bytes of a sum, from which adding in place pays


def add_up(total: Any, ct: np.ndarray, x: Any, summed: set[Any]) -> Any:
    """The sum of two cotangents of `x`, written over the first if that is a sum itself.

    No rule, hook or caller has seen an incomplete sum. Where the memory layouts differ, the sum
    would have one of its own, in which later sums over axes add up in another order.
    """
    if x in summed and type(total) is ndarray and ct.strides == total.strides:
        return np.add(total, ct, out=total)
    summed.add(x)
    return total + ct


class Conjugated:
    """An op with a complex output, and rules for cotangents. See Note [Complex]."""

    def __init__(self, op: Op) -> None:
        self.op = op

    def pull(self, wanted: Sequence[int], g: Any, values: Arrays, attrs: Attrs) -> Sequence[Any]:
        """The cotangents by the rules of the op, between two conjugations."""
        return [conjugate(ct) for ct in self.op.pull(wanted, conjugate(g), values, attrs)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def __str__(self) -> str:
        return str(self.op)


@cache
def conjugated(op: Op) -> Conjugated:
    """`op` for a complex output; raises NotDifferentiableError if its rules are for reals only."""
    if not takes_complex(op):
        raise NotDifferentiableError(
            f"{op} of complex numbers has no gradient\n  hint: compute with abs(), real and imag"
        )
    return Conjugated(op)


def takes_complex(op: Op) -> bool:
    """True if the rules of an op hold for complex numbers: it has complex samples, or is linear.

    A trait says so where samples cannot be checked, because the phase of the result is free.
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
    """The conjugate of a cotangent; None and real cotangents as they are."""
    return x if x is None or x.dtype.kind != "c" else OPS["conj"](x)


def blame(error: Exception, doing: str, v: Any) -> None:
    """Add a note with the forward call to an error in a hook or a rule."""
    if isinstance(error, TapeError):
        return  # its text names the call
    where = "a leaf" if v.op is None else f"{v.op}, called at {describe(v.place)}"
    error.add_note(f"in {doing} {where}")


def fit(ct: Any, x: Any) -> Any:
    """`ct` summed to the shape of `x` and converted to its dtype."""
    if ct.shape != x.shape:
        if type(ct) is not ndarray:
            ct = OPS["sum_to"](ct, shape=x.shape)
        elif ct.shape[1:] == x.shape:  # a bias: the common case
            ct = sum_of(ct, 0)
        else:
            ct = OPS["sum_to"].kernel(ct, x.shape)
    if ct.dtype.kind == "c" and x.dtype.kind != "c":
        ct = OPS["real"](ct)
    return ct if ct.dtype == x.dtype else OPS["astype"](ct, dtype=x.dtype)


def depending_on(wrt: Iterable[Any], ends: Iterable[Any], stop: Container[Any] = ()) -> set[Any]:
    """The vertices on paths from `wrt` to `ends`, through which derivatives pass.

    Vertices in `stop` count as constants: paths do not continue behind them.
    """
    active = set(wrt)
    oldest = min((v.number for v in active), default=0)
    return add_users(active, ancestors(ends, oldest, stop), stop)


def active_between(wrt: Iterable[Any], ends: Iterable[Any]) -> AbstractSet[Any] | None:
    """The vertices on paths from `wrt` to `ends`; None if all that `ends` depend on are.

    So it is for the gradients by all leaves, the common case, for which one walk is enough. The
    walk leaves out what cannot be on a path: other leaves, and what is older than all of `wrt`.
    """
    targets = set(wrt)
    oldest = min([v.number for v in targets])
    leaves = {v for v in targets if v.op is None}
    reached = list(dict.fromkeys(ends))
    seen = {None, *leaves, *reached}
    all_active = len(leaves) == len(targets)
    all_active &= all(v in leaves or not (v.op is None or v.number < oldest) for v in reached)
    for v in reached:  # it grows
        for x in v.inputs:
            if x not in seen:
                seen.add(x)
                if x.op is None or x.number < oldest:
                    all_active = False
                else:
                    reached.append(x)
    return None if all_active else add_users(targets, reached)


def add_users(active: set[Any], among: Iterable[Any], stop: Container[Any] = ()) -> set[Any]:
    """`active`, to which those vertices `among` others are added that are computed from it."""
    for v in sorted(among, key=attrgetter("number")):
        if v not in active and v not in stop and not active.isdisjoint(v.inputs):
            active.add(v)
    return active


def ancestors(ends: Iterable[Any], oldest: int = 0, stop: Container[Any] = ()) -> list[Any]:
    """The vertices that `ends` are computed from, and `ends`, each once.

    What is older than `oldest`, or in `stop`, is among them, but not what it is computed from.
    """
    reached = list(dict.fromkeys(ends))
    seen = {None, *reached}
    for v in reached:  # it grows
        if v.number < oldest or v in stop:
            continue
        for x in v.inputs:
            if x not in seen:
                seen.add(x)
                reached.append(x)
    return reached
