"""The ops of control flow: kernels and type inference.

Note [Control flow]. `loop`, `case` and `call` have graphs as attributes and return several values;
`part` selects one of them. Captured expressions are operands like any other, so the inner graphs
are closed, and all transformations work on them as on the outer one. The per-step values of a loop
are kept in a list, not in an array: nothing is copied, and they may differ in shape. `stacked`
makes an array of a list.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, DTypeError, IndexingError, Op, ShapeError
from gradops.core.dims import UNKNOWN, Size
from gradops.core.rules import JointJVP, JointVJP
from gradops.core.types import conflict

from ..ir.graph import FrozenGraph
from ..ir.sizes import bound_type
from ..ir.tuple_types import HistoryType, Parts, TupleType, type_name, with_shape
from . import batch, forward, reverse
from .partial_eval import call_reach, case_reach, loop_reach
from .recompute import recompute as recompute
from .stacks import CONTROL, Value, no_samples

Graph = Callable[..., tuple[Value, ...]]  # compiled, or interpreted


def get_part(values: Sequence[Value], index: int) -> Value:
    """The kernel of `part`."""
    return values[index]


def part_infer(whole: ArrayType, index: int) -> ArrayType:
    """The type of one of several values."""
    if not isinstance(whole, TupleType) or not 0 <= index < len(whole.parts):
        raise IndexingError("part", [whole], f"there is no value {index}")
    return whole.parts[index]


part: Op = Op(
    name="part", kernel=get_part, infer=part_infer, source="{0}[{index}]", traits=CONTROL,
    vjp=[lambda g, y, xs, index: Parts({index: g})],
    jvp=[lambda t, y, xs, index: t.by_index.get(index)],
    doc="One of the values of an op that gives several.", samples=no_samples,
)  # fmt: skip


def run_loop(
    *operands: Any, body: Graph, cond: Graph | None = None, carries: int = 0, lists: int = 0,
    gives: int = 0, reverse: bool = False, recompute: bool = False,
) -> tuple[Value, ...]:  # fmt: skip
    """Run a loop: the final state, and lists of the other results of the steps.

    There is a step for each entry of the lists among the operands; with `cond`, as long as it
    holds.
    """
    first, shared = carries + lists, operands[carries + lists :]
    state, kept, count = operands[:carries], [list[Value]() for _ in range(gives)], 0
    try:
        if cond is None:
            columns = [x[::-1] if reverse else x for x in operands[carries:first]]
            for step in zip(*columns, strict=True):
                state = keep_results(body(*state, *step, *shared), carries, kept)
                count += 1
        else:
            while cond(*state, *shared)[0]:
                state = keep_results(body(*state, *shared), carries, kept)
                count += 1
    except Exception as error:
        error.add_note(f"  in step {count} of a loop")
        raise
    return (*state, *(values[::-1] if reverse else values for values in kept))


def keep_results(
    results: tuple[Value, ...], carries: int, kept: Sequence[list[Value]]
) -> tuple[Value, ...]:
    """Append a step's other results to their lists; returns the new state."""
    if not kept:
        return results
    for values, value in zip(kept, results[carries:], strict=True):
        values.append(value)
    return results[:carries]


def loop_infer(
    *operands: ArrayType, body: FrozenGraph, cond: FrozenGraph | None, carries: int, lists: int,
    gives: int, reverse: bool, recompute: bool,
) -> ArrayType:  # fmt: skip
    """The types of the final state and of the lists."""
    if len(body.outputs) != carries + gives or len(operands) < carries + lists:
        raise ShapeError("loop", operands, "the body does not fit the operands")
    steps = operands[carries : carries + lists]
    elements = [element_of(t) for t in steps]
    types = [*operands[:carries], *elements, *operands[carries + lists :]]
    sizes = match_sizes("loop", body, types)
    if cond is not None:
        match_sizes("loop", cond, [*operands[:carries], *operands[carries + lists :]])
    require_state(operands, body, cond, carries)
    length = steps[0].shape[0] if steps else UNKNOWN
    state = [
        final_type(t, x.type, y.type)
        for t, x, y in zip(operands, body.inputs, body.outputs[:carries], strict=False)
    ]
    others = [bound_type(y.type, sizes) for y in body.outputs[carries:]]
    return TupleType([*state, *(HistoryType(length, t) for t in others)])


def require_state(
    operands: Sequence[ArrayType], body: FrozenGraph, cond: FrozenGraph | None, carries: int
) -> None:
    """Raise ShapeError unless the body keeps the state's types and `cond` gives one bool."""
    for x, y in zip(body.inputs[:carries], body.outputs, strict=False):
        same = x.dtype == y.dtype and len(x.shape) == len(y.shape)
        if not same or type(x.type) is not type(y.type) or conflict(x.shape, y.shape):
            raise ShapeError("loop", operands, f"the state {x.type} becomes {y.type} in a step")
    if cond is not None and [y.type for y in cond.outputs] != [ArrayType((), np.bool_)]:
        raise ShapeError("loop", operands, "the condition gives one truth value")


