"""Sums over the steps of a loop, computed after it: one product instead of one per step.

Note [After the loop]. In the backward of a loop, the gradient of a weight is a state to which each
step adds `x.T @ g`, say. Nothing but that addition reads it. So the steps give `g` in a list, and
after the loop the rows of all steps are multiplied at once: `X.T @ G`. So is a vector with a larger
array that the loop gets, entry by entry. A linear op, such as a transposition, is applied to the
sum. Of values in lists that the loop gets, nothing is given; of
others, as many bytes at most as the lists have that the loop gets: the residuals.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from typing import ClassVar

from gradops import OPS, ArrayType
from gradops.core.dims import UNKNOWN, product
from gradops.core.traits import Trait

from ...control.ops import element_of
from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph
from ...ir.nominal import nominal_bytes
from ...ir.sizes import bound_type
from ...ir.tuple_types import HistoryType
from ..interface import Pass
from ..prune import prune
from ..subgraphs import subgraph, with_sizes
from ..totality import fits_always
from .editing import LoopEditor, Values, with_loops
from .sums import added_terms, read_once

FEW_BYTES = 1 << 18  # of arrays that may be made whatever the lists take
SMALL = 4096  # bytes up to which an addition costs more than an entry of a list


@dataclass(frozen=True)
class WeightGradientsAfterLoop(Pass):
    """Compute sums over the steps of a loop after it, by one product. See Note [After the loop].

    The order of summation changes: n terms of which each is exact to a few units in the last place
    are added in n steps there and in blocks here, so the difference is a random walk of about
    sqrt(n) eps of the largest partial sum, which a change of the data by eps makes, too.
    """

    bound: ClassVar[float] = 64.0

    def __call__(self, graph: FrozenGraph) -> FrozenGraph:
        changed = with_loops(graph, summed_after)
        return graph if changed is graph else prune(changed)


@dataclass(frozen=True)
class Rows:
    """The rows of a matrix of each step, or its columns; if `flat`, its entries as one row."""

    value: Expr
    columns: bool = False
    flat: bool = False


@dataclass(frozen=True)
class Term:
    """The term that a step adds: the ops `chain`, outermost first, of a product, or of `value`.

    A product is one of rows: the transposed `left` times the `right`; or of `factors`, entry by
    entry.
    """

    is_negative: bool
    chain: tuple[Expr, ...]
    value: Expr
    left: Rows | None = None
    right: Rows | None = None
    factors: tuple[Expr, ...] = ()

    @property
    def stacked(self) -> list[Expr]:
        """The values of each step that are needed after the loop."""
        if self.left is None or self.right is None:
            return [*self.factors] or [self.value]
        return [self.left.value, self.right.value]


@dataclass(frozen=True)
class Sum:
    """State `number` of a loop, to which each step adds `terms` and nothing else."""

    number: int
    terms: Sequence[Term]

    @property
    def stacked(self) -> list[Expr]:
        """The values of each step that are needed after the loop."""
        return [v for term in self.terms for v in term.stacked]


def summed_after(loop: LoopEditor) -> Values | None:
    """The values of a loop some of whose state is summed after it."""
    if loop.length == UNKNOWN:
        return None
    stacks = Stacks(loop)
    sums = affordable(stacks, sums_in(loop))
    if not sums:
        return None
    dropped = {s.number for s in sums}
    kept = [k for k in range(len(loop.types)) if k not in dropped]
    stacks.rebuild(dropped, kept, dict.fromkeys(v for s in sums for v in s.stacked))
    values = dict(zip(kept, loop.parts(stacks.loop, range(len(kept))), strict=True))
    values |= {s.number: total(stacks, s) for s in sums}
    return [values[k] for k in range(len(loop.types))]


class Stacks:
    """The values of all steps of a loop as arrays: of its operands, or given by it."""

    def __init__(self, editor: LoopEditor) -> None:
        self.editor, self.loop = editor, editor.e
        first, end = editor.carries, editor.end
        self.numbers = {e: i for i, e in enumerate(editor.body.inputs[first:end], first)}
        self.places: dict[Expr, int] = {}

    def rebuild(self, dropped: Container[int], kept: Sequence[int], read: Iterable[Expr]) -> None:
        """Let the loop give what is `read`, without the state that is `dropped`."""
        old, body = self.editor, self.editor.body
        outputs = [body.outputs[k] for k in kept]
        first = sum([k < old.carries for k in kept])
        self.places = {e: i for i, e in enumerate(outputs) if i >= first}
        new = [v for v in read if v not in self.numbers and v not in self.places]
        self.places |= {e: i for i, e in enumerate(new, len(outputs))}
        types = [*(old.types[k] for k in kept), *map(self.history, new)]
        order = sorted(range(len(body.inputs)), key=lambda k: k in dropped)
        inputs = [body.inputs[k] for k in order]  # what is dropped may still tell a size
        step = subgraph(body, inputs, [*outputs, *new], body.measured)
        operands = [old.operands[k] for k in order]
        self.loop = old.rebuilt(step, operands, types, carries=first)

    def element(self, v: Expr) -> ArrayType:
        """The type outside of a value of each step."""
        return bound_type(v.type, self.editor.sizes)

    def history(self, v: Expr) -> HistoryType:
        """The type of a list of a value of each step."""
        return HistoryType(self.editor.length, self.element(v))

    def bytes(self, v: Expr) -> int:
        """The bytes in each step of the array: none for an operand that is an array."""
        i = self.numbers.get(v)
        is_array = i is not None and not isinstance(self.editor.operands[i].type, HistoryType)
        return 0 if is_array else nominal_bytes(v.type)

    def __getitem__(self, v: Expr) -> Expr:
        """The values of all steps as an array."""
        if v in self.numbers:
            values = self.editor.operands[self.numbers[v]]
        else:
            (values,) = self.editor.parts(self.loop, [self.places[v]])
        return self.editor.list_as_array(values, self.element(v))

    def rows(self, r: Rows) -> Expr:
        """The rows of all steps as one matrix."""
        make, x = self.editor.make, self[r.value]
        if r.columns:
            x = make("transpose", x, axes=(0, 2, 1))
        n, *shape = x.shape
        width = product(shape) if r.flat else shape[-1]
        count = n if r.flat else product((n, *shape[:-1]))
        return x if x.shape == (count, width) else make("reshape", x, shape=(count, width))


def sums_in(loop: LoopEditor) -> list[Sum]:
    """The state of a loop to which each step only adds, as sums that may be computed after it."""
    alone, result = read_once(loop.body), []
    for k, added in added_terms(loop, alone).items():
        terms = [term_of(e, sign, alone, loop) for e, sign in added]
        found = [t for t in terms if t is not None]
        if len(found) == len(terms):
            result.append(Sum(k, found))
    return result


def term_of(e: Expr, sign: bool, alone: Container[Expr], loop: LoopEditor) -> Term | None:
    """A term of a sum as a product of rows, or as linear ops of a value; None for others."""
    chain: list[Expr] = []
    while e in alone and e.op is not None and fits_always(e):
        if e.op.name == "matmul" and [len(x.shape) for x in e.inputs] == [2, 2]:
            return product_term(e, Term(sign, tuple(chain), e), loop)
        if e.op.name == "mul" and is_outer(e):
            left, right = sorted(e.inputs, key=lambda x: x.shape[-1:] != (1,))
            return rows_term(Term(sign, tuple(chain), e), Rows(left, flat=True),
                             Rows(right, flat=True), loop)  # fmt: skip
        if e.op.name == "mul" and has_given_factor(e, loop):
            return Term(sign, tuple(chain), e, factors=e.inputs)
        if not is_linear(e, loop):
            break
        chain.append(e)
        (e,) = e.inputs
    reduces = any(map(is_sum_of_entries, chain))
    if not is_given(e, loop) or not (e.shape and (reduces or nominal_bytes(e.type) <= SMALL)):
        return None
    return Term(sign, tuple(chain), e)


def is_linear(e: Expr, loop: LoopEditor) -> bool:
    """True for an op of one operand that may be applied to a sum instead of to its terms."""
    if e.op is None or Trait.LINEAR not in e.op.traits or Trait.CHECKING in e.op.traits:
        return False
    return len(e.inputs) == 1 and e.inputs[0].dtype == e.dtype and loop.outside(e.type) is not None


def is_sum_of_entries(e: Expr) -> bool:
    """True for a linear reduction, whose result is smaller than its operand."""
    return e.op is OPS["sum_to"] or (e.op is not None and Trait.REDUCTION in e.op.traits)


def is_outer(e: Expr) -> bool:
    """True for the product of a column and a row, neither of them of size 1."""
    shapes = sorted((x.shape for x in e.inputs), key=lambda shape: shape[-1:] != (1,))
    column, row = shapes[0], shapes[1]
    if len(e.shape) != 2 or len(column) != 2 or column[-1] != 1:
        return False
    return column[0] == e.shape[0] and row in ((e.shape[1],), (1, e.shape[1]))


def has_given_factor(e: Expr, loop: LoopEditor) -> bool:
    """True for an entry of a list times a value with fewer axes, that a step can give."""
    large, small = sorted(e.inputs, key=lambda x: -len(x.shape))
    entries = loop.body.inputs[loop.carries : loop.end]
    return large in set(entries) and 0 < len(small.shape) < len(large.shape) and (
        large.type == e.type and is_given(small, loop)
    )  # fmt: skip


def product_term(e: Expr, term: Term, loop: LoopEditor) -> Term | None:
    """A product of matrices as one of rows."""
    a, b = e.inputs
    left = Rows(a.inputs[0]) if is_transposed(a) else Rows(a, columns=True)
    right = Rows(b)
    if is_transposed(b) and b.inputs[0] in set(loop.body.inputs):
        right = Rows(b.inputs[0], columns=True)
    return rows_term(term, left, right, loop)


def rows_term(term: Term, left: Rows, right: Rows, loop: LoopEditor) -> Term | None:
    """A term that is a product, unless a factor is the same in all steps."""
    if not is_given(left.value, loop) or not is_given(right.value, loop):
        return None
    return replaced(term, left=left, right=right)


def is_transposed(e: Expr) -> bool:
    """True for a matrix that is another one with its axes exchanged."""
    return e.op is not None and e.op.name == "transpose" and len(e.shape) == 2


def is_given(e: Expr, loop: LoopEditor) -> bool:
    """True for a value that a step gets in a list or can give in one."""
    if e.op is None and e in set(loop.body.inputs[loop.end :]):
        return False
    is_array = type(e.type) is ArrayType and e.kind in (Kind.OP, Kind.PARAMETER)
    return is_array and loop.outside(e.type) is not None


def affordable(stacks: Stacks, sums: Sequence[Sum]) -> list[Sum]:
    """The sums, those of most bytes first, as long as arrays take no more than the loop's lists."""
    editor = stacks.editor
    lists = editor.operands[editor.carries : editor.end]
    budget = max(sum([nominal_bytes(element_of(x.type)) for x in lists]), share_of_few(editor))
    result, seen = list[Sum](), set[Expr]()
    state = editor.body.inputs
    for s in sorted(sums, key=lambda s: -nominal_bytes(state[s.number].type)):
        new = dict.fromkeys(v for v in s.stacked if v not in seen)
        cost = sum([stacks.bytes(v) for v in new])
        if cost <= budget:
            budget -= cost
            seen.update(new)
            result.append(s)
    return result


