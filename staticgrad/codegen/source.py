"""NumPy source: one straight-line Python function, as a person would write it."""

from collections.abc import Callable
from ctypes import c_float
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gradops import ArrayType, Dim, Op

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, has_graphs
from ..ir.layouts.inner import given_to_inner, unknown_layouts
from ..ir.sizes import bindings, names_in, sizes_used
from .admission import write_admission, write_binding, write_sizes
from .fusion import render_fused
from .loops.functions import loop_function
from .loops.row_code import array_of_rows, row_arguments, write_copies, write_row_lists
from .loops.rows import has_own_function
from .memory.arena import Arena
from .memory.buffers import Plan
from .memory.lifetimes import is_fused, whole_list
from .names import comment
from .results import write_return
from .scalars import float_source, is_list_of_floats, is_number, is_row
from .writer import Module, Writer, dtype_name, operand_name, output_name, pair_name, size_text


@dataclass
class Source:
    """The lines of functions, the values they refer to, the expression of each line, and names.

    `starts` has the line at which each function starts; the last one is what the source is of.
    """

    lines: list[str]
    starts: dict[str, int]
    scope: dict[str, Any]
    plans: dict[str, Plan]
    arenas: list[Arena]
    owners: list[Expr | None]
    names: dict[Expr, str]
    sizes: dict[str, str]

    @property
    def text(self) -> str:
        """The source as one text."""
        return "\n".join(self.lines) + "\n"


def emit(
    graph: FrozenGraph, form: str = "{},", any_layout: bool = False, comments: bool = True,
    has_loops: bool = True,
) -> Source:  # fmt: skip
    """The source of a function of the graph's inputs that returns its results.

    `form` is how they are returned: `{},` as a tuple, `[{}]` as a list, `{}` the only one. The
    function returns NotImplemented for a value other than a C-ordered array of its input's type;
    with `any_layout` it requires arrays of the right types, in any layout. Without `comments` the
    lines are the same but for these: a graph has the same source whenever it is written. Without
    `has_loops` the body of a loop is a function that is called for each step.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> print(sg.compile(sg.exp(x) + 1, [x]).source)  # doctest: +ELLIPSIS
    def run(x):
        if type(x) is not ndarray or x.dtype is not float32 or x.shape != (3,):
            return NotImplemented
        exp_1 = np.exp(x)  # float32[3] ...
        add_3 = exp_1 + c_2  # float32[3]
        return add_3
    <BLANKLINE>
    """
    module = Module(comments, has_loops)
    given = unknown_layouts(graph) if any_layout else None
    module.given = given_to_inner(graph, given)
    w = Writer(graph, "run", module, given)
    for e in graph.inputs:
        if not any_layout:
            write_admission(w, e)
        if not e.shape:
            number = ".item()" if e in w.floats else "[()]"  # numbers are cheaper than arrays
            w.write(f"    {w.names[e]} = {w.names[e]}{number}", e)
    for binding in bindings(graph.inputs):
        write_binding(w, binding)
    write_body(w, lambda: write_return(w, form))
    facts = module.arenas, module.owners, module.names, module.sizes
    return Source(module.lines, module.starts, w.scope, module.plans, *facts)


def write_body(w: Writer, write_end: Callable[[], None]) -> None:
    """Write the lines of all expressions, and the end of the function, which is then finished."""
    write_lines(w)
    write_end()
    w.finish()


def write_lines(w: Writer) -> None:
    """Write the lines of all expressions."""
    w.module.plans[w.name] = w.plan
    write_buffers(w)
    start = len(w.lines)
    for i, e in enumerate(w.plan.order):
        if e.op is not None or e.kind is Kind.SIZE:
            write_expression(w, i, e)
        elif e not in w.names:
            w.names[e] = w.fresh_in_scope(f"c_{i}")
            w.scope[w.names[e]] = e.value
    w.body = start, len(w.lines)


