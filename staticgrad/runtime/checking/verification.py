"""Numerical verification of passes: the graph is run before and after each.

Note [Rounding]. A pass with a bound, and machine code, may round elsewhere and in another order.
How much that may change a result is found by trying: the graph is run again with its data changed
by eps, and with every value that an op rounds changed so (D. S. Parker, Monte Carlo Arithmetic,
1997), a subnormal one by its last bit, a sum that is zero by its sign. The latter shows what the
former cannot: equal rows that cancel, whatever the data are. Whole numbers are taken to be exact,
as counts and those of `floor` are, but not those that a function nears, as tanh does 1. A sum of
finite numbers that overflows may be NaN as well, if its terms overflow to both sides, and an
infinite one if finite terms of it overflow.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gradops.core.errors import GradError, OptionError, PassError, UnverifiedWarning
from gradops.core.op import OPS, Op
from gradops.core.source_location import depth_of_user
from gradops.core.traits import Trait

from ...ir.errors import require_all
from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.verify import verify
from ...passes.interface import Pass
from ...passes.pipeline import Check, apply
from ..backends.interpreter import interpret
from ..feeds import as_feed
from .random_feeds import feeds_accepted_by

Array = np.ndarray[Any, Any]
PERTURBED = 16  # runs with changes at most, which show what rounding may do
EXACT = frozenset({Trait.CONTROL, Trait.MOVING, Trait.UNROUNDED, Trait.VIEW, Trait.BROADCASTING})


def verifier(feeds: Sequence[Any] | None) -> Check:
    """A check of a pass that runs the graph with feeds.

    Without any, it is checked for being well formed alone.
    """
    return partial(require_values, feeds=feeds)


def feeds_of_verification(graph: FrozenGraph, verify: Any) -> Sequence[Any] | None:
    """The feeds for which a graph is verified: those given, or for True random ones.

    Warns if there are none by which the graph runs. Raises OptionError for other values of
    `verify`, FeedError for feeds that are not those of the graph. Variables have their own values.
    """
    if verify is not True and (isinstance(verify, str) or not isinstance(verify, Sequence)):
        given = repr(verify) if isinstance(verify, str | int | float) else type(verify).__name__
        reason = f"verify is True, False, or a list of the values of the inputs, not {given}"
        raise OptionError("compile", [], reason)
    if verify is not True:
        require_all(graph.inputs, len(verify))
        return [as_feed(e, x) for e, x in zip(graph.inputs, verify, strict=True)]
    feeds, failure = feeds_accepted_by(graph)
    if feeds is None:
        reason = f"verify compared nothing: the graph raises for all random feeds: {failure}"
        hint = "\n  hint: verify=[...] takes values of the inputs that it accepts"
        warnings.warn(reason + hint, UnverifiedWarning, stacklevel=depth_of_user())
    return feeds


def require_values(
    step: Pass, before: FrozenGraph, after: FrozenGraph, feeds: Sequence[Any] | None
) -> None:
    """Raise PassError unless a pass kept the values of all results within its bound."""
    verify(after)
    if feeds is not None:
        require_results(step, before, partial(interpret, after), feeds)


def require_code(
    graph: FrozenGraph, run: Callable[[Any], Any], bound: float, feeds: Sequence[Any]
) -> None:
    """Raise PassError unless generated code gives the values of its graph within the bound."""

    def results(values: Sequence[Any]) -> Sequence[Any]:
        made = run(values)
        return made if isinstance(made, list | tuple) else [made]

    require_results(Code(bound), graph, results, in_order(feeds))


def in_order(feeds: Sequence[Any]) -> list[Any]:
    """Feeds as arrays in the order of C, which the code that is verified takes."""
    return [np.asarray(x, order="C") for x in feeds]


@dataclass(frozen=True)
class Code:
    """The generated code, as a step that may change values as the passes before it may."""

    bound: float

    def __str__(self) -> str:
        return "the generated code"


def require_results(
    step: Pass | Code, before: FrozenGraph, run: Callable[[Any], Any], feeds: Sequence[Any]
) -> None:
    """Raise PassError unless `run` gives the results of a graph within the bound of a step."""
    values = list(feeds)
    old, new = interpret(before, values), run(values)
    results = [*zip(before.results, map(np.asarray, old), map(np.asarray, new), strict=True)]
    require_types(step, results)
    allowed: list[Any] = [0.0] * len(results)
    for seed in range(PERTURBED if step.bound else 0):
        if not any(map(np.any, wrong_entries(step, results, allowed))):
            return
        allowed = [*map(np.maximum, allowed, spread_of(before, values, old, seed))]
    require_close(step, results, allowed)


Results = Sequence[tuple[Expr, Array, Array]]
"""The results of a graph, and what they were and are."""


def require_types(step: Pass | Code, results: Results) -> None:
    """Raise PassError for a result of another type."""
    for e, x, y in results:
        if x.shape != y.shape or x.dtype != y.dtype:
            became = f"{x.dtype}{x.shape} becomes {y.dtype}{y.shape}"
            raise PassError(f"{step} changes {e.label}: {became}")


def wrong_entries(step: Pass | Code, results: Results, allowed: Sequence[Any]) -> list[Any]:
    """Where results changed by more than `bound` times the `allowed` rounding errors."""
    wrong = [~same_entries(x, y) for _, x, y in results]
    if not step.bound:
        return wrong
    with np.errstate(all="ignore"):
        changes = [np.abs(np.subtract(y, x, dtype=wide(x))) for _, x, y in results]
        return [
            w & ~((c <= step.bound * a) | np.isinf(a))
            for w, c, a in zip(wrong, changes, allowed, strict=True)
        ]


def require_close(step: Pass | Code, results: Results, allowed: Sequence[Any]) -> None:
    """Raise PassError for the first entry of a result that changed by more than is allowed."""
    for (e, x, y), wrong in zip(results, wrong_entries(step, results, allowed), strict=True):
        if not np.any(wrong):
            continue
        first = np.argwhere(wrong)[0].tolist()
        where = f"[{', '.join(map(str, first))}]" if first else ""
        limit = f", which is more than its bound of {step.bound:g} allows" if step.bound else ""
        raise PassError(
            f"{step} changes the value of {e.label}{where}: {x[tuple(first)]!r} becomes"
            f" {y[tuple(first)]!r}{limit}"
        )


def same_entries(x: Array, y: Array) -> Any:
    """Where the entries are equal to the bit, all NaNs being equal."""
    if x.dtype.kind == "c":
        return same_entries(x.real, y.real) & same_entries(x.imag, y.imag)
    if x.dtype.kind != "f":
        return np.asarray(x == y)
    return ((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))


def spread_of(graph: FrozenGraph, feeds: Sequence[Any], old: Sequence[Any], seed: int) -> list[Any]:
    """The rounding error of each result: eps of its magnitude, and what eps elsewhere does.

    A run that raises, as a check or a factorization may for other data, shows no more than the
    former. See Note [Rounding].
    """
    try:
        new = changed_results(graph, feeds, seed)
    except GradError:
        new = old
    return [error_scale(np.asarray(x), np.asarray(y)) for x, y in zip(old, new, strict=True)]


def changed_results(graph: FrozenGraph, feeds: Sequence[Any], seed: int) -> Sequence[Any]:
    """What a graph gives for data that are changed by eps, or for odd seeds with other rounding."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        return interpret(graph, feeds, RandomRounding(rng))
    changed = apply(PerturbConstants(seed), graph)
    return interpret(changed, [perturbed(np.asarray(x), rng) for x in feeds])


