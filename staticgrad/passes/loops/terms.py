"""The terms of a sum over the steps of a loop, in forms that are summed for all steps at once.

A term is a chain of linear ops of a form: of a product of rows, of a product by entries, or of the
entries of a value. A form has the values of each step that it needs after the loop, `stacked`, and
gives its `total`.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from gradops import OPS, ArrayType
from gradops.core.dims import product
from gradops.core.traits import Trait

from ...ir.expr import Expr, Kind
from ...ir.nominal import nominal_bytes
from ..products.association import PRODUCTS
from ..subgraphs import with_sizes
from ..totality import fits_always
from .editing import LoopEditor
from .stacks import Stacks

SMALL = 4096  # bytes up to which an addition costs more than an entry of a list


@dataclass(frozen=True)
class Rows:
    """The rows of a matrix of each step, or its columns; if `flat`, its entries as one row."""

    value: Expr
    columns: bool = False
    flat: bool = False

    def matrix(self, stacks: Stacks) -> Expr:
        """The rows of all steps as one matrix."""
        make, x = stacks.editor.make, stacks[self.value]
        if self.columns:
            x = make("transpose", x, axes=(0, 2, 1))
        n, *shape = x.shape
        width = product(shape) if self.flat else shape[-1]
        count = n if self.flat else product((n, *shape[:-1]))
        return x if x.shape == (count, width) else make("reshape", x, shape=(count, width))


@dataclass(frozen=True)
class ProductOfRows:
    """The transposed rows on the left times those on the right, as `e` multiplies them."""

    e: Expr
    left: Rows
    right: Rows

    @property
    def stacked(self) -> Sequence[Expr]:
        """The two factors."""
        return self.left.value, self.right.value

    def total(self, stacks: Stacks) -> Expr:
        """One product of the rows of all steps."""
        make, shape = stacks.editor.make, stacks.element(self.e).shape
        left = make("transpose", self.left.matrix(stacks))
        x = make("matmul", left, self.right.matrix(stacks), like=self.e)
        return x if x.shape == shape else make("reshape", x, shape=shape)


@dataclass(frozen=True)
class ProductOfEntries:
    """The product `e` of two arrays, entry by entry."""

    e: Expr

    @property
    def stacked(self) -> Sequence[Expr]:
        """The two factors."""
        return self.e.inputs

    def total(self, stacks: Stacks) -> Expr:
        """The sum of the products of all steps."""
        factors = [with_axes(stacks, v, len(self.e.shape)) for v in self.e.inputs]
        make = stacks.editor.make
        return make("sum", make("mul", *factors, like=self.e), axis=0)


@dataclass(frozen=True)
class Entries:
    """A value, or what `reduction`, a `sum_to` of it, gives."""

    e: Expr
    reduction: Expr | None

    @property
    def stacked(self) -> Sequence[Expr]:
        """The value."""
        return (self.e,)

    def total(self, stacks: Stacks) -> Expr:
        """The sum of the values of all steps."""
        make, x = stacks.editor.make, stacks[self.e]
        if self.reduction is None:
            return make("sum", x, axis=0)
        return make("sum_to", x, shape=stacks.element(self.reduction).shape, like=self.reduction)


@dataclass(frozen=True)
class Term:
    """What each step adds, or subtracts: the linear ops `chain`, outermost first, of a form."""

    is_negative: bool
    chain: Sequence[Expr]
    form: ProductOfRows | ProductOfEntries | Entries

    def total(self, stacks: Stacks) -> Expr:
        """The sum of the term over all steps."""
        editor, x = stacks.editor, self.form.total(stacks)
        for e in reversed(self.chain):
            x = editor.intern.copy(with_sizes(e, editor.sizes), [x])
        return x


def with_axes(stacks: Stacks, v: Expr, rank: int) -> Expr:
    """The values of all steps as an array whose entries have so many axes."""
    x = stacks[v]
    n, *shape = x.shape
    full = (n, *[1] * (rank - len(shape)), *shape)
    return x if x.shape == full else stacks.editor.make("reshape", x, shape=full)


def term_of(e: Expr, is_negative: bool, alone: Container[Expr], loop: LoopEditor) -> Term | None:
    """A term of a sum as linear ops of a form; None for what has none."""
    chain: list[Expr] = []
    while e in alone and e.op is not None and fits_always(e):
        if is_product(e, loop):
            form = form_of_product(e, loop)
            return None if form is None else Term(is_negative, chain, form)
        if not is_linear(e, loop):
            break
        chain.append(e)
        (e,) = e.inputs
    reduces = any(map(is_sum_of_entries, chain))
    if not is_given(e, loop) or not (e.shape and (reduces or nominal_bytes(e.type) <= SMALL)):
        return None
    reduction = chain.pop() if chain and chain[-1].op is OPS["sum_to"] else None
    return Term(is_negative, chain, Entries(e, reduction))


def is_product(e: Expr, loop: LoopEditor) -> bool:
    """True for a product of matrices, or of a column and a row, or with an entry of a list."""
    if e.op in PRODUCTS:
        return [len(x.shape) for x in e.inputs] == [2, 2]
    return e.op is OPS["mul"] and (is_outer(e) or has_given_factor(e, loop))


def form_of_product(e: Expr, loop: LoopEditor) -> ProductOfRows | ProductOfEntries | None:
    """A product as one of rows or of entries; None if a factor is the same in all steps."""
    if e.op is OPS["mul"] and not is_outer(e):
        return ProductOfEntries(e)
    if e.op is OPS["mul"]:
        column, row = column_and_row(e)
        left, right = Rows(column, flat=True), Rows(row, flat=True)
    else:
        a, b = e.inputs
        left = Rows(a.inputs[0]) if is_transposed(a) else Rows(a, columns=True)
        is_columns = is_transposed(b) and b.inputs[0] in set(loop.body.inputs)
        right = Rows(b.inputs[0], columns=True) if is_columns else Rows(b)
    are_given = is_given(left.value, loop) and is_given(right.value, loop)
    return ProductOfRows(e, left, right) if are_given else None


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
    column, row = (x.shape for x in column_and_row(e))
    if len(e.shape) != 2 or len(column) != 2 or column[-1] != 1:
        return False
    return column[0] == e.shape[0] and row in ((e.shape[1],), (1, e.shape[1]))


def column_and_row(e: Expr) -> list[Expr]:
    """The operands of a product, a column first if there is one."""
    return sorted(e.inputs, key=lambda x: x.shape[-1:] != (1,))


def has_given_factor(e: Expr, loop: LoopEditor) -> bool:
    """True for an entry of a list times a value with fewer axes, that a step can give."""
    large, small = sorted(e.inputs, key=lambda x: -len(x.shape))
    entries = loop.body.inputs[loop.carries : loop.end]
    if large.type != e.type or large not in set(entries):
        return False
    return 0 < len(small.shape) < len(large.shape) and is_given(small, loop)


def is_transposed(e: Expr) -> bool:
    """True for a matrix that is another one with its axes exchanged."""
    return e.op is not None and e.op.name == "transpose" and len(e.shape) == 2


def is_given(e: Expr, loop: LoopEditor) -> bool:
    """True for a value that a step gets in a list or can give in one."""
    if e.op is None and e in set(loop.body.inputs[loop.end :]):
        return False
    is_array = type(e.type) is ArrayType and e.kind in (Kind.OP, Kind.PARAMETER)
    return is_array and loop.outside(e.type) is not None
