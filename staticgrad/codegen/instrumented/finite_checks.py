"""Generated source that notices values that are not finite.

Note [Finite checks]. A ufunc on finite numbers that gives an infinity or NaN sets a floating point
flag, and NumPy raises if it is told to: that costs nothing. Other kernels, and Python's floats, set
none. Their results are checked by the product of an array with itself, which is finite unless an
entry is not, or is huge. Such a check is left out where a later value shows the infinity: a sum
does, and tanh does not. The cheapest such value is checked, at best a loss. Since inputs and
constants are checked too, every value of a run that raises nothing is finite.

Flags and products also report what is finite after all: a kernel may compute an infinity that it
does not return. Around such an expression, once it is known, flags are ignored and its entries are
checked one by one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core import flops
from gradops.core.dims import product
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph, inner_graphs
from ...ir.pairs import pairs_in
from ..source import Source
from .weaving import Lines, body_start, lines_between, rewrite_functions, runs, unused_prefix

UNKNOWN_SIZE = 4096  # entries that an array of unknown size is taken to have
INPUTS = (Kind.PLACEHOLDER, Kind.VARIABLE)
CHECK = 1000  # entries whose product takes as long as a call
ASSIGNMENT = re.compile(r" +(\w+(?:, \w+)?) = ")


@dataclass(frozen=True)
class Alarms:
    """The functions that checks call: to ignore flags, to heed them again, and to stop."""

    quiet: Callable[[], Any]
    loud: Callable[[], Any]
    alarm: Callable[[int], None]


def with_finite_checks(
    source: Source, graph: FrozenGraph, noisy: Collection[Expr], alarms: Alarms
) -> tuple[Source, list[Expr]] | None:
    """The source with checks, and the expression of each; None if one cannot be checked.

    `noisy` are expressions whose flags and products mean nothing. See Note [Finite checks].
    """
    every = [graph, *inner_graphs(graph)]
    if not all(map(has_finite_constants, (e for g in every for e in g.order))):
        return None
    wanted = Wanted(noisy)
    for g in every:
        wanted.expressions.update(values_to_check(g, noisy, g is graph))
        wanted.pairs |= pairs_in(g) if g.paired else {}
    names = CheckNames(source)
    inputs = [e for e in graph.inputs if e in wanted.expressions]
    outer = next(reversed(source.starts))

    def rewrite(name: str, start: int, stop: int) -> Lines:
        own = inputs if name == outer else []
        return checked_lines(source, names, wanted, own, start, stop)

    result = rewrite_functions(source, rewrite)
    if wanted.expressions - wanted.numbers.keys():
        return None
    return replace(result, scope=source.scope | names.scope(alarms)), list(wanted.numbers)


@dataclass
class Wanted:
    """The expressions to check, which have numbers once a line checks them."""

    noisy: Collection[Expr]
    expressions: set[Expr] = field(default_factory=set)
    pairs: dict[Expr, Expr] = field(default_factory=dict)
    numbers: dict[Expr, int] = field(default_factory=dict)

    def assigned(self, e: Expr, lines: Iterable[str]) -> Iterator[tuple[Expr, str]]:
        """The expressions to check among those that lines of `e` compute, and their names."""
        for line in lines:
            if match := ASSIGNMENT.match(line):
                values = [x for x in (e, self.pairs.get(e)) if x is not None]
                for x, name in zip(values, match[1].split(", "), strict=False):
                    if x in self.expressions:
                        yield x, name


def has_finite_constants(e: Expr) -> bool:
    """False for a constant with an infinity or NaN in it, or an attribute that is one.

    Those of derivative rules are compared to, and no reason to stop.
    """
    if e.kind is Kind.CONSTANT:
        return e.origin is not None or is_finite_value(e)
    numbers = (v for v in e.attrs.values() if isinstance(v, float | complex))
    return all(map(np.isfinite, numbers))


def is_finite_value(e: Expr) -> bool:
    """False for a constant with an infinity or NaN in it."""
    if e.kind is not Kind.CONSTANT or e.dtype.kind not in "fc":
        return True
    return bool(np.isfinite(e.value).all())


def values_to_check(graph: FrozenGraph, noisy: Collection[Expr], outer: bool) -> set[Expr]:
    """The values of a graph that are checked, so that all of them are finite."""
    users: dict[Expr, list[Expr]] = {}
    for e in graph.order:
        for x in dict.fromkeys(e.inputs):
            if shows(e, x, noisy):
                users.setdefault(x, []).append(e)
    best: dict[Expr, Expr] = {}  # the cheapest value that shows whether one is finite
    result: set[Expr] = set()
    for e in reversed(graph.order):
        if type(e.type) is not ArrayType or e.dtype.kind not in "fc":
            continue
        choices = [best[u] for u in users.get(e, ()) if u in best]
        if e.op is None or not moves(e):
            choices.append(e)
        if choices:
            best[e] = min(choices, key=lambda x: 0 if x in result else cost(x))
        if e in noisy:
            result.add(e)
        elif needs_check(e, graph.lowering is not None, outer):
            result.add(best.get(e, e))
    return result


def needs_check(e: Expr, floats: bool, outer: bool) -> bool:
    """True if an infinity or NaN could come into being here without a flag."""
    if e.op is None:
        return outer and e.kind in INPUTS
    if Trait.CONTROL in e.op.traits or (moves(e) and all(map(is_finite_value, e.inputs))):
        return False
    if floats and not e.shape and e.op.scalar:
        return True
    if any(not is_finite_value(x) for x in e.inputs):
        return True
    is_real = all(x.dtype.kind != "c" for x in (e, *e.inputs))
    return not (isinstance(e.op.kernel, np.ufunc) and is_real)


def moves(e: Expr) -> bool:
    """True if every entry of the result is one of an operand, or zero, or a cast sets a flag."""
    assert e.op is not None
    if Trait.MOVING in e.op.traits:
        return True
    return Trait.VIEW in e.op.traits and e.op.flops is flops.nothing


def shows(e: Expr, x: Expr, noisy: Collection[Expr]) -> bool:
    """True if `e` is not finite where its operand `x` is not."""
    if e.op is None or Trait.PROPAGATING not in e.op.traits or e in noisy:
        return False
    if type(e.type) is not ArrayType or e.dtype.kind not in "fc" or x.dtype.kind not in "fc":
        return False
    return all(n in x.shape if isinstance(n, Dim) else n > 0 for n in e.shape)


def cost(e: Expr) -> int:
    """The cost of checking a value, in entries."""
    if not e.shape:
        return 1
    size = product(e.shape)
    return CHECK + (size if isinstance(size, int) else UNKNOWN_SIZE)


class CheckNames:
    """Names that the source does not have, for what checks call."""

    def __init__(self, source: Source) -> None:
        names = ("is_finite", "flat_", "alarm", "quiet", "loud")
        prefix = unused_prefix(source, names)
        self.isfinite, self.complex_isfinite, self.all_finite, self.flat = [
            f"{prefix}{name}"
            for name in ("is_finite", "is_finite_complex", "is_finite_all", "flat_")
        ]
        self.alarm, self.quiet, self.loud = [f"{prefix}{n}" for n in ("alarm", "quiet", "loud")]

    def scope(self, alarms: Alarms) -> dict[str, Any]:
        """The values of the names."""
        import cmath
        import math

        return {
            self.isfinite: math.isfinite, self.complex_isfinite: cmath.isfinite,
            self.all_finite: lambda x: np.isfinite(x).all(),
            self.alarm: alarms.alarm, self.quiet: alarms.quiet, self.loud: alarms.loud,
        }  # fmt: skip

    def check(self, name: str, e: Expr, number: int, exact: bool) -> str:
        """The statement that checks a value."""
        is_finite = self.complex_isfinite if e.dtype.kind == "c" else self.isfinite
        flat = f"({self.flat} := {name}.ravel('K'))"  # 10 % less than vdot, and no copy
        square = f"{name}.dot({name})" if len(e.shape) == 1 else f"{flat}.dot({self.flat})"
        test = f"{is_finite}({square})"
        if not e.shape:
            test = f"{is_finite}({name})"
        elif exact or e.dtype.itemsize == 2:  # whose squares are soon infinite
            test = f"{self.all_finite}({name})"
        return f"if not {test}: {self.alarm}({number})"


def checked_lines(
    source: Source, names: CheckNames, wanted: Wanted, inputs: Sequence[Expr], start: int, stop: int
) -> Lines:
    """The lines of a function with checks, and their owners; notes the expressions checked."""
    first, owners = body_start(source, start), source.owners
    yield from lines_between(source, start, first)
    pending = [(e, source.names[e]) for e in inputs]
    for run in runs(first, stop, lambda i: owners[i] is not owners[i - 1]):
        e, lines = source.owners[run.start], source.lines[run.start : run.stop]
        if pending and (e is None or e.kind not in INPUTS):
            yield from checks(names, pending, wanted, "    ")
            pending = []
        space = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        is_noisy = e in wanted.noisy
        if is_noisy:
            yield f"{space}{names.quiet}()", e
        yield from lines_between(source, run.start, run.stop)
        if is_noisy:
            yield f"{space}{names.loud}()", e
        if e is not None:
            yield from checks(names, wanted.assigned(e, lines), wanted, space)


def checks(
    names: CheckNames, values: Iterable[tuple[Expr, str]], wanted: Wanted, space: str
) -> Lines:
    """The lines that check expressions, given with the names of their values."""
    for e, name in values:
        number = wanted.numbers.setdefault(e, len(wanted.numbers))
        yield space + names.check(name, e, number, e in wanted.noisy), e
