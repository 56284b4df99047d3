"""Loops in generated code: a function with the lines of the body in a `for` or `while` statement.

Note [Loop functions]. A call of the body for each step would pack and unpack all operands and
results. The lines of the body stand in the loop itself instead: state is assigned, and other
results are appended to lists. The function of a body that is long, where that costs little, is
called, by the kernel of `loop`; so is that of source in which each line is to be timed or checked.
The function gets the lists of rows into which the results of steps are computed: see Note [Rows].
"""

from collections.abc import Callable, Iterator, Sequence

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ..scalars import is_row_of_floats
from ..writer import Writer, output_name
from .row_code import compute_into_rows
from .rows import LoopRows, reached_memory

Begin = Callable[[Writer, FrozenGraph, str, Callable[[Writer], None]], Writer]
"""Begins the function of a graph inside another's, whose plan is changed first: all but its end."""
FunctionOf = Callable[[Writer, FrozenGraph, str], str]


def loop_function(outer: Writer, e: Expr, begin: Begin, function_of: FunctionOf) -> str:
    """The name of the function of a loop, which is written if it is new."""
    body, cond, module = e.attrs["body"], e.attrs["cond"], outer.module
    rows = outer.plan.rows.loops.get(e, ())
    how = tuple([e.attrs[k] for k in ("carries", "lists", "gives", "reverse")])
    key = body, cond, rows, rows_of_floats(e), how
    name = module.loops.get(key)
    if name is None:
        test = cond and function_of(outer, cond, "cond")
        w = begin(outer, body, "loop", lambda w: compute_into_rows(w, rows))
        name = module.loops[key] = w.name
        if test:
            w.called[test] = None
        LoopWriter(w, e, test, rows).finish()
    outer.called[name] = None
    return name


def rows_of_floats(e: Expr) -> tuple[bool, ...]:
    """For each list of a loop, whether it is an array whose entries the body takes as floats.

    NumPy's scalars would make NumPy's scalars of all that is computed from them.
    """
    carries, lowering = e.attrs["carries"], e.attrs["body"].lowering
    rows = e.inputs[carries : carries + e.attrs["lists"]]
    return tuple(is_row_of_floats(x, lowering) for x in rows)


