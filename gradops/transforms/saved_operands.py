"""What a rule reads: the output, the operands, or only their types.

The fact is derived, not kept by hand: the rule is called with probes, and whatever an op is applied
to has been read. A tape then saves no more than backward will need.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.dims import Dim
from ..core.op import Op
from ..core.types import ArrayType, operand_types, type_of
from ..numpy_api.operators import Operators

OUTPUT = -1  # stands for the output among the numbers of operands


class Probe(Operators):
    """An operand that notes when an op is applied to it."""

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
        """Take down that this operand's value was used."""
        if self.number is not None:
            self.seen.add(self.number)


@cache
def reads(op: Op, i: int, count: int, kind: str = "vjp", real: bool = False) -> frozenset[int]:
    """The operands, and OUTPUT, whose values a rule of operand i of `count` reads.

    It is the VJP rule, unless `kind` is "jvp". With `real`, the output is known to be real.

    Found on the op's samples. Where no sample tells, the rule is taken to read everything.
    """
    rng = np.random.default_rng(0)
    samples = [(xs, op.bind(xs, attrs)[1]) for xs, attrs in op.samples(rng)]
    if real:
        samples = [s for s in samples if is_real(op, *s)] or samples
    like = [s for s in samples if len(s[0]) == count] or samples
    seen: set[int] = set()
    for xs, attrs in like:
        note_reads(op, kind, min(i, len(xs) - 1), list(map(type_of, xs)), attrs, seen)
    if not like or (seen and len(like[0][0]) != count):
        return frozenset(range(OUTPUT, count))
    return frozenset(seen)


def is_real(op: Op, xs: Sequence[Any], attrs: dict[str, Any]) -> bool:
    """Whether an op gives real numbers for operands."""
    return op.infer(*map(type_of, xs), **attrs).dtype.kind != "c"


def note_reads(
    op: Op, kind: str, i: int, types: Sequence[ArrayType], attrs: dict[str, Any], seen: set[int]
) -> None:
    """Call the rule of operand i with probes that note in `seen` what it reads."""
    rule = op.rule(kind, i)
    if rule is None:
        return
    y = op.infer(*types, **attrs)
    if any(isinstance(n, Dim) for n in y.shape):
        seen.update(range(OUTPUT, len(types)))
        return
    probes = [Probe(t, seen, j) for j, t in enumerate(types)]
    v = Probe(y if kind == "vjp" else types[i], set())
    ct = rule(v, Probe(y, seen, OUTPUT), *probes, **attrs)
    if isinstance(ct, Probe):
        ct.note()  # an operand handed on as it is
