"""Traits: facts about an op, for passes, tests and the tape."""

from enum import StrEnum
from typing import Never


class Trait(StrEnum):
    """A fact about an op. A declaration names its traits; one that is not here is refused."""

    BROADCASTING = "broadcasting"  # repeats its operand to a shape: a view with strides of zero
    CHANNELS_LAST = "channels_last"  # the second axis of results is the last in memory
    C_CONTIGUOUS = "c_contiguous"  # results are in C order, whatever the operands' order
    C_ORDER = "c_order"  # results of one or two axes are in C order, whatever the operands' order
    CHECKING = "checking"  # may raise for operands of the right types
    COMPLEX = "complex"  # its rules hold for complex operands, though no sample can show it
    CONTROL = "control"  # a loop, branch, call or list of a graph; a solver, or a part of one
    CORRECTLY_ROUNDED = "correctly_rounded"  # of real operands, bits are the same in any layout
    EFFECT = "effect"  # has a side effect, which tokens keep in order: a print, a check
    ELEMENTWISE = "elementwise"  # works entry by entry, with broadcasting
    GUARD = "guard"  # returns operands unchanged, with a gradient that the user defined
    HERMITIAN = "hermitian"  # reads one triangle, and gives its gradient for a Hermitian operand
    IN_PLACE = "in_place"  # may write the result over the first operand, as elementwise ops may
    KEEPS_C_ORDER = "keeps_c_order"  # results are in C order if the operands are
    KINKED = (
        "kinked"  # piecewise linear: the second derivative is zero, and asking for it is no error
    )
    LIKE_OPERAND = "like_operand"  # the axes of results lie in memory as those of the first operand
    LINEAR = "linear"  # linear in each operand that has a derivative
    LOWERED = "lowered"  # made by passes of a compiler after all transforms, so it has no rules
    MOVING = "moving"  # every entry of the result is one of an operand, or zero
    NONNEGATIVE = "nonnegative"  # has no negative result
    OF_LOWER = "of_lower"  # reads the lower triangles of its operands, and nothing above
    OF_TYPE = "of_type"  # depends on the operand's type and not on its entries
    OF_MATRICES = "of_matrices"  # for a stack of matrices one call; fails only if `checked`
    OVERLAPPING = "overlapping"  # a view in which several entries have one place in memory
    PROPAGATING = "propagating"  # not finite where an operand is not
    REDUCTION = "reduction"  # combines the entries along axes, into a new array in C order
    RETYPING = "retyping"  # changes the type alone: returns its operand if that stays the same
    SATURATING = "saturating"  # nears numbers, or its operand, and never reaches what it rounds to
    SINGULAR = "singular"  # a partial derivative may be infinite or NaN
    UNROUNDED = "unrounded"  # entries are those of operands, perhaps with another sign, or zero
    VIEW = "view"  # the result may lie in the memory of the first operand

    @classmethod
    def _missing_(cls, value: object) -> Never:
        raise ValueError(f"there is no trait {value!r}; the traits are {', '.join(cls)}")
