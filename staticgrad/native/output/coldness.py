"""The functions of a module that do little of a graph's work: LLVM is to take little time for them.

Note [Cold functions]. LLVM takes as long for a function that is a thousandth of a run as for one
that is all of it. Where threads share a loop its passes are a function, of which the work is known;
what a function of BLAS does is no work of its own. Those that do little, all of them together, are
compiled quickly: a run takes at most a few hundredths more, as that code takes up to half as long
again. What the body is cut into does the body's work, nobody knows which part of it, and is cold
together or not at all; but loops that need more passes do work of their own, and are never cold. Of
short runs, everything is compiled with care.
"""

from collections.abc import Iterable, Mapping, Sequence

from gradops.native.ir.cuts import CUT
from gradops.native.ir.modules import Function
from gradops.native.ir.text import FunctionText

LEAST = 1 << 20  # operations of a run in which there are cold functions
SHARE = 10  # of the work of a run, the part that all of them do
WORTH = 50  # lines of cold functions for which there is a module of their own
SPILLED = 32  # bytes of stack that a line takes where registers are not allocated with care


def cold_functions(texts: Sequence[str], body: FunctionText, work: int) -> Mapping[str, Function]:
    """The cold functions among some, by name. See Note [Cold functions]."""
    if work < LEAST:
        return {}
    known = [f for f in map(Function, texts) if f.passes == "few"]
    groups = [(body.works[f.name], [f]) for f in known if f.name in body.works]
    groups.append((body.work, [f for f in known if is_of_body(f.name)]))
    result: dict[str, Function] = {}
    left = work // SHARE
    for own, group in sorted(groups, key=lambda g: g[0] / max(1, length_of(g[1]))):
        left -= own
        if left < 0:
            break
        result |= {f.name: f for f in group}
    return result if length_of(result.values()) >= WORTH else {}


def is_of_body(name: str) -> bool:
    """True for the body and what it is cut into, which do the body's work together."""
    return name == "body" or name.startswith(CUT)


def length_of(functions: Iterable[Function]) -> int:
    """The number of lines of functions."""
    return sum(f.length for f in functions)


def spilled(cold: Mapping[str, Function]) -> int:
    """The bytes of stack for values of cold functions: the body, a piece, and what that calls."""
    longest = dict.fromkeys(("body", "piece", "other"), 0)
    for name, f in cold.items():
        kind = "body" if name == "body" else "piece" if is_of_body(name) else "other"
        longest[kind] = max(longest[kind], f.length)
    return SPILLED * sum(longest.values())
