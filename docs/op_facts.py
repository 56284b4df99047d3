"""What the site tells of an op: subject, names, types, kinks, an example; all asked of the op."""

import ast
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import gradops
import gradops.library
from gradops import Op
from gradops.__main__ import op_table
from gradops.core.traits import Trait
from gradops.core.types import is_inexact, type_of
from gradops.table import Row, names_in, spellings
from gradops.testing.cases import Case, cases

KINKS = Path(__file__).parent / "reference" / "kinks.md"
SMALL = 12  # entries of an operand that an example shows
DTYPES = ("bool", "int64", "float16", "float32", "float64", "complex64", "complex128")
TITLES = {
    "indexing": "Indexing", "linalg": "Linear algebra", "nn": "Neural networks",
    "random": "Random numbers", "reduce": "Reductions, sorting and searching",
    "scipy": "SciPy's special functions", "shape": "Shapes", "signal": "Signals",
    "solvers": "Solvers", "sparse": "Sparse matrices",
}  # fmt: skip
"""Of the subjects that have several modules; others have the title of their module."""


class Subject(NamedTuple):
    """Ops that are on one page, in the order of their declaration."""

    title: str
    ops: list[Op]


def modules() -> Iterator[ModuleType]:
    """The modules that declare ops."""
    for found in pkgutil.walk_packages(gradops.library.__path__, "gradops.library."):
        yield importlib.import_module(found.name)


def declarations(module: ModuleType) -> dict[str, int]:
    """The ops that a module declares, and on which line: what it assigns, or names in a call."""
    found = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if isinstance(op := getattr(module, name, None), Op):
                    found[op.name] = node.lineno
            case ast.Call(func=ast.Name(id=function), args=[ast.Constant(value=name), *_]):
                if name in gradops.OPS and not function.endswith("Error"):
                    found.setdefault(name, node.lineno)
    return found


def subject_of(module: ModuleType) -> str:
    """The page of a module: its folder, or within `elementwise` itself."""
    folder, *rest = module.__name__.removeprefix("gradops.library.").split(".")
    name = rest[0] if folder == "elementwise" and rest else folder
    return "indexing" if name == "index" else name  # as `index` is the page of all


def in_graphs(op: Op) -> bool:
    """Whether an op is one of `staticgrad`'s: of control flow, checks, or what passes write."""
    return getattr(op.kernel, "__module__", "").startswith("staticgrad.")


@cache
def subjects() -> dict[str, Subject]:
    """The pages, by the name of their file."""
    pages: dict[str, Subject] = {}
    seen: set[str] = set()
    for module in modules():
        name = subject_of(module)
        title = TITLES.get(name) or re.split(r"[.,:\n]", module.__doc__ or name)[0]
        lines = declarations(module)
        ops = sorted(lines.keys() - seen, key=lambda op: lines[op])
        pages.setdefault(name, Subject(title, [])).ops.extend(gradops.OPS[op] for op in ops)
        seen.update(lines)
    rest = [op for name, op in sorted(gradops.OPS.items()) if name not in seen and in_graphs(op)]
    pages["graphs"] = Subject("In graphs only", rest)
    return {name: page for name, page in pages.items() if page.ops}


@cache
def rows() -> dict[str, Row]:
    """The row of each op in the table."""
    return {row.name: row for row in op_table()}


@cache
def names_in_numpy() -> dict[Op, list[str]]:
    """The functions of NumPy and SciPy that apply an op where they are called with its operands."""
    found = {
        op: [f"np.{name}" for name in names if is_reached(np, name)]
        for op, names in names_in(gradops, ["linalg", "fft"]).items()
    }
    special = ((name, getattr(gradops.special, name)) for name in gradops.special.__all__)
    for op, names in spellings(special).items():
        found.setdefault(op, []).extend(f"scipy.special.{name}" for name in names)
    return found


def is_reached(module: Any, path: str) -> bool:
    """Whether a module has a function of a name, which may be that of a module's in it."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return callable(module)


@cache
def kinks() -> dict[str, list[str]]:
    """The rows of the table of kinks by the function that they name."""
    found: dict[str, list[str]] = {}
    for line in KINKS.read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| `(?:\w+\.)*(\w+)\(", line):
            found.setdefault(row[1], []).append(line)
    return found


@cache
def drawn(op: Op) -> list[Case]:
    """The samples of an op."""
    return cases(op)


def computed(op: Op, operands: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """What an op gives, or None where it refuses."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return op(*operands, **attrs)
        except (gradops.GradError, gradops.MissingExtraError):
            return None


def signatures(op: Op, at_most: int = 4) -> list[str]:
    """The types of operands and result in the samples, those of float64, without repetitions."""
    found = {}
    for case in drawn(op):
        made = computed(op, case.operands, case.attrs)
        if made is not None and not any(0 in np.shape(x) for x in case.operands):
            shapes = [str(type_of(x)) for x in case.operands]
            found[tuple(np.ndim(x) for x in case.operands)] = (
                f"{', '.join(shapes)} -> {type_of(made)}"
            )
    return list(found.values())[:at_most]


def dtypes(op: Op) -> dict[str, str]:
    """The dtype of the result by that of the operands, of those which the op takes."""
    for case in drawn(op):
        if any(is_inexact(x.dtype) for x in case.operands):
            made = {dtype: computed(op, cast(case.operands, dtype), case.attrs) for dtype in DTYPES}
            return {dtype: str(y.dtype) for dtype, y in made.items() if y is not None}
    return {}


def cast(operands: Sequence[Any], dtype: str) -> list[Any]:
    """Operands with another dtype in place of floats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [x.astype(dtype) if is_inexact(x.dtype) else x for x in operands]


def few(op: Op, operands: Sequence[Any]) -> Sequence[Any]:
    """The first entries of what is computed entry by entry; other operands as they are."""
    if Trait.ELEMENTWISE not in op.traits or len({x.shape for x in operands}) > 1:
        return operands
    return [x.ravel()[:3] if x.ndim else x for x in operands]


def simplicity(case: Case) -> tuple[bool, bool, int]:
    """A key that puts small real arrays first."""
    is_single = not any(x.ndim for x in case.operands)
    return any(map(np.iscomplexobj, case.operands)), is_single, sum(x.size for x in case.operands)


def example(op: Op) -> tuple[list[Any], dict[str, Any], Any] | None:
    """Small operands with few digits, attributes, and what the op gives."""
    for case in sorted(drawn(op), key=simplicity):
        xs = [np.round(x, 2) if is_inexact(x.dtype) else x for x in few(op, case.operands)]
        if all(0 < x.size <= SMALL for x in xs):
            made = computed(op, xs, case.attrs)
            if made is not None and 0 < np.size(made) <= 2 * SMALL:
                return xs, case.attrs, made
    return None
