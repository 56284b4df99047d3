"""Reverse mode: the one loop that carries cotangents from outputs back to inputs.

Note [Complex]. The gradient of a real loss by z = a + ib is dL/da + i dL/db, the direction in which
the loss grows, as in PyTorch. A rule v -> v * partial serves tangents; the same rule between two
conjugations serves cotangents, so ops with complex outputs need no rules of their own. An op with
a real output of complex operands (`abs`, `real`, `angle`) gives that direction by itself.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Any, Protocol

import numpy as np

from ..core.errors import MissingRuleError, NotDifferentiableError, TapeError
from ..core.op import OPS, Op
from ..core.rules import EveryOperand, Selective, Together
from ..core.source_location import Place, describe
from ..core.traits import Trait
from .saved_operands import reads


class Vertex(Protocol):
    """What a tape node and an expression share.

    `number` grows in the order of creation, so an input always has a smaller one than its user.
    """

    op: Op | None
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    number: int
    watch: Callable[[Any], Any] | None
    shape: Any
    dtype: Any
    place: Place | None


Read = Callable[[Any], tuple[Any, ...]]


def pull_back(
    seeds: Mapping[Any, Any],
    read: Read,
    active: AbstractSet[Any] | None = None,
    keep: Container[Any] = (),
    inspect: Callable[[Any, int, Any], Any] | None = None,
    view: Callable[[Any], Any] | None = None,
    arrive: Callable[[Any, Any], None] | None = None,
) -> dict[Any, Any]:
    """Carry the cotangents in `seeds` back; return those of leaves and of vertices in `keep`.

    `read(vertex)` gives the output and the operands that the rules see, and their type decides
    what the rules do: arrays are computed, tensors recorded, expressions built. With `active`,
    only those vertices receive a cotangent. A vertex that has a `watch` gets its complete cotangent
    passed through it before it goes further; what is returned of one in `keep` from which it does
    go further has not passed, as in PyTorch. `inspect(vertex, i, cotangent)`, if given, is shown
    what each rule computes, and gives what is to take its place; `view(vertex)` gives what stands
    for it, with other rules or inputs; `arrive(leaf, cotangent)`, if given, gets the cotangent of a
    leaf that has a `watch`, which then is not returned.

    Vertices are visited from the newest to the oldest. A user is always newer than its inputs, so
    a vertex is reached when its cotangent is complete, and no order need be found beforehand. Only
    a leaf that has a `watch` is visited as soon as its cotangent is complete, as in PyTorch.
    """
    cotangents = dict(seeds)
    frontier: list[tuple[float, Any]] = [(-v.number, v) for v in cotangents]
    heapify(frontier)
    turns: Any = None
    kept: list[tuple[Any, Any]] | None = None
    i = 0
    while frontier:
        v = heappop(frontier)[1]
        if v.watch is not None:
            try:
                passed = v.watch(cotangents[v])
            except Exception as error:
                blame(error, "a hook on", v)
                raise
            if v in keep and not ends_at(v, active):
                kept = [*(kept or ()), (v, cotangents[v])]
            cotangents[v] = passed
        shown = v if view is None else view(v)
        op = shown.op
        if op is None:
            if arrive is not None:
                arrive(v, cotangents.pop(v))
            continue
        g = cotangents[v] if v in keep else cotangents.pop(v)
        v = shown
        if active is not None and active.isdisjoint(v.inputs):
            continue
        operands, attrs, rules = read(v), v.attrs, op.vjp
        try:
            share = shared(v, rules, g, operands, active) if isinstance(rules, Together) else None
            for i, x in enumerate(v.inputs):
                if x is None or (active is not None and x not in active):
                    continue
                if share is not None:
                    ct = share(i)
                elif (rule := rules[i]) is None:
                    continue
                else:
                    ct = rule(g, *operands, **attrs) if attrs else rule(g, *operands)
                if ct is None:
                    continue
                if inspect is not None:
                    ct = inspect(v, i, ct)
                if ct.shape != x.shape or ct.dtype is not x.dtype:
                    ct = fit(ct, x)
                if x in cotangents:
                    cotangents[x] = cotangents[x] + ct
                else:
                    cotangents[x] = ct
                    if x.op is not None:
                        heappush(frontier, (-x.number, x))
                    elif x.watch is not None:  # other leaves carry it nowhere
                        turns = turns or turns_of_leaves([v, *[u for _, u in frontier]], active)
                        heappush(frontier, (turns.get(x, -x.number), x))
        except Exception as error:
            blame(error, "the backward of", v, None if isinstance(rules, Together) else i)
            raise
    if kept:
        cotangents.update(kept)
    return cotangents


def ends_at(v: Any, active: AbstractSet[Any] | None) -> bool:
    """Whether no cotangent goes further than to a vertex."""
    return v.op is None or (active is not None and active.isdisjoint(v.inputs))


def turns_of_leaves(ends: list[Any], active: AbstractSet[Any] | None) -> dict[Any, float]:
    """When each leaf that has a `watch` is visited: right after the oldest of its users.

    Of several leaves of one user, the earlier operands come first.
    """
    users = sorted(ancestors(ends), key=attrgetter("number"), reverse=True)
    turns: dict[Any, float] = {}
    for user in users if active is None else [v for v in users if v in active]:
        for i, x in enumerate(user.inputs):
            if x is not None and x.op is None and x.watch is not None:
                turns[x] = (i + 1) / (len(user.inputs) + 1) - user.number
    return turns


def shared(
    v: Any, rules: Together, g: Any, operands: tuple[Any, ...], active: Container[Any] | None
) -> Callable[[int], Any]:
    """The function that gives each operand's cotangent, of rules that compute them together."""
    if not isinstance(rules, Selective):
        return rules.shares(g, *operands, **v.attrs)
    wanted = [
        i for i, x in enumerate(v.inputs) if x is not None and (active is None or x in active)
    ]
    return rules.shares(wanted, g, *operands, **v.attrs)


