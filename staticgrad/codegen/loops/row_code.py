"""Rows in generated code: their lists by name, and what is computed into them."""

from collections.abc import Sequence

from ...ir.expr import Expr
from ..memory.buffers import Block, Plan
from ..memory.lifetimes import takes_out, whole_list
from ..writer import Writer, dtype_name, operand_name, shape_text
from .joins import Join, join_in_row
from .row_lists import new_rows
from .rows import LoopRows


def write_row_lists(w: Writer, e: Expr) -> None:
    """Name the lists of rows that a loop writes, in buffers or in new memory."""
    for rows in w.plan.rows.loops.get(e, ()):
        owner = w.plan.rows.parts[e, rows.values[0]]
        name = e.attrs["body"].outputs[rows.output].name
        names = [w.fresh(f"{name}_rows")]
        if rows.is_shifted:
            names.append(w.fresh(f"{name}_rows_before"))
        for i, each in zip((rows.after, rows.before), names, strict=False):
            if i is not None:
                w.names[w.plan.rows.parts[e, i]] = each
        names += [w.fresh(f"{name}_parts_{k}") for k in range(len(rows.spans))]
        w.row_lists[e, rows] = names
        of_parts = {w.names[w.plan.rows.parts[e, i]] for i in rows.values}
        w.let_go_with[owner] = [each for each in names if each not in of_parts]
        w.write(f"    {', '.join(names)} = {memory_of_rows(w, owner)}", None)


def row_arguments(w: Writer, e: Expr) -> list[str]:
    """The lists of rows that the function of a loop is given."""
    return [name for rows in w.plan.rows.loops.get(e, ()) for name in w.row_lists[e, rows]]


def memory_of_rows(w: Writer, owner: Expr) -> str:
    """The lists of rows in a buffer, or in new memory."""
    if owner in w.plan.slots:
        return w.buffers[w.plan.slots[owner]]
    w.scope["new_rows"] = new_rows
    block = w.plan.block_of[owner]
    shape, dtype = shape_text(w, block.type.shape), dtype_name(w, owner.dtype)
    spans = f", {block.spans}" if block.spans else ""
    return f"new_rows({shape}, {dtype}, {block.shift}{spans})"


def array_of_rows(w: Writer, x: Expr) -> str:
    """The array of a list of rows, or of a range of them."""
    rows = whole_list(x)
    part = "" if x is rows else f"[{x.attrs['start']}:{x.attrs['stop']}]"
    return f"{w.names[rows]}.array{part}"


def compute_into_rows(w: Writer, rows: Sequence[LoopRows]) -> None:
    """Compute outputs of a loop's body, with what they are computed in place of, in their rows."""
    for r in rows:
        y = w.graph.outputs[r.output]
        join = join_in_row(w.graph, y) if r.spans else None
        row = give_memory(w, f"{y.name}_row", computed_in_given_memory(w.plan, y))
        if join is not None:
            take_out(w.plan, join.value)
            w.plan.slots[join.value] = row
            compute_into_parts(w, join, f"{y.name}_part")


def give_memory(w: Writer, name: str, values: Sequence[Expr]) -> int:
    """Compute values into memory that the function is given; returns the number of its slot."""
    number = len(w.plan.types) + len(w.results)
    w.results.append(w.fresh(name))
    w.plan.slots |= dict.fromkeys(values, number)
    return number


def compute_into_parts(w: Writer, join: Join, name: str) -> None:
    """Compute operands of a concatenation into parts of its row. See Note [Joins in rows]."""
    w.copied[join.value] = []
    for k, x in enumerate(join.value.inputs):
        if x in join.placed:
            take_out(w.plan, x)
            give_memory(w, f"{name}_{k}", [x])
        else:
            number = give_memory(w, f"{name}_{k}", [])
            w.copied[join.value].append((x, w.results[number - len(w.plan.types)]))


def write_copies(w: Writer, e: Expr) -> str:
    """Copy operands of a concatenation into parts of its row; returns the name of the row."""
    for x, part in w.copied[e]:
        w.write(f"    {part}[...] = {operand_name(w, x, e)}", e)
    return w.buffers[w.plan.slots[e]]


def computed_in_given_memory(plan: Plan, y: Expr) -> Sequence[Expr]:
    """`y`, and what it is computed in place of as far as that can be computed into given memory."""
    block = plan.block_of.get(y)
    if block is None:
        return [y]
    members, first = block.members, len(block.members)
    while first and takes_out(members[first - 1]):
        first -= 1
    rest = members[first:]
    if first:
        start = plan.lives.position[rest[0]]
        new = Block(rest, start, block.last, block.layout, False, block.type)
        plan.block_of |= dict.fromkeys(rest, new)
        block.members, block.last = members[:first], start
    return rest


def take_out(plan: Plan, e: Expr) -> None:
    """Take an expression out of its block; what was computed in place of it gets new memory."""
    block = plan.block_of.pop(e, None)
    if block is None:
        return
    place = next(i for i, x in enumerate(block.members) if x is e)
    block.members = [*block.members[:place], *block.members[place + 1 :]]
    for x in block.members[place : place + 1]:
        if not block.in_arena:
            plan.overwritten.pop(x, None)
