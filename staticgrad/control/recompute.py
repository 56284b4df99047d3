"""The op that marks values from which others are computed again."""

from gradops.core.samples import unary
from gradops.core.traits import Trait
from gradops.library.families import linear

recompute = linear(
    "recompute", lambda x: x, infer=lambda x: x, source="{0}", transpose=lambda g, y, x: g,
    traits={Trait.VIEW}, batch=lambda op, stacks, batched, attrs: op(*stacks), samples=unary,
    doc="The operand; what is computed from it is computed again, and not what it equals.",
)  # fmt: skip
