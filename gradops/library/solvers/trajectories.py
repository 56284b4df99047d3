"""Solutions of ordinary differential equations, with derivatives of any order.

Note [Trajectories]. The states y(t_i) of y' = f(y, t, a) from y(t_0) = y_0 are an op of the times,
the span, y_0 and a, whose attribute is the body f(y, t, *a). Its tangents are the states of the
equation with its tangents, so the JVP is the op itself. Its cotangents are a second op, which is
linear in those of the states. By the symmetry of second derivatives, what is to be known of that is
again the second op, of the equation with its tangents: so both have derivatives of any order.

A time t_i moves its state by f; the begin of the span moves all states as if y_0 had moved by -f.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.op import Op
from ...core.rules import JointJVP, JointVJP
from ...core.traits import Trait
from ...core.types import ArrayType, shape_of, type_of
from ...kernels.odes import trajectories as kernels
from ...kernels.odes.tableaus import EXPLICIT
from ...typing import AnyArray, Wanted
from ..families import zeros_like
from ..index.indexing import index
from ..reduce.reduction import sum
from ..shape.joining import concatenate
from ..shape.movement import expand_dims, reshape
from .compositions import require_tangents
from .examples import each_example, no_samples
from .ode_bodies import WithTangents, cotangents, helper, size_of, split

__all__: list[str] = []

FIRST = 3  # the operands before those of the equation: times, span, start


class Problem:
    """The operands and attributes of a `trajectory`, as rules read them."""

    def __init__(self, operands: Sequence[AnyArray], attrs: Mapping[str, Any]) -> None:
        self.times, self.span, self.start, *self.others = operands
        self.operands = list(operands)
        self.attrs = {**attrs, "functions": attrs["functions"][:2]}
        self.f = attrs["functions"][0]
        self.size: Any = shape_of(self.start)[0]

    @property
    def begin(self) -> AnyArray:
        """The time of the start."""
        return index(self.span, 0)

    @property
    def begin_slope(self) -> AnyArray:
        """The derivative by time at the start."""
        result: AnyArray = self.f(self.start, self.begin, *self.others)[0]
        return result

    @property
    def at_times(self) -> Any:
        """The body of the derivatives at all times: it takes states and times as rows."""
        times = type_of(self.times)
        states = ArrayType((*times.shape, self.size), np.dtype(np.float64))
        return self.f.stacked([states, times])

    def slopes(self, states: AnyArray) -> AnyArray:
        """The derivatives by time at all times."""
        result: AnyArray = self.at_times(states, self.times, *self.others)[0]
        return result

    def with_tangents(self, start: AnyArray, tangents: Mapping[int, AnyArray]) -> "Problem":
        """The equation with its tangents, by operands of the equation and by the start."""
        moved = sorted(tangents)
        body_numbers = tuple([i - 1 for i in moved])
        require_tangents(self.f, body_numbers)
        more = [tangents[i] for i in moved]
        z = concatenate([self.start, start])
        begin = type_of(index(self.span, 0))
        types = [type_of(z), begin, *map(type_of, self.others), *map(type_of, more)]
        f = self.f.composed(WithTangents(body_numbers), types)
        attrs = self.attrs | {"functions": (f, helper(f, self.attrs["method"], z))}
        return Problem([self.times, self.span, z, *self.others, *more], attrs)

    def solve(self) -> AnyArray:
        """The states at all times."""
        return trajectory(*self.operands, **self.attrs)

    def pull(self, g: AnyArray, asked: Sequence[int]) -> list[AnyArray]:
        """The cotangents of the start and of operands of the equation."""
        numbers = tuple([i - FIRST for i in asked])
        f, second = self.attrs["functions"]
        explicit = second if self.attrs["method"] in EXPLICIT else f
        back = explicit.pullback([0, *[i - 1 for i in asked]])
        attrs = self.attrs | {"functions": (f, second, back), "asked": numbers}
        packed = trajectory_pullback(g, *self.operands, **attrs)
        return split(packed, [self.start, *[self.operands[i] for i in asked]])


def trajectory_jvp(
    tangents: Mapping[int, AnyArray], y: AnyArray, *operands: AnyArray, **attrs: Any
) -> AnyArray:
    """The tangent of the states: see Note [Trajectories]."""
    p = Problem(operands, attrs)
    total: Any = None
    if set(tangents) - {0}:
        start = tangents.get(2, zeros_like(p.start))
        if 1 in tangents:
            start = start - p.begin_slope * index(tangents[1], 0)
        moved = {i: t for i, t in tangents.items() if i >= FIRST}
        total = index(p.with_tangents(start, moved).solve(), (slice(None), slice(p.size, None)))
    if 0 in tangents:
        by_time = p.slopes(y) * expand_dims(tangents[0], axis=1)
        total = by_time if total is None else total + by_time
    return total


def trajectory_vjp(
    wanted: Wanted, g: AnyArray, y: AnyArray, *operands: AnyArray, **attrs: Any
) -> list[AnyArray]:
    """The cotangents of what the states depend on: see Note [Trajectories]."""
    p = Problem(operands, attrs)
    asked = [i for i in wanted if i >= FIRST]
    found: dict[int, AnyArray] = {}
    if set(wanted) - {0}:
        found = dict(zip([2, *asked], p.pull(g, asked), strict=True))
    if 1 in wanted:
        moved = -sum(found[2] * p.begin_slope)
        found[1] = concatenate([expand_dims(moved, axis=0), np.zeros(1)])
    if 0 in wanted:
        found[0] = sum(g * p.slopes(y), axis=1)
    return [found[i] for i in wanted]


trajectory = Op(
    "trajectory", kernels.trajectory, arity=None, traits=[Trait.CONTROL],
    infer=lambda times, span, y, *others, **attrs: ArrayType(
        (times.shape[0], y.shape[0]), np.float64
    ),
    vjp=JointVJP(trajectory_vjp), jvp=JointJVP(trajectory_jvp),
    batch=each_example, samples=no_samples,
    doc="The states of a differential equation at times, a row each.",
)  # fmt: skip


def pullback_vjp(
    wanted: Wanted, c: AnyArray, y: AnyArray, g: AnyArray, *operands: AnyArray, asked: Any,
    **attrs: Any,
) -> list[AnyArray]:  # fmt: skip
    """For g the tangent of the states along `c`; for others the cotangents of that along g."""
    p = Problem(operands, attrs)
    numbers = [i + FIRST for i in asked]
    start, *others = split(c, [p.start, *[operands[i] for i in numbers]])
    moved = p.with_tangents(start, dict(zip(numbers, others, strict=True)))
    states = moved.solve()
    found: dict[int, AnyArray] = {0: index(states, (slice(None), slice(p.size, None)))}
    if rest := [i - 1 for i in wanted if i]:
        both = concatenate([zeros_like(g), g], axis=1)
        cts = trajectory_vjp(rest, both, states, *moved.operands, **moved.attrs)
        for i, ct in zip(rest, cts, strict=True):
            found[i + 1] = index(ct, slice(None, p.size)) if i == 2 else ct
    return [found[i] for i in wanted]


def pullback_jvp(
    tangents: Mapping[int, AnyArray], y: AnyArray, g: AnyArray, *operands: AnyArray, asked: Any,
    **attrs: Any,
) -> AnyArray:  # fmt: skip
    """The change of the cotangents along the tangents of what they depend on."""
    p, numbers = Problem(operands, attrs), [i + FIRST for i in asked]
    seeds, more = tangents.get(0), None
    if 1 in tangents:
        seeds, more = through_times(p, g, tangents[1], seeds, numbers)
    parts = through_states(p, g, tangents, seeds, numbers)
    if 2 in tangents:
        own = split(y, [p.start, *[operands[i] for i in numbers]])[0]
        wanted = [0, *[i - 1 for i in numbers]]
        cts = cotangents(p.f, wanted, p.start, p.begin, *p.others, own)
        speed = index(tangents[2], 0)
        parts = [part - speed * ct for part, ct in zip(parts, cts, strict=True)]
    if more is not None:
        parts = [parts[0], *[a + b for a, b in zip(parts[1:], more, strict=True)]]
    return concatenate([reshape(part, shape=(-1,)) for part in parts])


def through_times(
    p: Problem, g: AnyArray, speeds: AnyArray, seeds: AnyArray | None, numbers: Sequence[int]
) -> tuple[AnyArray, list[AnyArray]]:
    """What tangents of the times add to those of `g`, and to the cotangents of operands."""
    wanted = [0, *[i - 1 for i in numbers]]
    along = g * expand_dims(speeds, axis=1)
    of_states, *more = cotangents(p.at_times, wanted, p.solve(), p.times, *p.others, along)
    return of_states if seeds is None else seeds + of_states, more


def through_states(
    p: Problem, g: AnyArray, tangents: Mapping[int, AnyArray], seeds: AnyArray | None,
    numbers: Sequence[int],
) -> list[AnyArray]:  # fmt: skip
    """The cotangents for `seeds`, and the change of those for `g` along tangents of the rest."""
    if not set(tangents) - {0, 1} and seeds is not None:
        return p.pull(seeds, numbers)
    start = tangents.get(3, zeros_like(p.start))
    if 2 in tangents:
        start = start - p.begin_slope * index(tangents[2], 0)
    moved = {i - 1: t for i, t in tangents.items() if i > FIRST}
    both = concatenate([zeros_like(g) if seeds is None else seeds, g], axis=1)
    own, *found = p.with_tangents(start, moved).pull(both, numbers)
    return [index(own, slice(None, p.size)), *found]


trajectory_pullback = Op(
    "trajectory_pullback", kernels.pull_trajectory, arity=None, traits=[Trait.CONTROL],
    infer=lambda g, times, span, y, *others, asked, **attrs: ArrayType(
        (size_of([y, *[others[i] for i in asked]]),), np.float64
    ),
    vjp=JointVJP(pullback_vjp), jvp=JointJVP(pullback_jvp),
    batch=each_example, samples=no_samples,
    doc="The cotangents of what the states of a differential equation depend on, as one vector.",
)  # fmt: skip
