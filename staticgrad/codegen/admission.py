"""Checks of operands in generated code, and the sizes that they and later values determine."""

from gradops import Dim

from ..ir.expr import Expr
from ..ir.sizes import Binding
from ..ir.tuple_types import visible_sizes
from .writer import Writer, axis_text, dtype_name, size_text


def write_admission(w: Writer, e: Expr) -> None:
    """Write the check of an input; for another value the function returns NotImplemented."""
    name, dtype = w.names[e], dtype_name(w, e.dtype)
    known = [(k, n) for k, n in enumerate(e.shape) if isinstance(n, int)]
    if len(known) == len(e.shape):
        shape = f"{name}.shape != {e.shape}"
    else:
        sizes = [f"{name}.ndim != {len(e.shape)}"]
        shape = " or ".join(sizes + [f"{name}.shape[{k}] != {n}" for k, n in known])
    order = f" or not {name}.flags.c_contiguous" if len(e.shape) > 1 else ""
    test = f"type({name}) is not ndarray or {name}.dtype is not {dtype} or {shape}{order}"
    w.write(f"    if {test}:", e)
    w.write("        return NotImplemented", e)


def write_binding(w: Writer, b: Binding) -> None:
    """Name a size that an input determines, or compare one on which it must agree."""
    e, refused = w.graph.inputs[b.number], []
    result = axis_text(w, e, b.axis)
    if b.name is not None:
        name = w.sizes[b.name] = w.fresh(b.name)
        if (b.times, b.plus) == (1, 0):
            w.write(f"    {name} = {result}", e)
            return
        w.write(f"    {name} = ({result} - {b.plus}) // {b.times}", e)
        refused = [f"{name} < 0"]
    if b.like is not None:
        number, axis = b.like
        wanted = f"{w.names[w.graph.inputs[number]]}.shape[{axis}]"
    else:
        wanted = size_text(w, b.size)
    refused.append(f"{result} != {wanted}")
    w.write(f"    if {' or '.join(refused)}:", e)
    w.write(f"        disagree({', '.join(w.names[x] for x in w.graph.inputs)})", e)


def write_sizes(w: Writer, e: Expr) -> None:
    """Name the sizes that depend on data and that `e` is the first to have."""
    if all(n.__class__ is int for n in e.type.shape):
        return
    for k, size in enumerate(visible_sizes(e.type)):
        if isinstance(size, Dim) and size.linear is not None:
            name = size.linear[0]
            if size == Dim(name) and name not in w.sizes and name not in w.unused:
                w.sizes[name] = w.fresh(name)
                w.write(f"    {w.sizes[name]} = {axis_text(w, e, k)}", e)
