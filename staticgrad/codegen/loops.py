"""Loops in generated code: a function with the lines of the body in a `for` or `while` statement.

Note [Loop functions]. A call of the body for each step would pack and unpack all operands and
results. The lines of the body stand in the loop itself instead: state is assigned, and other
results are appended to lists. The function of a body that is long, where that costs little, is
called, by the kernel of `loop`; so is that of source in which each line is to be timed or checked.
"""

from collections.abc import Callable, Iterator, Sequence

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from .scalars import is_row_of_floats
from .writer import Writer, operand_name

SHORT = 400  # expressions of a body up to which a call per step is worth avoiding
Begin = Callable[[Writer, FrozenGraph, str], Writer]
"""Begins the function of a graph inside another's: all but its end."""
FunctionOf = Callable[[Writer, FrozenGraph, str], str]


def has_own_function(e: Expr) -> bool:
    """True for a loop whose body is short."""
    return e.op is not None and e.op.name == "loop" and len(e.attrs["body"]) <= SHORT


def loop_function(outer: Writer, e: Expr, begin: Begin, function_of: FunctionOf) -> str:
    """The name of the function of a loop, which is written if it is new."""
    body, cond, module = e.attrs["body"], e.attrs["cond"], outer.module
    rows = rows_of_floats(e)
    key = body, cond, rows, *(e.attrs[k] for k in ("carries", "lists", "gives", "reverse"))
    name = module.loops.get(key)
    if name is None:
        test = cond and function_of(outer, cond, "cond")
        w = begin(outer, body, "loop")
        name = module.loops[key] = w.name
        if test:
            w.called[test] = None
        LoopWriter(w, e, test).finish()
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

    def __init__(self, w: Writer, e: Expr, test: str | None) -> None:
        self.w, self.e, self.test = w, e, test
        inputs = [w.names[x] for x in w.graph.inputs]
        carries, end = e.attrs["carries"], e.attrs["carries"] + e.attrs["lists"]
        self.state, self.entries, self.shared = inputs[:carries], inputs[carries:end], inputs[end:]
        self.lists = [w.fresh(f"{name}_list") for name in self.entries]
        outputs = w.graph.outputs[carries:]
        self.kept = [w.fresh(f"{w.names[y]}_list") for y in outputs]
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
        parameters = [*self.state, *self.lists, *self.shared]
        w.module.add(w.name, parameters, w.called, w.lines, w.owners)
        w.module.names |= w.names
        w.module.sizes |= w.sizes

    def lines_before_steps(self, lines: Sequence[str]) -> int:
        """The number of lines that take buffers, if all steps take the same."""
        return 2 if self.w.plan.types and lines[0].startswith("    pool = ") else 0

    def head(self) -> Iterator[str]:
        """The lines before the first step."""
        if self.kept:
            yield f"    {', '.join(self.kept)} = {', '.join(['[]'] * len(self.kept))}"
        if self.test:
            if self.count:
                yield f"    {self.count} = 0"
            yield "    try:"
            operands = ", ".join([*self.state, *self.shared])
            yield f"        while {self.test}({operands})[0]:"
            return
        columns = [
            f"{x}{'[::-1]' * self.e.attrs['reverse']}{'.tolist()' * is_row}"
            for x, is_row in zip(self.lists, rows_of_floats(self.e), strict=True)
        ]
        several = f"zip({', '.join(columns)}, strict=True)" if len(columns) > 1 else columns[0]
        entries = ", ".join(self.entries)
        if self.count:
            several = f"enumerate({several})"
            entries = f"{self.count}, {f'({entries})' if len(columns) > 1 else entries}"
        yield "    try:"
        yield f"        for {entries} in {several}:"

    def write_end_of_step(self, is_pool_inside: bool) -> None:
        """Write the lines that keep the results of a step."""
        w = self.w
        names = [operand_name(w, y, y) for y in w.graph.outputs]
        for kept, name in zip(self.kept, names[len(self.state) :], strict=True):
            w.write(f"    {kept}.append({name})", None)
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
        count = self.count or f"len({self.kept[0]})"
        yield f"    except Exception as {self.error}:"
        yield f'        {self.error}.add_note(f"  in step {{{count}}} of a loop")'
        yield "        raise"
        if is_pool_outside:
            yield "    pool.append(arena)"
        kept = [f"{x}[::-1]" if self.e.attrs["reverse"] else x for x in self.kept]
        results = [*self.state, *kept]
        yield f"    return {', '.join(results)}{',' if len(results) == 1 else ''}"
