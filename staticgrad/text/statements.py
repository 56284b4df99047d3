"""Statements: expressions from the lines of a graph's text."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from gradops import OPS, ArrayType, Dim, GradError, GraphFormatError, Op, type_of
from gradops.typing import Attrs

from ..ir.expr import NOT_TRAINED, Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.interning import Interning
from ..ir.tuple_types import compatible, type_name
from . import budget as work
from . import literals
from .budget import Budget, attrs_weight
from .lexer import ELIDED, NAME, NUMBER, Line, comma_separated

T = TypeVar("T")
Aside = Callable[[int], np.ndarray] | None
"""Gives the values of constants that were put aside, by number, if some were."""

UNFIT = (GradError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Section(NamedTuple):
    """A graph of the text, and the nesting depth of the graphs inside it."""

    graph: FrozenGraph
    depth: int


Above = Mapping[str, Section]
"""The graphs of the text so far, by name."""


class Parser:
    """Reads lines into expressions. Its state is the expressions read so far, by name."""

    def __init__(self, budget: Budget, aside: Aside, above: Above, inside: bool) -> None:
        self.budget = budget
        self.aside = aside  # gives the values of constants that were put aside
        self.above, self.inside = above, inside
        self.depth = 0  # of the graphs within this one
        self.known: dict[str, Expr] = {}
        self.intern = Interning()
        self.types: dict[str, ArrayType] = {}  # by their text, for lines in the plain form
        self.attrs: dict[tuple[str, str], tuple[Attrs, int]] = {}
        self.checked: set[Hashable] = set()
        self.updates: list[tuple[Expr, Expr]] = []
        self.measured: list[Expr] = []

    def read(self, line: Line) -> None:
        """Read a line other than the first and the last.

        Most lines of a long text are in one plain form; the others are read token by token.
        """
        self.budget.spend(work.STATEMENT)
        if self.plain(line.text):
            return
        word = line.peek()
        if word not in ("update", "measure") or not line.tokens[1:] or line.tokens[1][1] == ":":
            self.statement(line)
        elif word == "update":
            self.update(line)
        else:
            line.take("measure")
            self.measured.append(self.reference(line))
            line.finish()

    def update(self, line: Line) -> None:
        """A line `update variable = value`."""
        line.take("update")
        variable = self.reference(line)
        line.take("=")
        new = self.reference(line)
        line.finish()
        if variable.kind is not Kind.VARIABLE or variable.type != new.type:
            raise line.error("an update gives a variable a value of its own type")
        self.updates.append((variable, new))

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
        self.budget.spend(work.EXPRESSION)
        kind = Kind.PARAMETER if self.inside else Kind.PLACEHOLDER
        attrs = None
        if line.peek() in ("variable", "state") and line.tokens[line.at + 1][1] != ":":
            attrs = dict(NOT_TRAINED) if line.take() == "state" else None
            kind = Kind.VARIABLE
        name = line.name()
        line.take(":")
        type = literals.any_type(line) if self.inside else literals.array_type(line)
        return self.define(line, name, Expr(kind, type, name, None, attrs=attrs))

    def statement(self, line: Line) -> None:
        """A line `name: type = op(...)`."""
        self.budget.spend(work.EXPRESSION)
        name = line.name()
        line.take(":")
        type = literals.any_type(line)
        line.take("=")
        what = line.name()
        line.take("(")
        self.define(line, name, self.right_side(line, name, type, what))
        line.finish()

    def plain(self, text: str) -> bool:
        """Read a line in the form in which `to_text` writes most of them, or return False.

        The line is split at its punctuation, and the parts are looked up. Where the form differs,
        nothing has been done, and `statement` reads the line or raises an error.
        """
        if '"' in text:
            return False
        left, _, right = text.partition("#")[0].rstrip().partition(" = ")
        name, _, type_text = left.partition(": ")
        what, _, arguments = right.partition("(")
        if name in self.known or not NAME.fullmatch(name) or not right.endswith(")"):
            return False
        self.budget.spend(work.EXPRESSION + work.OPERAND * arguments.count(","))
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
            type = self.types[type_text] = self.whole(type_text, literals.any_type)
        if what == "constant":
            value = plain_constant(arguments, type, self.budget)
            return Expr(Kind.CONSTANT, type, name, None, value=value)
        op, known = OPS[what], self.known
        operands, given = split_arguments(arguments)
        inputs = tuple([known[x] for x in operands.split(", ")]) if operands else ()
        attrs = self.plain_attributes(op, given)
        facts = what, given, type_text, *[id(x.type) for x in inputs]
        if facts not in self.checked:
            self.require_type(op, inputs, attrs, type)
            self.checked.add(facts)
        return Expr(Kind.OP, type, name, None, op=op, inputs=inputs, attrs=attrs)

    def plain_attributes(self, op: Op, given: str) -> Attrs:
        """The attributes of an op, from their text; cached by text."""
        result = self.attrs.get((op.name, given))
        if result is None:
            attrs = op.bind_attrs(self.whole(given, self.attributes))
            weight = attrs_weight(attrs) + (
                work.CHARACTER * len(given) if len(given) > work.LONG else 0
            )
            result = self.attrs[op.name, given] = attrs, weight
        if result[1]:
            self.budget.spend(result[1])
        return result[0]

    def whole(self, text: str, step: Callable[[Line], T]) -> T:
        """The result of `step` on all of a piece of text."""
        line = Line(text, self.budget)
        result = step(line)
        line.finish()
        return result

    def attributes(self, line: Line) -> Attrs:
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
            array = self.constant(line, literals.single_value(line), type)
            return Expr(Kind.CONSTANT, type, name, None, value=array)
        if what == "size":
            result = literals.single_value(line)
            if not isinstance(result, Dim):
                raise line.error("size() takes an unknown size in braces")
            return Expr(Kind.SIZE, type, name, None, value=result)
        return self.application(line, name, type, what)

    def constant(self, line: Line, entries: object, type: ArrayType) -> np.ndarray:
        """The value of a constant, from its entries or its number among those put aside."""
        if isinstance(entries, str) and entries.startswith(ELIDED):
            raise line.error(
                "the entries of this constant were left out of the text"
                "\n  hint: to_text(graph, arrays=True) writes all, and save(graph, file) keeps all"
            )
        if self.aside is None or not isinstance(entries, str):
            return literals.constant_array(line, entries, type)
        if not entries.isascii() or not entries.isdigit() or len(entries) > 9:
            raise line.error(f"{entries!r} is not the number of an array")
        self.budget.spend(work.ARRAY)
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
            self.budget.spend(attrs_weight(attrs))
            self.require_type(op, inputs, attrs, type)
        except GraphFormatError:
            raise
        except (GradError, TypeError, ValueError, IndexError, KeyError) as error:
            raise line.error(str(error).split("\n")[0]) from error
        return Expr(Kind.OP, type, name, None, op=op, inputs=tuple(inputs), attrs=attrs)

    def require_type(self, op: Op, inputs: Sequence[Expr], attrs: Attrs, type: ArrayType) -> None:
        """Refuse operands that an op does not take, and a type other than the inferred one."""
        count = len(inputs) if op.arity is None else op.arity
        if len(inputs) != count:
            raise TypeError(f"{op} takes {count} operands, not {len(inputs)}")
        types = [x.type for x in inputs]
        self.budget.spend_on_types(types, attrs, type)
        result = op.type_for(types, attrs)
        if not compatible(result, type):
            raise TypeError(f"{op} gives {result}, not {type}")

    def arguments(self, line: Line) -> tuple[list[Expr], Attrs]:
        """Operands by name, then attributes by keyword."""
        inputs: list[Expr] = []
        attrs: Attrs = {}

        def one(line: Line) -> None:
            if line.at + 1 < len(line.tokens) and line.tokens[line.at + 1][1] == "=":
                name = line.keyword()
                line.take("=")
                if name in attrs:
                    raise line.error(f"{name} is given twice")
                attrs[name] = literals.value(line, self.graph, self.constant)
            else:
                inputs.append(self.reference(line))

        comma_separated(line, ")", one)
        return inputs, attrs

    def graph(self, line: Line) -> FrozenGraph:
        """An earlier graph, by its name."""
        name = line.name()
        if name not in self.above:
            raise line.error(f"there is no graph {name!r} above")
        graph, depth = self.above[name]
        self.depth = max(self.depth, depth)
        return graph


def split_arguments(arguments: str) -> tuple[str, str]:
    """The texts of the operands and of the attributes."""
    equals = arguments.find("=")
    if equals < 0:
        return arguments, ""
    comma = arguments.rfind(", ", 0, equals)
    return (arguments[:comma], arguments[comma + 2 :]) if comma >= 0 else ("", arguments)


def plain_constant(text: str, type: ArrayType, budget: Budget) -> np.ndarray:
    """The value of a constant that is a number, or lists of them."""
    if type.__class__ is not ArrayType:
        raise ValueError(text)
    budget.spend(work.CONSTANT)
    if text[:1] == "[":
        return literals.array_of(literals.number_lists(text, budget), type)
    if type.shape or not NUMBER.fullmatch(text):
        raise ValueError(text)
    return literals.array_of(literals.number(text), type)
