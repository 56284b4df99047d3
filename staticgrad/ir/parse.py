"""Parsing the text of a graph. It reads and checks; it evaluates nothing and trusts nothing."""

import json
import re
from typing import Any

import numpy as np

from gradops import OPS, ArrayType, Dim, GradError, GraphFormatError
from gradops.types import Size, broadcast_shapes, product

from .expr import Expr, Kind
from .graph import FrozenGraph, Interning

TOKENS = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<number>-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|inf\b|nan\b))
    |(?P<name>[A-Za-z_][\w./]*(?:-[\w./]+)*)|(?P<mark>//|[()\[\]{},:=*+])|(?P<comment>\#.*))""",
    re.VERBOSE,
)
DEEPEST = 32  # brackets within brackets, in a line
WORDS = {"None": None, "True": True, "False": False}
DTYPES = frozenset(np.dtype(c).name for c in np.typecodes["All"] if np.dtype(c).kind in "biufc")


class Line:
    """The tokens of one line, and how far they have been read."""

    def __init__(self, number: int, text: str) -> None:
        self.number, self.text, self.at, self.depth = number, text, 0, 0
        self.tokens = self.split()

    def split(self) -> list[tuple[str, str]]:
        """The tokens, each with its kind."""
        found, at, end = [], 0, len(self.text.rstrip())
        while at < end:
            match = TOKENS.match(self.text, at)
            if match is None:
                raise self.error(f"{self.text[at:].strip()[:20]!r} is not expected here")
            if match.lastgroup != "comment":
                found.append((str(match.lastgroup), match[str(match.lastgroup)]))
            at = match.end()
        return found

    def error(self, reason: str) -> GraphFormatError:
        """The error for this line."""
        return GraphFormatError(f"line {self.number}: {reason}\n  {self.text.strip()[:200]}")

    def peek(self) -> str:
        """The next token, or nothing at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token, which must be one of `wanted` if any are given."""
        found = self.peek()
        if not found or (wanted and found not in wanted):
            raise self.error(
                f"expected {' or '.join(wanted) or 'more'}, found {found or 'the end'}"
            )
        self.at += 1
        return found

    def accept(self, mark: str) -> bool:
        """Whether the next token is `mark`, which is then read."""
        if self.peek() != mark:
            return False
        self.at += 1
        return True

    def name(self) -> str:
        """A name, plain or in quotes."""
        kind = self.tokens[self.at][0] if self.at < len(self.tokens) else ""
        found = self.take()
        if kind == "string":
            return self.string(found)
        if kind != "name":
            raise self.error(f"expected a name, found {found}")
        return found

    def string(self, token: str) -> str:
        """The text in quotes."""
        try:
            return str(json.loads(token))
        except ValueError:
            raise self.error(f"{token} is not a string") from None

    def integer(self) -> int:
        """A whole number."""
        found = self.take()
        if not re.fullmatch(r"-?\d{1,18}", found):
            raise self.error(f"expected a whole number, found {found}")
        return int(found)

    def finish(self) -> None:
        """Nothing may follow."""
        if self.peek():
            raise self.error(f"{self.peek()!r} is not expected here")

    def inside(self, step: Any) -> Any:
        """What `step` reads, one bracket deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error("brackets are nested too deeply")
        found = step(self)
        self.depth -= 1
        return found


def separated(line: Line, close: str, item: Any) -> list[Any]:
    """Items with commas between them, up to a closing bracket."""
    found: list[Any] = []
    while not line.accept(close):
        if found:
            line.take(",")
            if line.accept(close):
                break
        found.append(line.inside(item))
    return found


def size(line: Line) -> Size:
    """A sum of products of sizes."""
    total = term(line)
    while line.accept("+"):
        total = total + term(line)
    return total


def term(line: Line) -> Size:
    """A product or quotient of sizes."""
    found = factor(line)
    while line.peek() in ("*", "//"):
        if line.take() == "*":
            found = found * factor(line)
        elif (divisor := factor(line)) == 0:
            raise line.error("a size is divided by zero")
        else:
            found = found // divisor
    return found


def factor(line: Line) -> Size:
    """A number, a name, or a size in brackets."""
    if line.accept("("):
        found = line.inside(size)
        line.take(")")
        return found
    if re.match(r"-?\d", line.peek()):
        return line.integer()
    if line.peek() == "broadcast":
        return broadcast_size(line)
    return Dim(line.name())


def broadcast_size(line: Line) -> Size:
    """The size that two sizes broadcast to."""
    line.take("broadcast")
    line.take("(")
    sizes = separated(line, ")", size)
    return broadcast_shapes("broadcast", [ArrayType((n,), np.bool_) for n in sizes])[0]


def array_type(line: Line) -> ArrayType:
    """A dtype and a shape."""
    dtype = line.take()
    if dtype not in DTYPES:
        raise line.error(f"{dtype} is not a dtype")
    line.take("[")
    shape = tuple(separated(line, "]", size))
    if any(isinstance(n, int) and n < 0 for n in shape):
        raise line.error("a size is negative")
    return ArrayType(shape, dtype)


def value(line: Line) -> Any:
    """An attribute's value, or the entries of a constant."""
    kind = line.tokens[line.at][0] if line.at < len(line.tokens) else ""
    found = line.take()
    match found:
        case "(":
            return tuple(separated(line, ")", value))
        case "[":
            return separated(line, "]", value)
        case "{":
            found = line.inside(size)
            line.take("}")
            return found
        case "None" | "True" | "False":
            return WORDS[found]
        case "dtype" | "complex":
            return built(line, found)
    if kind == "string":
        return line.string(found)
    if kind != "number":
        raise line.error(f"{found} is not a value")
    return int(found) if re.fullmatch(r"-?\d+", found) and len(found) < 400 else float(found)