class Conjugated:
    """An op whose output is complex, with rules for cotangents. See Note [Complex]."""

    def __init__(self, op: Op) -> None:
        self.op, self.vjp = op, conjugated_rules(op.vjp)

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


def conjugated_rules(rules: Any) -> Any:
    """VJP rules between two conjugations."""
    if type(rules) is Together:

        def shares(g: Any, *args: Any, **attrs: Any) -> Callable[[int], Any]:
            found = rules.shares(conjugate(g), *args, **attrs)
            return lambda i: conjugate(found(i))

        return Together(shares)
    if isinstance(rules, EveryOperand):
        return EveryOperand(
            lambda i, g, *args, **attrs: conjugate(rules[i](conjugate(g), *args, **attrs))
        )
    return [rule and conjugated_rule(rule) for rule in rules]


def conjugated_rule(rule: Callable[..., Any]) -> Callable[..., Any]:
    """One of them."""
    return lambda g, *args, **attrs: conjugate(rule(conjugate(g), *args, **attrs))


def conjugate(x: Any) -> Any:
    """The conjugate of a cotangent, if it is complex and there is one."""
    return x if x is None or x.dtype.kind != "c" else OPS["conj"](x)


def blame(error: Exception, doing: str, v: Any, i: int | None = None) -> None:
    """Tell an error in a hook or a rule, of operand i, which forward call it belongs to."""
    if isinstance(error, TapeError):
        return  # says so itself
    if v.op is None:
        error.add_note(f"in {doing} a leaf")
        return
    if isinstance(error, IndexError) and i is not None and i >= len(v.op.vjp):
        raise MissingRuleError(v.op.name, "vjp", hint="give it one: Op(..., vjp=[...])") from error
    operand = "" if i is None else f", operand {i}"
    error.add_note(f"in {doing} {v.op}{operand}, called at {describe(v.place)}")


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
