"""The printer: graphs as text, one expression a line, which the parser reads back.

    graph(x: float32[batch, 3], variable w: float32[3])
      mul: float32[batch, 3] = mul(x, w)  # model.py:12
      sum: float32[] = sum(mul, axis=None, keepdims=False)  # model.py:12
      return sum

The graphs of loops and branches come first, each once, as `graph body(...)`, and are referred to
as `@body`. Several values have a type `(float32[], int64[])`, the values of a loop's steps
`list(steps, float32[])`, what a call keeps for its backward `residuals[]`; types are attributes,
too. Other names than identifiers are in double quotes. Unknown sizes in attributes are in braces:
`shape=({batch}, 3)`. The pattern of a sparse matrix is its sizes and where its entries are, in CSR
order: `pattern(2, 3, [0, 1, 3], [2, 0, 1])`. A variable that is not trained is `state`. An
assignment of a variable is a line `update w = sub`; an expression computed only for its size or
effect has a line `measure y`.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType

import numpy as np

from gradops import ArrayType, Dim
from gradops.core.dims import Shape, Size
from gradops.inspection.previews import preview
from gradops.kernels.sparse.patterns import Pattern

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph, inner_graphs, require_frozen
from ..ir.interning import SMALL
from ..ir.names import unique_name
from ..ir.tuple_types import HistoryType, ResidualsType, TupleType
from .lexer import ELIDED, NAME

WORDS = {
    "None", "True", "False", "inf", "nan", "dtype", "complex", "pattern",
    "broadcast", "nonnegative",
}  # fmt: skip
ExprNames = Mapping[Expr, str]
Constant = Callable[[np.ndarray], str]
GraphNames = Mapping[FrozenGraph, str]
Aside = list[np.ndarray] | None
"""Constants whose entries are not in the text, if it may refer to some by number."""

WRITTEN_OUT = 1000  # entries up to which a constant is written out unless all are asked for


def to_text(
    graph: FrozenGraph, lines: bool = True, aside: Aside = None, *, arrays: bool = False
) -> str:
    """The graph as text that `parse` reads back; with `lines`, the user's line in a comment.

    The entries of a constant of more than 1,000 are left out, and the text then cannot be read
    back, unless `arrays` asks for all. If there is a list `aside`, the values of large constants
    are appended to it, and the text has their indices.

    >>> x = sg.placeholder("float32", ["batch"], name="x")
    >>> print(sg.to_text(sg.freeze([x * x], [x]), lines=False))
    graph(x: float32[batch])
      mul: float32[batch] = mul(x, x)
      return mul
    """
    named = inner_graphs(require_frozen("to_text", graph))
    constant = partial(constant_text, aside=aside, arrays=arrays)
    texts = [section(each, f"graph {name}", named, lines, constant) for each, name in named.items()]
    return "\n\n".join([*texts, section(graph, "graph", named, lines, constant)])


def section(
    graph: FrozenGraph, title: str, named: GraphNames, lines: bool, constant: Constant
) -> str:
    """The text of one graph, without those inside it."""
    given = set(graph.inputs)
    names = printed_names(graph)
    inputs = ", ".join(f"{word_of(e)}{names[e]}: {type_text(e.type)}" for e in graph.inputs)
    result = [f"{title}({inputs})"]
    for e in graph.order:
        if e not in given:
            result.append(line_of(e, names, named, graph.lines(e) if lines else "", constant))
    result += [f"  update {names[v]} = {names[new]}" for v, new in graph.updates]
    result += [f"  measure {names[e]}" for e in graph.measured]
    returned = ", ".join(names[e] for e in graph.outputs)
    return "\n".join([*result, f"  return {returned}".rstrip()])


def word_of(e: Expr) -> str:
    """The word before an input's name: `variable`, `state`, or nothing."""
    if e.kind is not Kind.VARIABLE:
        return ""
    return "variable " if e.attrs.get("trainable", True) else "state "


def printed_names(graph: FrozenGraph) -> dict[Expr, str]:
    """The name of each expression in the text."""
    return {e: quote(name) for e, name in unique_names(graph).items()}


def unique_names(graph: FrozenGraph) -> dict[Expr, str]:
    """A name for each expression, its own unless another has it too."""
    taken: set[str] = set()
    return {e: unique_name(e.name, taken) for e in graph.order}


def quote(name: str) -> str:
    """A name, in quotes unless it is plain."""
    return name if NAME.fullmatch(name) and name not in WORDS else in_quotes(name)


def type_text(type: ArrayType) -> str:
    """A type."""
    if isinstance(type, TupleType):
        return f"({', '.join(map(type_text, type.parts))}{',' if len(type.parts) == 1 else ''})"
    if isinstance(type, ResidualsType):
        return f"residuals[{', '.join(map(size_text, type.shape))}]"
    if isinstance(type, HistoryType):
        return f"list({size_text(type.length)}, {type_text(type.element)})"
    return array_text(type.shape, type.dtype)


@lru_cache(maxsize=4096)
def array_text(shape: Shape, dtype: np.dtype) -> str:
    """The type of an array."""
    return f"{dtype}[{', '.join(map(size_text, shape))}]"


def size_text(size: Size) -> str:
    """A size, known or not."""
    return size.render(quote) if isinstance(size, Dim) else str(size)


def line_of(
    e: Expr, names: ExprNames, graphs: GraphNames, lines: str, constant: Constant | None = None
) -> str:
    """The statement of `e`, with the user's lines in a comment."""
    constant = constant_text if constant is None else constant
    arguments = [names[x] for x in e.inputs]
    if e.attrs:
        arguments += [f"{k}={value_text(v, graphs, constant)}" for k, v in e.attrs.items()]
    if e.kind is Kind.CONSTANT:
        arguments = [constant(e.value)]
    elif e.kind is Kind.SIZE:
        arguments = [value_text(e.value)]
    line = f"  {names[e]}: {type_text(e.type)} = {e.what}({', '.join(arguments)})"
    origin = "" if e.origin is None else f", gradient of {e.origin.name!r}"
    return f"{line}  # {lines}{origin}" if lines else line


def in_quotes(text: str) -> str:
    """A string as JSON has it."""
    from json import dumps

    return dumps(text)


def constant_text(value: np.ndarray, aside: Aside = None, arrays: bool = False) -> str:
    """A constant's entries, or what they are like, or the number under which they are aside."""
    if aside is None and not arrays and value.size > WRITTEN_OUT:
        return in_quotes(f"{ELIDED}{value.size} entries, {preview(value)}")
    if aside is None or value.nbytes <= SMALL:
        return entries_text(value.tolist())
    aside.append(value)
    return in_quotes(str(len(aside) - 1))


def entries_text(value: object) -> str:
    """A constant's entries, exactly."""
    if isinstance(value, list):
        return f"[{', '.join(map(entries_text, value))}]"
    return value_text(value)


def value_text(
    value: object, graphs: GraphNames = MappingProxyType({}), constant: Constant = constant_text
) -> str:
    """An attribute's value."""
    if isinstance(value, FrozenGraph):
        return f"@{graphs[value]}"
    if isinstance(value, Dim):
        return "{" + size_text(value) + "}"
    if isinstance(value, ArrayType):
        return type_text(value)
    if isinstance(value, Pattern):
        places = [constant(x.astype(np.int64)) for x in (value.indptr, value.indices)]
        return f"pattern({', '.join([*map(str, value.shape), *places])})"
    if isinstance(value, tuple):
        parts = [value_text(v, graphs, constant) for v in value]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(value, np.dtype):
        return f"dtype({value})"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return in_quotes(value) if isinstance(value, str) else repr(value)
