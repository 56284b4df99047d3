"""Whether a loss is a sum over rows, or a mean, found by computing it on parts of some rows.

Note [Additivity]. A loss on all rows is computed from losses on blocks, which is right for sums and
means over rows alone: a penalty in a sum would count once per block, and a batch normalization
would use each block's own statistics. So before the first result, the value and the gradient of a
few rows are compared with those of two parts of these rows: at the parameters and rows that are
given, and at others near them, as a penalty is zero at zero, and a mask may be one in the first
rows. Then the same is done once with the start of a block and as many rows near it, as what mixes
rows may do so from some number of rows on. So a loss that is accepted adds up over these rows, up
to rounding. A loss that mixes only rows that are farther apart, or only values unlike these, is
not found out.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradops import OptionError
from gradops.core.types import is_float

from .programs import Block

Results = Sequence[np.ndarray]
Compute = Callable[[Results, Block], Results]

KINDS = {"sum": False, "mean": True}
TURNS = 3  # of parameters and rows near those given
FEW, MANY = 8, 1024  # rows that a loss is tried with
LARGEST = 1 << 20  # bytes of more than a few rows
ROUNDING = 256  # of an operation, for the sum of a few rows


def is_mean(compute: Compute, parameters: Results, block: Block, reduction: str | None) -> bool:
    """True for a mean over rows, false for a sum. See Note [Additivity].

    `compute` gives the value and the gradient. A `reduction` that is given is verified. Raises
    OptionError if the loss is neither, or if its values do not tell.
    """
    if reduction not in (None, *KINDS):
        raise OptionError("distributed", [], f"reduction is sum or mean, not {reduction!r}")
    possible = dict(KINDS) if reduction is None else {reduction: KINDS[reduction]}
    verdicts = []
    for point, rows in trials(parameters, block):
        whole, parts = on_parts(compute, point, rows)
        if all(np.isfinite(y).all() for results in (whole, *parts[0::2]) for y in results):
            verdicts.append({k: agrees(whole, parts, m) for k, m in possible.items()})
    found = [kind for kind in possible if all(v[kind] for v in verdicts)]
    if not verdicts and reduction is not None:
        return KINDS[reduction]
    if len(found) != 1 or not verdicts:
        raise neither(found if verdicts else None, reduction)
    return KINDS[found[0]]


def neither(found: list[str] | None, reduction: str | None) -> OptionError:
    """The error for a loss whose values do not say that it is a sum or a mean."""
    if found is None:
        reason, hint = "is not finite on some of the rows", "give reduction='sum' or 'mean'"
    elif found:
        reason, hint = "is zero on some of the rows", "give reduction='sum' or 'mean'"
    else:
        kinds = f"no {reduction}" if reduction else "neither a sum nor a mean"
        reason = f"is {kinds} over rows: on some rows it does not follow from their parts"
        hint = (
            "put a penalty into a mean, or add it outside; weigh rows by constants, not by sums"
            " of the block; leave out what mixes rows, as a batch normalization does"
        )
    return OptionError("distributed", ["loss"], f"the loss {reason}", hint=hint)


def sample(block: Block) -> Block:
    """The first rows of a block, as many as a loss is tried with."""
    row = sum(column[:1].nbytes for column in block)
    rows = min(max(FEW, min(MANY, LARGEST // max(row, 1))), *map(len, block))
    return tuple([column[:rows].copy() for column in block])


def trials(parameters: Results, block: Block) -> Iterator[tuple[Results, Block]]:
    """The parameters and rows that a loss is tried with. See Note [Additivity]."""
    rng = np.random.default_rng(0)
    few = tuple([column[:FEW] for column in block])
    if len(few[0]) == 1:
        few = joined(few, few)
    yield parameters, few
    for _ in range(TURNS):
        yield near(rng, parameters), tuple([moved(rng, column) for column in few])
    if len(block[0]):
        yield near(rng, parameters), joined(block, tuple([moved(rng, c) for c in block]))


def joined(first: Block, second: Block) -> Block:
    """The rows of two blocks as one."""
    return tuple([np.concatenate(columns) for columns in zip(first, second, strict=True)])


def near(rng: np.random.Generator, parameters: Results) -> Results:
    """Parameters near those given, and other than zero."""
    return [moved(rng, x, 0.1 * rng.standard_normal(x.shape)) for x in parameters]


def moved(rng: np.random.Generator, x: np.ndarray, shift: Any = 0.0) -> np.ndarray:
    """An array near `x`: floats change by some tenths of themselves, flags are thrown anew."""
    if x.dtype.kind == "b":
        return rng.random(x.shape) < 0.5
    if not is_float(x.dtype):
        return x
    return np.asarray(x * (1 + 0.3 * rng.random(x.shape)) + shift).astype(x.dtype)


def on_parts(
    compute: Compute, parameters: Results, block: Block
) -> tuple[Results, tuple[Results, int, Results, int]]:
    """The results on a block; those on a third of it and on the rest, with their rows."""
    rows = len(block[0])
    cut = max(1, rows // 3)
    with np.errstate(all="ignore"):
        whole = compute(parameters, block)
        first = compute(parameters, tuple([column[:cut].copy() for column in block]))
        rest = compute(parameters, tuple([column[cut:].copy() for column in block]))
    return whole, (first, cut, rest, rows - cut)


def agrees(whole: Results, parts: tuple[Results, int, Results, int], mean: bool) -> bool:
    """True if results follow from those on two parts, as sums or as means."""
    first, n, rest, m = parts
    scales = (n / (n + m), m / (n + m)) if mean else (1.0, 1.0)
    rounding = ROUNDING * max(1.0, math.sqrt((n + m) / FEW))  # that of many terms is a random walk
    return all(
        close(y, a * scales[0], b * scales[1], rounding)
        for y, a, b in zip(whole, first, rest, strict=True)
    )


def close(y: np.ndarray, a: np.ndarray, b: np.ndarray, rounding: float) -> bool:
    """True if `y` is `a + b` up to the rounding of the largest entry."""
    largest = max((float(np.max(np.abs(x), initial=0.0)) for x in (y, a, b)), default=0.0)
    bound = rounding * float(np.finfo(np.asarray(y).dtype).eps) * largest
    return bool(np.all(np.abs(y - (a + b)) <= bound))
