"""Results of generated code: numbers become NumPy's scalars, and shared memory is copied."""

import numpy as np

from gradops.core.traits import Trait

from ..ir.expr import Expr, Kind
from ..ir.graph import graphs_in, has_graphs
from .memory.buffers import Plan
from .writer import Writer, dtype_name


def write_return(w: Writer, form: str) -> None:
    """Give the buffers back and return results that share no memory with anything kept."""
    if w.plan.types:
        w.write("    pool.append(arena)", None)
    copied = copied_results(w.plan)
    texts = [result_text(w, e, i in copied) for i, e in enumerate(w.graph.results)]
    w.write(f"    return {form.format(', '.join(texts)) if texts else '()'}", None)


def copied_results(plan: Plan) -> set[int]:
    """The numbers of results that may share memory with what is kept, or with earlier ones."""
    kept = {e for e in plan.graph.order if e.kind is not Kind.OP}
    result: set[int] = set()
    for i, e in enumerate(plan.graph.results):
        memory = plan.memory(e)
        if is_constant_or_repeated(e) or not kept.isdisjoint(memory):
            result.add(i)
        kept.update(memory)
    return result


def is_constant_or_repeated(end: Expr) -> bool:
    """True if the value may be a constant, or a view with several entries in one place."""
    stack, seen = [end], {end}
    while stack:
        e = stack.pop()
        if e.kind is Kind.CONSTANT:
            return True
        if e.op is None or Trait.VIEW not in e.op.traits:
            continue
        if not e.op.traits.isdisjoint((Trait.BROADCASTING, Trait.OVERLAPPING)):
            return True
        new = e.inputs[:1]
        if has_graphs(e):
            new = (*e.inputs, *(y for graph in graphs_in(e) for y in graph.outputs))
        stack += [x for x in new if x not in seen]
        seen.update(new)
    return False


def result_text(w: Writer, e: Expr, shared: bool) -> str:
    """The text of a result: numbers become NumPy's scalars, and shared memory is copied."""
    if e.shape:
        return f"np.array({w.names[e]})" if shared else w.names[e]
    if e in w.floats:
        return f"{dtype_name(w, e.dtype, '_type')}({w.names[e]})"
    if e.op is not None:
        is_scalar = isinstance(e.op.kernel, np.ufunc) or Trait.REDUCTION in e.op.traits
    else:
        is_scalar = e.kind is not Kind.CONSTANT
    return w.names[e] if is_scalar else f"{w.names[e]}[()]"
