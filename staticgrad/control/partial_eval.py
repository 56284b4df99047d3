"""Taking a graph apart: built again where it can be built on, differentiated, and closed again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from gradops import ArrayType
from gradops.core.traits import Trait

from ..build.graph import Graph
from ..build.inputs import parameter
from ..freezing.freezer import freeze_body
from ..freezing.size_sources import size_source
from ..ir.expr import Expr, lifted
from ..ir.graph import FrozenGraph
from ..ir.names import Names
from ..ir.reachability import is_before, reachable
from ..ir.sizes import sizes_determined_by, sizes_missing, sizes_undetermined
from ..ir.tuple_types import TupleType, carries_derivatives
from ..transform.reverse import carried_by, pulled
from .stacks import Listed, is_list, plain


class Scratch:
    """A graph to build in, and expressions of frozen graphs thawed into it."""

    def __init__(self) -> None:
        self.graph = Graph("inside")
        self.names: Names = self.graph.names

    def parameter(self, type: ArrayType, name: str) -> Expr:
        """A new value to be given from outside."""
        return parameter(self.names, type, name)

    def parameters(self, like: Iterable[Expr], prefix: str = "") -> list[Expr]:
        """Parameters of the types of expressions."""
        return [self.parameter(e.type, prefix + e.name) for e in like]

    def thaw(self, graph: FrozenGraph, inputs: Sequence[Expr]) -> list[Expr]:
        """The outputs of a frozen graph, as expressions built on `inputs` of the same types."""
        made = dict(zip(graph.inputs, inputs, strict=True))
        for e in graph.order:
            if e not in made:
                made[e] = self.names.add(
                    Expr(e.kind, e.type, self.names.unique(e.name), self.names, op=e.op,
                         inputs=tuple([made[x] for x in e.inputs]), attrs=e.attrs, value=e.value,
                         place=e.place, origin=e.origin)
                )  # fmt: skip
        return [made[e] for e in graph.outputs]

    def expression(self, x: Any) -> Expr:
        """Whatever a rule gave, as an expression of this graph."""
        return x if isinstance(x, Expr) else lifted(self.names, [x])[0]


def dependencies(graph: FrozenGraph) -> tuple[int, ...]:
    """For each output, the inputs on which it depends with a derivative, as bits of a number."""
    found: tuple[int, ...] | None = graph.derived.get("dependencies")
    if found is None:
        bits: dict[Expr, int] = {}
        for i, e in enumerate(graph.inputs):
            bits[e] = (1 << i) if carries_derivatives(e.type) else 0
        for e in graph.order:
            if e not in bits:
                bits[e] = passed_on(e, bits)
        found = graph.derived["dependencies"] = tuple([bits[e] for e in graph.outputs])
    return found


def passed_on(e: Expr, bits: Mapping[Expr, int]) -> int:
    """The inputs that reach an expression by rules."""
    if e.op is None or e.dtype.kind not in "fcO":
        return 0
    total = 0
    for x in carried_by(e):
        total |= bits[x]
    return total


def loop_reach(body: FrozenGraph, carries: int, **attrs: Any) -> tuple[int, ...]:
    """The operands of a loop on which each of its values depends, through any number of steps."""
    found: tuple[int, ...] | None = body.derived.get(("reach", carries))
    if found is None:
        once = dependencies(body)
        state = [once[k] | 1 << k for k in range(carries)]
        settled = False
        while not settled:
            before = list(state)
            for k in range(carries):
                state[k] = through(state[k], state)
            settled = state == before
        rest = [through(each, state) for each in once[carries:]]
        found = body.derived["reach", carries] = (*state, *rest)
    return found


def through(bits: int, state: Sequence[int]) -> int:
    """Some operands, and those on which the state among them depends."""
    for k in chosen(bits & ((1 << len(state)) - 1)):
        bits |= state[k]
    return bits


def case_reach(branches: Sequence[FrozenGraph]) -> list[int]:
    """The operands on which each value depends, in any branch."""
    rows = zip(*map(dependencies, branches), strict=True)
    return [reduce(or_, row) << 1 for row in rows]


def call_reach(function: FrozenGraph) -> Sequence[int]:
    """The operands on which each value of a function depends."""
    return dependencies(function)


def chosen(bits: int) -> set[int]:
    """The numbers of the bits that are set."""
    return {i for i in range(bits.bit_length()) if bits >> i & 1}


@dataclass(frozen=True)
class Split:
    """A graph that also gives what its backward reads, and its backward.

    `forward` has the outputs of the graph and after them `kept` further ones. `backward` takes the
    inputs numbered `reads`, the values kept, and a cotangent for each of the `seeds`; it gives
    those of the inputs numbered `gives`.
    """

    forward: FrozenGraph
    backward: FrozenGraph
    reads: tuple[int, ...]
    kept: int
    gives: tuple[int, ...]

    @property
    def kept_values(self) -> Sequence[Expr]:
        """The inputs of the backward that are values kept."""
        return self.backward.inputs[len(self.reads) : len(self.reads) + self.kept]

    @property
    def cotangents(self) -> Sequence[Expr]:
        """The inputs of the backward that are cotangents."""
        return self.backward.inputs[len(self.reads) + self.kept :]


def split(
    graph: FrozenGraph,
    seeds: Sequence[int],
    wanted: Sequence[int],
    recompute: bool = False,
    fixed: Iterable[int] = (),
) -> Split:
    """The backward of a graph from the outputs `seeds` to the inputs `wanted`.

    With `recompute` all values are computed again from the inputs; without it, those are that
    depend only on the inputs numbered `fixed`, and views.
    """
    s = Scratch()
    inputs = s.parameters(graph.inputs)
    outputs = s.thaw(graph, inputs)
    cotangents = s.parameters([outputs[i] for i in seeds], "d/")
    found = pulled_all([outputs[i] for i in seeds], cotangents, [inputs[i] for i in wanted])
    gives = [i for i in wanted if inputs[i] in found]
    results = [s.expression(found[inputs[i]]) for i in gives]
    unchanging = depends_only_on(inputs, fixed)
    first = cotangents[0].number if cotangents else 0
    kept, reads = residuals(
        results, set(cotangents), inputs, first, lambda e: recompute or unchanging(e)
    )
    backward = freeze_body(results, [*(inputs[i] for i in reads), *kept, *cotangents])
    forward = freeze_body([*outputs, *kept], inputs)
    return Split(forward, backward, tuple(reads), len(kept), tuple(gives))


def pulled_all(
    ys: Sequence[Expr], cotangents: Sequence[Expr], xs: Sequence[Expr]
) -> dict[Expr, Any]:
    """The cotangents of xs, where one expression may be several of the ys."""
    seeds: dict[Expr, Any] = {}
    for y, g in zip(ys, cotangents, strict=True):
        ct = Listed(g, y) if is_list(g) else g
        seeds[y] = seeds[y] + ct if y in seeds else ct
    return {e: plain(ct) for e, ct in pulled(seeds, xs, ()).items()}


def depends_only_on(inputs: Sequence[Expr], fixed: Iterable[int]) -> Callable[[Expr], bool]:
    """Whether an expression is the same in every step, its inputs numbered `fixed` being so."""
    same = {inputs[i] for i in fixed}
    known: dict[Expr, bool] = {e: e in same for e in inputs}

    def unchanging(e: Expr) -> bool:
        for x in sorted(reachable([e], stop=inputs), key=lambda x: x.number):
            if x not in known:
                known[x] = all(known[z] for z in x.inputs)
        return known[e]

    return unchanging


def residuals(
    results: Sequence[Expr],
    cotangents: set[Expr],
    inputs: Sequence[Expr],
    first: int,
    again: Callable[[Expr], bool],
) -> tuple[list[Expr], list[int]]:
    """What of the forward part the backward part reads: expressions to keep, numbers of inputs.

    The backward part is what has numbers from `first` on. What is computed again is part of it.
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
    tell_sizes(results, kept, reads, inputs, cotangents)
    return sorted(kept, key=lambda e: e.number), sorted(reads)


def tell_sizes(
    results: Sequence[Expr],
    kept: dict[Expr, None],
    reads: dict[int, None],
    inputs: Sequence[Expr],
    cotangents: set[Expr],
) -> None:
    """Add to `reads`, or to `kept`, what tells sizes that the backward part, or its own, uses."""
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
    """Whether computing it again costs no more than reading it."""
    if e.op is None or isinstance(e.type, TupleType):  # of several values, parts are kept
        return True
    return e.op.name == "unpack" or (Trait.VIEW in e.op.traits and Trait.CONTROL not in e.op.traits)
