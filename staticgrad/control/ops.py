"""The ops of control flow: what they compute, and their types.

Note [Control flow]. `loop`, `case` and `call` have graphs as attributes and give several values,
which `part` takes apart. What a function of the user reads from outside is an operand like any
other, so the graphs stand by themselves, and all transformations work on them as on the outer one.
A value of each step of a loop is kept in a list, not an array: nothing is copied, and the values
may differ in shape. `stacked` makes an array of it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, DTypeError, IndexingError, Op, ShapeError
from gradops.core.dims import UNKNOWN
from gradops.core.rules import JointJVP, JointVJP
from gradops.core.types import conflict

from ..ir.graph import FrozenGraph
from ..ir.sizes import bound_type
from ..ir.tuple_types import HistoryType, Parts, TupleType, relaxed, type_name
from . import batch, forward, reverse
from .partial_eval import call_reach, case_reach, loop_reach
from .stacks import CONTROL, no_samples


def taken(values: Any, index: int) -> Any:
    """One of several values."""
    return values[index]


def part_infer(whole: ArrayType, index: int) -> ArrayType:
    """The type of one of several values."""
    if not isinstance(whole, TupleType) or not 0 <= index < len(whole.parts):
        raise IndexingError("part", [whole], f"there is no value {index}")
    return whole.parts[index]


part: Op = Op(
    name="part", kernel=taken, infer=part_infer, source="{0}[{index}]", traits=CONTROL,
    vjp=[lambda g, y, xs, index: Parts({index: g})],
    jvp=[lambda t, y, xs, index: t.found.get(index)],
    doc="One of the values of an op that gives several.", samples=no_samples,
)  # fmt: skip


def run_loop(
    *operands: Any,
    body: Callable[..., Any],
    cond: Callable[..., Any] | None = None,
    carries: int = 0,
    lists: int = 0,
    gives: int = 0,
    reverse: bool = False,
    recompute: bool = False,
) -> tuple[Any, ...]:
    """The state after the last step, and lists of what the steps gave beside it.

    There is a step for each entry of the lists among the operands; or else, as long as `cond`
    holds.
    """
    first, shared = carries + lists, operands[carries + lists :]
    state, given, count = operands[:carries], [list[Any]() for _ in range(gives)], 0
    try:
        if cond is None:
            columns = [x[::-1] if reverse else x for x in operands[carries:first]]
            for step in zip(*columns, strict=True):
                state = settled(body(*state, *step, *shared), carries, given)
                count += 1
        else:
            while cond(*state, *shared)[0]:
                state = settled(body(*state, *shared), carries, given)
                count += 1
    except Exception as error:
        error.add_note(f"  in step {count} of a loop")
        raise
    return (*state, *(values[::-1] if reverse else values for values in given))


def settled(found: tuple[Any, ...], carries: int, given: Sequence[list[Any]]) -> tuple[Any, ...]:
    """The state that a step leaves, once what it gave beside it is kept."""
    if not given:
        return found
    for values, value in zip(given, found[carries:], strict=True):
        values.append(value)
    return found[:carries]


def loop_infer(
    *operands: ArrayType,
    body: FrozenGraph,
    cond: FrozenGraph | None,
    carries: int,
    lists: int,
    gives: int,
    reverse: bool,
    recompute: bool,
) -> ArrayType:
    """The types of the state in the end, and of the lists."""
    if len(body.outputs) != carries + gives or len(operands) < carries + lists:
        raise ShapeError("loop", operands, "the body does not fit the operands")
    steps = operands[carries : carries + lists]
    elements = [element_of(t) for t in steps]
    given = [*operands[:carries], *elements, *operands[carries + lists :]]
    sizes = fitting("loop", body, given)
    if cond is not None:
        fitting("loop", cond, [*operands[:carries], *operands[carries + lists :]])
    require_state(operands, body, cond, carries)
    length = steps[0].shape[0] if steps else UNKNOWN
    state = [
        kept_type(t, x.type, y.type)
        for t, x, y in zip(operands, body.inputs, body.outputs[:carries], strict=False)
    ]
    beside = [bound_type(y.type, sizes) for y in body.outputs[carries:]]
    return TupleType([*state, *(HistoryType(length, t) for t in beside)])


def require_state(
    operands: Sequence[ArrayType], body: FrozenGraph, cond: FrozenGraph | None, carries: int
) -> None:
    """Refuse a body that gives state of other types than it takes, and a condition that is none."""
    for x, y in zip(body.inputs[:carries], body.outputs, strict=False):
        same = x.dtype == y.dtype and len(x.shape) == len(y.shape)
        if not same or type(x.type) is not type(y.type) or conflict(x.shape, y.shape):
            raise ShapeError("loop", operands, f"the state {x.type} becomes {y.type} in a step")
    if cond is not None and [y.type for y in cond.outputs] != [ArrayType((), np.bool_)]:
        raise ShapeError("loop", operands, "the condition gives one truth value")


def element_of(type: ArrayType) -> ArrayType:
    """The type of what a step is given of a list."""
    if isinstance(type, HistoryType):
        return type.element
    return ArrayType(type.shape[1:], type.dtype)


def fitting(op: str, graph: FrozenGraph, given: Sequence[ArrayType]) -> dict[str, Any]:
    """What the sizes in a graph stand for when it is given operands, which it may refuse."""
    wanted = [e.type for e in graph.inputs]
    if len(wanted) != len(given):
        raise ShapeError(op, given, f"the graph inside takes {len(wanted)} operands")
    sizes: dict[str, Any] = {}
    for want, t in zip(wanted, given, strict=True):
        if want.dtype != t.dtype or type_name(want) != type_name(t):
            raise DTypeError(op, given, f"{t} is given where {want} is wanted")
        if len(want.shape) != len(t.shape) or conflict(want.shape, t.shape):
            raise ShapeError(op, given, f"{t} is given where {want} is wanted")
        for n, m in zip(want.shape, t.shape, strict=True):
            if isinstance(n, Dim) and n.linear is not None and n == Dim(n.linear[0]):
                sizes.setdefault(n.linear[0], m)
    return sizes


def kept_type(given: ArrayType, before: ArrayType, after: ArrayType) -> ArrayType:
    """The type of a loop's state in the end: sizes that a step may change are unknown."""
    axes = zip(given.shape, before.shape, after.shape, strict=True)
    return relaxed(given, tuple(n if a == b else UNKNOWN for n, a, b in axes))