def element_of(type: ArrayType) -> ArrayType:
    """The type of one entry of a list or array."""
    if isinstance(type, HistoryType):
        return type.element
    return ArrayType(type.shape[1:], type.dtype)


def match_sizes(op: str, graph: FrozenGraph, types: Sequence[ArrayType]) -> dict[str, Size]:
    """The sizes in a graph by name, for operands of these types; raises if they do not fit."""
    expected = [e.type for e in graph.inputs]
    if len(expected) != len(types):
        raise ShapeError(op, types, f"the graph inside takes {len(expected)} operands")
    sizes: dict[str, Size] = {}
    for expect, t in zip(expected, types, strict=True):
        if expect.dtype != t.dtype or type_name(expect) != type_name(t):
            raise DTypeError(op, types, f"{t} is given where {expect} is wanted")
        if len(expect.shape) != len(t.shape) or conflict(expect.shape, t.shape):
            raise ShapeError(op, types, f"{t} is given where {expect} is wanted")
        for n, m in zip(expect.shape, t.shape, strict=True):
            if isinstance(n, Dim) and n.linear is not None and n == Dim(n.linear[0]):
                sizes.setdefault(n.linear[0], m)
    return sizes


def final_type(start: ArrayType, before: ArrayType, after: ArrayType) -> ArrayType:
    """The type of a loop's final state: sizes that a step may change are unknown."""
    axes = zip(start.shape, before.shape, after.shape, strict=True)
    return with_shape(start, tuple(n if a == b else UNKNOWN for n, a, b in axes))


loop: Op = Op(
    name="loop", kernel=run_loop, infer=loop_infer, arity=None, traits=CONTROL,
    source="loop({operands}, body={body}, cond={cond}, carries={carries}, lists={lists},"
    " gives={gives}, reverse={reverse})",
    vjp=JointVJP(reverse.loop_vjp, loop_reach), jvp=JointJVP(forward.loop_jvp),
    batch=batch.loop_batch,
    doc="Repeated application of a function.", samples=no_samples,
)  # fmt: skip


def run_case(*operands: Any, branches: Sequence[Graph]) -> tuple[Value, ...]:
    """Run the branch that the first operand numbers; for any other number, the last."""
    i = int(operands[0])
    return branches[i if 0 <= i < len(branches) else -1](*operands[1:])


def case_infer(
    index: ArrayType, *operands: ArrayType, branches: Sequence[FrozenGraph]
) -> ArrayType:
    """The common types of the branches' results."""
    if index.shape or index.dtype.kind not in "iub":
        raise ShapeError("case", [index], "the branch is chosen by one integer or truth value")
    rows = []
    for branch in branches:
        sizes = match_sizes("case", branch, operands)
        rows.append([bound_type(e.type, sizes) for e in branch.outputs])
    return TupleType([common_type(types) for types in zip(*rows, strict=True)])


def common_type(types: Sequence[ArrayType]) -> ArrayType:
    """The common type of one result of all branches."""
    first = types[0]
    for t in types[1:]:
        if t.dtype != first.dtype or t.ndim != first.ndim or conflict(t.shape, first.shape):
            raise ShapeError("case", types, "the branches give different types")
    axes = zip(*(t.shape for t in types), strict=True)
    return with_shape(first, tuple(n[0] if len(set(n)) == 1 else UNKNOWN for n in axes))


case: Op = Op(
    name="case", kernel=run_case, infer=case_infer, arity=None, traits=CONTROL,
    source="case({operands}, branches={branches})",
    vjp=JointVJP(reverse.case_vjp, case_reach), jvp=JointJVP(forward.case_jvp),
    batch=batch.case_batch,
    doc="One of several functions, chosen by a number.", samples=no_samples,
)  # fmt: skip


def run_call(*operands: Value, function: Graph) -> tuple[Value, ...]:
    """The kernel of `call`."""
    return function(*operands)


def call_infer(*operands: ArrayType, function: FrozenGraph) -> ArrayType:
    """The types of the function's results."""
    sizes = match_sizes("call", function, operands)
    return TupleType([bound_type(e.type, sizes) for e in function.outputs])


call: Op = Op(
    name="call", kernel=run_call, infer=call_infer, arity=None, traits=CONTROL,
    source="{function}({operands})",
    vjp=JointVJP(reverse.call_vjp, call_reach), jvp=JointJVP(forward.call_jvp),
    batch=batch.call_batch,
    doc="A function of a graph, applied.", samples=no_samples,
)  # fmt: skip
