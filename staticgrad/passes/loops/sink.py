"""Ops that only one branch reads, moved into it: the other branches do not compute them.

Note [Sinking]. An op that nothing reads but one branch of a `case` is computed in that branch. As a
value that nothing fetches, it is not computed, and cannot fail, where that branch is not taken.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from gradops import OPS, ArrayType, Dim

from ...control.ops import match_sizes
from ...ir.expr import Expr, whole_of
from ...ir.graph import FrozenGraph
from ...ir.interning import Interning
from ...ir.kinds import Kind
from ...ir.sizes import names_in, sizes_determined_by, sizes_undetermined
from ..interface import Pass
from ..prune import inputs_read, values_read
from ..subgraphs import is_pure, parameters_for, readers, subgraph
from .editing import Values


class SinkIntoBranches(Pass):
    """Compute ops that one branch alone reads in that branch. See Note [Sinking]."""

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        if not any(e.op is not None and e.op.name == "case" for e in graph.order):
            return graph
        moves = moves_in(graph, [e for e in values_read(graph) if e.op is OPS["case"]])
        if not moves:
            return graph
        new: dict[Expr, Expr] = {}
        values: dict[Expr, Values] = {}

        def make(e: Expr, inputs: Sequence[Expr], intern: Interning) -> Expr:
            if (whole := whole_of(e)) is not None and whole in values:
                result = values[whole][e.attrs["index"]]
            elif e in moves:
                result = e
                values[e] = moves[e].values(inputs, new, intern)
            else:
                result = intern.copy(e, inputs)
            new[e] = result
            return result

        return graph.remade(make)


@dataclass(frozen=True, eq=False)
class Move:
    """The ops that move into branches of a `case`, and its operands and branches after that.

    `kept` are the numbers of the operands that stay, after the index; `read` is what the moved ops
    read, which becomes operands.
    """

    case: Expr
    kept: Sequence[int]
    read: Sequence[Expr]
    branches: tuple[FrozenGraph, ...]

    def values(self, inputs: Sequence[Expr], new: Mapping[Expr, Expr], intern: Interning) -> Values:
        """The values of the case on its new operands."""
        index, *operands = inputs
        given = (index, *[operands[i] for i in self.kept], *[new[x] for x in self.read])
        made = intern.copy(self.case._replace(attrs={"branches": self.branches}), given)
        return [intern.part(made, i) for i in range(len(self.branches[0].outputs))]


def moves_in(graph: FrozenGraph, cases: Sequence[Expr]) -> dict[Expr, Move]:
    """The moves into the branches of all cases of a graph."""
    read, results = readers(graph), {*graph.results, *graph.measured}
    position = {e: i for i, e in enumerate(graph.order)}
    result = {}
    for case in cases:
        owners = ops_to_move(case, read, results, position)
        move = move_of(case, owners, graph) if owners else None
        if move is not None:
            result[case] = move
    return result


def ops_to_move(
    case: Expr, read: Mapping[Expr, Sequence[Expr]], results: Container[Expr],
    position: Mapping[Expr, int],
) -> dict[Expr, int]:  # fmt: skip
    """The ops that only one branch reads, the last first, with the number of the branch."""
    branches, names = branches_reading(case), names_outside(case)
    result: dict[Expr, int] = {}
    heap = [(-position[x], k) for x, k in branches.items()]
    expressions = {position[x]: x for x in branches}
    heap.sort()
    while heap:
        i, k = heappop(heap)
        e = expressions[-i]
        if e in result or e in results or not is_movable(e, names):
            continue
        if all(result.get(y, branches.get(e, -1) if y is case else -1) == k for y in read[e]):
            result[e] = k
            for x in e.inputs:
                expressions[position[x]] = x
                heappush(heap, (-position[x], k))
    return result


def branches_reading(case: Expr) -> dict[Expr, int]:
    """The operands of a case that one branch alone reads, with its number."""
    result: dict[Expr, int] = {}
    for k, branch in enumerate(case.attrs["branches"]):
        for i in inputs_read(branch, range(len(branch.outputs))):
            x = case.inputs[i + 1]
            result[x] = k if result.get(x, k) == k else -1
    return {x: k for x, k in result.items() if k >= 0 and x is not case.inputs[0]}


def names_outside(case: Expr) -> set[str]:
    """The names of sizes that are the same in all branches of a case as outside."""
    types = [x.type for x in case.inputs[1:]]
    every = [match_sizes("case", branch, types) for branch in case.attrs["branches"]]
    return {n for n in every[0] if all(sizes.get(n) == Dim(n) for sizes in every)}


def is_movable(e: Expr, names: set[str]) -> bool:
    """True for a pure op of arrays whose sizes are known or among `names`."""
    if e.op is None or not is_pure(e) or type(e.type) is not ArrayType:
        return False
    used = [*(n for x in (e, *e.inputs) for n in x.shape), *e.attrs.values()]
    return names_in(used) <= names and all(type(x.type) is ArrayType for x in e.inputs)


def move_of(case: Expr, owners: dict[Expr, int], graph: FrozenGraph) -> Move | None:
    """The move of ops into the branches that own them; None if a branch would miss a size."""
    operands = case.inputs[1:]
    kept = [i for i, x in enumerate(operands) if x not in owners]
    moved = list(reversed(owners))
    read = dict.fromkeys(
        x for e in moved for x in e.inputs if x not in owners and x.kind not in LEAVES
    )
    every = subgraph(graph, list(read), moved)
    taken = [e for branch in case.attrs["branches"] for e in branch.order]
    parameters = dict(zip(read, parameters_for(taken, list(read)), strict=True))
    new = []
    for k, branch in enumerate(case.attrs["branches"]):
        own = [e for e in moved if owners[e] == k]
        result = extended(branch, operands, own, parameters, kept, every)
        if not lacking_sizes(result) <= lacking_sizes(branch):
            return None
        new.append(result)
    return Move(case, kept, list(read), tuple(new))


LEAVES = (Kind.CONSTANT, Kind.SIZE)


def extended(
    branch: FrozenGraph, operands: Sequence[Expr], moved: Sequence[Expr],
    parameters: Mapping[Expr, Expr], kept: Sequence[int], outside: FrozenGraph,
) -> FrozenGraph:  # fmt: skip
    """A branch that computes `moved` operands itself, from `parameters`."""
    intern, own = Interning(), set(moved)
    made = {x: intern.copy(p, ()) for x, p in parameters.items()}
    for e in moved:
        made[e] = intern.copy(e, [made[x] if x in made else intern.copy(x, ()) for x in e.inputs])
        intern.note(made[e], outside.merged.get(e, ()))
    for x, e in zip(operands, branch.inputs, strict=True):
        made[e] = made[x] if x in own else intern.copy(e, ())
    for e in branch.order:
        if e not in made:
            made[e] = intern.copy(e, [made[x] for x in e.inputs])
            intern.note(made[e], branch.merged.get(e, ()))
    inputs = [*(made[branch.inputs[i]] for i in kept), *(made[x] for x in parameters)]
    whole = FrozenGraph(
        tuple(inputs), (), merged={e: p for e, p in intern.merged.items() if p},
        sequence=tuple(intern.order), lowering=branch.lowering,
    )  # fmt: skip
    ends = [[made[e] for e in row] for row in (branch.outputs, branch.measured)]
    return subgraph(whole, inputs, *ends)


def lacking_sizes(graph: FrozenGraph) -> set[str]:
    """The names of sizes in a branch that nothing determines."""
    return sizes_undetermined(graph.order, sizes_determined_by(graph.inputs))
