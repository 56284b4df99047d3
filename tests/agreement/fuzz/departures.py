"""The disagreements with torch that are meant, each with its reason.

The page *Coming from PyTorch* shows this list, and a test compares the two.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .comparing import Disagreement


@dataclass(frozen=True)
class Departure:
    """Something that PyTorch does, what is done here, and why."""

    name: str
    torch: str
    here: str
    reason: str
    matches: Callable[[Disagreement], Any]


def lacks_a_kernel(d):
    """Whether torch has no kernel for a dtype, where NumPy has one."""
    return d.kind == "accepted" and re.search(
        r"not implemented for|not supported for|does not support|not supported on CPU",
        str(d.theirs),
    )


def overlaps(d):
    """Whether torch refuses operands that lie in the memory that is written."""
    return d.kind == "accepted" and "some elements of the input tensor and the written" in str(
        d.theirs
    )


def takes_more(d):
    """Whether torch's C++ signatures refuse a way of passing arguments."""
    return d.kind == "accepted" and "received an invalid combination of arguments" in str(d.theirs)


def by_data(d):
    """Whether a write through `.data` is what ours has noted."""
    return ".data" in "\n".join(d.program) and (
        (d.kind == "version" and d.ours) or "modified by an inplace operation" in str(d.ours)
    )


DEPARTURES = [
    Departure(
        "operands in the memory that is written",
        "raises, as for `x[[0, 1]] = x`: some elements of the input and of the written-to tensor"
        " are one",
        "copies the operand first",
        "the result is well defined",
        overlaps,
    ),
    Departure(
        "more ways to pass arguments",
        "a keyword beside positional arguments may be an invalid combination",
        "any argument may be given by position or by name",
        "signatures are Python's",
        takes_more,
    ),
    Departure(
        "versions belong to memory",
        "writes through `x.data` do not count for `x`, so gradients may be wrong without a word",
        "they count, and backward refuses saved values that were overwritten",
        "no gradient is silently wrong",
        by_data,
    ),
    Departure(
        "kernels for every dtype",
        "a kernel may be missing for a dtype, as `floor` of bool or `prod` of a float16 on some"
        " builds: `\"...\" not implemented for 'Half'`",
        "NumPy computes it",
        "what NumPy computes needs no error",
        lacks_a_kernel,
    ),
]


def departure_of(d):
    """The departure that a disagreement is an instance of, or None."""
    return next((x for x in DEPARTURES if x.matches(d)), None)
