"""The functions of a module that do little of a graph's work: LLVM is to take little time for them.

Note [Cold functions]. LLVM takes as long for a function that is a thousandth of a run as for one
that is all of it. Where threads share a loop its passes are a function, of which the work is known;
what a function of BLAS does is no work of its own. Those that do little, all of them together, are
compiled quickly: a run takes at most a few hundredths more, as that code takes up to half as long
again. Of short runs, everything is compiled with care.
"""

from collections.abc import Mapping, Sequence

from gradops.native.ir.modules import Function
from gradops.native.ir.text import FunctionText

LEAST = 1 << 16  # operations of a run in which there are cold functions
SHARE = 10  # of the work of a run, the part that all of them do
WORTH = 50  # lines of cold functions for which there is a module of their own
SPILLED = 32  # bytes of stack that a line takes where registers are not allocated with care


def cold_functions(texts: Sequence[str], body: FunctionText, work: int) -> Mapping[str, Function]:
    """The cold functions among some, by name. See Note [Cold functions]."""
    if work < LEAST:
        return {}
    works = body.works | {"body": body.work}
    known = [f for f in map(Function, texts) if f.name in works and f.passes == "few"]
    result: dict[str, Function] = {}
    left = work // SHARE
    for f in sorted(known, key=lambda f: works[f.name] / f.length):
        left -= works[f.name]
        if left < 0:
            break
        result[f.name] = f
    return result if sum(f.length for f in result.values()) >= WORTH else {}


def spilled(cold: Mapping[str, Function]) -> int:
    """The bytes of stack for values of cold functions: of the body, and of one that it calls."""
    lengths = {name: f.length for name, f in cold.items()}
    return SPILLED * (lengths.pop("body", 0) + max(lengths.values(), default=0))