class LoopWriter:
    """Puts the lines of a body into a loop."""

    def __init__(self, w: Writer, e: Expr, test: str | None, rows: Sequence[LoopRows] = ()) -> None:
        self.w, self.e, self.test, self.rows = w, e, test, rows
        inputs = [w.names[x] for x in w.graph.inputs]
        carries, end = e.attrs["carries"], e.attrs["carries"] + e.attrs["lists"]
        self.state, self.entries, self.shared = inputs[:carries], inputs[carries:end], inputs[end:]
        self.lists = [w.fresh(f"{name}_list") for name in self.entries]
        in_rows = {i for r in rows for i in r.values}
        self.kept = {
            i: w.fresh(f"{w.names[y]}_list") for i, y in enumerate(w.graph.outputs)
            if i >= carries and i not in in_rows
        }  # fmt: skip
        self.row_lists = [w.fresh(f"{name}_list") for name in w.results]
        self.before = {r: w.fresh("before") for r in rows if r.is_shifted}
        self.error = w.fresh("error")
        self.count = "" if self.kept else w.fresh("step")

    def finish(self) -> None:
        """Add the function to its module."""
        w, steps, owners = self.w, self.w.lines, self.w.owners
        first = self.lines_before_steps(steps)
        body, body_owners = steps[first:], owners[first:]
        w.lines, w.owners = body, body_owners
        self.write_end_of_step(is_pool_inside=bool(w.plan.types) and not first)
        body, body_owners = w.lines, w.owners
        w.lines, w.owners = steps[:first], owners[:first]
        for line in self.head():
            w.write(line, self.e)
        w.lines += [f"        {line}" for line in body]
        w.owners += body_owners
        for line in self.tail(is_pool_outside=bool(first)):
            w.write(line, self.e)
        parameters = [*self.state, *self.lists, *self.shared, *self.row_parameters()]
        w.module.add(w.name, parameters, w.called, w.lines, w.owners)
        w.module.names |= w.names
        w.module.sizes |= w.sizes

    def lines_before_steps(self, lines: Sequence[str]) -> int:
        """The number of lines that take buffers, if all steps take the same."""
        return 2 if self.w.plan.types and lines[0].startswith("    pool = ") else 0

    def row_parameters(self) -> Iterator[str]:
        """The parameters that are lists of rows, or of parts of them: see `write_row_lists`."""
        names = iter(self.row_lists)
        for rows in self.rows:
            yield next(names)
            if rows in self.before:
                yield self.before[rows]
            for _ in rows.spans:
                yield next(names)

    def head(self) -> Iterator[str]:
        """The lines before the first step."""
        if self.kept:
            yield f"    {', '.join(self.kept.values())} = {', '.join(['[]'] * len(self.kept))}"
        for rows, name in self.before.items():
            assert rows.before is not None
            first = "-1:" if self.e.attrs["reverse"] else ":1"
            state = self.w.names[self.w.graph.outputs[rows.before]]
            yield f"    {name}.array[{first}] = {state}"
        if self.test:
            if self.count:
                yield f"    {self.count} = 0"
            yield "    try:"
            operands = ", ".join([*self.state, *self.shared])
            yield f"        while {self.test}({operands})[0]:"
            return
        given, entries = [*self.lists, *self.row_lists], [*self.entries, *self.w.results]
        columns = [*map(self.in_order, given)]
        for i, are_floats in enumerate(rows_of_floats(self.e)):
            columns[i] += ".tolist()" * are_floats
        if self.count:
            columns.insert(0, f"range(len({given[-1]}))")
            entries.insert(0, self.count)
        several = f"zip({', '.join(columns)}, strict=True)" if len(columns) > 1 else columns[0]
        yield "    try:"
        yield f"        for {', '.join(entries)} in {several}:"

    def in_order(self, values: str) -> str:
        """A list, from the entry of the first step to that of the last, or the other way."""
        return f"{values}[::-1]" if self.e.attrs["reverse"] else values

    def write_end_of_step(self, is_pool_inside: bool) -> None:
        """Write the lines that keep the results of a step."""
        w = self.w
        names = [output_name(w, y) for y in w.graph.outputs]
        for i, kept in self.kept.items():
            w.write(f"    {kept}.append({names[i]})", None)
        pairs = zip(self.state, names, strict=False)
        changed = [(x, y) for x, y in pairs if x != y]
        if changed:
            left, right = zip(*changed, strict=True)
            w.write(f"    {', '.join(left)} = {', '.join(right)}", None)
        if is_pool_inside:
            w.write("    pool.append(arena)", None)
        if self.test and self.count:
            w.write(f"    {self.count} += 1", None)
        if not w.lines:
            w.write("    pass", None)

    def tail(self, is_pool_outside: bool) -> Iterator[str]:
        """The lines after the last step."""
        count = self.count or f"len({next(iter(self.kept.values()))})"
        yield f"    except Exception as {self.error}:"
        yield f'        {self.error}.add_note(f"  in step {{{count}}} of a loop")'
        yield "        raise"
        if is_pool_outside:
            yield "    pool.append(arena)"
        results = [*map(self.last_state, range(len(self.state))), *self.lists_given()]
        yield f"    return {', '.join(results)}{',' if len(results) == 1 else ''}"

    def last_state(self, number: int) -> str:
        """State after the last step: a copy if it may be a row. See Note [Rows]."""
        name, outputs = self.state[number], self.w.graph.outputs
        if self.w.graph.inputs[number] in self.w.floats:
            return name
        reached = reached_memory(self.w.graph, len(self.state), outputs[number])
        is_row = any(outputs[r.output] in reached for r in self.rows)
        return f"np.array({name})" if is_row else name

    def lists_given(self) -> list[str]:
        """The lists of other results, but none of rows, which the caller has."""
        numbers = range(len(self.state), len(self.w.graph.outputs))
        return [self.in_order(self.kept[i]) if i in self.kept else "None" for i in numbers]