def share_of_few(editor: LoopEditor) -> int:
    """The bytes in each step of arrays so small that they count for nothing."""
    return FEW_BYTES // max(editor.length, 1) if isinstance(editor.length, int) else 0


def total(stacks: Stacks, s: Sum) -> Expr:
    """The last state that is a sum: the first state and the terms of all steps."""
    editor = stacks.editor
    result: Expr | None = editor.operands[s.number]
    if is_zero(editor.operands[s.number]) and not s.terms[0].is_negative:
        result = None
    for term in s.terms:
        value = total_of_term(stacks, term)
        op = "sub" if term.is_negative else "add"
        result = value if result is None else editor.make(op, result, value)
    assert result is not None
    return result


def is_zero(e: Expr) -> bool:
    """True for zeros."""
    if e.kind is Kind.CONSTANT:
        return not e.value.any()
    return e.op is not None and e.op.name == "full_like" and e.attrs["value"] == 0


def with_axes(stacks: Stacks, v: Expr, rank: int) -> Expr:
    """The values of all steps as an array whose entries have so many axes."""
    x = stacks[v]
    n, *shape = x.shape
    full = (n, *[1] * (rank - len(shape)), *shape)
    return x if x.shape == full else stacks.editor.make("reshape", x, shape=full)


def total_of_term(stacks: Stacks, term: Term) -> Expr:
    """The sum of a term over all steps."""
    editor, chain = stacks.editor, list(term.chain)
    if term.left is not None and term.right is not None:
        left = editor.make("transpose", stacks.rows(term.left))
        x = editor.make("matmul", left, stacks.rows(term.right), like=term.value)
        if x.shape != stacks.element(term.value).shape:
            x = editor.make("reshape", x, shape=stacks.element(term.value).shape)
    elif term.factors:
        factors = [with_axes(stacks, v, len(term.value.shape)) for v in term.factors]
        x = editor.make("sum", editor.make("mul", *factors, like=term.value), axis=0)
    elif chain and chain[-1].op is OPS["sum_to"]:
        shape = stacks.element(chain[-1]).shape
        x = editor.make("sum_to", stacks[term.value], shape=shape, like=chain.pop())
    else:
        x = editor.make("sum", stacks[term.value], axis=0, like=editor.e)
    for e in reversed(chain):
        x = editor.intern.copy(with_sizes(e, editor.sizes), [x])
    return x
