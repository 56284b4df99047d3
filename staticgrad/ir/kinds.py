"""The kinds of expressions, and how they may be computed."""

from enum import Enum
from types import MappingProxyType


class Kind(Enum):
    """The kind of an expression: the application of an op, a leaf, or a change of state."""

    OP = "op"
    PLACEHOLDER = "placeholder"
    CONSTANT = "constant"
    VARIABLE = "variable"
    SIZE = "size"  # an unknown size as a number
    ASSIGN = "assign"
    PARAMETER = "parameter"  # an input of a loop's body, a branch or a function
    GROUP = "group"  # has no value; running it runs its control inputs
    TOKEN = "token"  # the hidden variable that orders effects


class Lowering(Enum):
    """How values without axes are computed: Note [Float scalars] in `codegen/scalars.py`."""

    FLOATS = "floats"  # float64 on Python's floats, where that gives the same bits
    MATH = "math"  # float32 in double precision, too, and functions of the module `math`


NOT_TRAINED = MappingProxyType({"trainable": False})
"""Attributes of a variable that training leaves alone: a count, the state of an optimizer."""

LASTING = frozenset({Kind.PLACEHOLDER, Kind.VARIABLE, Kind.TOKEN})
"""Kinds that a body captures even if they were built inside it."""