class Extent(NamedTuple):
    """What is known of a value's entries; `largest` is that of the finite ones."""

    are_finite: bool
    have_nan: bool
    largest: float


class RandomRounding:
    """Changes values of the interpreter to what other rounding might give. See Note [Rounding]."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.extents: dict[Expr, Extent] = {}

    def __call__(self, e: Expr, value: Any) -> Any:
        x = np.asarray(value) if isinstance(value, np.ndarray | np.generic) else None
        if x is None or x.dtype.kind not in "fc":
            return None
        self.extents[e] = extent_of(x)
        if e.op is None or not EXACT.isdisjoint(e.op.traits):
            return None
        new = rounded_otherwise(x, self.rng)
        if Trait.SATURATING not in e.op.traits:
            new = np.where(is_whole(x), x, new)
        if adds(e.op):
            new = np.where(x == 0, new * self.rng.choice([-1, 1], x.shape), new)
        if Trait.ELEMENTWISE not in e.op.traits:
            new = np.where(np.isfinite(x), new, self.overflown(e, x))
        return new.astype(x.dtype)[()]

    def overflown(self, e: Expr, x: Array) -> Any:
        """What sums that are not finite may be as well, if their terms can overflow."""
        extents = [self.extents[y] for y in e.inputs if y in self.extents]
        if not all(y.are_finite for y in extents):
            with np.errstate(over="ignore"):
                largest = np.prod([y.largest for y in extents], dtype=np.float64)
            if not largest > np.finfo(x.dtype).max:
                return x
        return np.where(np.isnan(x) & (not any(y.have_nan for y in extents)), np.inf, np.nan)


def is_whole(x: Array) -> Any:
    """Where numbers are whole, and so small that others are not."""
    with np.errstate(all="ignore"):
        return (x == np.rint(x)) & (np.abs(x) * np.finfo(x.dtype).eps < 1)


def extent_of(x: Array) -> Extent:
    """What is to be known of an array."""
    is_finite = np.isfinite(x)
    with np.errstate(over="ignore"):
        largest = float(np.abs(x[is_finite]).max(initial=0))
    return Extent(bool(is_finite.all()), bool(np.isnan(x).any()), largest)


def adds(op: Op) -> bool:
    """Whether results of an op are sums, so that a zero has the sign that their order gives."""
    return Trait.ELEMENTWISE not in op.traits or op.name in ("add", "sub")


@dataclass(frozen=True)
class PerturbConstants(Pass):
    """Change constant arrays by eps, as if they were fed, and floats that are converted by theirs.

    Those that become wider or narrower have the eps of the narrower type. Numbers are part of
    formulas.
    """

    seed: int
    bound: ClassVar[float] = np.inf

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        rng = np.random.default_rng(self.seed)
        change = lambda e, intern: perturbed_expression(e, intern, rng)
        return graph.rebuilt(change)


def perturbed_expression(e: Expr, intern: Interning, rng: np.random.Generator) -> Expr:
    """A constant array, or a converted float, with its entries changed; others as they are."""
    if e.op is not None:
        return intern.copy(e, [perturbed_operand(x, e, intern, rng) for x in e.inputs])
    if e.kind is not Kind.CONSTANT or not e.shape or e.dtype.kind not in "fc":
        return e
    return intern.constant(perturbed(e.value, rng), like=e)


def perturbed_operand(x: Expr, e: Expr, intern: Interning, rng: np.random.Generator) -> Expr:
    """An operand that is converted in an expression, changed by the eps of the narrower type."""
    assert e.op is not None
    is_cast = e.op is OPS["astype"]
    converts = is_cast or Trait.ELEMENTWISE in e.op.traits
    if not converts or not {x.dtype.kind, e.dtype.kind} <= set("fc"):
        return x
    eps, own = np.finfo(e.dtype).eps, np.finfo(x.dtype).eps
    if own == eps or (own < eps and not is_cast):
        return x
    factor, wider = 1 + max(own, eps) * rng.choice([-1, 1]), e.dtype if own > eps else x.dtype
    return intern.apply("mul", x, intern.constant(np.array(factor, wider), like=e), like=e)


def error_scale(x: Array, y: Array) -> Any:
    """The rounding error of each entry of a result `x` that becomes `y` by changes of eps.

    It is infinite where an entry becomes finite or ceases to be, and, if any does, where `x` is not
    finite: which entries of a result are whole powers, say, is then a matter of rounding.
    """
    if x.shape != y.shape:
        return np.inf
    with np.errstate(all="ignore"):
        change = np.where(same_entries(x, y), 0.0, np.abs(np.subtract(y, x, dtype=wide(x))))
        size = np.abs(x.astype(wide(x)))
    turns, finite = ~np.isfinite(change), size[np.isfinite(size)]
    eps = np.finfo(x.dtype).eps if x.dtype.kind in "fc" else 0.0
    most = np.max(change[~turns], initial=0.0) + eps * np.max(finite, initial=0.0)
    return np.where(turns | (np.any(turns) & ~np.isfinite(size)), np.inf, most)


def wide(x: Array) -> Any:
    """The dtype in which values of an array are compared."""
    return np.complex128 if x.dtype.kind == "c" else np.float64


def perturbed(x: Array, rng: np.random.Generator) -> Array:
    """A feed with its entries changed by eps of themselves, up or down."""
    if x.dtype.kind not in "fc":
        return x
    with np.errstate(all="ignore"):
        change = 1 + np.finfo(x.dtype).eps * rng.choice([-1, 1], x.shape)
        return np.asarray(x * change.astype(x.dtype))


def rounded_otherwise(x: Array, rng: np.random.Generator) -> Array:
    """A value with its entries changed by eps, and subnormal floats by their unit, up or down."""
    new = perturbed(x, rng)
    if x.dtype.kind != "f":
        return new
    tiny = (x != 0) & (np.abs(x) < np.finfo(x.dtype).smallest_normal)
    directions = rng.choice([-np.inf, np.inf], x.shape).astype(x.dtype)
    return np.where(tiny, np.nextafter(x, directions), new)
