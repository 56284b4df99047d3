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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core import flops
from gradops.core.dims import product
from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, inner_graphs
from .clocks import groups
from .source import Source

UNKNOWN_SIZE = 4096  # entries that an array of unknown size is taken to have
INPUTS = (Kind.PLACEHOLDER, Kind.VARIABLE)
CHECK = 1000  # entries whose product takes as long as a call


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
    if not all(map(is_finite_constant, (e for g in every for e in g.order))):
        return None
    wanted = {e: None for g in every for e in values_to_check(g, noisy, g is graph)}
    names = CheckNames(source)
    lines, owners = list[str](), list[Expr | None]()
    starts, checked = dict[str, int](), dict[Expr, int]()
    bounds = [*source.starts.values(), len(source.lines)]
    pending = [e for e in graph.inputs if e in wanted]
    for name, start, stop in zip(source.starts, bounds, bounds[1:], strict=False):
        starts[name] = len(lines)
        inputs = pending if name == next(reversed(source.starts)) else []
        for line, owner in checked_lines(
            source, names, wanted, noisy, checked, inputs, start, stop
        ):
            lines.append(line)
            owners.append(owner)
    if wanted.keys() - checked.keys():
        return None
    scope = source.scope | names.scope(alarms)
    return replace(source, lines=lines, owners=owners, starts=starts, scope=scope), list(checked)


def is_finite_constant(e: Expr) -> bool:
    """False for a constant with an infinity or NaN in it, or an attribute that is one."""
    if e.kind is Kind.CONSTANT:
        return e.dtype.kind not in "fc" or bool(np.all(np.isfinite(e.value)))
    numbers = (v for v in e.attrs.values() if isinstance(v, float | complex))
    return all(map(np.isfinite, numbers))


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
            result.add(best[e])
    return result


def needs_check(e: Expr, floats: bool, outer: bool) -> bool:
    """True if an infinity or NaN could come into being here without a flag."""
    if e.op is None:
        return outer and e.kind in INPUTS
    if Trait.CONTROL in e.op.traits or moves(e):
        return False
    if floats and not e.shape and e.op.scalar:
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
    """What checking a value costs, in entries."""
    if not e.shape:
        return 1
    size = product(e.shape)
    return CHECK + (size if isinstance(size, int) else UNKNOWN_SIZE)


class CheckNames:
    """Names that the source does not have, for what checks call."""

    def __init__(self, source: Source) -> None:
        prefix = ""
        while any(
            f"{prefix}{name}" in line
            for line in source.lines
            for name in ("is_finite", "flat_", "alarm", "quiet", "loud")
        ):
            prefix += "_"
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
        """The line that checks a value."""
        is_finite = self.complex_isfinite if e.dtype.kind == "c" else self.isfinite
        flat = f"({self.flat} := {name}.ravel('K'))"  # 10 % less than vdot, and no copy
        square = f"{name}.dot({name})" if len(e.shape) == 1 else f"{flat}.dot({self.flat})"
        test = f"{is_finite}({square})"
        if not e.shape:
            test = f"{is_finite}({name})"
        elif exact or e.dtype.itemsize == 2:  # whose squares are soon infinite
            test = f"{self.all_finite}({name})"
        return f"    if not {test}: {self.alarm}({number})"


def checked_lines(
    source: Source, names: CheckNames, wanted: Collection[Expr], noisy: Collection[Expr],
    checked: dict[Expr, int], inputs: Iterable[Expr], start: int, stop: int,
) -> Iterator[tuple[str, Expr | None]]:  # fmt: skip
    """The lines of a function with checks, and their owners; notes the expressions checked."""
    first = start + 1 + (source.lines[start] == "")
    yield from zip(source.lines[start:first], source.owners[start:first])
    pending = list(inputs)
    for group in groups(source, first, stop):
        e = source.owners[group.stop - 1]
        if pending and (e is None or e.kind not in INPUTS):
            yield from checks(names, source, pending, noisy, checked)
            pending = []
        lines = source.lines[group.start : group.stop]
        owned = zip(lines, source.owners[group.start : group.stop], strict=True)
        if e in noisy:
            yield f"    {names.quiet}()", e
            yield from owned
            yield f"    {names.loud}()", e
        else:
            yield from owned
        if e in wanted and e not in checked and e is not None and assigns(lines, source.names[e]):
            yield from checks(names, source, [e], noisy, checked)


def checks(
    names: CheckNames, source: Source, expressions: Sequence[Expr], noisy: Collection[Expr],
    checked: dict[Expr, int],
) -> Iterator[tuple[str, Expr | None]]:  # fmt: skip
    """The lines that check expressions."""
    for e in [x for x in expressions if x not in checked]:
        yield names.check(source.names[e], e, len(checked), e in noisy), e
        checked[e] = len(checked)


def assigns(lines: Iterable[str], name: str) -> bool:
    """True if one of the lines assigns a name."""
    pattern = re.compile(rf" +{re.escape(name)} = ")
    return any(map(pattern.match, lines))
