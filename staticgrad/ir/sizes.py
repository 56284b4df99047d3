"""Unknown sizes: which are used, which axis determines each, and what they are in a run.

Note [Sizes]. A size that is not known while a graph is built is a `Dim`, arithmetic on names. An
axis of size `a * n + b` determines `n`. Inputs determine the names in their shapes; an op
introduces names for sizes that depend on data, as `x[mask]` does. Whatever uses a name, in an
attribute or a buffer, needs an input or an earlier expression that determines it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradops import ArrayType, Dim, FeedError
from gradops.core.dims import UNKNOWN, Shape, Size
from gradops.core.source_location import describe, here
from gradops.core.types import shape_of

from .errors import made_line
from .expr import Expr, whole_of
from .kinds import Kind
from .tuple_types import TupleType, visible_sizes, with_shape


@dataclass(frozen=True)
class Binding:
    """Axis `axis` of input `number` has `size`: it determines `name`, or if None, must agree.

    Where it determines a name, `size` is `times * name + plus`. Where it must agree and not all
    names in `size` are determined, it agrees with axis `like[1]` of input `like[0]`, whose size is
    the same.
    """

    number: int
    axis: int
    size: Dim
    name: str | None = None
    times: int = 1
    plus: int = 0
    like: tuple[int, int] | None = None


def bindings(inputs: Sequence[Expr]) -> list[Binding]:
    """How inputs determine sizes: by axes that are a name alone, then by others; then checks."""
    shapes = [enumerate(visible_sizes(e.type)) for e in inputs]
    axes = [(i, k, n) for i, shape in enumerate(shapes) for k, n in shape if isinstance(n, Dim)]
    determining: dict[str, Binding] = {}
    for alone in (True, False):
        for i, k, n in axes:
            if n.linear is not None and (n == Dim(n.linear[0])) is alone:
                determining.setdefault(n.linear[0], Binding(i, k, n, *n.linear))
    used = {(b.number, b.axis) for b in determining.values()}
    agreeing: list[Binding] = []
    first: dict[Dim, tuple[int, int]] = {}
    for i, k, n in axes:
        if (i, k) in used:
            continue
        if n.names() <= determining.keys():
            agreeing.append(Binding(i, k, n))
        elif (like := first.setdefault(n, (i, k))) != (i, k):
            agreeing.append(Binding(i, k, n, like=like))
    return [*determining.values(), *agreeing]


def sizes_determined_by(inputs: Iterable[Expr]) -> set[str]:
    """The names of sizes that the shapes of inputs determine."""
    shown = [n.linear for e in inputs for n in visible_sizes(e.type) if isinstance(n, Dim)]
    return {linear[0] for linear in shown if linear is not None}


def sizes_introduced_by(e: Expr) -> set[str]:
    """The names of sizes that `e` is the first to determine.

    An input introduces all that it determines, an op those that depend on data: neither its
    operands nor its attributes have them.
    """
    names = sizes_determined_by([e])
    if e.op is None or not names:
        return names
    whole = whole_of(e)
    operands = e.inputs if whole is None else whole.inputs
    return names - names_in([*(x.shape for x in operands), *e.attrs.values()])


def names_in(values: Iterable[object]) -> set[str]:
    """The names of sizes in attributes, shapes and sizes."""
    return {name for value in values for dim in dims_in(value) for name in dim.names()}


def dims_in(value: object) -> Iterator[Dim]:
    """The unknown sizes in an attribute, a shape or a size."""
    if isinstance(value, Dim):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from dims_in(each)


def sizes_used(expressions: Iterable[Expr]) -> set[str]:
    """The names of sizes that have to be known to compute expressions."""
    having = [e for e in expressions if e.attrs or e.kind is Kind.SIZE]
    return names_in(v for e in having for v in (e.value, *e.attrs.values()))


def sizes_missing(expressions: Iterable[Expr], known: Iterable[str] = ()) -> set[str]:
    """The names of sizes that are used before something determines them."""
    expressions = list(expressions)
    if not sizes_used(expressions):
        return set()
    determined, missing = set(known), set[str]()
    for e in sorted(expressions, key=lambda e: e.number):
        missing |= sizes_used((e,)) - determined
        determined |= sizes_introduced_by(e)
    return missing


def sizes_undetermined(expressions: Iterable[Expr], known: Iterable[str] = ()) -> set[str]:
    """The names of sizes, those in shapes included, that nothing determines."""
    expressions = list(expressions)
    named = names_in(e.shape for e in expressions) | sizes_used(expressions)
    return named.difference(known, *map(sizes_introduced_by, expressions))


def no_source(size: str) -> FeedError:
    """The error for a size that is used and that no value has."""
    return FeedError(f"nothing that is fed or computed determines the size {size!r}")


def bind_sizes(inputs: Sequence[Expr], shapes: Sequence[Shape]) -> dict[str, Size]:
    """The size, known or not, of each name in the inputs' shapes; the shapes must agree on it."""
    sizes: dict[str, Size] = {}
    owners: dict[str, Expr] = {}
    for b in bindings(inputs):
        e, n = inputs[b.number], shapes[b.number][b.axis]
        if b.like is not None:
            owner, wanted = inputs[b.like[0]], shapes[b.like[0]][b.like[1]]
            if n != wanted:
                raise disagreement(b, n, wanted, owner, e)
            continue
        if b.name is None:
            owner = owners[min(b.size.names())]
        else:
            sizes[b.name], owner = (n - b.plus) // b.times, e
            owners[b.name] = e
        wanted = b.size.substitute(sizes)
        if wanted != n or (b.name and is_negative(sizes[b.name])):
            raise disagreement(b, n, wanted, owner, e)
    return sizes


