"""The parser of graphs. It checks everything it reads, and evaluates nothing."""

import re
from collections.abc import Iterator

from gradops import GraphFormatError
from gradops.core.dims import COUNTED

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from .budget import SAFE, SECTION, Budget
from .lexer import NAME, SHOWN, STRING, Line, comma_separated, lines_of
from .statements import UNFIT, Aside, Parser, Section

HEADER = re.compile(rf"graph\s*+(?:{NAME.pattern}|{STRING})?+\s*+\(")
Lines = Iterator[Line]


def parse(text: str, aside: Aside = None, limit: float = SAFE) -> FrozenGraph:
    """The graph that a text describes, as `to_text` writes it.

    `aside(i)` returns the value of constant i of those that `to_text` put aside. Texts of more than
    `limit` characters are refused, and texts that need more work than an ordinary text of `limit`
    characters, so that parsing text from any source takes limited time and memory.

    Nothing in the text is evaluated, and types are checked by inference. Raises
    GraphFormatError, with the line, for anything that is not a graph.

    >>> graph = sg.parse("graph(x: float32[n])\\n  y: float32[n] = tanh(x)\\n  return y")
    >>> sg.interpret(graph, [[0.0]])
    (array([0.], dtype=float32),)
    """
    if len(text) > limit:
        raise GraphFormatError(f"the text has {len(text):,} characters, more than {limit:,}")
    return parse_sections(text, aside, Budget(limit))[""]


def parse_sections(text: str, aside: Aside, budget: Budget) -> dict[str, FrozenGraph]:
    """The graphs of a text by name; the name of the last one is empty."""
    counting = COUNTED.set(budget.spend_on_size)
    try:
        return read_sections(text, aside, budget)
    except GraphFormatError:
        raise
    except (*UNFIT, RecursionError) as error:
        raise GraphFormatError(f"the text describes no graph: {str(error)[:SHOWN]}") from error
    finally:
        COUNTED.reset(counting)


DEEPEST = 32  # graphs within graphs


def read_sections(text: str, aside: Aside, budget: Budget) -> dict[str, FrozenGraph]:
    """All graphs of a text by name, one after the other."""
    lines = lines_of(text, budget)
    header = next(lines, None)
    if header is None or not is_header(header):
        raise GraphFormatError("a graph begins with a line `graph(...)`")
    sections: dict[str, Section] = {}
    while header is not None:
        budget.spend(SECTION)
        header.take("graph")
        name = "" if header.peek() == "(" else header.name()
        if name in sections or "" in sections:
            raise header.error("a graph inside has a name of its own, the last one none")
        parser = Parser(budget, aside, sections, inside=bool(name))
        graph, following = parse_section(header, lines, parser)
        if name:
            budget.spend_on_graph(graph)
        sections[name] = Section(graph, parser.depth + 1)
        if parser.depth >= DEEPEST:
            raise header.error("graphs are nested too deeply")
        header = following
    if "" not in sections:
        raise GraphFormatError("the last graph has no name of its own: `graph(...)`")
    return {name: section.graph for name, section in sections.items()}


def is_header(line: Line) -> bool:
    """True if a line begins a graph: `graph(...)` or `graph name(...)`."""
    return line.text.startswith("graph") and HEADER.match(line.text) is not None


def parse_section(header: Line, lines: Lines, parser: Parser) -> tuple[FrozenGraph, Line | None]:
    """The graph that lines of text describe, and the line after it, which begins another."""
    header.take("(")
    inputs = comma_separated(header, ")", parser.input)
    header.finish()
    last, following = header, None
    for line in lines:
        if is_header(line):
            following = line
            break
        if last is not header:
            parser.read(last)
        last = line
    outputs = read_outputs(last, parser)
    graph = FrozenGraph(tuple(inputs), outputs, tuple(parser.updates), tuple(parser.measured))
    return graph, following


def read_outputs(line: Line, parser: Parser) -> tuple[Expr, ...]:
    """The last line, `return a, b`."""
    if line.peek() != "return":
        raise line.error("the last line is `return ...`")
    line.take("return")
    outputs: list[Expr] = []
    while line.peek():
        if outputs:
            line.take(",")
        outputs.append(parser.reference(line))
    return tuple(outputs)
