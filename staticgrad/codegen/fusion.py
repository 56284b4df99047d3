"""Fusion groups in generated code: a function for a block, which is called for all of them.

Note [Code of blocks]. The function of a block is that of the group's graph, for some rows. Values
that have rows are computed where the whole array is to be: the function gets the rows of the
results, too. So what is computed in place of another, up to a result, is in the memory of the
result. What else is computed on the way has buffers for one block. Sums are returned, and added by
`in_blocks`.

Note [Threads beside BLAS]. After a product, OpenBLAS's threads wait for the next one for 25 ms,
without letting go of their cores. Threads of blocks would share these with them, which takes longer
than one thread does: beside large products, blocks have one.
"""

from collections.abc import Callable

from gradops import Dim
from gradops.core.flops import flops_of
from gradops.kernels.blocks import block_rows, in_blocks, threads_for

from ..ir.expr import Expr, whole_of
from ..ir.graph import FrozenGraph
from ..ir.nominal import NOMINAL, nominal_bytes
from ..ir.tuple_types import types_of_parts
from .memory.lifetimes import takes_out
from .writer import Writer, dtype_name, operand_name

PRODUCTS = frozenset({"matmul", "linear", "layer_product"})
LARGE = 1 << 19  # operations from which OpenBLAS takes several threads

Begin = Callable[[Writer, FrozenGraph, str, Callable[[Writer], None]], Writer]
"""Begins the function of a graph inside another's, whose plan is changed first: all but its end."""


def render_fused(outer: Writer, e: Expr, begin: Begin) -> tuple[str, str]:
    """The names of the values of a fusion group that are read, and the call that computes them."""
    parts = {x.attrs["index"]: x for x in outer.graph.order if whole_of(x) is e}
    graph = e.attrs["function"]
    count = len(graph.outputs) - e.attrs["sums"]
    names = [outer.fresh(y.name) for y in graph.outputs]
    outer.names |= {x: names[i] for i, x in parts.items()}
    results = [result_memory(outer, e, i, parts.get(i)) for i in range(count)]
    outer.scope["in_blocks"] = in_blocks
    operands = ", ".join([operand_name(outer, x, e) for x in e.inputs])
    given = f"({operands},), {e.attrs['split']}, ({', '.join(results)}{',' * bool(results)})"
    given += ", 1" if has_large_products(outer.graph) else ""
    text = f"in_blocks({block_function(outer, e, begin)}, {rows_of_block(e)}, {given})"
    return ", ".join(names) + "," * (len(names) == 1), text


def result_memory(w: Writer, e: Expr, index: int, part: Expr | None) -> str:
    """The memory for a value that has rows: a buffer, or new memory."""
    if part in w.plan.slots:
        return w.buffers[w.plan.slots[part]]
    type = types_of_parts(e)[index]
    return f"np.empty({type.shape}, {dtype_name(w, type.dtype)})"


def rows_of(e: Expr) -> int:
    """The number of rows of all blocks."""
    return next(x.shape[0] for x, s in zip(e.inputs, e.attrs["split"], strict=True) if s)


def rows_of_block(e: Expr) -> int:
    """The number of rows of a block."""
    rows = rows_of(e)
    graph = e.attrs["function"]
    wide = [
        nominal_bytes(x.type) for x in graph.order if x.shape and x.shape[0].__class__ is not int
    ]
    return block_rows(rows, max(wide) // NOMINAL)


def threads_of(graph: FrozenGraph, e: Expr) -> int:
    """The number of threads that compute the blocks of a group in a graph."""
    return 1 if has_large_products(graph) else threads_for(rows_of(e), rows_of_block(e))


def has_large_products(graph: FrozenGraph) -> bool:
    """True if BLAS takes several threads for a product. See Note [Threads beside BLAS]."""
    found = graph.derived.get("has large products")
    if found is None:
        found = graph.derived["has large products"] = any(map(is_large_product, graph.order))
    return bool(found)


def is_large_product(e: Expr) -> bool:
    """True for a product of matrices for which BLAS takes several threads."""
    if e.op is None or e.op.name not in PRODUCTS:
        return False
    count = flops_of(e.op, e.type, [x.type for x in e.inputs], e.attrs)
    return isinstance(count, Dim) or count >= LARGE


def block_function(outer: Writer, e: Expr, begin: Begin) -> str:
    """The name of the function of a block, which is written if it is new."""
    module, graph = outer.module, e.attrs["function"]
    name = module.loops.get(("fused", graph, e.attrs["sums"]))
    if name is None:
        results = graph.outputs[: len(graph.outputs) - e.attrs["sums"]]
        w = begin(outer, graph, "block", lambda w: write_results_in_place(w, results))
        name = module.loops["fused", graph, e.attrs["sums"]] = w.name
        w.plan.threads = threads_of(outer.graph, e)
        for y, place in zip(results, w.results, strict=True):
            if y not in w.plan.slots:
                w.write(f"    np.copyto({place}, {w.names[y]})", y)
        if w.plan.types:
            w.write("    pool.append(arena)", None)
        sums = "".join(f"{operand_name(w, y, y)}, " for y in graph.outputs[len(results) :])
        w.write(f"    return ({sums})", None)
        w.finish()
    outer.called[name] = None
    return name


def write_results_in_place(w: Writer, results: tuple[Expr, ...]) -> None:
    """Compute the blocks that end as results in the memory that is given for these."""
    first = len(w.plan.types)
    for k, y in enumerate(results):
        w.results.append(w.fresh(f"{y.name}_rows"))
        block = w.plan.block_of.get(y)
        if block is not None and block.layout is not None and takes_out(block.members[0]):
            w.plan.slots |= dict.fromkeys(block.members, first + k)
