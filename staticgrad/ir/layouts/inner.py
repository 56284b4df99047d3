"""Layouts of all values of a graph, and of those inside its loops, branches and functions.

Note [Inner layouts]. The operands of a body have the layouts that they have where it is called. The
state of a loop has a layout if it has it at first and each step keeps it: what a step does not keep
is dropped, and the body is looked at again, until nothing changes. For a list of values, as of the
steps of a loop, the layout is that of its entries.
"""

from collections.abc import Sequence

from ..expr import Expr, whole_of
from ..graph import FrozenGraph, graphs_in, inner_graphs
from ..tuple_types import HistoryType, TupleType
from .values import Known, Layout, any_order, c_order_of, entry_layout, layout_of

Given = tuple[Layout | None, ...]
"""The layouts of the operands of a body."""


def layouts(graph: FrozenGraph, given: Given | None = None) -> Known:
    """The layouts that are certain, by expression; `given` are those of the inputs.

    By default inputs are in C order.
    """
    key = "layouts", given
    if key not in graph.derived:
        graph.derived[key] = layouts_by_rule(graph, given)
    result: Known = graph.derived[key]
    return result


def unknown_layouts(graph: FrozenGraph) -> Given:
    """The layouts of inputs of which nothing is known."""
    return tuple([any_order(e.type.shape) for e in graph.inputs])


def layouts_by_rule(graph: FrozenGraph, given: Given | None) -> Known:
    """The layouts that rules give, one expression after another."""
    known: dict[Expr, Layout] = {}
    inputs = dict(zip(graph.inputs, given, strict=True)) if given is not None else {}
    parts: dict[Expr, Sequence[Layout | None]] = {}
    for e in graph.order:
        found: Layout | None
        if e in inputs:
            found = inputs[e]
        elif isinstance(e.type, TupleType):
            parts[e] = layouts_of_parts(e, known)
            continue
        elif (whole := whole_of(e)) is not None:
            found = parts[whole][e.attrs["index"]]
        else:
            found = layout_of(e, known)
        if found is not None:
            known[e] = found
    return known


def given_to_inner(graph: FrozenGraph, given: Given | None) -> dict[FrozenGraph, Given]:
    """The layouts that operands of each graph inside have wherever it is called."""
    result: dict[FrozenGraph, Given] = {}
    if not graph.holders:
        return result
    for each in (graph, *reversed(inner_graphs(graph))):
        known = layouts(each, given if each is graph else result[each])
        for e in each.holders:
            for inner, operands in given_inside(e, known):
                before = result.get(inner, operands)
                result[inner] = tuple(map(kept, before, operands))
    return result


def layouts_of_parts(e: Expr, known: Known) -> Sequence[Layout | None]:
    """The layouts of the values of a loop, a branch or a call."""
    assert isinstance(e.type, TupleType)
    if e.op is not None and e.op.name == "fused":
        return [c_order_of(part.shape) for part in e.type.parts]
    if e.op is None or e.op.name not in ("loop", "case", "call"):
        return [None] * len(e.type.parts)
    rows = [outputs_of(graph, given) for graph, given in given_inside(e, known)]
    first, *others = rows[:1] if e.op.name == "loop" else rows
    return [first[i] if all(row[i] == first[i] for row in others) else None
            for i in range(len(e.type.parts))]  # fmt: skip


def outputs_of(graph: FrozenGraph, given: Given) -> list[Layout | None]:
    """The layouts of the outputs of a body."""
    known = layouts(graph, given)
    return [known.get(y) for y in graph.outputs]


def given_inside(e: Expr, known: Known) -> list[tuple[FrozenGraph, Given]]:
    """The graphs of a loop, a branch or a call, with the layouts of their operands."""
    assert e.op is not None
    match e.op.name:
        case "loop":
            return given_in_loop(e, known)
        case "case" | "call" | "fused":
            first = 1 if e.op.name == "case" else 0
            given = tuple([known.get(x) for x in e.inputs[first:]])
            return [(graph, given) for graph in graphs_in(e)]
    return [(graph, unknown_layouts(graph)) for graph in graphs_in(e)]


def given_in_loop(e: Expr, known: Known) -> list[tuple[FrozenGraph, Given]]:
    """The body of a loop, and its condition, with the layouts of their operands."""
    body, cond, carries = e.attrs["body"], e.attrs["cond"], e.attrs["carries"]
    lists = carries + e.attrs["lists"]
    state = [known.get(x) for x in e.inputs[:carries]]
    entries = [layout_of_entries(x, known) for x in e.inputs[carries:lists]]
    shared = [known.get(x) for x in e.inputs[lists:]]
    while True:
        given = (*state, *entries, *shared)
        new = [kept(a, b) for a, b in zip(state, outputs_of(body, given), strict=False)]
        if new == state:
            break
        state = new
    return [(body, given), *([(cond, (*state, *shared))] if cond is not None else [])]


def kept(before: Layout | None, after: Layout | None) -> Layout | None:
    """The layout that both have."""
    if before is None or after is None or before.axes != after.axes:
        return None
    return before if before == after else Layout(before.axes, False)


def layout_of_entries(x: Expr, known: Known) -> Layout | None:
    """The layout of the entries of a list, or of those of an array along its first axis."""
    whole = known.get(x)
    if whole is None or isinstance(x.type, HistoryType):
        return whole
    return entry_layout(whole, x.type.shape)