loop: Op = Op(
    name="loop", kernel=run_loop, infer=loop_infer, arity=None, traits=CONTROL,
    source="loop({operands}, body={body}, cond={cond}, carries={carries}, lists={lists},"
    " gives={gives}, reverse={reverse})",
    vjp=JointVJP(reverse.loop_shares, loop_reach), jvp=JointJVP(forward.loop_push),
    batch=batch.loop_batch,
    doc="A function applied again and again.", samples=no_samples,
)  # fmt: skip


def run_case(*operands: Any, branches: Sequence[Callable[..., Any]]) -> Any:
    """What the branch numbered by the first operand gives; the last one, if there is none of it."""
    i = int(operands[0])
    return branches[i if 0 <= i < len(branches) else -1](*operands[1:])


def case_infer(
    index: ArrayType, *operands: ArrayType, branches: Sequence[FrozenGraph]
) -> ArrayType:
    """The types on which the branches agree."""
    if index.shape or index.dtype.kind not in "iub":
        raise ShapeError("case", [index], "the branch is chosen by one integer or truth value")
    given = []
    for branch in branches:
        sizes = fitting("case", branch, operands)
        given.append([bound_type(e.type, sizes) for e in branch.outputs])
    return TupleType([agreed(types) for types in zip(*given, strict=True)])


def agreed(types: Sequence[ArrayType]) -> ArrayType:
    """The type of a value that one of several graphs gives."""
    first = types[0]
    for t in types[1:]:
        if t.dtype != first.dtype or t.ndim != first.ndim or conflict(t.shape, first.shape):
            raise ShapeError("case", types, "the branches give different types")
    axes = zip(*(t.shape for t in types), strict=True)
    return relaxed(first, tuple(n[0] if len(set(n)) == 1 else UNKNOWN for n in axes))


case: Op = Op(
    name="case", kernel=run_case, infer=case_infer, arity=None, traits=CONTROL,
    source="case({operands}, branches={branches})",
    vjp=JointVJP(reverse.case_shares, case_reach), jvp=JointJVP(forward.case_push),
    batch=batch.case_batch,
    doc="One of several functions, chosen by a number.", samples=no_samples,
)  # fmt: skip


def run_call(*operands: Any, function: Callable[..., Any]) -> Any:
    """What the function gives."""
    return function(*operands)


def call_infer(*operands: ArrayType, function: FrozenGraph) -> ArrayType:
    """The types that the function gives."""
    sizes = fitting("call", function, operands)
    return TupleType([bound_type(e.type, sizes) for e in function.outputs])


call: Op = Op(
    name="call", kernel=run_call, infer=call_infer, arity=None, traits=CONTROL,
    source="{function}({operands})",
    vjp=JointVJP(reverse.call_shares, call_reach), jvp=JointJVP(forward.call_push),
    batch=batch.call_batch,
    doc="A function of a graph, applied.", samples=no_samples,
)  # fmt: skip
