"""Intended differences from torch: behaviour of torch, behaviour here, and the reason.

The page *Coming from PyTorch* shows this table, and a test compares the two. Each departure has a
short program that shows it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import recognition
from .comparing import Disagreement


@dataclass(frozen=True)
class Departure:
    """A difference: PyTorch, here, the reason, and a predicate that recognizes such a case."""

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
        "a zero gradient times any derivative is zero",
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
        "gradients are never silently wrong",
        recognition.writes_data,
        """
        v0 = lib.ones(2, requires_grad=True)
        v0.data.mul_(2)
        """,
    ),
    Departure(
        "operands that overlap the written memory",
        "`x[[0, 1]] = x` and `x.scatter_(0, i, x)` raise",
        "it works: the operand is copied first",
        "the result is well defined",
        recognition.copies_operand,
        """
        v0 = lib.ones(3)
        v0.scatter_(0, lib.tensor([0, 1, 2]), v0)
        """,
    ),
    Departure(
        "entries that share memory",
        "overlapping windows of `unfold` can be written to, and the result of `expand` can be"
        " filled",
        "all such writes raise",
        "the result would depend on an undefined order",
        recognition.writes_windows,
        """
        v0 = lib.arange(4).unfold(0, 2, 1)
        v0.mul_(2)
        """,
    ),
    Departure(
        "parts of the result of `expand`",
        "can be written to if they contain no entry twice",
        "cannot be written to, like the whole result",
        "NumPy's repeated memory is read-only",
        recognition.writes_parts,
        """
        v0 = lib.ones(1).expand(2, 1).diagonal()
        v0.mul_(2)
        """,
    ),
    Departure(
        "parts and writes to their base",
        "after a write to the base, using the results of `unbind`, `split` or `chunk` raises",
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
        "an integer tensor does after floats that require gradients are written into it",
        "it never does",
        "integers have no gradient",
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
        "the flag matches what backward does",
        recognition.flags_views,
        """
        v0 = lib.ones(2, requires_grad=True)
        with lib.no_grad(): v1 = v0[:1]
        """,
    ),
    Departure(
        "saved values",
        "an operation may save what its gradient never reads: a second `backward` or a write"
        " raises",
        "an operation saves only what its gradient reads; `1 / x` saves `x`, not the result",
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
        "raises for some results, which count as views of an intermediate tensor",
        "they are independent tensors",
        "the implementation of a function is not visible",
        recognition.detaches,
        """
        v0 = lib.tensor(2).repeat_interleave(2)
        v0.detach_()
        """,
    ),
    Departure(
        "conjugates",
        "`x.conj()` and `x.mH` of complex numbers are views with a conjugate bit",
        "they are copies",
        "NumPy arrays have no such bit",
        recognition.conjugates,
        """
        v0 = lib.tensor([1j])
        v0.conj().mul_(2)
        """,
    ),
    Departure(
        "derivatives",
        "some functions have none, such as `unique`, or raise in backward, such as `logaddexp`"
        " of a bool",
        "they have derivatives",
        "every op with a derivative supports it",
        recognition.differentiates,
        """
        v0 = lib.tensor([2.0, 1.0], requires_grad=True)
        v0.unique().sum().backward()
        """,
    ),
    Departure(
        "kernels",
        "some calls are not implemented for some dtypes, such as `x.imag` of real numbers and"
        " `x.abs_()` of complex ones",
        "NumPy computes them",
        "the call is well defined",
        recognition.has_kernel,
        """
        v0 = lib.ones(2, dtype=lib.complex64)
        v0.abs_()
        """,
    ),
    Departure(
        "complex kernels",
        "some functions take complex numbers, or differentiate them, that NumPy supports for"
        " real ones only, such as `logcumsumexp`",
        "a DTypeError",
        "the kernels are NumPy's",
        recognition.lacks_kernel,
        """
        v0 = lib.ones(2, dtype=lib.complex64).logcumsumexp(0)
        """,
    ),
    Departure(
        "complex32",
        "float16 combined with complex numbers gives complex32",
        "complex64",
        "NumPy has no complex32",
        recognition.halves,
        """
        v0 = lib.ones(2, dtype=lib.float16) * 1j
        """,
    ),
    Departure(
        "NumPy scalars",
        "`np.bool_` and `np.complex64` are treated as floats, without the imaginary part;"
        " assigning a scalar to entries raises",
        "they keep their category",
        "no silent loss of information",
        recognition.knows_scalars,
        """
        v0 = lib.ones(2) * np.complex64(1j)
        """,
    ),
    Departure(
        "losses of different shapes",
        "`mse_loss` and similar losses warn, and broadcast the target against the input",
        "a ShapeError",
        "it is rarely intended",
        recognition.refuses_shapes,
        """
        v0 = lib.nn.functional.mse_loss(lib.ones(2, 1), lib.ones(2))
        """,
    ),
    Departure(
        "the sign of NaN",
        "0",
        "NaN",
        "NaN is not dropped silently",
        recognition.keeps_nan,
        """
        v0 = lib.tensor([float("nan")]).sign()
        """,
    ),
    Departure(
        "real and complex operands",
        "`where` of both raises in backward",
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
        "gradients from one call of `autograd.grad` may share memory",
        "each has its own memory",
        "a write to one does not change another",
        recognition.owns_gradients,
        """
        v0 = lib.ones(2, requires_grad=True)
        v1 = v0[None]
        v2, v3 = lib.autograd.grad(v1.abs().sum(), [v0, v1], create_graph=True)
        v3[(v3 > 0)] = 2
        """,
    ),
    Departure(
        "two errors in one statement",
        "with an index out of bounds and a value that does not fit, the error is about the"
        " value; with an invalid dimension and a wrong dtype or shape, about the dimension",
        "about the other one",
        "both are correct",
        recognition.has_two_faults,
        """
        v0 = lib.ones(3)
        v0[[7]] = lib.ones(3)
        """,
    ),
    Departure(
        "writes that fail",
        "may have written some entries, such as `index_fill_` with an index out of bounds; a"
        " backward that fails may have added to some gradients",
        "change nothing",
        "a failed call has no effect",
        recognition.leaves_alone,
        """
        v0 = lib.ones(3, 2)
        v0.index_fill_(1, lib.tensor([1, 2]), 0.5)
        """,
    ),
    Departure(
        "checks that depend on sizes",
        "some invalid calls are accepted for operands with no entry or one: `softmax` of bools,"
        " `roll` along any dimension",
        "they raise",
        "the validity of a call does not depend on sizes",
        recognition.depends_on_sizes,
        """
        v0 = lib.zeros(2, 0, dtype=lib.bool)
        v1 = v0.softmax(1)
        """,
    ),
    Departure(
        "`median` of the result of `expand`",
        "reads other entries, and memory outside the tensor",
        "is correct",
        "a bug in PyTorch",
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
        "a bug in PyTorch",
        recognition.gives_nan,
        """
        v0 = lib.nn.functional.gelu(lib.tensor([float("inf"), 1.0]))
        """,
    ),
    Departure(
        "`normalize` of zeros in float16",
        "NaN, as `eps` is 0 in float16",
        "0",
        "as in other dtypes",
        recognition.loses_bound,
        """
        v0 = lib.nn.functional.normalize(lib.zeros(2, dtype=lib.float16), dim=0)
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
        "a few functions return transposed memory, such as `nonzero`, which `view` rejects;"
        " gradients have the strides of their tensors",
        "results are in C order; gradients have the layout in which they are computed",
        "the implementation of a function is not visible",
        recognition.lies_in_order,
        """
        v0 = lib.ones(2, 3).nonzero()
        v1 = v0.view(12)
        """,
    ),
    Departure(
        "arguments",
        "some combinations of positional arguments and keywords raise",
        "any argument may be positional or a keyword",
        "signatures follow Python",
        recognition.takes_arguments,
        """
        v0 = lib.ones(2, 2).sort(0, stable=True)[0]
        """,
    ),
]


def departure_of(d):
    """The departure that a disagreement is an instance of, or None."""
    return next((x for x in DEPARTURES if x.matches(d)), None)