def built(line: Line, what: str) -> Any:
    """A dtype or a complex number."""
    line.take("(")
    parts = separated(line, ")", value if what == "complex" else Line.name)
    if what == "complex" and len(parts) == 2 and all(isinstance(p, float) for p in parts):
        return complex(*parts)
    if what == "dtype" and len(parts) == 1 and parts[0] in DTYPES:
        return np.dtype(parts[0])
    raise line.error(f"{what}({parts}) is not understood")


class Parser:
    """Reads lines into expressions. Its state is the expressions read so far, by name."""

    def __init__(self) -> None:
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
        kind = Kind.PLACEHOLDER
        if line.peek() == "variable" and line.tokens[line.at + 1][1] != ":":
            line.take()
            kind = Kind.VARIABLE
        name = line.name()
        line.take(":")
        return self.define(line, name, Expr(kind, array_type(line), name, None))

    def statement(self, line: Line) -> None:
        """A line `name: type = op(...)`."""
        name = line.name()
        line.take(":")
        type = array_type(line)
        line.take("=")
        what = line.name()
        line.take("(")
        self.define(line, name, self.right_side(line, name, type, what))
        line.finish()

    def right_side(self, line: Line, name: str, type: ArrayType, what: str) -> Expr:
        """The expression that a line defines."""
        if what == "constant":
            (entries,) = one_value(line)
            array = constant_array(line, entries, type)
            return Expr(Kind.CONSTANT, type, name, None, value=array)
        if what == "size":
            (found,) = one_value(line)
            if not isinstance(found, Dim):
                raise line.error("size() takes an unknown size in braces")
            return Expr(Kind.SIZE, type, name, None, value=found)
        return self.application(line, name, type, what)

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
                attrs[name] = value(line)
            else:
                inputs.append(self.reference(line))

        separated(line, ")", one)
        return inputs, attrs


def one_value(line: Line) -> list[Any]:
    """The only argument in a bracket."""
    found = separated(line, ")", value)
    if len(found) != 1:
        raise line.error(f"expected one value, found {len(found)}")
    return found


def compatible(found: ArrayType, declared: ArrayType) -> bool:
    """Whether types agree, a size that only data tells having any name."""
    counted = Dim("?")
    return (
        found.dtype == declared.dtype
        and found.ndim == declared.ndim
        and all(m in (n, counted) for m, n in zip(found.shape, declared.shape, strict=True))
    )


def constant_array(line: Line, entries: Any, type: ArrayType) -> Any:
    """The array of a constant, whose entries must fill the declared shape."""
    flat = flattened(line, entries)
    if not all(isinstance(n, int) for n in type.shape) or product(type.shape) != len(flat):
        raise line.error(f"{len(flat)} entries do not fill {type}")
    if not all(isinstance(x, bool | int | float | complex) for x in flat):
        raise line.error("a constant has numbers only")
    try:
        array = np.array(flat, type.dtype).reshape(type.shape)
    except (OverflowError, TypeError, ValueError) as error:
        raise line.error(str(error)) from error
    array.flags.writeable = False
    return array


def flattened(line: Line, entries: Any) -> list[Any]:
    """The numbers in nested lists, in order. The nesting is bounded by the parser."""
    if not isinstance(entries, list):
        return [entries]
    return [x for entry in entries for x in flattened(line, entry)]


def parse(text: str) -> FrozenGraph:
    """The graph that a text describes, as `to_text` writes it.

    Nothing in the text is evaluated, and types are checked against what the ops give. Raises
    GraphFormatError, with the line, for anything that is not a graph.

    >>> graph = sg.parse("graph(x: float32[n])\\n  y: float32[n] = tanh(x)\\n  return y")
    >>> sg.interpret(graph, [[0.0]])
    (array([0.], dtype=float32),)
    """
    lines = [Line(i, t) for i, t in enumerate(text.splitlines(), 1) if t.strip()]
    lines = [line for line in lines if line.tokens]
    if not lines or lines[0].peek() != "graph":
        raise GraphFormatError("a graph begins with a line `graph(...)`")
    parser, header = Parser(), lines[0]
    header.take("graph")
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
