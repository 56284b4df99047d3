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


def numbers_of_numpy(d):
    """Whether a scalar of NumPy's takes part whose kind torch does not know."""
    return re.search(r"np\.(bool_|complex64)\(", d.statement) or (
        d.kind == "accepted" and "can't assign a numpy" in str(d.theirs)
    )


def shares_conjugates(d):
    """Whether conjugates of complex numbers are written, or what they are of."""
    program = "\n".join(d.program)
    return (
        d.kind in ("value", "version", "is_leaf")
        and re.search(r"\.conj\(\)|\.mH|\.H", program)
        and ("complex" in program)
    )


def lacks_a_derivative(d):
    """Whether torch has no derivative of what has one here."""
    return d.kind == "accepted" and re.search(
        r"derivative for .* is not implemented|Autograd not support dtype", str(d.theirs)
    )


def lacks_complex_numbers(d):
    """Whether NumPy has no kernel for complex numbers, where torch has one."""
    return d.kind == "refused" and re.search(
        r"complex.*NumPy does not compute it for these dtypes", str(d.ours)
    )


def overlapping_windows(d):
    """Whether windows are written that have entries in common."""
    return (
        d.kind == "refused"
        and "unfold" in "\n".join(d.program)
        and ("more than one element of the written-to" in str(d.ours))
    )


def saves_less(d):
    """Whether torch has freed what ours did not save."""
    return d.kind == "accepted" and "Trying to backward through the graph a second" in str(d.theirs)


def made_together(d):
    """Whether torch forgets the history of views that were made together, as by `unbind`."""
    return d.theirs is RuntimeError or (
        d.kind == "accepted" and "returns multiple views" in str(d.theirs)
    )


def views_of_new_memory(d):
    """Whether torch takes a result for a view of what its own code made on the way."""
    return d.kind == "accepted" and "Can't detach views in-place" in str(d.theirs)


def wraps(d):
    """Whether torch compares with a negative number as an unsigned one."""
    return (
        d.kind == "value"
        and "uint8" in str(d.operands)
        and (re.search(r"[<>=]=? -\d", d.statement))
    )


def of_integers(d):
    """Whether torch lets integers require gradients, after floats were written among them."""
    return d.kind == "requires_grad" and d.theirs is True and "int" in str(d.operands)


def half_complex(d):
    """Whether torch has complex numbers of two float16."""
    return "complex32" in str(d.theirs) or "ComplexHalf" in str(d.theirs)


def follows_no_base(d):
    """Whether torch says that a view requires gradients, to which none will flow."""
    return (
        d.kind in ("requires_grad", "is_leaf")
        and d.theirs is True
        and d.ours is False
        and ("no_grad" in d.statement or "requires_grad" in d.statement)
    )


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
        "the flag of a view that was made without recording",
        "`requires_grad` of a view made under `no_grad()`, or before its base requires gradients,"
        " is True though no gradient flows through it",
        "it is False",
        "the flag says what backward does",
        follows_no_base,
    ),
    Departure(
        "truth values and complex numbers of NumPy",
        "`np.bool_` and `np.complex64` are taken for floats, the imaginary part is lost, and"
        " no scalar of NumPy can be assigned to entries",
        "they are numbers of their kind",
        "nothing is lost without a word",
        numbers_of_numpy,
    ),
    Departure(
        "conjugates",
        "`x.conj()` and `x.mH` of complex numbers are views",
        "they are copies",
        "NumPy's arrays have no bit that says conjugate",
        shares_conjugates,
    ),
    Departure(
        "derivatives for more functions",
        "some functions have no derivative, as `unique`",
        "they have one",
        "what has a derivative may as well be differentiated",
        lacks_a_derivative,
    ),
    Departure(
        "complex numbers in fewer functions",
        "some functions take complex numbers that NumPy has only for real ones, as `logcumsumexp`",
        "they raise a DTypeError",
        "the kernels are NumPy's",
        lacks_complex_numbers,
    ),
    Departure(
        "overlapping windows",
        "windows of `unfold` that overlap can be written to; the result depends on the order",
        "refused",
        "no result depends on an order that nothing tells",
        overlapping_windows,
    ),
    Departure(
        "a graph that saved nothing",
        "`backward` frees what an operation saved, and operations may save what they never read",
        "an operation saves what its gradient reads: where nothing was saved, backward runs again",
        "memory",
        saves_less,
    ),
    Departure(
        "views that are made together",
        "a write to the base, or to one of them, takes the parts of `unbind`, `split` and `chunk`"
        " their history: using them raises",
        "a write to the base is followed by its views, as any",
        "the gradient is known",
        made_together,
    ),
    Departure(
        "`detach_()` of results",
        "some results count as views of what the function made on the way, and refuse `detach_()`",
        "they are tensors of their own",
        "how a function computes is its own affair",
        views_of_new_memory,
    ),
    Departure(
        "unsigned and negative numbers",
        "`uint8_tensor <= -3` is True everywhere: -3 is compared as 253",
        "it is False",
        "it is false",
        wraps,
    ),
    Departure(
        "integers that require gradients",
        "a tensor of integers requires gradients once floats that do were written into it",
        "it never does",
        "there is no gradient of integers",
        of_integers,
    ),
    Departure(
        "complex32",
        "float16 beside complex numbers gives complex32",
        "gives complex64",
        "NumPy has no complex32",
        half_complex,
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
