"""Graphs and arrays that commands read and write."""

import io
import json
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradops import ArrayType, GraphFormatError

from .. import onnx
from ..export.saving import load
from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.sizes import names_in
from ..runtime.checking.random_feeds import feeds_accepted_by
from ..text.parser import parse
from .command_line import CommandError

ARCHIVE = b"PK\x03\x04"
ONNX = b"\x08"  # the first byte of a model: its first field is the version


def read_graph(path: str) -> FrozenGraph:
    """The graph in a file, saved, as text or an ONNX model; `-` is the standard input."""
    name = "the standard input" if path == "-" else path
    data = standard_input() if path == "-" else Path(path).read_bytes()
    try:
        if data.startswith(ARCHIVE):
            return load(io.BytesIO(data))
        if data.startswith(ONNX):
            return onnx.load(data if path == "-" else path).freeze()
        return parse(data.decode())
    except UnicodeDecodeError as error:
        raise GraphFormatError(f"{name} is neither a saved graph nor the text of one") from error
    except GraphFormatError as error:
        first, *others = str(error).splitlines()
        raise GraphFormatError("\n".join([f"{name}: {first}", *others])) from None


def standard_input() -> bytes:
    """All that comes from the standard input."""
    if sys.stdin is None:
        raise CommandError("the standard input is closed")
    return sys.stdin.buffer.read()


def read_feeds(graph: FrozenGraph, given: Sequence[str], fill: bool = False) -> list[Any]:
    """The values of a graph's inputs: those given as `name=value`, initial ones of variables.

    With `fill`, missing ones are random.
    """
    named = named_values(given)
    inputs = {e.name: e for e in graph.inputs}
    for name in named:
        if name not in inputs:
            known = ", ".join(e.label for e in graph.inputs) or "none"
            raise CommandError(f"{name!r} is no input of the graph; its inputs are {known}")
    for e in graph.inputs:
        if e.name not in named and e.kind is Kind.VARIABLE and e.value is not None:
            named[e.name] = e.value
    missing = [e for e in graph.inputs if e.name not in named]
    if missing and not fill:
        need = ", ".join(e.label for e in missing)
        raise CommandError(f"no values for {need}; give {missing[0].name}=FILE.npy, or a value")
    if missing == [e for e in graph.inputs if e.kind is not Kind.VARIABLE]:
        accepted, _ = feeds_accepted_by(graph)
        if accepted is not None:
            return accepted
    sizes = sizes_given(graph, named)
    return [
        feed_of(e, named[e.name]) if e.name in named else random_feed(e, sizes)
        for e in graph.inputs
    ]  # fmt: skip


def sizes_given(graph: FrozenGraph, named: dict[str, Any]) -> dict[str, int]:
    """The unknown sizes, as values that are given have them; others are small."""
    sizes = dict.fromkeys(names_in(e.shape for e in graph.inputs), 4)
    for e in graph.inputs:
        if e.name in named:
            shape = np.shape(named[e.name])
            sizes |= {str(n): k for n, k in zip(e.shape, shape) if str(n) in sizes}
    return sizes


def random_feed(e: Expr, sizes: dict[str, int]) -> Any:
    """Random numbers for an input."""
    shape = tuple(n if isinstance(n, int) else n.evaluate(sizes) for n in e.shape)
    return random_array(ArrayType(shape, e.dtype))


def feed_of(e: Expr, value: Any) -> Any:
    """A value for an input: lists in the input's dtype."""
    return np.asarray(value, e.dtype) if isinstance(value, list | int | float | bool) else value


def named_values(given: Iterable[str]) -> dict[str, Any]:
    """Values by name, of arguments `name=value`, and of files of several arrays, `feeds.npz`."""
    result: dict[str, Any] = {}
    for argument in given:
        name, equals, text = argument.partition("=")
        if equals:
            result[name] = value_of(name, text)
        elif argument.endswith(".npz"):
            with np.load(argument, allow_pickle=False) as arrays:
                result |= {key: arrays[key] for key in arrays.files}
        else:
            raise CommandError(f"{argument!r} is neither NAME=VALUE nor a file FEEDS.npz")
    return result


def value_of(name: str, text: str) -> Any:
    """A value: an array in a file, JSON, or random numbers of a type such as `float32[32, 64]`."""
    path, _, key = text.partition(":")
    if path.endswith((".npy", ".npz")):
        return array_in(path, key or name)
    if (found := type_in(text)) is not None:
        return random_array(found)
    try:
        return json.loads(text)
    except ValueError:
        raise CommandError(
            f"{name}={text!r} is no value: give FILE.npy, FILE.npz:KEY, JSON such as [1, 2.5], or a"
            " type for random numbers, float32[32, 64]"
        ) from None


def array_in(path: str, key: str) -> Any:
    """An array in a file of NumPy's."""
    try:
        found = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    if isinstance(found, np.ndarray):
        return found
    with found:
        if key not in found.files:
            raise CommandError(f"{path} has no array {key!r}; it has {', '.join(found.files)}")
        return found[key]


def type_in(text: str) -> ArrayType | None:
    """The type that a text is, with sizes that are numbers; None for other texts."""
    dtype, bracket, sizes = text.partition("[")
    if not bracket or not dtype.isidentifier() or not sizes.endswith("]"):
        return None
    try:
        shape = [int(n) for n in sizes[:-1].split(",") if n.strip()]
        return ArrayType(tuple(shape), np.dtype(dtype))
    except (TypeError, ValueError):
        return None


def random_array(type: ArrayType) -> Any:
    """Normal numbers for floats; small numbers from 0 for integers."""
    rng = np.random.default_rng(0)
    if type.dtype.kind in "fc":
        return np.asarray(rng.standard_normal(type.shape), type.dtype)
    return np.asarray(rng.integers(0, 2, type.shape), type.dtype)


def result_names(graph: FrozenGraph) -> list[str]:
    """A name for each result: its label where it has one, else the expression's; all different."""
    labels = [*graph.labels, *[e.name for e in graph.outputs[len(graph.labels) :]]]
    labels += [f"new {v.name}" for v, _ in graph.updates]
    return [n if labels.count(n) == 1 else f"{n}:{i}" for i, n in enumerate(labels)]


def write_results(names: Sequence[str], results: Sequence[Any], path: str | None) -> None:
    """Write results to a file of NumPy's, or as text to the standard output."""
    arrays = {name: np.asarray(x) for name, x in zip(names, results, strict=True)}
    if path is None:
        for name, array in arrays.items():
            print(f"{name}: {ArrayType(array.shape, array.dtype)} = {np.array2string(array)}")
    elif path == "-":
        write_archive(sys.stdout.buffer, arrays)
    elif path.endswith(".npy") and len(arrays) == 1:
        np.save(path, next(iter(arrays.values())))
    elif path.endswith(".npz"):
        write_archive(path, arrays)
    else:
        hint = "FILE.npz: there are several" if len(arrays) > 1 else "FILE.npy or FILE.npz"
        raise CommandError(f"{path}: results are written to {hint}")


def write_archive(file: Any, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays as `np.savez` does, which cannot write one under the name `file`."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)
