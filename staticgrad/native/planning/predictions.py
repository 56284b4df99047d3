"""The time of a graph that the cost table predicts: in machine code, and in NumPy's.

Note [Predictions]. Both are estimates of the graph as it was written, before any pass: so nothing
need be optimised for them, and passes save similar shares of both. Work that both leave to the same
kernel of NumPy counts for neither. What remains is what they differ in: the calls, of which machine
code has none but for what has no code, which costs it more; and the passes over arrays.
"""

from gradops.native import costs
from gradops.native.costs import CostTable
from gradops.native.costs.functions import RELATIVE

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, all_expressions
from ...ir.tuple_types import TupleType, types_of_parts
from ..lowering import has_writer
from .choices import Choice, duration
from .formulas import is_formula
from .kinds import MOVES, is_computed, is_reduction, is_view, name_of
from .work import TURNS, size_of

NATIVE, NUMPY = "machine code", "NumPy"
RUNS = 10_000  # in which machine code has to save the time of compiling it
STARTED, COMPILED = 10e6, 0.5e6  # nanoseconds of compiling: of a graph, and of each expression
LARGEST = 100_000  # expressions; to compile more than that takes minutes
MANY = 5  # calls of ufuncs in a composite kernel
SCALAR = 0.2  # of the time of a call, that of an operation on Python's floats
COPIED = 2  # operations an entry, to give results of NumPy's kernels a place
CACHE = 1 << 22  # bytes of an array that is not in the cache any more when it is read
READS = 3  # of an op of NumPy's, operands and result; in machine code operations share theirs
Times = tuple[float, float]
"""Nanoseconds of machine code, and of NumPy's."""


def tier_for(graph: FrozenGraph) -> Choice:
    """The tier that is to run a graph: machine code, if that pays. See Note [Predictions]."""
    count = sum(1 for _ in all_expressions(graph))
    if count > LARGEST or not has_known_sizes(graph):
        return Choice("graph", "", NUMPY, {NUMPY: 0.0})
    native, numpy = times_of(graph, costs.table())
    compiling = STARTED + COMPILED * count
    way = NATIVE if (numpy - native) * RUNS >= compiling else NUMPY
    note = f"; to compile it takes {duration(compiling)}"
    return Choice("graph", "", way, {NATIVE: native, NUMPY: numpy}, note)


def has_known_sizes(graph: FrozenGraph) -> bool:
    """True if no size depends on data."""
    for e in all_expressions(graph):
        types = types_of_parts(e) if isinstance(e.type, TupleType) else [e.type]
        if any(type(n) is not int for t in types for n in t.shape):
            return False
    return True


def times_of(graph: FrozenGraph, table: CostTable) -> Times:
    """The times of a run of a graph."""
    native = numpy = 0.0
    for e in graph.order:
        ours, theirs = times_of_expression(e, table)
        native, numpy = native + ours, numpy + theirs
    return native, numpy


def times_of_expression(e: Expr, table: CostTable) -> Times:
    """The times of an expression whose operands are there."""
    match name_of(e):
        case "" | "part" | "stacked" | "unstacked":
            return 0.0, 0.0
        case "loop" if e.attrs["cond"] is None:
            steps = int(e.inputs[e.attrs["carries"]].shape[0])
            return repeated(times_of(e.attrs["body"], table), steps)
        case "loop":
            both = [times_of(e.attrs[name], table) for name in ("cond", "body")]
            return repeated((both[0][0] + both[1][0], both[0][1] + both[1][1]), TURNS)
        case "case":
            return max(times_of(branch, table) for branch in e.attrs["branches"])
        case "call":
            return times_of(e.attrs["function"], table)
        case "matmul" | "layer_product":
            return times_of_matmul(e, table)
    if name_of(e) in MOVES or is_view(e):
        return 0.0, table.numpy_call * SCALAR
    return times_of_entries(e, table)


def repeated(times: Times, count: int) -> Times:
    """The times of so many runs."""
    return times[0] * count, times[1] * count


def times_of_matmul(e: Expr, table: CostTable) -> Times:
    """The times of a product of matrices."""
    speeds, work = table.of(e.dtype), size_of(e) * int(e.inputs[0].shape[-1])
    blas, own = work * speeds.blas, work * min(speeds.own_product, speeds.blas)
    ours = min(work * speeds.product, table.product_call + own)
    far = sum(from_memory(x, table) for x in e.inputs)
    return ours + far, table.numpy_call + table.blas_call + blas + far


def from_memory(e: Expr, table: CostTable) -> float:
    """The nanoseconds to read an array, or to write it, if it is too large for the cache."""
    bytes = size_of(e) * e.dtype.itemsize
    return bytes * table.byte if bytes > CACHE else 0.0


def times_of_entries(e: Expr, table: CostTable) -> Times:
    """The times of an op that reads and writes entries."""
    speeds = table.of(e.dtype)
    entries = max([size_of(e), *[size_of(x) for x in e.inputs if is_reduction(e)]])
    own, others = RELATIVE.get(name_of(e), (0.0, 0.0))
    ours = entries * (own * speeds.exp or speeds.operation)
    theirs = entries * (others * speeds.numpy_exp or speeds.numpy_operation)
    far = from_memory(e, table)
    ours, theirs = ours + far, theirs + READS * far
    call = table.numpy_call * (SCALAR if entries == 1 and e.dtype.kind == "f" else 1)
    if is_formula(e):
        return entries * (speeds.exp + MANY * speeds.operation), MANY * (call + theirs)
    if is_computed(e) or is_reduction(e):
        return ours, call + theirs
    if has_writer(e):
        return entries * speeds.operation, call + theirs
    return table.kernel_call + entries * COPIED * speeds.operation, call
