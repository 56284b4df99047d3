"""Interning and hashing: which expressions are equal, and which graphs are.

Note [Interning]. Where a program builds, two calls are two expressions, so that each can be fed,
fetched and blamed by itself. Freezing interns: expressions with equal op, inputs, attributes and
type become one object, and the graph keeps the lines of all; what no output needs does not exist.
So no pass looks for common subexpressions or dead code; they cannot occur. Placeholders are never
merged (two called `x` are two); constants are, by value when small and by identity when large.
"""

from collections.abc import Hashable, Iterable, Sequence
from operator import is_
from typing import TYPE_CHECKING

import numpy as np

from gradops import OPS, ArrayType, Dim, type_of
from gradops.core.dims import Shape
from gradops.core.source_location import Place
from gradops.core.traits import Trait
from gradops.typing import Attrs

from .expr import Expr, clock
from .kinds import Kind
from .layouts.contiguity import is_c_ordered
from .tuple_types import HistoryType, types_of_parts

if TYPE_CHECKING:
    from .graph import FrozenGraph

new = object.__new__
CONTROL = Trait.CONTROL  # looking up a member of an Enum takes long
SMALL = 1024  # bytes up to which constants are compared by value


Table = dict[Hashable, Expr]


class Interning:
    """Makes expressions, giving the same object for equal ones.

    `order` has those of the new graph, each after its inputs. An expression of `graph`, which the
    new one is made from, is equal to no other one: it need not be looked up to be kept.
    """

    def __init__(self, graph: "FrozenGraph | None" = None) -> None:
        self.graph = graph
        self.table: Table | None = {} if graph is None else None
        self.order: dict[Expr, None] = {}
        self.merged: dict[Expr, dict[Place, None]] = {}

    def entered(self) -> Table:
        """The table, with the expressions of the graph from when it is needed."""
        if self.table is None:
            assert self.graph is not None
            self.table = self.graph.take_table()
        return self.table

    def copy(self, e: Expr, inputs: Sequence[Expr]) -> Expr:
        """The one expression equal to `e` on `inputs`: `e` itself, if it is frozen and has them."""
        table = self.table
        if table is None:
            table = self.entered()
        key = key_of(e, inputs)
        result = table.get(key)
        if result is None:
            result = table[key] = freeze_expr(e, tuple(inputs))
        elif e.place is not None and e.place != result.place:
            self.note(result, (e.place,))
        self.order[result] = None
        return result

    def apply(self, op: str, *inputs: Expr, like: Expr, **attrs: object) -> Expr:
        """An application of an op, with the name and the source location of `like`."""
        operands, bound = OPS[op].bind(inputs, attrs)
        type = OPS[op].infer(*[x.type for x in operands], **bound)
        new = like._replace(kind=Kind.OP, type=type, op=OPS[op], attrs=bound, inputs=operands)
        return self.copy(new, operands)

    def constant(self, value: np.ndarray, like: Expr) -> Expr:
        """A constant, with the name and the source location of `like`."""
        value.flags.writeable = False
        type = type_of(value)
        new = like._replace(
            kind=Kind.CONSTANT, type=type, op=None, inputs=(), attrs={}, value=value
        )
        return self.copy(new, ())

    def part(self, whole: Expr, index: int) -> Expr:
        """One of the values of a loop or branch."""
        type, name = types_of_parts(whole)[index], f"{whole.name}.{index}"
        new = whole._replace(
            type=type, op=OPS["part"], attrs={"index": index}, inputs=(whole,), name=name
        )
        return self.copy(new, (whole,))

    def reshape(self, x: Expr, shape: Shape, like: Expr | None = None) -> Expr:
        """The entries of `x` in another shape; `x` itself if it has that shape."""
        if x.shape == shape:
            return x
        return self.apply("reshape", x, shape=shape, like=x if like is None else like)

    def note(self, e: Expr, places: Iterable[Place]) -> None:
        """Keep the source locations of expressions that were merged into `e`."""
        self.merged.setdefault(e, {}).update(dict.fromkeys(places))


def freeze_expr(e: Expr, inputs: tuple[Expr, ...]) -> Expr:
    """`e` on `inputs`, in no graph that can be built on."""
    if e.names is None and len(e.inputs) == len(inputs) and all(map(is_, e.inputs, inputs)):
        result = e
    else:
        result = new(Expr)  # slot by slot, in half the time of `__init__`
        result.kind, result.type, result.name, result.names = e.kind, e.type, e.name, None
        result.op, result.inputs, result.attrs = e.op, inputs, e.attrs
        result.value = e.value if e.op is None else None
        result.place, result.origin, result.control_inputs = e.place, e.origin, ()
        result.number = next(clock)
    result.in_c_order = (len(e.type.shape) < 2 and e.op is not None) or is_c_ordered(result)
    return result


