"""Parsing the text of a graph. It reads and checks; it evaluates nothing and trusts nothing."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Dim, GradError, GraphFormatError, Op, type_of

from .expr import NOT_TRAINED, Expr, Kind
from .graph import FrozenGraph, Interning
from .structure import compatible, type_name
from .tokens import NAME, NUMBER, Line, separated
from .values import any_type, array_type, constant_array, number, one_value, value


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
        self.types: dict[str, ArrayType] = {}  # by their text, for lines in the plain form
        self.attrs: dict[tuple[str, str], dict[str, Any]] = {}
        self.agreed: set[Any] = set()

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
        attrs = None
        if line.peek() in ("variable", "state") and line.tokens[line.at + 1][1] != ":":
            attrs = dict(NOT_TRAINED) if line.take() == "state" else None
            kind = Kind.VARIABLE
        name = line.name()
        line.take(":")
        type = any_type(line) if self.inside else array_type(line)
        return self.define(line, name, Expr(kind, type, name, None, attrs=attrs))

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

    def plain(self, text: str) -> bool:
        """Read a line in the form in which `to_text` writes most of them, or return False.

        It is cut at its punctuation, and what stands between is looked up. Where anything is not
        as expected, nothing has been done, and `statement` reads the line or says what is wrong.
        """
        if '"' in text:
            return False
        left, _, right = text.partition("#")[0].strip().partition(" = ")
        name, _, type_text = left.partition(": ")
        what, _, arguments = right.partition("(")
        if name in self.known or not NAME.fullmatch(name) or not right.endswith(")"):
            return False
        try:
            e = self.plain_expression(name, type_text, what, arguments[:-1])
        except UNFIT:
            return False
        self.known[name] = self.intern.copy(e, e.inputs)
        return True

    def plain_expression(self, name: str, type_text: str, what: str, arguments: str) -> Expr:
        """The expression of a line in the plain form; raises one of `UNFIT` if it is in another."""
        type = self.types.get(type_text)
        if type is None:
            type = self.types[type_text] = whole(type_text, any_type)
        if what == "constant":
            return Expr(Kind.CONSTANT, type, name, None, value=plain_constant(arguments, type))
        op, known = OPS[what], self.known
        operands, given = cut(arguments)
        inputs = tuple([known[x] for x in operands.split(", ")]) if operands else ()
        attrs = self.attrs.get((what, given))
        if attrs is None:
            attrs = self.attrs[what, given] = op.bind_attrs(whole(given, self.attributes))
        facts = what, given, type_text, *[x.type for x in inputs]
        if facts not in self.agreed:
            self.require_type(op, inputs, attrs, type)
            self.agreed.add(facts)
        return Expr(Kind.OP, type, name, None, op=op, inputs=inputs, attrs=attrs)

    def attributes(self, line: Line) -> dict[str, Any]:
        """Attributes alone, to the end of the line."""
        line.tokens.append(("mark", ")"))
        inputs, attrs = self.arguments(line)
        if inputs:
            raise line.error("operands come before attributes")
        return attrs

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
            attrs = op.bind_attrs(attrs)
            self.require_type(op, inputs, attrs, type)
        except (GradError, TypeError, ValueError, IndexError, KeyError) as error:
            raise line.error(str(error).split("\n")[0]) from error
        return Expr(Kind.OP, type, name, None, op=op, inputs=tuple(inputs), attrs=attrs)

    def require_type(
        self, op: Op, inputs: Sequence[Expr], attrs: dict[str, Any], type: ArrayType
    ) -> None:
        """Refuse operands that an op does not take, or for which it gives another type."""
        count = len(inputs) if op.arity is None else op.arity
        if len(inputs) != count:
            raise TypeError(f"{op} takes {count} operands, not {len(inputs)}")
        found = op.type_for([x.type for x in inputs], attrs)
        if not compatible(found, type):
            raise TypeError(f"{op} gives {found}, not {type}")

    def arguments(self, line: Line) -> tuple[list[Expr], dict[str, Any]]:
        """Operands by name, then attributes by keyword."""
        inputs: list[Expr] = []
        attrs: dict[str, Any] = {}

        def one(line: Line) -> None:
            if line.at + 1 < len(line.tokens) and line.tokens[line.at + 1][1] == "=":
                name = line.keyword()
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


def whole(text: str, step: Callable[[Line], Any]) -> Any:
    """What `step` reads from all of a piece of text."""
    line = Line(0, text)
    found = step(line)
    line.finish()
    return found


def cut(arguments: str) -> tuple[str, str]:
    """Arguments cut in two: before the first attribute, and from there on."""
    equals = arguments.find("=")
    if equals < 0:
        return arguments, ""
    comma = arguments.rfind(", ", 0, equals)
    return (arguments[:comma], arguments[comma + 2 :]) if comma >= 0 else ("", arguments)


def plain_constant(text: str, type: ArrayType) -> Any:
    """The value of a constant that is a number."""
    if type.shape or type.__class__ is not ArrayType or not NUMBER.fullmatch(text):
        raise ValueError(text)
    array = np.array(number(text), type.dtype)
    array.flags.writeable = False
    return array


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
    lines = [(i, t) for i, t in enumerate(text.splitlines(), 1) if t.lstrip()[:1] not in ("", "#")]
    if not lines or Line(*lines[0]).peek() != "graph":
        raise GraphFormatError("a graph begins with a line `graph(...)`")
    starts = [
        i for i, line in enumerate(lines) if line[1].lstrip()[:5] == "graph" and is_header(*line)
    ]
    graphs: dict[str, FrozenGraph] = {}
    depths: dict[str, int] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        header = Line(*lines[start])
        name = header_name(header)
        if name in graphs or (not name) != (end == len(lines)):
            raise header.error("a graph inside has a name of its own, the last one none")
        parser = Parser(aside, graphs, inside=bool(name))
        parser.depths = depths
        graphs[name] = parsed(header, lines[start + 1 : end], parser)
        depths[name] = parser.depth + 1
        if depths[name] > DEEPEST:
            raise header.error("graphs are nested too deeply")
    return graphs


def is_header(number: int, text: str) -> bool:
    """Whether a line begins a graph: `graph(...)` or `graph name(...)`."""
    line = Line(number, text)
    return line.peek() == "graph" and "(" in [token for _, token in line.tokens[1:3]]


def header_name(line: Line) -> str:
    """The name of the graph that a line begins."""
    line.take("graph")
    return "" if line.peek() == "(" else line.name()


def parsed(header: Line, lines: list[tuple[int, str]], parser: Parser) -> FrozenGraph:
    """The graph that lines of text describe, by number, after one that is read up to its bracket.

    Most lines of a long text are in one plain form; the others are read token by token.
    """
    header.take("(")
    inputs = separated(header, ")", parser.input)
    header.finish()
    updates: list[tuple[Expr, Expr]] = []
    measured: list[Expr] = []
    for i, text in lines[:-1]:
        if parser.plain(text):
            continue
        line = Line(i, text)
        if line.peek() == "update" and line.tokens[1:] and line.tokens[1][1] != ":":
            updates.append(update(parser, line))
        elif line.peek() == "measure" and line.tokens[1:] and line.tokens[1][1] != ":":
            line.take("measure")
            measured.append(parser.reference(line))
            line.finish()
        else:
            parser.statement(line)
    last = Line(*lines[-1]) if lines else header
    return FrozenGraph(tuple(inputs), returned(parser, last), tuple(updates), tuple(measured))


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
