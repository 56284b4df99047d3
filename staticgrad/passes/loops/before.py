"""Work on entries of lists only, moved before the loop and done for all steps at once.

Note [Before the loop]. A recurrent network multiplies each input by a weight: before the loop, that
is one product of the rows of all steps. So is each product of an entry with a captured matrix, what
leads to it, and elementwise ops on it. Small elementwise ops are computed for all steps at once, as
calls cost more than their work there, and so are slices of small entries: views, which take no
memory. The other results take at most as many bytes as the lists that the loop gets and gives.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import ClassVar

from gradops import ArrayType, Batched, Dim
from gradops.core.dims import UNKNOWN
from gradops.core.levels import at_level, levels
from gradops.core.traits import Trait

from ...control.ops import element_of
from ...control.partial_eval import Scratch
from ...control.stacks import with_batch_axis
from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from ...ir.reachability import by_age, reachable
from ...ir.tuple_types import HistoryType
from ..interface import Pass
from ..prune import prune
from ..subgraphs import border, is_pure, parameters_for, with_parameters, with_sizes
from ..totality import fits_always
from .editing import LoopEditor, Values, with_loops

SMALL = 4096  # bytes up to which a call costs more than its work


class ProjectionsBeforeLoop(Pass):
    """Compute products of list entries with weights before a loop. See Note [Before the loop].

    BLAS sums each entry of a larger product in another order: n terms differ by about sqrt(n) eps.
    """

    bound: ClassVar[float] = 64.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        changed = with_loops(graph, computed_before)
        return graph if changed is graph else prune(changed)


def computed_before(loop: LoopEditor) -> Values | None:
    """The values of a loop that gets in lists what its steps computed from entries."""
    if loop.length == UNKNOWN or not keeps_names(loop):
        return None
    moved = moved_from(loop)
    given = border(loop.body, moved)
    if not given or not is_affordable(loop, given):
        return None
    before = Batching(loop, [e for e in loop.body.order if e in moved]).values_of(given)
    parameters = parameters_for(loop.body, given)
    inputs, operands, end = list(loop.body.inputs), list(loop.operands), loop.end
    inputs[end:end], operands[end:end] = parameters, before
    own = dict(zip(given, parameters, strict=True))
    body = with_parameters(loop.body, own, inputs, loop.body.outputs)
    lists = loop.end - loop.carries + len(given)
    new = loop.rebuilt(body, operands, loop.types, lists=lists)
    return loop.parts(new, range(len(loop.types)))


def keeps_names(loop: LoopEditor) -> bool:
    """True if the names in the number of steps denote the same sizes in the body."""
    names = loop.length.names() if isinstance(loop.length, Dim) else ()
    return all(loop.sizes.get(name, Dim(name)) == Dim(name) for name in names)


def moved_from(loop: LoopEditor) -> set[Expr]:
    """The expressions of a body to be computed before the loop."""
    body = loop.body
    fixed = {*body.inputs[loop.end :], *(e for e in body.order if e.kind is Kind.CONSTANT)}
    entries = {e for e in body.inputs[loop.carries : loop.end] if is_array(e, loop)}
    varying = set(entries)
    for e in body.order:
        if is_batchable(e, loop) and depends_on(e, varying, fixed):
            varying.add(e)
    varying.difference_update(entries)
    ends = [e for e in varying if is_projection(e, fixed) or is_small(e) or is_slice(e, entries)]
    result = set(reachable(ends)) & varying
    for e in body.order:
        if e in varying and follows(e) and depends_on(e, result, fixed):
            result.add(e)
    return result


def depends_on(e: Expr, varying: set[Expr], fixed: set[Expr]) -> bool:
    """True if `e` reads some expressions that are `varying`, and others only that are `fixed`."""
    rest = [x for x in e.inputs if x not in varying]
    return len(rest) < len(e.inputs) and fixed.issuperset(rest)


def is_array(e: Expr, loop: LoopEditor) -> bool:
    """True for an array whose sizes are the same in all steps."""
    return type(e.type) is ArrayType and bool(e.shape) and loop.outside(e.type) is not None


def is_batchable(e: Expr, loop: LoopEditor) -> bool:
    """True for a pure op of an array that has a batching rule, and fits its operands."""
    if e.op is None or e.op.batch is None or e.dtype.kind not in "fc":
        return False
    return is_pure(e) and is_array(e, loop) and fits_always(e)


def is_projection(e: Expr, fixed: set[Expr]) -> bool:
    """True for the product of a vector or matrix with a fixed matrix."""
    if e.op is None or e.op.name != "matmul":
        return False
    a, b = e.inputs
    return b in fixed and a not in fixed and len(a.shape) < 3 and len(b.shape) == 2


def is_small(e: Expr) -> bool:
    """True for an op that cannot fail, and whose call costs more than its work."""
    if e.op is None or nominal_bytes(e.type) > SMALL:
        return False
    if Trait.OF_MATRICES in e.op.traits:
        return not e.attrs.get("checked")
    return Trait.ELEMENTWISE in e.op.traits


def is_slice(e: Expr, entries: Container[Expr] | None = None) -> bool:
    """True for a slice of a small array, of one of the entries if these are given."""
    if e.op is None or e.op.name != "slice" or nominal_bytes(e.inputs[0].type) > SMALL:
        return False
    return entries is None or e.inputs[0] in entries


def follows(e: Expr) -> bool:
    """True for an elementwise op that takes no more memory than its largest operand."""
    is_elementwise = e.op is not None and Trait.ELEMENTWISE in e.op.traits
    return is_elementwise and any(x.type == e.type for x in e.inputs)


def is_affordable(loop: LoopEditor, given: Iterable[Expr]) -> bool:
    """True if values of all steps take no more memory than the lists of the loop."""
    lists = [element_of(x.type) for x in loop.operands[loop.carries : loop.end]]
    lists += [t.element for t in loop.types if isinstance(t, HistoryType)]
    new = [nominal_bytes(e.type) for e in given if not is_slice(e)]
    return sum(new) <= sum(map(nominal_bytes, lists))


class Batching:
    """Expressions of a body computed for all steps, by the batching rules of their ops.

    `stacks` are the values in all steps of what a step computes itself.
    """

    def __init__(
        self, loop: LoopEditor, moved: Sequence[Expr], stacks: Mapping[Expr, Expr] | None = None
    ) -> None:
        self.moved, self.loop, self.scratch, self.level = moved, loop, Scratch(), next(levels)
        self.values: dict[Expr, object] = {}
        self.outside: dict[Expr, Expr] = {}
        steps = loop.length.names() if isinstance(loop.length, Dim) else ()
        self.sizes = {**loop.sizes, **{name: Dim(name) for name in steps}}
        read = {x for e in moved for x in e.inputs}.difference(stacks or ())
        for i, e in enumerate(loop.body.inputs[loop.carries :], loop.carries):
            if e in read:
                self.add_input(e, loop.operands[i], i < loop.end)
        for e, stack in (stacks or {}).items():
            self.add_stack(e, stack)

    def add_input(self, e: Expr, operand: Expr, is_entry: bool) -> None:
        """Note the value of an input: for entries, those of all steps."""
        if is_entry:
            self.add_stack(e, self.loop.list_as_array(operand, element_of(operand.type)))
        else:
            self.values[e] = x = self.scratch.parameter(e.type, e.name)
            self.outside[x] = operand

    def add_stack(self, e: Expr, stack: Expr) -> None:
        """Note the values of an expression in all steps."""
        x = self.scratch.parameter(with_batch_axis(e.type, self.loop.length), e.name)
        self.values[e], self.outside[x] = Batched(x, self.level), stack

    def values_of(self, given: Sequence[Expr]) -> list[Expr]:
        """The values of some of the expressions in all steps, as arrays outside."""
        for e in self.moved:
            assert e.op is not None
            with at_level(self.level):
                y = self.values[e] = e.op(*map(self.value, e.inputs), **e.attrs)
            assert isinstance(y, Batched)
            self.copy_outside(y.stack, e)
        return [self.outside[self.values[e].stack] for e in given]  # type: ignore[attr-defined]

    def value(self, e: Expr) -> object:
        """The value of an expression, or a constant."""
        if e not in self.values:
            self.values[e] = e.value
        return self.values[e]

    def copy_outside(self, stack: Expr, e: Expr) -> None:
        """Copy what a batching rule built for `e` into the graph outside."""
        for x in sorted(reachable([stack], stop=self.outside), key=by_age):
            if x not in self.outside:
                new = x._replace(name=e.name, place=e.place, origin=e.origin, value=x.value)
                inputs = [self.outside[z] for z in x.inputs]
                self.outside[x] = self.loop.intern.copy(with_sizes(new, self.sizes), inputs)