def inner_function(outer: Writer, graph: FrozenGraph, wanted: str) -> str:
    """The name of the function of a graph inside another's, which is written if it is new."""
    module = outer.module
    if graph not in module.functions:
        w = begin_inner(outer, graph, wanted)
        module.functions[graph] = w.name
        write_inner_return(w)
        w.finish()
    outer.called[module.functions[graph]] = None
    return module.functions[graph]


def begin_inner(
    outer: Writer, graph: FrozenGraph, wanted: str, prepare: Callable[[Writer], None] | None = None
) -> Writer:
    """The function of a graph inside another's, but for its end; `prepare` changes its plan."""
    module = outer.module
    w = Writer(graph, outer.fresh_in_scope(wanted), module, module.given[graph])
    if prepare is not None:
        prepare(w)
    used = sizes_used(graph.order)
    used |= names_in(t.shape for t in w.plan.types)
    used |= names_in(b.type.shape for b in w.plan.blocks if b.shift is not None)
    for binding in bindings(graph.inputs):
        if binding.name in used:
            write_binding(w, binding)
        elif binding.name is not None:
            w.unused.add(binding.name)
    write_lines(w)
    return w


def write_inner_return(w: Writer) -> None:
    """Give the buffers back and return the outputs, which may share memory with the inputs."""
    if w.plan.types:
        w.write("    pool.append(arena)", None)
    names = [output_name(w, e) for e in w.graph.outputs]
    w.write(f"    return {', '.join(names)}{',' if len(names) == 1 else ''}", None)


def write_buffers(w: Writer) -> None:
    """Take a set of buffers that no other call is using, or make one."""
    types = w.plan.types
    names = [w.fresh(f"b{i}") for i in range(len(types))]
    w.buffers = [*names, *w.results]
    if not types:
        return
    sizes = tuple(sorted(names_in(t.shape for t in types)))
    key = "".join(f"{w.sizes[n]}, " for n in sizes)
    buffers = ", ".join(names) + ("," if len(types) == 1 else "")
    pools, allocate = w.fresh_in_scope("pools"), w.fresh_in_scope("allocate")
    w.plan.arena = Arena(pools, allocate, w.plan.views, sizes)
    w.module.arenas.append(w.plan.arena)
    w.write(f"    pool = {pools}[({key})]", None)
    w.write(f"    {buffers} = arena = pool.pop() if pool else {allocate}({key})", None)


def write_expression(w: Writer, i: int, e: Expr) -> None:
    """Write the line that computes `e`, and the release of arrays that it is the last to read."""
    write_row_lists(w, e)
    if e not in w.names:  # as the second of a pair has, and a list of rows
        w.names[e] = name = w.fresh(f"{e.what}_{i}")
        if w.module.has_loops and is_fused(e):
            name, text = render_fused(w, e, begin_inner)
        elif e in w.pairs:
            second = w.names[w.pairs[e]] = w.fresh(f"{w.pairs[e].what}_{i + 1}")
            name, text = f"{name}, {second}", render_pair(w, e)
        else:
            text = render(w, e)
        line = bare = f"    {name} = {text}"
        if w.module.comments:
            line = f"{bare}{note(w, e)}"
            w.bare[line] = bare
        w.write(line, e)
        write_sizes(w, e)
    dead = w.plan.dying.get(i)
    if dead:
        names = [name for x in dead for name in (w.names[x], *w.let_go_with.get(x, ()))]
        w.write(f"    del {', '.join(names)}", e)


def render_pair(w: Writer, e: Expr) -> str:
    """The call that computes `e` and the second of its pair."""
    assert e.op is not None
    name = pair_name(e.op, w.pairs[e].what)
    operands = [operand_name(w, x, e) for x in e.inputs]
    attrs = [f"{k}={literal(w, v, k)}" for k, v in e.attrs.items()]
    return f"{name}({', '.join([*operands, *attrs])})"


