"""Parsing the text of a graph. It reads and checks; it evaluates nothing and trusts nothing."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from gradops import OPS, ArrayType, Dim, GradError, GraphFormatError, type_of

from .expr import Expr, Kind
from .graph import FrozenGraph, Interning
from .structure import TupleType
from .tokens import Line, separated
from .values import any_type, array_type, constant_array, one_value, value


class Parser:
    """Reads lines into expressions. Its state is the expressions read so far, by name."""

    def __init__(
        self,
        aside: Callable[[int], Any] | None = None,
        graphs: Mapping[str, FrozenGraph] = MappingProxyType({}),
        inside: bool = False,
    ) -> None:
        self.aside = aside  # gives the values of constants that were put aside
        self.graphs, self.inside = graphs, inside
        self.depth, self.depths = 0, dict[str, int]()  # of graphs within graphs
        self.known: dict[str, Expr] = {}
        self.intern = Interning()

    def define(self, line: Line, name: str, e: Expr) -> Expr:
        """Remember an expression under its name."""
        if name in self.known:
            raise line.error(f"{name!r} is defined twice")
        self.known[name] = made = self.intern.copy(e, e.inputs)
        return made

    def reference(self, line: Line) -> Expr:
        """An expression that an earlier line defines."""
        name = line.name()
        if name not in self.known:
            raise line.error(f"{name!r} is not defined above")
        return self.known[name]

    def input(self, line: Line) -> Expr:
        """An input: a placeholder or a variable."""
        kind = Kind.PARAMETER if self.inside else Kind.PLACEHOLDER
        if line.peek() == "variable" and line.tokens[line.at + 1][1] != ":":
            line.take()
            kind = Kind.VARIABLE
        name = line.name()
        line.take(":")
        type = any_type(line) if self.inside else array_type(line)
        return self.define(line, name, Expr(kind, type, name, None))

    def statement(self, line: Line) -> None:
        """A line `name: type = op(...)`."""
        name = line.name()
        line.take(":")
        type = any_type(line)
        line.take("=")
        what = line.name()
        line.take("(")
        self.define(line, name, self.right_side(line, name, type, what))
        line.finish()

    def right_side(self, line: Line, name: str, type: ArrayType, what: str) -> Expr:
        """The expression that a line defines."""
        if what in ("constant", "size") and type_name(type) != "ArrayType":
            raise line.error(f"a {what} is an array")
        if what == "constant":
            (entries,) = one_value(line)
            array = self.constant(line, entries, type)
            return Expr(Kind.CONSTANT, type, name, None, value=array)
        if what == "size":
            (found,) = one_value(line)
            if not isinstance(found, Dim):
                raise line.error("size() takes an unknown size in braces")
            return Expr(Kind.SIZE, type, name, None, value=found)
        return self.application(line, name, type, what)

    def constant(self, line: Line, entries: Any, type: ArrayType) -> Any:
        """The value of a constant, from its entries or the number under which it was put aside."""
        if self.aside is None or not isinstance(entries, str):
            return constant_array(line, entries, type)
        if not entries.isascii() or not entries.isdigit() or len(entries) > 9:
            raise line.error(f"{entries!r} is no number of an array")
        array = self.aside(int(entries))
        if type_of(array) != type:
            raise line.error(f"array {entries} is {type_of(array)}, not {type}")
        array.flags.writeable = False
        return array

    def application(self, line: Line, name: str, type: ArrayType, what: str) -> Expr:
        """An op applied to expressions that are known."""
        op = OPS.get(what)
        if op is None:
            raise line.error(f"there is no op {what!r}")
        inputs, attrs = self.arguments(line)
        try:
            count = len(inputs) if op.arity is None else op.arity
            if len(inputs) != count:
                raise TypeError(f"{what} takes {count} operands, not {len(inputs)}")
            attrs = op.bind_attrs(attrs)
            found = op.infer(*[x.type for x in inputs], **attrs)
        except (GradError, TypeError, ValueError, IndexError, KeyError) as error:
            raise line.error(str(error).split("\n")[0]) from error
        if not compatible(found, type):
            raise line.error(f"{what} gives {found}, not {type}")
        return Expr(Kind.OP, type, name, None, op=op, inputs=tuple(inputs), attrs=attrs)

    def arguments(self, line: Line) -> tuple[list[Expr], dict[str, Any]]:
        """Operands by name, then attributes by keyword."""
        inputs: list[Expr] = []
        attrs: dict[str, Any] = {}

        def one(line: Line) -> None:
            if line.at + 1 < len(line.tokens) and line.tokens[line.at + 1][1] == "=":
                name = line.name()
                line.take("=")
                if name in attrs:
                    raise line.error(f"{name} is given twice")
                attrs[name] = value(line, self.graph)
            else:
                inputs.append(self.reference(line))

        separated(line, ")", one)
        return inputs, attrs

    def graph(self, line: Line) -> FrozenGraph:
        """A graph that stands above, by its name."""
        name = line.name()
        if name not in self.graphs:
            raise line.error(f"there is no graph {name!r} above")
        self.depth = max(self.depth, self.depths[name])
        return self.graphs[name]


def type_name(type: ArrayType) -> str:
    """What kind of type it is."""
    return type.__class__.__name__


def compatible(found: ArrayType, declared: ArrayType) -> bool:
    """Whether types agree, a size that only data tells having any name."""
    counted = Dim("?")
    if type_name(found) != type_name(declared):
        return False
    if isinstance(found, TupleType) and isinstance(declared, TupleType):
        pairs = zip(found.parts, declared.parts, strict=False)
        return len(found.parts) == len(declared.parts) and all(compatible(a, b) for a, b in pairs)
    return (
        found.dtype == declared.dtype
        and found.ndim == declared.ndim
        and all(m in (n, counted) for m, n in zip(found.shape, declared.shape, strict=True))
    )


def parse(text: str, aside: Callable[[int], Any] | None = None) -> FrozenGraph:
    """The graph that a text describes, as `to_text` writes it.

    `aside(i)` gives the value of a constant that `to_text` put aside under the number i.

    Nothing in the text is evaluated, and types are checked against what the ops give. Raises
    GraphFormatError, with the line, for anything that is not a graph.

    >>> graph = sg.parse("graph(x: float32[n])\\n  y: float32[n] = tanh(x)\\n  return y")
    >>> sg.interpret(graph, [[0.0]])
    (array([0.], dtype=float32),)
    """
    return parse_sections(text, aside)[""]


def parse_sections(text: str, aside: Callable[[int], Any] | None = None) -> dict[str, FrozenGraph]:
    """The graphs of a text by name: those inside, and the last one, which has none."""
    try:
        return sections_of(text, aside)
    except GraphFormatError:
        raise
    except UNFIT as error:
        raise GraphFormatError(f"the text describes no graph: {error}") from error


UNFIT = (GradError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
DEEPEST = 32  # graphs within graphs


def sections_of(text: str, aside: Callable[[int], Any] | None) -> dict[str, FrozenGraph]:
    """The graphs of a text; an error of any kind means that it describes none."""
    lines = [Line(i, t) for i, t in enumerate(text.splitlines(), 1) if is_said(t)]
    if not lines or lines[0].peek() != "graph":
        raise GraphFormatError("a graph begins with a line `graph(...)`")
    starts = [i for i, line in enumerate(lines) if is_header(line)]
    graphs: dict[str, FrozenGraph] = {}
    depths: dict[str, int] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        name = header_name(lines[start])
        if name in graphs or (not name) != (end == len(lines)):
            raise lines[start].error("a graph inside has a name of its own, the last one none")
        parser = Parser(aside, graphs, inside=bool(name))
        parser.depths = depths
        graphs[name] = parsed(lines[start:end], parser)
        depths[name] = parser.depth + 1
        if depths[name] > DEEPEST:
            raise lines[start].error("graphs are nested too deeply")
    return graphs


def is_said(text: str) -> bool:
    """Whether a line says something: it is not empty, and not all a comment."""
    text = text.lstrip()
    return bool(text) and text[0] != "#"


def is_header(line: Line) -> bool:
    """Whether a line begins a graph: `graph(...)` or `graph name(...)`."""
    if not line.text.lstrip().startswith("graph"):
        return False
    return line.peek() == "graph" and "(" in [token for _, token in line.tokens[1:3]]


def header_name(line: Line) -> str:
    """The name of the graph that a line begins."""
    line.take("graph")
    return "" if line.peek() == "(" else line.name()


def parsed(lines: list[Line], parser: Parser) -> FrozenGraph:
    """The graph that lines of text describe, the first of which is read up to its bracket."""
    header = lines[0]
    header.take("(")
    inputs = separated(header, ")", parser.input)
    header.finish()
    updates: list[tuple[Expr, Expr]] = []
    measured: list[Expr] = []
    for line in lines[1:-1]:
        if line.peek() == "update" and line.tokens[1:] and line.tokens[1][1] != ":":
            updates.append(update(parser, line))
        elif line.peek() == "measure" and line.tokens[1:] and line.tokens[1][1] != ":":
            line.take("measure")
            measured.append(parser.reference(line))
            line.finish()
        else:
            parser.statement(line)
    return FrozenGraph(tuple(inputs), returned(parser, lines[-1]), tuple(updates), tuple(measured))


def update(parser: Parser, line: Line) -> tuple[Expr, Expr]:
    """A line `update variable = value`."""
    line.take("update")
    variable = parser.reference(line)
    line.take("=")
    new = parser.reference(line)
    line.finish()
    if variable.kind is not Kind.VARIABLE or variable.type != new.type:
        raise line.error("an update gives a variable a value of its own type")
    return variable, new


def returned(parser: Parser, line: Line) -> tuple[Expr, ...]:
    """The last line, `return a, b`."""
    if line.peek() != "return":
        raise line.error("the last line is `return ...`")
    line.take("return")
    found: list[Expr] = []
    while line.peek():
        if found:
            line.take(",")
        found.append(parser.reference(line))
    return tuple(found)
