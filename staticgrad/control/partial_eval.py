"""Partial evaluation: graphs split for reverse mode into a forward with residuals, a backward."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from gradops import ArrayType
from gradops.core.traits import Trait

from ..build.graph import Graph
from ..build.inputs import parameter
from ..freezing.freezer import freeze_body
from ..freezing.size_sources import size_source
from ..ir.expr import Expr, as_exprs
from ..ir.graph import FrozenGraph
from ..ir.names import Names
from ..ir.reachability import is_before, reachable
from ..ir.sizes import sizes_determined_by, sizes_missing, sizes_undetermined
from ..ir.tuple_types import TupleType, carries_derivatives
from ..transform.reverse import backpropagate, carried_by
from .stacks import Cotangent, ListCotangent, as_expr, is_list


class Scratch:
    """A temporary graph, into which frozen graphs are copied to build on them."""

    def __init__(self) -> None:
        self.graph = Graph("inside")
        self.names: Names = self.graph.names

    def parameter(self, type: ArrayType, name: str) -> Expr:
        """A new input."""
        return parameter(self.names, type, name)

    def parameters(self, like: Iterable[Expr], prefix: str = "") -> list[Expr]:
        """New inputs of the types of expressions."""
        return [self.parameter(e.type, prefix + e.name) for e in like]

    def thaw(self, graph: FrozenGraph, inputs: Sequence[Expr]) -> list[Expr]:
        """Copy a frozen graph onto `inputs`, of the types of its own; returns its outputs."""
        made = dict(zip(graph.inputs, inputs, strict=True))
        for e in graph.order:
            if e not in made:
                made[e] = self.names.add(
                    Expr(e.kind, e.type, self.names.unique(e.name), self.names, op=e.op,
                         inputs=tuple([made[x] for x in e.inputs]), attrs=e.attrs, value=e.value,
                         place=e.place, origin=e.origin)
                )  # fmt: skip
        return [made[e] for e in graph.outputs]

    def expression(self, x: object) -> Expr:
        """The result of a rule as an expression of this graph."""
        return x if isinstance(x, Expr) else as_exprs(self.names, [x])[0]


def dependencies(graph: FrozenGraph) -> tuple[int, ...]:
    """For each output, a bit mask of the inputs on which it depends differentiably."""
    result: tuple[int, ...] | None = graph.derived.get("dependencies")
    if result is None:
        bits: dict[Expr, int] = {}
        for i, e in enumerate(graph.inputs):
            bits[e] = (1 << i) if carries_derivatives(e.type) else 0
        for e in graph.order:
            if e not in bits:
                bits[e] = inputs_reaching(e, bits)
        result = graph.derived["dependencies"] = tuple([bits[e] for e in graph.outputs])
    return result


def inputs_reaching(e: Expr, bits: Mapping[Expr, int]) -> int:
    """The bit mask of inputs that reach an expression through derivative rules."""
    if e.op is None or e.dtype.kind not in "fcO":
        return 0
    total = 0
    for x in carried_by(e):
        total |= bits[x]
    return total


def loop_reach(body: FrozenGraph, carries: int, **attrs: object) -> tuple[int, ...]:
    """For each result of a loop, the operands it depends on, through any number of steps."""
    result: tuple[int, ...] | None = body.derived.get(("reach", carries))
    if result is None:
        once = dependencies(body)
        state = [once[k] | 1 << k for k in range(carries)]
        before: list[int] = []
        while state != before:
            before = list(state)
            for k in range(carries):
                state[k] = with_dependencies(state[k], state)
        rest = [with_dependencies(each, state) for each in once[carries:]]
        result = body.derived["reach", carries] = (*state, *rest)
    return result


def active_state(body: FrozenGraph, operands: Iterable[int], carries: int) -> list[int]:
    """The differentiable loop-carried values that depend on any of the numbered operands."""
    reach, asked = loop_reach(body, carries), sum(1 << i for i in operands)
    inputs = body.inputs
    return [k for k in range(carries) if reach[k] & asked and carries_derivatives(inputs[k].type)]


def with_dependencies(bits: int, state: Sequence[int]) -> int:
    """Operands, and those on which the state among them depends."""
    for k in set_bits(bits & ((1 << len(state)) - 1)):
        bits |= state[k]
    return bits


def case_reach(branches: Sequence[FrozenGraph]) -> list[int]:
    """For each result, the operands on which it depends in any branch."""
    rows = zip(*map(dependencies, branches), strict=True)
    return [reduce(or_, row) << 1 for row in rows]


def call_reach(function: FrozenGraph) -> Sequence[int]:
    """For each result of a function, the operands on which it depends."""
    return dependencies(function)


def set_bits(bits: int) -> set[int]:
    """The positions of the bits that are set."""
    return {i for i in range(bits.bit_length()) if bits >> i & 1}


@dataclass(frozen=True, eq=False)
class Split:
    """A graph split for reverse mode: a forward that also returns residuals, and a backward.

    `forward` returns the outputs of the graph and then `kept` residuals. `backward` takes the
    inputs numbered `reads`, the residuals, and a cotangent for each of the `seeds`; it returns the
    cotangents of the inputs numbered `gives`.
    """

    forward: FrozenGraph
    backward: FrozenGraph
    reads: tuple[int, ...]
    kept: int
    gives: tuple[int, ...]

    @property
    def kept_values(self) -> Sequence[Expr]:
        """The inputs of the backward that are residuals."""
        return self.backward.inputs[len(self.reads) : len(self.reads) + self.kept]

    @property
    def cotangents(self) -> Sequence[Expr]:
        """The inputs of the backward that are cotangents."""
        return self.backward.inputs[len(self.reads) + self.kept :]


def split(
    graph: FrozenGraph, seeds: Sequence[int], wanted: Sequence[int], recompute: bool = False,
    fixed: Iterable[int] = (),
) -> Split:  # fmt: skip
    """Split a graph for reverse mode from the outputs `seeds` to the inputs `wanted`.

    With `recompute` the backward recomputes all values from the inputs; otherwise only views, and
    values that depend on no inputs but those numbered `fixed`.
    """
    s = Scratch()
    inputs = s.parameters(graph.inputs)
    outputs = s.thaw(graph, inputs)
    cotangents = s.parameters([outputs[i] for i in seeds], "d/")
    result = pull_back_all([outputs[i] for i in seeds], cotangents, [inputs[i] for i in wanted])
    gives = [i for i in wanted if inputs[i] in result]
    results = [s.expression(result[inputs[i]]) for i in gives]
    unchanging = depends_only_on(inputs, fixed)
    first = cotangents[0].number if cotangents else 0
    kept, reads = residuals(
        results, set(cotangents), inputs, first, lambda e: recompute or unchanging(e)
    )
    backward = freeze_body(results, [*(inputs[i] for i in reads), *kept, *cotangents])
    forward = freeze_body([*outputs, *kept], inputs)
    return Split(forward, backward, tuple(reads), len(kept), tuple(gives))


def pull_back_all(
    ys: Sequence[Expr], cotangents: Sequence[Expr], xs: Sequence[Expr]
) -> dict[Expr, Expr]:
    """The cotangents of xs; an expression may occur several times among the ys."""
    seeds: dict[Expr, Cotangent] = {}
    for y, g in zip(ys, cotangents, strict=True):
        ct = ListCotangent(g, y) if is_list(g) else g
        seeds[y] = seeds[y] + ct if y in seeds else ct
    return {e: as_expr(ct) for e, ct in backpropagate(seeds, xs, ()).items()}


def depends_only_on(inputs: Sequence[Expr], fixed: Iterable[int]) -> Callable[[Expr], bool]:
    """A predicate: an expression depends on no inputs but those numbered `fixed`."""
    same = {inputs[i] for i in fixed}
    known: dict[Expr, bool] = {e: e in same for e in inputs}

    def unchanging(e: Expr) -> bool:
        for x in sorted(reachable([e], stop=inputs), key=lambda x: x.number):
            if x not in known:
                known[x] = all(known[z] for z in x.inputs)
        return known[e]

    return unchanging


def residuals(
    results: Sequence[Expr], cotangents: set[Expr], inputs: Sequence[Expr], first: int,
    again: Callable[[Expr], bool],
) -> tuple[list[Expr], list[int]]:  # fmt: skip
    """The residuals, and the numbers of the inputs, that the backward part reads.

    The backward part is the expressions with numbers from `first` on, and those forward ones that
    are recomputed, as `again` says.
    """
    numbers = {e: i for i, e in enumerate(inputs)}
    kept: dict[Expr, None] = {}
    reads: dict[int, None] = {}
    stack, seen = list(results), set(results)
    while stack:
        e = stack.pop()
        if e in cotangents:
            continue
        if e in numbers:
            reads[numbers[e]] = None
        elif is_before(e, first) and not (is_cheap(e) or again(e)):
            kept[e] = None
        else:
            new = [x for x in e.inputs if x not in seen]
            seen.update(new)
            stack += new
    add_size_sources(results, kept, reads, inputs, cotangents)
    return sorted(kept, key=lambda e: e.number), sorted(reads)


def add_size_sources(
    results: Sequence[Expr], kept: dict[Expr, None], reads: dict[int, None], inputs: Sequence[Expr],
    cotangents: set[Expr],
) -> None:  # fmt: skip
    """Add to `reads`, or to `kept`, expressions that determine sizes in the backward part."""
    ends = {*kept, *cotangents, *(inputs[i] for i in reads)}
    between = reachable(results, stop=ends)
    known = sizes_determined_by(ends)
    missing = sizes_missing(between, known) | sizes_undetermined(between, known)
    for i, e in enumerate(inputs):
        if missing & sizes_determined_by([e]):
            reads[i] = None
            missing -= sizes_determined_by([e])
    for name in sorted(missing):
        source = size_source(name, results) if name in missing else None
        if source is not None:
            kept[source] = None
            missing -= sizes_determined_by([source])


def is_cheap(e: Expr) -> bool:
    """Whether recomputing an expression costs no more than reading it."""
    if e.op is None or isinstance(e.type, TupleType):  # of several values, parts are kept
        return True
    return e.op.name == "unpack" or (Trait.VIEW in e.op.traits and Trait.CONTROL not in e.op.traits)