def is_negative(size: Size) -> bool:
    """True if a size is known to be below 0."""
    return not isinstance(size, Dim) and size < 0


def disagreement(b: Binding, n: Size, wanted: Size, owner: Expr, e: Expr) -> FeedError:
    """The error for an axis of size `n` that should have the size `wanted`, as `owner` has it."""
    fed = f"\n  fed at {describe(here())}"
    if b.name is not None:
        return FeedError(f"{b.size} cannot be {n} in {e.label}{fed}{made_line(e)}")
    return FeedError(
        f"{b.size} is {wanted} in {owner.label}, but {n} in {e.label}"
        f"{fed}{made_line(owner)}{made_line(e)}"
    )


def note_sizes(e: Expr, value: object, sizes: dict[str, Size]) -> None:
    """Add to `sizes` those that a value of `e` is the first to determine."""
    shown = visible_sizes(e.type)
    if not any(isinstance(n, Dim) for n in shown):
        return
    shape: Sequence[Size] = (len(value),) if isinstance(value, list) else shape_of(value)
    for want, n in zip(shown, shape, strict=False):
        if isinstance(want, Dim) and want.linear is not None:
            name, times, plus = want.linear
            if name not in sizes:
                sizes[name] = (n - plus) // times


def sizes_of_operands(inputs: Sequence[Expr], operands: Sequence[object]) -> dict[str, Size]:
    """The sizes that the operands of a graph inside another determine, unchecked."""
    result: dict[str, Size] = {}
    for e, x in zip(inputs, operands, strict=True):
        note_sizes(e, x, result)
    return result


def substitute_sizes(value: Any, sizes: Mapping[str, Size]) -> Any:
    """An attribute's value with sizes in the place of their names."""
    if isinstance(value, Dim):
        return value.substitute(sizes)
    if isinstance(value, ArrayType):
        return bound_type(value, sizes)
    return tuple([substitute_sizes(v, sizes) for v in value]) if type(value) is tuple else value


def bound_type(type: ArrayType, sizes: Mapping[str, Size]) -> ArrayType:
    """`type` with sizes in the place of names, and unknown ones where a name has no size."""
    if isinstance(type, TupleType):
        return TupleType([bound_type(t, sizes) for t in type.parts])
    return with_shape(type, tuple([bound_size(n, sizes) for n in type.shape]))


def bound_size(size: Size, sizes: Mapping[str, Size]) -> Size:
    """One size of a type with sizes in the place of names."""
    if not isinstance(size, Dim):
        return size
    if not size.names() <= sizes.keys():
        return UNKNOWN
    result = size.substitute(sizes)
    is_known = not isinstance(result, Dim) or UNKNOWN.names().isdisjoint(result.names())
    return result if is_known else UNKNOWN
