"""Which values a derivative rule reads: the output, operands, or only their types.

This is derived, not declared: the rule is called with probes, and an op applied to a probe reads
its value. So a tape saves only the values that backward needs.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.dims import Dim
from ..core.op import Op
from ..core.types import ArrayType, operand_types, type_of
from ..numpy_api.operators import Operators
from ..typing import Attrs

OUTPUT = -1  # the number of the output among those of operands


class Probe(Operators):
    """An operand that records whether an op is applied to it."""

    __slots__ = ("number", "seen", "type")
    gradop_level = 0.0

    def __init__(self, type: ArrayType, seen: set[int], number: int | None = None) -> None:
        self.type, self.seen, self.number = type, seen, number  # type: ignore[misc]

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        probes = [a for a in args if isinstance(a, Probe)]
        for p in probes:
            p.note()
        return Probe(op.infer(*operand_types(args), **attrs), probes[0].seen)

    def note(self) -> None:
        """Record that the value was read."""
        if self.number is not None:
            self.seen.add(self.number)


@cache
def reads(op: Op, i: int, count: int, kind: str = "vjp", real: bool = False) -> frozenset[int]:
    """The numbers of the operands, and OUTPUT, whose values the rule of operand i of `count` reads.

    `kind` is "vjp" or "jvp"; `real` says that the output is real. The op's samples provide the
    types. A rule that no sample fits is assumed to read all values.
    """
    rng = np.random.default_rng(0)
    samples = [(xs, op.bind(xs, attrs)[1]) for xs, attrs in op.samples(rng)]
    if real:
        samples = [s for s in samples if is_real(op, *s)] or samples
    like = [s for s in samples if len(s[0]) == count] or samples
    seen: set[int] = set()
    for xs, attrs in like:
        seen |= values_read(op, kind, min(i, len(xs) - 1), list(map(type_of, xs)), attrs)
    if not like or (seen and len(like[0][0]) != count):
        return frozenset(range(OUTPUT, count))
    return frozenset(seen)


def is_real(op: Op, xs: Sequence[Any], attrs: dict[str, Any]) -> bool:
    """True if the output of an op is real for these operands."""
    return op.infer(*map(type_of, xs), **attrs).dtype.kind != "c"


def values_read(op: Op, kind: str, i: int, types: Sequence[ArrayType], attrs: Attrs) -> set[int]:
    """The numbers of the values that the rule of operand i reads, found by calling it on probes."""
    rule = op.rule(kind, i)
    if rule is None:
        return set()
    y = op.infer(*types, **attrs)
    if any(isinstance(n, Dim) for n in y.shape):
        return set(range(OUTPUT, len(types)))
    seen: set[int] = set()
    probes = [Probe(t, seen, j) for j, t in enumerate(types)]
    v = Probe(y if kind == "vjp" else types[i], set())
    ct = rule(v, Probe(y, seen, OUTPUT), *probes, **attrs)
    if isinstance(ct, Probe):
        ct.note()  # an operand returned as it is
    return seen
