"""Imports point one way: down the layers of the three packages, and never between siblings."""

import ast
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What each package may import besides itself and the standard library.
MAY_IMPORT = {
    "gradops": {"PIL", "llvmlite", "networkx", "numpy", "scipy", "tqdm"},
    "dynamicgrad": {"gradops", "numpy", "safetensors"},
    "staticgrad": {
        "dask",
        "distributed",
        "google",
        "gradops",
        "mpi4py",
        "networkx",
        "numpy",
        "onnx",
        "scipy",
    },
}
# Modules that need both siblings, and are imported when they are used.
NEEDS_BOTH = {
    "dynamicgrad/comparison.py": "staticgrad",
    "dynamicgrad/sparse.py": "staticgrad",
    "staticgrad/comparison/tape.py": "dynamicgrad",
}
ONLY_WHEN_USED = {
    "PIL", "dask", "distributed", "google", "llvmlite", "mpi4py", "networkx", "onnx",
    "safetensors", "scipy", "tqdm",
}  # fmt: skip

# The parts of each package, lowest first; those of one row may import each other.
ROWS = {
    "gradops": [
        ["core", "typing"],
        ["kernels", "native"],
        ["library"],
        ["fft", "linalg", "random", "special"],
        ["array_api"],
        ["numpy_api"],
        ["transforms"],
        ["inspection", "nn", "scipy", "serialization", "table"],
        ["testing"],
    ],
    "dynamicgrad": [
        ["devices", "names", "sparse"],
        ["engine", "hooks"],
        ["dispatch"],
        ["introspection"],
        ["array_api", "array_namespace", "linalg", "ops", "tracing"],
        ["custom_function", "fft", "random", "special"],
        ["methods"],
        ["data", "func", "nn", "optim", "serialization"],
        ["autograd", "checking", "comparison", "cuda", "utils"],
    ],
    "staticgrad": [
        ["missing_names"],
        ["ir"],
        ["text"],
        ["build", "freezing"],
        ["array_api", "linalg", "nn", "ops", "random", "signal"],
        ["control", "difference", "export", "initializers", "passes", "transform"],
        ["layers", "summary", "train"],
        ["codegen"],
        ["native"],
        ["functions", "runtime", "scipy_solvers", "sparse"],
        ["comparison", "distributed", "onnx"],
        ["commands"],
    ],
}
HEIGHT = {
    f"{package}.{part}": height
    for package, rows in ROWS.items()
    for height, row in enumerate(rows)
    for part in row
}

MODULES = {
    path.relative_to(ROOT).as_posix(): path
    for package in MAY_IMPORT
    for path in sorted((ROOT / package).rglob("*.py"))
}
every_module = pytest.mark.parametrize("path", MODULES.values(), ids=MODULES)


@dataclass(frozen=True)
class Import:
    """A module, or a name in one, that is imported; `deferred` if not along with its importer."""

    target: str
    place: str
    deferred: bool


@cache
def imports_of(path):
    """Everything that the module at `path` imports, wherever in it the import stands."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    nodes = [(ast.parse(path.read_bytes()), False)]
    for node, deferred in nodes:  # which grows on the way
        inside = deferred or is_deferred(node)
        nodes += [(child, inside) for child in ast.iter_child_nodes(node)]
    return [
        Import(target, f"{path.relative_to(ROOT)}:{node.lineno}", deferred)
        for node, deferred in nodes
        for target in targets(node, package)
    ]


def is_deferred(node):
    """Whether what is in `node` does not run when its module is imported."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "_TYPE_CHECKING"}
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def targets(node, package):
    """The dotted names that `node`, in a module of `package`, imports."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            source = resolve_name("." * node.level + (node.module or ""), package)
            return [f"{source}.{alias.name}" for alias in node.names]
        case _:
            return []


def top(dotted):
    return dotted.partition(".")[0]


def height(dotted):
    """The row of the part that holds `dotted`; None for the packages themselves."""
    return HEIGHT.get(".".join(dotted.split(".")[:2]))


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_package_has_modules(package):
    assert any(name.startswith(f"{package}/") for name in MODULES)


@every_module
def test_a_package_imports_only_what_its_layer_allows(path):
    package = path.relative_to(ROOT).parts[0]
    needed = NEEDS_BOTH.get(path.relative_to(ROOT).as_posix())
    allowed = {package, needed, *MAY_IMPORT[package], *sys.stdlib_module_names}
    wrong = [
        f"{i.place} imports {i.target}" for i in imports_of(path) if top(i.target) not in allowed
    ]
    assert not wrong, f"{package} may import {sorted(MAY_IMPORT[package])}"


@every_module
def test_a_module_that_needs_both_siblings_is_imported_when_used(path):
    both = {name.removesuffix(".py").replace("/", ".") for name in NEEDS_BOTH}
    early = [
        i.place for i in imports_of(path) if not i.deferred
        and (i.target in both or i.target.rpartition(".")[0] in both)
    ]  # fmt: skip
    assert not early, f"import {sorted(both)} in the function that uses it"


@every_module
def test_slow_dependencies_are_imported_when_used(path):
    early = [
        i.place for i in imports_of(path) if top(i.target) in ONLY_WHEN_USED and not i.deferred
    ]
    assert not early, f"import {ONLY_WHEN_USED} in the function that uses it"


@every_module
def test_a_part_imports_only_lower_parts_with_itself(path):
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    own, package = height(module), top(module)
    if own is None:
        return  # the package itself imports every part
    upward = [
        f"{i.place} imports {i.target}"
        for i in imports_of(path)
        if top(i.target) == package and (height(i.target) or 0) > own
    ]
    assert not upward, f"the order is {ROWS[package]}; deferred imports count"


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_every_part_has_a_row(package):
    entries = [p for p in (ROOT / package).iterdir() if p.suffix == ".py" or any(p.glob("*.py"))]
    parts = {p.stem for p in entries if not p.stem.startswith("__")}
    listed = {part for row in ROWS[package] for part in row}
    assert parts == listed
