"""Literals in the text of a graph: sizes, types, attributes and the entries of constants."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradops import ArrayType, Dim
from gradops.core.dims import LARGEST, Size, at_least_zero, product, sum_of
from gradops.core.types import broadcast_shapes
from gradops.kernels.sparse.patterns import Pattern

from ..ir.tuple_types import HistoryType, ResidualsType, TupleType
from .budget import ENTRY, ROW, Budget
from .lexer import Line, comma_separated

MOST_AXES = 64  # NumPy has no arrays of more
KINDS = {"b": 0, "u": 1, "i": 1, "O": 1, "f": 2, "c": 3}  # of dtypes: each holds those before it
ENTRIES = re.compile(r"[-\[\], \d.eE+]*+(?:(?:inf|nan|True|False)[-\[\], \d.eE+]*+)*+")
SPELLED = {"inf": "Infinity", "nan": "NaN", "True": "true", "False": "false"}
WORDS = {"None": None, "True": True, "False": False}
DTYPES = frozenset(np.dtype(c).name for c in np.typecodes["All"] if np.dtype(c).kind in "biufc")
TYPES = DTYPES | {"list", "residuals"}
"""The first words of types that may be attributes."""
Graph = Callable[[Line], Any]
Array = Callable[[Line, object, ArrayType], np.ndarray]


def size(line: Line) -> Size:
    """A sum or difference of products of sizes."""
    terms = [term(line)]
    while line.peek() in ("+", "-"):
        sign = line.take()
        terms.append(term(line) if sign == "+" else -term(line))
    return sum_of(terms) if terms[1:] else terms[0]


def term(line: Line) -> Size:
    """A product or quotient of sizes."""
    result = factor(line)
    while line.peek() in ("*", "//"):
        if line.take() == "*":
            result = result * factor(line)
        elif (divisor := factor(line)) == 0:
            raise line.error("a size is divided by zero")
        else:
            result = result // divisor
        if isinstance(result, int) and abs(result) > LARGEST:
            raise line.error(f"a size is above {LARGEST}")
    return result


def factor(line: Line) -> Size:
    """A number, a name, or a size in brackets."""
    if line.accept("("):
        result = line.nested(size)
        line.take(")")
        return result
    if re.match(r"-?\d", line.peek()):
        return line.integer()
    if line.peek() == "broadcast":
        return broadcast_size(line)
    if line.peek() == "nonnegative":
        return nonnegative_size(line)
    return Dim(line.name())


def broadcast_size(line: Line) -> Size:
    """The size that two sizes broadcast to."""
    line.take("broadcast")
    line.take("(")
    sizes = comma_separated(line, ")", size)
    return broadcast_shapes("broadcast", [ArrayType((n,), np.bool_) for n in sizes])[0]


def nonnegative_size(line: Line) -> Size:
    """A difference of sizes, or 0 where that is negative."""
    line.take("nonnegative")
    line.take("(")
    result = line.nested(size)
    line.take(")")
    return at_least_zero(result)


def any_type(line: Line) -> ArrayType:
    """The type of an array, of several values, of a history, or of residuals."""
    if line.accept("("):
        return TupleType(comma_separated(line, ")", any_type))
    if line.accept("residuals"):
        return ResidualsType(shape(line))
    if line.peek() != "list":
        return array_type(line)
    line.take("list")
    line.take("(")
    length = size(line)
    line.take(",")
    element = line.nested(any_type)
    line.take(")")
    if isinstance(element, TupleType):
        raise line.error("a list has arrays, or lists of them")
    return HistoryType(length, element)


def array_type(line: Line) -> ArrayType:
    """A dtype and a shape."""
    dtype = line.take()
    if dtype not in DTYPES:
        raise line.error(f"{dtype} is not a dtype")
    return ArrayType(shape(line), dtype)


def shape(line: Line) -> tuple[Size, ...]:
    """Sizes in square brackets."""
    line.take("[")
    sizes = tuple(comma_separated(line, "]", size))
    if len(sizes) > MOST_AXES:
        raise line.error(f"an array has no more than {MOST_AXES} axes")
    if any(isinstance(n, int) and n < 0 for n in sizes):
        raise line.error("a size is negative")
    return sizes


def value(line: Line, graph: Graph | None = None, array: Array | None = None) -> Any:
    """An attribute's value, or the entries of a constant.

    `graph` reads the name of a graph; `array` makes an array of entries, or of their number.
    """
    kind = line.tokens[line.at][0] if line.at < len(line.tokens) else ""
    if kind == "name" and line.peek() in TYPES:
        return any_type(line)
    result = line.take()
    match result:
        case "(":
            return tuple(comma_separated(line, ")", partial(value, graph=graph, array=array)))
        case "[":
            return comma_separated(line, "]", value)
        case "@" if graph is not None:
            return graph(line)
        case "pattern" if array is not None:
            return pattern(line, array)
        case "{":
            dim = line.nested(size)
            line.take("}")
            return dim
        case "None" | "True" | "False":
            return WORDS[result]
        case "dtype" | "complex":
            return dtype_or_complex(line, result)
    if kind == "string":
        return line.string(result)
    if kind != "number":
        raise line.error(f"{result} is not a value")
    return number(result)


def pattern(line: Line, array: Array) -> Pattern:
    """The pattern of a sparse matrix: its sizes, and its places in CSR order."""
    line.take("(")
    rows, columns, starts, indices = separated(line, Line.integer, Line.integer, value, value)
    if not 0 <= rows < LARGEST or not 0 <= columns < LARGEST:
        raise line.error(f"a matrix is not {rows} x {columns}")
    indptr = array(line, starts, ArrayType((rows + 1,), np.int64))
    count = ArrayType((max(int(indptr[-1]), 0),), np.int64)
    try:
        return Pattern.checked(indptr, array(line, indices, count), (rows, columns))
    except ValueError as error:
        raise line.error(str(error)) from error


def separated(line: Line, *steps: Callable[[Line], Any]) -> list[Any]:
    """The results of steps with commas between them, and a closing bracket."""
    results: list[Any] = []
    for step in steps:
        if results:
            line.take(",")
        results.append(line.nested(step))
    line.take(")")
    return results


def number(token: str) -> int | float:
    """The number of a token."""
    return int(token) if re.fullmatch(r"-?\d+", token) and len(token) < 400 else float(token)


def dtype_or_complex(line: Line, what: str) -> np.dtype | complex:
    """A dtype or a complex number."""
    line.take("(")
    parts = comma_separated(line, ")", value if what == "complex" else Line.name)
    if what == "complex" and len(parts) == 2 and all(isinstance(p, float) for p in parts):
        return complex(*parts)
    if what == "dtype" and len(parts) == 1 and parts[0] in DTYPES:
        return np.dtype(parts[0])
    raise line.error(f"{what}({parts}) is not understood")


def single_value(line: Line) -> object:
    """The single argument in brackets."""
    result = comma_separated(line, ")", value)
    if len(result) != 1:
        raise line.error(f"expected one value, found {len(result)}")
    return result[0]


def constant_array(line: Line, entries: object, type: ArrayType) -> np.ndarray:
    """The array of a constant, whose entries must fill the declared shape."""
    flat = flat_entries(line, entries)
    if not all(isinstance(x, bool | int | float | complex) for x in flat):
        raise line.error("a constant has numbers only")
    try:
        return array_of(flat, type)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise line.error(str(error)) from error


def flat_entries(line: Line, entries: object) -> list[object]:
    """The numbers in nested lists, in order. The nesting is bounded by the parser."""
    if not isinstance(entries, list):
        return [entries]
    return [x for entry in entries for x in flat_entries(line, entry)]


def number_lists(text: str, budget: Budget) -> object:
    """Nested lists of numbers, read at once; raises ValueError for other text."""
    import json

    budget.spend(ENTRY * text.count(",") + ROW * text.count("["))
    if not ENTRIES.fullmatch(text):
        raise ValueError("not only numbers")
    for word, spelled in SPELLED.items():
        text = text.replace(word, spelled)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("too deep") from error


def array_of(entries: Any, type: ArrayType) -> np.ndarray:
    """An array of numbers, which must fit the type; raises ValueError or ArithmeticError."""
    result = np.array(entries)
    if not all(isinstance(n, int) for n in type.shape) or product(type.shape) != result.size:
        raise ValueError(f"{result.size} entries do not fill {type}")
    if result.size and KINDS[result.dtype.kind] > KINDS[type.dtype.kind]:
        raise ValueError(f"the entries are of {result.dtype}, and not {type.dtype}")
    with np.errstate(over="raise"):
        array = np.array(entries, type.dtype).reshape(type.shape)
    array.flags.writeable = False
    return array
