"""The disagreements with torch that are meant: what torch does, what is done here, and why.

The page *Coming from PyTorch* shows this table, and a test compares the two. Each departure has a
short program in which it appears.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import recognition
from .comparing import Disagreement


@dataclass(frozen=True)
class Departure:
    """Something that PyTorch does, what is done here, why, and how such a case is recognized."""

    name: str
    torch: str
    here: str
    reason: str
    matches: Callable[[Disagreement], Any]
    example: str


DEPARTURES = [
    Departure(
        "masked NaN",
        "the gradient of `where(x > 0, x.sqrt(), 0)` is NaN at 0: it is 0 times infinity",
        "it is 0",
        "a gradient of zero stays zero, whatever it is multiplied with",
        recognition.leaks_nan,
        """
        v0 = lib.tensor([0.0, 4.0], requires_grad=True)
        v1 = lib.where(v0 > 0, v0.sqrt(), 0.0)
        v1.sum().backward()
        """,
    ),
    Departure(
        "writes through `x.data`",
        "do not count as writes to `x`: a gradient that needs the old value is silently wrong",
        "count, as all writes to that memory do; backward refuses to use what was overwritten",
        "no gradient is silently wrong",
        recognition.writes_data,
        """
        v0 = lib.ones(2, requires_grad=True)
        v0.data.mul_(2)
        """,
    ),
    Departure(
        "operands in the memory that is written",
        "`x[[0, 1]] = x` and `x.scatter_(0, i, x)` raise",
        "the operand is copied first",
        "the result is well defined",
        recognition.copies_operand,
        """
        v0 = lib.ones(3)
        v0.scatter_(0, lib.tensor([0, 1, 2]), v0)
        """,
    ),
    Departure(
        "entries that are one in memory",
        "windows of `unfold` can be written to though they overlap, and what `expand` repeats can"
        " be filled",
        "all such writes are refused",
        "the result would depend on an order that is nowhere defined",
        recognition.writes_windows,
        """
        v0 = lib.arange(4).unfold(0, 2, 1)
        v0.mul_(2)
        """,
    ),
    Departure(
        "parts of what `expand` gave",
        "can be written to if no entry is in them twice",
        "cannot be written to, as what they are a part of",
        "NumPy's repeated memory is read-only",
        recognition.writes_parts,
        """
        v0 = lib.ones(1).expand(2, 1).diagonal()
        v0.mul_(2)
        """,
    ),
    Departure(
        "parts and writes to their base",
        "a write to the base makes it an error to use what `unbind`, `split` or `chunk` gave",
        "the parts follow their base, as other views do",
        "their gradient is known",
        recognition.keeps_parts,
        """
        v0 = lib.ones(2, 2, requires_grad=True) * 1
        v1, v2 = v0.unbind(0)
        v0.mul_(2)
        """,
    ),
    Departure(
        "integers that require gradients",
        "an integer tensor does, once floats that do were written into it",
        "it never does",
        "there is no gradient of integers",
        recognition.flags_integers,
        """
        v0 = lib.zeros(2, dtype=lib.int64)
        v0.view(1, 2)[lib.tensor(0), 0:1] = lib.ones((), requires_grad=True) * 1
        """,
    ),
    Departure(
        "views made without recording",
        "`requires_grad` is True for a view made under `no_grad()`, though no gradient flows"
        " through it",
        "it is False",
        "the flag says what backward will do",
        recognition.flags_views,
        """
        v0 = lib.ones(2, requires_grad=True)
        with lib.no_grad(): v1 = v0[:1]
        """,
    ),
    Departure(
        "saved values",
        "an operation may save what its gradient never reads: a second `backward` raises, or a"
        " write is refused",
        "an operation saves what its gradient reads, and nothing else; `1 / x` saves `x`, and not"
        " the result",
        "memory",
        recognition.saves_less,
        """
        v0 = lib.ones(2, requires_grad=True)
        v1 = v0 * 2
        v1.sum().backward()
        v1.sum().backward()
        """,
    ),
    Departure(
        "`detach_()`",
        "refused for some results, which count as views of what the function made on the way",
        "they are tensors of their own",
        "how a function computes is its own affair",
        recognition.detaches,
        """
        v0 = lib.tensor(2).repeat_interleave(2)
        v0.detach_()
        """,
    ),
    Departure(
        "conjugates",
        "`x.conj()` and `x.mH` of complex numbers are views with a bit that says conjugate",
        "they are copies",
        "NumPy's arrays have no such bit",
        recognition.conjugates,
        """
        v0 = lib.tensor([1j])
        v0.conj().mul_(2)
        """,
    ),
    Departure(
        "derivatives",
        "some functions have none, as `unique`, or fail at them, as `logaddexp` of a truth value",
        "they have one",
        "what can be differentiated is",
        recognition.differentiates,
        """
        v0 = lib.tensor([2.0, 1.0], requires_grad=True)
        v0.unique().sum().backward()
        """,
    ),
    Departure(
        "kernels",
        "some calls are not implemented for some dtypes, as `x.imag` of real numbers and"
        " `x.abs_()` of complex ones",
        "NumPy computes them",
        "it is no fault of the program",
        recognition.has_kernel,
        """
        v0 = lib.ones(2, dtype=lib.complex64)
        v0.abs_()
        """,
    ),
    Departure(
        "complex kernels",
        "some functions take complex numbers, or differentiate them, that NumPy has for real ones"
        " only, as `logcumsumexp`",
        "a DTypeError",
        "the kernels are NumPy's",
        recognition.lacks_kernel,
        """
        v0 = lib.ones(2, dtype=lib.complex64).logcumsumexp(0)
        """,
    ),
    Departure(
        "complex32",
        "float16 beside complex numbers gives complex32",
        "complex64",
        "NumPy has no complex32",
        recognition.halves,
        """
        v0 = lib.ones(2, dtype=lib.float16) * 1j
        """,
    ),
    Departure(
        "scalars of NumPy",
        "`np.bool_` and `np.complex64` are taken for floats, without the imaginary part; no scalar"
        " can be assigned to entries",
        "they are numbers of their kind",
        "nothing is lost without a word",
        recognition.knows_scalars,
        """
        v0 = lib.ones(2) * np.complex64(1j)
        """,
    ),
    Departure(
        "losses of two shapes",
        "`mse_loss` and its kin warn, and broadcast the target against the input",
        "a ShapeError",
        "it is hardly ever meant",
        recognition.refuses_shapes,
        """
        v0 = lib.nn.functional.mse_loss(lib.ones(2, 1), lib.ones(2))
        """,
    ),
    Departure(
        "the sign of NaN",
        "0",
        "NaN",
        "NaN does not vanish without a word",
        recognition.keeps_nan,
        """
        v0 = lib.tensor([float("nan")]).sign()
        """,
    ),
    Departure(
        "real and complex operands",
        "`where` of both fails in backward",
        "it has gradients",
        "the gradient is known",
        recognition.mixes,
        """
        v0 = lib.ones(2, requires_grad=True)
        v1 = lib.where(v0 > 0, v0, 1j * lib.ones(2))
        v1.sum().real.backward()
        """,
    ),
    Departure(
        "memory of gradients",
        "gradients that one call of `autograd.grad` gives may lie in the same memory",
        "each has its own",
        "a write to one is no write to another",
        recognition.owns_gradients,
        """
        v0 = lib.ones(2, requires_grad=True)
        v1 = v0[None]
        v2, v3 = lib.autograd.grad(v1.abs().sum(), [v0, v1], create_graph=True)
        v3[(v3 > 0)] = 2
        """,
    ),
    Departure(
        "two faults in one statement",
        "of an index out of bounds and a value that does not fit, the value is told; of a dimension"
        " that there is not and a wrong dtype or shape, the dimension",
        "the other one",
        "either is right",
        recognition.has_two_faults,
        """
        v0 = lib.ones(3)
        v0[[7]] = lib.ones(3)
        """,
    ),
    Departure(
        "writes that fail",
        "may have written a part, as `index_fill_` with an index out of bounds; a backward that"
        " fails may have added to some gradients",
        "change nothing",
        "what was refused did not happen",
        recognition.leaves_alone,
        """
        v0 = lib.ones(3, 2)
        v0.index_fill_(1, lib.tensor([1, 2]), 0.5)
        """,
    ),
    Departure(
        "what depends on sizes",
        "operands of no entries, or of one, may be taken that are refused otherwise: `softmax` of"
        " truth values, `roll` along any dimension",
        "they are refused",
        "whether a call is right does not depend on how much there is",
        recognition.depends_on_sizes,
        """
        v0 = lib.zeros(2, 0, dtype=lib.bool)
        v1 = v0.softmax(1)
        """,
    ),
    Departure(
        "`median` of what `expand` repeats",
        "is of other entries, and of memory that is not the tensor's",
        "is the median",
        "a fault of PyTorch's",
        recognition.reads_foreign,
        """
        v0 = lib.tensor([[1.25, 1.0, 0.5]]).expand(2, 3)
        v1 = v0.median(0)[0]
        """,
    ),
    Departure(
        "`gelu` of infinity",
        "NaN in float32, unless it is alone",
        "infinity",
        "a fault of PyTorch's",
        recognition.gives_nan,
        """
        v0 = lib.nn.functional.gelu(lib.tensor([float("inf"), 1.0]))
        """,
    ),
    Departure(
        "the sign of zero",
        "`-1.0 % 1.0` is -0.0",
        "0.0",
        "as in Python and NumPy",
        recognition.signs_zeros,
        """
        v0 = lib.tensor([-1.0]) % 1
        v1 = 1 / v0
        """,
    ),
    Departure(
        "memory of results",
        "a few functions give transposed memory, as `nonzero`, which `view` refuses; gradients lie"
        " as what they are of",
        "results lie row by row; gradients as they are computed",
        "how a function computes is its own affair",
        recognition.lies_in_order,
        """
        v0 = lib.ones(2, 3).nonzero()
        v1 = v0.view(12)
        """,
    ),
    Departure(
        "arguments",
        "some combinations of positional arguments and keywords are refused",
        "any argument may be given by its place or by its name",
        "signatures are Python's",
        recognition.takes_arguments,
        """
        v0 = lib.ones(2, 2).sort(0, stable=True)[0]
        """,
    ),
]


def departure_of(d):
    """The departure that a disagreement is an instance of, or None."""
    return next((x for x in DEPARTURES if x.matches(d)), None)