def note(w: Writer, e: Expr) -> str:
    """A comment: the type of `e`, its line unless it is that of the last comment, and its cause."""
    line, last = w.graph.lines(e), w.last_line
    w.last_line = line
    shown = "" if line in ("", last) else f"  {line}"
    origin = "" if e.origin is None else f"  gradient of {e.origin.name}"
    return f"  # {comment(f'{w.type_of(e)}{shown}{origin}')}"


def render(w: Writer, e: Expr) -> str:
    """The call that computes `e`."""
    if e.op is None:
        return f"{dtype_name(w, e.dtype, '_type')}({size_text(w, e.value)})"
    names = [operand_name(w, x, e) for x in e.inputs]
    if e in w.floats and not has_graphs(e):
        return rounded(w, float_source(e, names)) if e in w.rounded else float_source(e, names)
    if is_list_of_floats(e, w.graph.lowering):
        return f"{names[0]}.tolist()"
    if is_row(e) and any(is_number(x, w.graph.lowering) for x in e.inputs):
        return f"np.array(({', '.join(names)},), {dtype_name(w, e.dtype)})"
    if w.module.has_loops and has_own_function(e):
        function = loop_function(w, e, begin_inner, inner_function)
        return f"{function}({', '.join([*names, *row_arguments(w, e)])})"
    if e.op.name == "stacked" and whole_list(e.inputs[0]) in w.plan.rows.owners:
        return array_of_rows(w, e.inputs[0])
    if e in w.copied:
        return write_copies(w, e)
    out = out_text(w, e)
    if not out and takes_operator(e):
        return e.op.infix.format(*names)
    plain = plain_template(e.op)
    if plain is not None:
        return plain.format(*names, out=out)
    attrs = {k: literal(w, v, k) for k, v in e.attrs.items()}
    template = e.op.template([x.type for x in e.inputs], e.attrs)
    fresh = w.fresh("t") if "{fresh}" in template else ""
    return template.format(*names, operands=", ".join(names), out=out, fresh=fresh, **attrs)


def takes_operator(e: Expr) -> bool:
    """True if Python's operator computes `e`, with the bits of the op's kernel."""
    assert e.op is not None
    if not e.op.infix:
        return False
    if not e.type.shape:
        return e.type.dtype.kind == "f"  # of integers it would warn
    return all(type(x.type) is ArrayType for x in e.inputs)  # and not a list of arrays


@cache
def plain_template(op: Op) -> str | None:
    """The template of an op if it does not depend on types, and names operands one by one only."""
    if op.params or not op.source or not isinstance(op.source, str):
        return None
    return None if "{operands}" in op.source or "{fresh}" in op.source else op.source


def out_text(w: Writer, e: Expr) -> str:
    """The argument that names the memory into which `e` is computed; empty for new memory."""
    if e in w.plan.slots:
        return f", out={w.buffers[w.plan.slots[e]]}"
    x = w.plan.overwritten.get(e)
    return "" if x is None else f", out={w.names[x]}"


def rounded(w: Writer, text: str) -> str:
    """A float rounded to float32, infinite if it is too large."""
    w.scope["c_float"] = c_float
    return f"c_float({text}).value"


def literal(w: Writer, value: Any, name: str) -> str:
    """The value of the attribute `name` as Python source."""
    if isinstance(value, FrozenGraph):
        return inner_function(w, value, name)
    if isinstance(value, Dim):
        return size_text(w, value)
    if isinstance(value, tuple):
        parts = [literal(w, v, name.removesuffix("es")) for v in value]
        return f"({', '.join(parts)}{',' if len(value) == 1 else ''})"
    if isinstance(value, complex) or callable(value) or repr(value).startswith("<"):  # no literals
        name = w.fresh_in_scope(name)
        w.scope[name] = value
        return name
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return dtype_name(w, value) if isinstance(value, np.dtype) else repr(value)
