"""Reverse mode of a function of operands of any kind: its operations are recorded, and pulled back.

Note [Recorded]. A tape for one call, for rules that differentiate functions. A `Recorded` has the
level of its call, as a `Dual` has, and holds an operand of a lower level: an array, a tensor, an
expression. So cotangents are computed with such operands, and can be differentiated in turn.
"""

from collections.abc import Callable, Container, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..core.float_errors import without_float_errors
from ..core.levels import at_level, clock, levels
from ..core.op import Op
from ..core.source_location import here
from ..core.traits import Trait
from ..core.tree import flatten
from ..core.types import shape_of, type_of
from ..library.families import zeros_like
from ..typing import Attrs
from .forward import WithDerivatives, carries_tangent
from .reverse import ancestors, conjugated, depending_on, pull_back

Pull = Callable[..., tuple[Any, ...]]


class Entry:
    """One recorded operation, or an argument of the recorded function, whose `op` is None."""

    __slots__ = ("attrs", "dtype", "inputs", "number", "op", "place", "shape", "values", "wanted")
    watch = None

    def __init__(
        self, value: Any, op: Any = None, inputs: Sequence["Entry | None"] = (),
        operands: Sequence[Any] = (), attrs: Attrs | None = None,
    ) -> None:  # fmt: skip
        self.op, self.inputs, self.attrs = op, tuple(inputs), attrs or {}
        self.shape, self.dtype = shape_of(value), type_of(value).dtype
        self.values = (value, *operands)
        self.wanted = tuple([i for i, x in enumerate(self.inputs) if x is not None])
        self.number, self.place = next(clock), here() if op is not None else None


class RecordedTape:
    """The functions of `__gradop_tape__` for what one call of `vjp` records."""

    def vertex(self, x: "Recorded") -> Entry:
        """The entry of an operand."""
        return x.entry

    def value(self, x: "Recorded") -> Any:
        """The value of an operand."""
        return x.value

    def plain(self, x: "Recorded") -> "Recorded":
        """The operand itself."""
        return x

    def alike(self, like: "Recorded", x: Any) -> Any:
        """`x` itself."""
        return x

    def before(self, outputs: Sequence["Recorded"], began: int) -> list["Recorded"]:
        """Operands on the entries older than `began` from which outputs were computed."""
        level = outputs[0].gradop_level
        entries = ancestors([y.entry for y in outputs], began)
        return [Recorded(e.values[0], e, level) for e in entries if e.number < began]

    def pull(
        self, outputs: Sequence[Any], ends: Sequence[Entry], seeds: Sequence[Any],
        stop: Sequence[Entry],
    ) -> list[Any]:  # fmt: skip
        """The cotangents of entries for those of outputs; None where there is none."""
        pairs = zip(outputs, seeds, strict=True)
        return pull_to(ends, [(y.entry, g) for y, g in pairs], frozenset(stop))

    def recording(self, on: bool) -> AbstractContextManager[None]:
        """Nothing: what depends on an argument is recorded in any case."""
        return nullcontext()


class Recorded(WithDerivatives):
    """An operand whose operations are recorded, for one call of `vjp`."""

    __slots__ = ("entry", "gradop_level", "value")
    __gradop_tape__ = RecordedTape()
    _carried, _loss = "a history", "its history"

    def __init__(self, value: Any, entry: Entry, level: float) -> None:
        self.value, self.entry, self.gradop_level = value, entry, level

    @property
    def parts(self) -> Sequence[object]:
        """The value alone."""
        return (self.value,)

    def with_parts(self, parts: Sequence[object]) -> "Recorded":
        """Another value with the same history."""
        (value,) = parts
        return Recorded(value, self.entry, self.gradop_level)

    @property
    def type(self) -> Any:
        """The type of the value."""
        return type_of(self.value)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        level = max(a.gradop_level for a in args if isinstance(a, Recorded))
        mine = [isinstance(a, Recorded) and a.gradop_level == level for a in args]
        operands = [a.value if m else a for a, m in zip(args, mine, strict=True)]
        y = op(*operands, **attrs)
        if not carries_tangent(y) or Trait.OF_TYPE in op.traits:
            return y
        rules: Any = conjugated(op) if type_of(y).dtype.kind == "c" else op
        inputs = [
            a.entry if m and carries_tangent(x) else None
            for a, m, x in zip(args, mine, operands, strict=True)
        ]
        return Recorded(y, Entry(y, rules, inputs, operands, attrs), level)

    def __repr__(self) -> str:
        return f"Recorded({self.value!r})"


def vjp(f: Callable[..., Any], primals: Sequence[Any]) -> tuple[Any, Pull]:
    """The value of `f` at `primals`, and a function that carries cotangents back through it.

    Primals are arrays, tensors, expressions or values of other transforms; the function takes a
    cotangent for each leaf of the result, None for zero, and returns those of the primals.

    >>> import numpy as np
    >>> y, pull = vjp(lambda a, b: a * a * b, [np.array(3.0), np.array(2.0)])
    >>> pull(np.array(1.0))
    (np.float64(12.0), np.float64(9.0))
    """
    level = next(levels)
    leaves = [Recorded(x, Entry(x), level) for x in primals]
    with at_level(level):
        outputs, rebuild = flatten(f(*leaves))
    mine = [isinstance(y, Recorded) and y.gradop_level == level for y in outputs]
    values = rebuild([y.value if m else y for y, m in zip(outputs, mine, strict=True)])

    def pull(*cotangents: Any) -> tuple[Any, ...]:
        pairs = zip(outputs, mine, cotangents, strict=True)
        seeds = [(y.entry, g) for y, m, g in pairs if m and g is not None]
        found = pull_to([x.entry for x in leaves], seeds)
        return tuple(
            zeros_like(x) if ct is None else ct for x, ct in zip(primals, found, strict=True)
        )

    return values, pull


def pull_to(
    ends: Sequence[Entry], seeds: Sequence[tuple[Entry, Any]], stop: Container[Entry] = ()
) -> list[Any]:
    """The cotangents of entries, for those of outputs; None where there is none."""
    total: dict[Entry, Any] = {}
    for e, g in seeds:
        total[e] = total[e] + g if e in total else g
    if not total:
        return [None] * len(ends)
    active = depending_on(ends, list(total), stop)
    found = without_float_errors(
        pull_back, {e: g for e, g in total.items() if e in active}, lambda e: e.values, active,
        frozenset(ends),
    )  # fmt: skip
    return [found.get(e) for e in ends]
