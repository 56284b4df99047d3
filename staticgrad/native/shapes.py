"""Shapes in machine code, whose sizes are all known."""

from gradops import ArrayType

SMALL_MATRIX = 16  # rows up to which code factors matrices, and solves with them, entry by entry


def known(type: ArrayType) -> tuple[int, ...]:
    """The shape of a type, of which all sizes are known."""
    return tuple([int(n) for n in type.shape])
