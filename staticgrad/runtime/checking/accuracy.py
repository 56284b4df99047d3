"""How accurate generated code is, measured when `compile` verifies it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gradops import ArrayType

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...passes.interface import Pass
from ...passes.pipeline import apply
from ...transform.sizing import sized
from ..backends.interpreter import interpret
from .verification import Array, in_order, spread_of, wide

WIDER = {np.dtype("f4"): np.dtype("f8"), np.dtype("f2"): np.dtype("f8"),
         np.dtype("c8"): np.dtype("c16")}  # fmt: skip
SEEDS = 4  # runs with feeds that are changed by rounding


@dataclass(frozen=True)
class ResultAccuracy:
    """The largest error of the entries of a result.

    `ulps` is the distance from what NumPy gives node by node, in units in the last place; `part` is
    the same as a part of the bound. `true_ulps` and `true_ulps_of_numpy` are distances from the
    graph in double precision; None where that is the precision of the result. `finite` is the share
    of entries that are finite: infinities and NaN are compared, but have no error.
    """

    label: str
    ulps: float
    part: float
    true_ulps: float | None
    true_ulps_of_numpy: float | None
    finite: float = 1.0

    def __str__(self) -> str:
        if not self.finite:
            return f"{self.label}: no entry is finite for these feeds"
        text = f"{self.label}: {self.ulps:.3g} ULP from NumPy, {self.part:.1%} of the bound"
        text += f", {self.finite:.0%} of the entries are finite" * (self.finite < 1)
        if self.true_ulps is None:
            return text
        return f"{text}; {self.true_ulps:.3g} from float64 (NumPy {self.true_ulps_of_numpy:.3g})"


@dataclass(frozen=True)
class CodeReport:
    """The errors of generated code that `verify` has measured, within a bound in rounding errors.

    It has no results if there were no feeds to compare by.
    """

    bound: float
    results: tuple[ResultAccuracy, ...]

    def __str__(self) -> str:
        if not self.results:
            return "nothing was compared: the graph raises for all random feeds"
        within = f"within the bound of {self.bound:g} rounding errors"
        first = within if self.bound else "equal to the bit"
        return "\n  ".join([first, *map(str, self.results)])


def accuracy_of(
    graph: FrozenGraph, run: Callable[[Any], Any], bound: float, feeds: Sequence[Any]
) -> CodeReport:
    """The errors of the results of code, by feeds that the graph accepts."""
    values = in_order(feeds)
    old = [np.asarray(x) for x in interpret(graph, values)]
    made = run(values)
    new = [np.asarray(x) for x in (made if isinstance(made, list | tuple) else [made])]
    spreads = [spread_of(graph, values, old, seed) for seed in range(SEEDS if bound else 1)]
    true = true_results(graph, values) or [None] * len(old)
    found = zip(graph.results, old, new, zip(*spreads, strict=True), true, strict=True)
    return CodeReport(bound, tuple([accuracy(e, x, y, s, t, bound) for e, x, y, s, t in found]))


def accuracy(
    e: Expr, old: Array, new: Array, spreads: Sequence[Any], true: Array | None, bound: float
) -> ResultAccuracy:
    """The errors of one result."""
    allowed = bound * np.maximum.reduce([np.broadcast_to(s, old.shape) for s in spreads])
    with np.errstate(all="ignore"):
        part = largest(np.abs(np.subtract(new, old, dtype=wide(old))) / allowed)
    facts = e.label, ulps(new, old), part
    finite = float(np.mean(np.isfinite(old))) if old.size else 1.0
    if true is None or old.dtype not in WIDER:
        return ResultAccuracy(*facts, None, None, finite)
    return ResultAccuracy(*facts, ulps(new, true), ulps(old, true), finite)


def ulps(x: Array, y: Array) -> float:
    """The largest distance of entries of `x` from `y`, in units in the last place of `x`."""
    if x.dtype.kind == "c":
        return max(ulps(x.real, y.real), ulps(x.imag, y.imag))
    if x.dtype.kind != "f":
        return float(np.count_nonzero(x != y))
    with np.errstate(all="ignore"):
        unit = np.spacing(np.maximum(np.abs(y.astype(x.dtype)), np.finfo(x.dtype).tiny))
        return largest(np.abs(np.subtract(x, y, dtype=np.float64)) / unit)


def largest(x: Any) -> float:
    """The largest finite entry; zero if there is none."""
    x = np.asarray(x, np.float64)
    return float(np.max(x[np.isfinite(x)], initial=0.0))


def true_results(graph: FrozenGraph, values: Sequence[Any]) -> list[Any] | None:
    """The results of a graph in double precision; None if there is no such graph."""
    if not any(e.dtype in WIDER for e in graph.results):
        return None
    wide_values = [x.astype(WIDER.get(x.dtype, x.dtype)) for x in map(np.asarray, values)]
    try:
        wide_graph = sized(
            apply(Widen(), graph), [ArrayType(x.shape, x.dtype) for x in wide_values]
        )
        return [np.asarray(x) for x in interpret(wide_graph, wide_values)]
    except Exception:  # some op takes single precision alone
        return None


@dataclass(frozen=True)
class Widen(Pass):
    """Constants and conversions in double precision; `sized` gives the types that follow."""

    bound: ClassVar[float] = np.inf

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        return graph.rebuilt(widened)


def widened(e: Expr, intern: Interning) -> Expr:
    """An expression whose constant, or attributes, are of double precision."""
    if e.kind is Kind.CONSTANT and e.dtype in WIDER:
        return intern.constant(e.value.astype(WIDER[e.dtype]), like=e)
    attrs = {k: wider(v) for k, v in e.attrs.items()} if e.op is not None else {}
    if all(v is e.attrs[k] for k, v in attrs.items()):
        return e
    return intern.copy(e._replace(attrs=attrs), e.inputs)


def wider(value: Any) -> Any:
    """A dtype of double precision for one of single; other attributes as they are."""
    return WIDER.get(value, value) if isinstance(value, np.dtype) else value
