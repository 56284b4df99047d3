"""The op of a fusion group: expressions that are computed block by block, in one pass over memory.

Note [Fusion]. The expressions of a group work row by row along the first axis: elementwise, or as
sums of the entries of a row. So they can be computed for some rows at a time, and what is computed
on the way is a block and not an array. The graph of the group is that of any number of rows: its
operands are `split` along the first axis, or the same for all blocks. Its last outputs are sums of
all rows, which are added over blocks.
"""

from collections.abc import Callable

from gradops import ArrayType, Op
from gradops.core.rules import NO_RULES

from ..ir.graph import FrozenGraph
from ..ir.sizes import bound_type
from ..ir.tuple_types import TupleType
from .ops import match_sizes
from .stacks import CONTROL, Value, no_samples


def run_fused(
    *operands: Value, function: Callable[..., tuple[Value, ...]], split: tuple[bool, ...], sums: int
) -> tuple[Value, ...]:
    """Compute all rows as one block."""
    return function(*operands)


def fused_infer(
    *operands: ArrayType, function: FrozenGraph, split: tuple[bool, ...], sums: int
) -> ArrayType:
    """The types of the group's values."""
    sizes = match_sizes("fused", function, operands)
    return TupleType([bound_type(e.type, sizes) for e in function.outputs])


fused: Op = Op(
    name="fused", kernel=run_fused, infer=fused_infer, arity=None, traits=CONTROL,
    source="fused({operands}, function={function}, split={split}, sums={sums})",
    vjp=NO_RULES, jvp=NO_RULES,
    doc="A fusion group: expressions that are computed block by block.", samples=no_samples,
)  # fmt: skip
