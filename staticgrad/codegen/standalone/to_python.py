"""Graphs as Python modules that need only NumPy."""

import io
import itertools
import keyword
import os
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradops import Dim, OptionError
from gradops.core.dims import broadcast_size, nonnegative

from ...ir.expr import Expr, Kind
from ...ir.graph import FrozenGraph, meets_singularities, require_frozen
from ...passes.levels import pipeline_for
from ...passes.scalars import FloatScalars, MathScalars
from ..loops.row_lists import new_rows
from ..memory.arena import Arena, Slot
from ..names import comment, identifier
from ..source import Source, emit
from .definitions import Definitions

MEMORY_FUNCTIONS = {
    "broadcast": broadcast_size, "new_rows": new_rows, "nonnegative": nonnegative,
}  # fmt: skip
HEAD = '''"""{title}

Written by staticgrad. It needs NumPy and nothing else.

>>> {call}

{inputs}{outputs}
"""
'''
ADMISSION = '''def admitted(name, value, dtype, shape):
    """The value of an input as an array in C order; raises unless it has the dtype and shape."""
    array = np.asarray(value)
    if not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype(dtype, casting="same_kind" if array.dtype.kind == "f" else "unsafe")
    if array.dtype != dtype:
        raise TypeError(f"{name} has dtype {dtype}, not {array.dtype}")
    if array.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape)):
        raise ValueError(f"{name} has shape {shape}, not {array.shape}")
    return np.array(array, order="C", copy=None).view(dtype)


def disagree(*values):
    """Raise for inputs whose sizes do not fit each other."""
    raise ValueError(f"sizes disagree: {[np.shape(v) for v in values]}")
'''
LOADING = """with np.load(Path(__file__).with_name({data!r})) as file:
    ARRAYS = dict(file)
"""
MEMORY = '''{pools} = collections.defaultdict(list)


def {allocate}({sizes}):
    """New memory for one run."""
    return ({arrays},)
'''


def to_python(graph: FrozenGraph, path: str | os.PathLike[str]) -> None:
    """Write a graph as a Python module with a function `run`, which needs only NumPy.

    The function has the bits of the graph compiled with `optimize=1` on arrays in C order, to which
    it copies others, if NumPy's kernels run (`STATICGRAD_NATIVE_KERNELS=0`). It takes the values of
    the inputs, and those of variables by keyword, by default their initial ones; it returns a tuple
    of the outputs, and if there are assignments, a dict of the new values of variables after it.
    Large constants are in a file beside the module, `.npz`. Kernels of ops that a user declares are
    written too. Raises OptionError, which names an expression, for a kernel that needs more than
    NumPy and Python, or whose source is not known.

    >>> import pathlib, tempfile, runpy
    >>> x = sg.placeholder("float64", ["n"], name="x")
    >>> graph = sg.freeze([sg.reduce_sum(sg.exp(x))], [x])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.py"
    >>> sg.to_python(graph, path)
    >>> runpy.run_path(str(path))["run"](np.zeros(3))
    (np.float64(3.0),)
    """
    path = Path(path)
    pipeline = pipeline_for(1, without=[FloatScalars, MathScalars])
    optimized, _ = pipeline.run(require_frozen("to_python", graph))
    text, arrays = written(graph, optimized, path.with_suffix(".npz").name)
    path.write_text(text, encoding="utf-8")
    if arrays:
        with path.with_suffix(".npz").open("wb") as file:
            np.savez(file, **arrays)


def written(graph: FrozenGraph, optimized: FrozenGraph, data: str) -> tuple[str, Mapping[str, Any]]:
    """The text of the module of a graph, and its large constants."""
    source = emit(optimized)
    names = {t.string for t in tokens(source.text) if t.type == tokenize.NAME}
    definitions = Definitions(names | {"run", "ARRAYS", "admitted", "disagree"})
    generated = renamed(source, definitions, names)
    memory = [with_functions(text_of(arena), definitions) for arena in source.arenas]
    if memory:
        definitions.imports["import collections"] = None
    loading = list[str]()
    if definitions.arrays:
        definitions.imports["from pathlib import Path"] = None
        loading = [LOADING.format(data=data)]
    wrapper = run_function(graph, definitions, meets_singularities(optimized))
    imports = "\n".join(sorted(definitions.imports)) + "\n"
    parts = [imports, *loading, *definitions.texts, ADMISSION, *memory, generated, wrapper]
    return head(graph) + "\n" + spaced(parts), definitions.arrays


def spaced(parts: Sequence[str]) -> str:
    """Definitions with blank lines between them, but for tables of one line."""
    result = parts[0]
    for before, part in itertools.pairwise(parts):
        is_line = before.count("\n") == part.count("\n") == 1 and not before.startswith("import")
        result += part if is_line else f"\n\n{part}"
    return result


def tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a source."""
    return tokenize.generate_tokens(io.StringIO(text).readline)


def renamed(source: Source, definitions: Definitions, names: set[str]) -> str:
    """The generated source, with references to definitions in place of names in its scope."""
    given = {a.pools for a in source.arenas} | {a.allocate for a in source.arenas} | {"disagree"}
    definitions.taken |= given
    references = {"run": "run_arrays"}
    for name in sorted(names & source.scope.keys() - given - source.starts.keys()):
        definitions.taken.discard(name)
        references[name] = definition_of(name, source, definitions)
        definitions.taken.add(name)
    result, last, before = list[str](), (1, 0), ""
    lines = source.text.split("\n")
    every = list(tokens(source.text))
    for token, following in itertools.pairwise(every):
        result.append(between(lines, last, token.start))
        is_name = token.type == tokenize.NAME and before != "." and following.string != "="
        is_name = is_name or (token.type == tokenize.NAME and token.string in source.starts)
        text = references.get(token.string, token.string) if is_name else token.string
        result.append(text)
        last, before = token.end, token.string
    return "".join(result)


def definition_of(name: str, source: Source, definitions: Definitions) -> str:
    """The reference to an object in the scope of a source; an error names who needs it."""
    try:
        return definitions.reference(source.scope[name], name)
    except OptionError as error:
        lines = zip(source.owners, source.lines, strict=True)
        users = [e.label for e, line in lines if e is not None and has_word(line, name)]
        raise OptionError("to_python", users[:1], f"{name}: {error.reason}") from error


def has_word(line: str, name: str) -> bool:
    """True if a line of a source has a name."""
    return re.search(rf"\b{name}\b", line) is not None


def between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text of a source between two places in one line."""
    return lines[start[0] - 1][start[1] : end[1]] if start[0] == end[0] else " " * end[1]


def text_of(arena: Arena) -> str:
    """The functions that give a run its memory."""
    arrays = ", ".join(text_of_slot(slot, arena.names) for slot in arena.slots)
    sizes = ", ".join(arena.names)
    return MEMORY.format(pools=arena.pools, allocate=arena.allocate, sizes=sizes, arrays=arrays)


def with_functions(text: str, definitions: Definitions) -> str:
    """The text with references to the functions of sizes and rows that it calls."""
    for name, function in MEMORY_FUNCTIONS.items():
        if f"{name}(" in text:
            text = re.sub(rf"\b{name}\(", f"{definitions.reference(function, name)}(", text)
    return text


def text_of_slot(slot: Slot, names: tuple[str, ...]) -> str:
    """A new array for a slot of an arena."""
    shape = [n.render(str) if isinstance(n, Dim) else str(n) for n in slot.type.shape]
    order = [*(i for i in range(len(shape)) if i not in slot.axes), *slot.axes]
    text = f"np.empty(({', '.join(shape[i] for i in order)},), {slot.type.dtype.name!r})"
    if not shape:
        text = f"np.empty((), {slot.type.dtype.name!r})"
    if slot.shift is not None:
        dtype = slot.type.dtype.name
        return f"new_rows(({', '.join(shape)},), {dtype!r}, {slot.shift}, {slot.spans})"
    return text if order == sorted(order) else f"{text}.transpose({np.argsort(order).tolist()})"


def run_function(graph: FrozenGraph, definitions: Definitions, silent: bool) -> str:
    """The function that converts inputs, runs the generated code and arranges its results."""
    parameters, by_name, lines = list[str](), list[str](), list[str]()
    for e, name in parameter_names(graph).items():
        if e.kind is Kind.VARIABLE:
            by_name.append(f"{name}={definitions.reference(e.value, f'initial_{name}')}")
        else:
            parameters.append(name)
        shape = tuple([n if isinstance(n, int) else None for n in e.shape])
        lines.append(f"{name} = admitted({e.name!r}, {name}, np.dtype({e.dtype.name!r}), {shape})")
    call = f"run_arrays({', '.join(parameter_names(graph).values())})"
    lines += (
        [f"with np.errstate(all='ignore'):\n        results = {call}"]
        if silent
        else [f"results = {call}"]
    )
    count, updates = (
        len(graph.outputs),
        ", ".join(
            f"{v.name!r}: results[{len(graph.outputs) + i}]"
            for i, (v, _) in enumerate(graph.updates)
        ),
    )
    lines.append(f"return results[:{count}], {{{updates}}}" if updates else "return results")
    signature = ", ".join([*parameters, *(["*", *by_name] if by_name else [])])
    body = "\n    ".join(lines)
    doc = '"""The outputs of the graph, and the new values of variables if it has assignments."""'
    return f"def run({signature}):\n    {doc}\n    {body}\n"


def parameter_names(graph: FrozenGraph) -> dict[Expr, str]:
    """Names of the parameters of the function."""
    result: dict[Expr, str] = {}
    taken = {"np", "results", "run_arrays", "admitted"}
    for e in graph.inputs:
        name = identifier(e.name)
        while name in taken or keyword.iskeyword(name):
            name += "_"
        taken.add(name)
        result[e] = name
    return result


def head(graph: FrozenGraph) -> str:
    """The docstring of the module."""
    names = parameter_names(graph)
    given = [f"    {names[e]}: {comment(str(e.type))}" for e in graph.inputs]
    outputs = [f"    {comment(e.name)}: {comment(str(e.type))}" for e in graph.outputs]
    updates = [f"    {comment(v.name)}: {comment(str(v.type))}" for v, _ in graph.updates]
    feeds = [names[e] for e in graph.inputs if e.kind is not Kind.VARIABLE]
    parts = ["Returns\n" + "\n".join(outputs)]
    if updates:
        parts.append("and new values of\n" + "\n".join(updates))
    takes = "Takes\n" + "\n".join(given) + "\n\n" if given else ""
    text = HEAD.format(
        title=f"A graph of {len(graph)} expressions as a function of NumPy arrays.",
        call=f"run({', '.join(feeds)})", inputs=takes, outputs="\n\n".join(parts),
    )  # fmt: skip
    return text.replace("\\", "\\\\")