def key_of(e: Expr, inputs: Sequence[Expr]) -> Hashable:
    """The key that is equal for equal expressions. See Note [Interning]."""
    op, attrs = e.op, e.attrs
    if op is not None:  # with parts that are hashed in C, and that refer to nothing in turn
        if not attrs and len(inputs) == 2:  # the dtype follows from the operands'
            return op.name, e.type.shape, inputs[0].number, inputs[1].number
        key: Hashable = ()
        if attrs:
            key = GraphAttributes(attrs) if CONTROL in op.traits else attributes_key(attrs)
        return (op.name, *[x.number for x in inputs], e.type.shape, e.type.dtype, key)
    kind, value = e.kind, e.value
    if kind is Kind.CONSTANT:
        if value.nbytes > SMALL:
            return id(value)
        return value.shape, value.dtype, value.tobytes(), value.flags.c_contiguous
    return (e.type, value) if kind is Kind.SIZE else (kind, e.name)


def attributes_key(attrs: Attrs) -> Hashable:
    """Equal for equal attributes. That 0.0 equals -0.0, and 1 equals True, shows in their text."""
    items = tuple(sorted(attrs.items()))
    return items, repr(items)


class GraphAttributes:
    """A key of attributes with graphs among them, which are hashed where another key may be equal.

    To hash graphs takes as long as a pass, and few loops have the operands and ops of another.
    """

    __slots__ = ("attrs", "hash", "names")

    def __init__(self, attrs: Attrs) -> None:
        self.attrs, self.names = attrs, tuple(sorted(attrs))
        values = [attrs[name] for name in self.names]
        self.hash = hash((self.names, *map(outline, values)))

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphAttributes) or self.hash != other.hash:
            return False
        if self.names != other.names:
            return False
        mine, theirs = self.attrs, other.attrs
        if all(mine[name] is theirs[name] for name in self.names):
            return True
        return attributes_key(mine) == attributes_key(theirs)


NUMBERS_AND_NAMES = (int, float, complex, str, type(None))


def outline(value: object) -> Hashable:
    """What equal values have in common: numbers and names themselves, outlines of graphs, or 0."""
    if isinstance(value, tuple):
        return tuple(map(outline, value))
    if isinstance(value, NUMBERS_AND_NAMES):
        return value  # or all parts of a loop would be compared with one another
    found = getattr(value, "outline", 0)  # of a graph
    return found if isinstance(found, int) else 0


def structural_hash(graph: "FrozenGraph", contents: bool = True) -> str:
    """A hash of ops, attributes, types and wiring; names count for inputs, which come first.

    The entries of the graph's constants count, if `contents`.
    """
    import hashlib

    order = dict.fromkeys([*graph.inputs, *graph.order])
    numbers = {e: i for i, e in enumerate(order)}
    h = hashlib.sha256()
    for e in order:
        name = "" if e.kind in (Kind.OP, Kind.CONSTANT) else e.name
        attrs, wiring = sorted(e.attrs.items()), [numbers[x] for x in e.inputs]
        value = e.value if e.kind is Kind.SIZE else None
        words = (e.what, name, *wiring, *attrs, e.shape, e.dtype.str, value)
        h.update(f"{hash_text(words)}\n".encode())
        if contents and e.kind is Kind.CONSTANT:
            h.update(e.value.ravel())
    updated, new = [v for v, _ in graph.updates], [e for _, e in graph.updates]
    for part in (graph.inputs, graph.outputs, updated, new, graph.measured):
        h.update(f"{[numbers[e] for e in part]}".encode())
    return h.hexdigest()


def hash_text(value: object) -> str:
    """A text that no other value has, whatever the names in it."""
    if isinstance(value, Dim):
        return f"{{{value.render(ascii)}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(hash_text, value))})"
    if isinstance(value, ArrayType):
        return type_text(value)
    digest = getattr(value, "digest", None)  # of a graph
    return digest if isinstance(digest, str) else ascii(value)


def type_text(type: ArrayType) -> str:
    """A text that no other type has, be it of arrays, of lists of them, or of residuals."""
    lists = 0
    shape = hash_text(type.shape)
    while isinstance(type, HistoryType):
        lists, type = lists + 1, type.element
    return f"{type.__class__.__name__}{type.dtype.str}{lists}{shape}"
