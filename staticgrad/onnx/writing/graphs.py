"""Writing the expressions of frozen graphs as nodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradops import OPS
from gradops.core.dims import Dim
from gradops.core.source_location import short

from ...build.graph import Graph
from ...build.inputs import as_expression, placeholder
from ...freezing.freezer import freeze
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.kinds import Kind
from ...ir.sizes import sizes_determined_by, sizes_introduced_by
from ...ir.tuple_types import HistoryType, TupleType
from ..errors import Unsupported, UnsupportedOperator
from ..reading.tensors import NUMBERS
from .model_writer import ModelWriter, Names
from .table import find_formula, find_writer

Found = dict[Expr, Any]  # the names of expressions: one, or a list of them for several values
COMPARING = frozenset({"equal", "greater", "greater_equal", "less", "less_equal"})
LOGICAL = frozenset({"logical_and", "logical_not", "logical_or", "logical_xor"})


def write_graph(
    w: ModelWriter, graph: FrozenGraph, operands: Mapping[Expr, Any], outputs: Sequence[Expr],
    is_formula: bool = False,
) -> list[Any]:  # fmt: skip
    """Add the nodes of a graph whose inputs have names; the names of outputs.

    The names of sizes are those of the graph, but in a formula those of its operands.
    """
    found: Found = dict(operands)
    own = set() if is_formula else sizes_determined_by(operands)
    for e, name in operands.items():
        if isinstance(name, str) and name:
            w.note_sizes(name, shape_in_model(e), own)
            own -= sizes_determined_by([e])
    missing: list[tuple[str, str]] = []
    for e in needed(graph, outputs):
        if e in found:
            continue
        try:
            found[e] = write_expression(w, e, found)
        except Unsupported as error:
            missing.append((str(error), where(e)))
            found[e] = None
    if missing:
        raise UnsupportedOperator(missing, "the graph needs")
    return [found[e] for e in outputs]


def needed(graph: FrozenGraph, outputs: Sequence[Expr]) -> list[Expr]:
    """The expressions of a graph that outputs need, in order."""
    wanted = set(outputs)
    for e in reversed(graph.order):
        if e in wanted:
            wanted.update((*e.inputs, *e.control_inputs))
    return [e for e in graph.order if e in wanted]


def where(e: Expr) -> str:
    """The name of an expression and the user's line, for a message."""
    return f"of {e.name}, {short(e.place)}"


def shape_in_model(e: Expr) -> tuple[Any, ...]:
    """The shape of the array of an expression; a list is an array of one axis more."""
    if isinstance(e.type, HistoryType):
        return (*e.type.shape, *e.type.element.shape)
    return e.type.shape


def write_expression(w: ModelWriter, e: Expr, found: Found) -> Any:
    """Add the nodes of one expression; its name, or the names of its values."""
    w.place = short(e.place)
    if e.kind is Kind.CONSTANT:
        return w.constant(e.value, e.name)
    if e.kind is Kind.SIZE:
        size = w.add("Squeeze", w.size(e.value), w.integers(0))
        return w.add("Cast", size, to=NUMBERS[e.dtype], name=e.name)
    if e.op is None:
        raise Unsupported(f"the value of a {e.kind.value}")
    operands = [found[x] for x in e.inputs]
    if any(name is None for name in operands):
        return None  # the error is that of an operand
    require_plain(e)
    name = write_op(w, e, operands)
    if isinstance(name, str):
        w.note_sizes(name, e.shape, sizes_introduced_by(e))
    return name


def require_plain(e: Expr) -> None:
    """Raise Unsupported for complex numbers."""
    for x in (e, *e.inputs):
        if not isinstance(x.type, TupleType) and x.dtype.kind == "c":
            raise Unsupported("complex numbers")


def write_op(w: ModelWriter, e: Expr, operands: Names) -> Any:
    """Add the nodes of an application of an op; what has no entries is a constant."""
    if 0 in e.shape and not any(isinstance(n, Dim) for n in e.shape):
        return w.constant(np.zeros(e.shape, e.dtype), e.name)
    if (write := find_writer(e)) is not None:
        return write(w, e, *operands)
    if e.op.onnx:  # type: ignore[union-attr]
        return write_same(w, e, operands)
    if (function := find_formula(e)) is not None:
        return write_formula(w, e, function, operands)
    raise Unsupported(f"the op {e.op}")


def write_same(w: ModelWriter, e: Expr, operands: Names) -> str:
    """Add the node of an op that is an operator of ONNX, whose operands have one dtype."""
    op = e.op
    assert op is not None
    types = [x.type for x in e.inputs]
    if op.name == "where":
        wanted = [np.dtype(bool), e.dtype, e.dtype]
    elif op.name in LOGICAL:
        wanted = [np.dtype(bool)] * len(types)
    elif op.name in COMPARING:
        wanted = [np.result_type(*[t.dtype for t in types])] * len(types)
    elif op.name == "isnan":
        wanted = [t.dtype for t in types]
    else:
        wanted = [e.dtype] * len(types)
    names = [cast(w, n, t.dtype, d) for n, t, d in zip(operands, types, wanted, strict=True)]
    return w.add(op.onnx, *names, name=e.name)


def cast(w: ModelWriter, name: str, dtype: Any, wanted: Any) -> str:
    """A value in another dtype."""
    if dtype == wanted:
        return name
    if wanted not in NUMBERS:
        raise Unsupported(f"the dtype {wanted}")
    return w.add("Cast", name, to=NUMBERS[wanted])


def inline(
    w: ModelWriter, function: Callable[..., Any], operands: Sequence[Expr], names: Sequence[str],
    dtype: Any = None,
) -> str:  # fmt: skip
    """Add the nodes of a function of operands, whose types count; the name of its result."""
    with Graph("formula").as_default():
        inputs = [placeholder(x.dtype, x.shape, f"x{i}") for i, x in enumerate(operands)]
        result = as_expression(function(*inputs))
        if dtype is not None and result.dtype != dtype:
            result = OPS["astype"](result, dtype=dtype)
        frozen = freeze([result], inputs)
    place = w.place
    given = dict(zip(frozen.inputs, names, strict=True))
    with w.inner_names():
        (name,) = write_graph(w, frozen, given, frozen.outputs, is_formula=True)
    w.place = place
    return str(name)


def write_formula(w: ModelWriter, e: Expr, function: Callable[..., Any], operands: Names) -> str:
    """Add the nodes of what an op is in terms of others, as a function of operands says."""
    name = inline(w, lambda *xs: function(*xs, **e.attrs), e.inputs, operands, e.dtype)
    return w.add("Identity", name, name=e.name)
