"""The header that says to C programs how a graph's function is called."""

import keyword
import os
import platform
import re
from pathlib import Path

import numpy as np

from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...ir.names import unique_name
from ..shapes import known
from .c_object import BLAS, Library, refusal

TYPES = {
    "f4": "float", "f8": "double", "i1": "int8_t", "i2": "int16_t", "i4": "int32_t",
    "i8": "int64_t", "u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t",
    "b1": "uint8_t", "f2": "uint16_t", "c8": "float", "c16": "double",
}  # fmt: skip
"""The types of entries; complex ones are pairs, the halves of 16 bits are numbers of their bits."""
KEYWORDS = frozenset(keyword.kwlist) | {
    "asm", "auto", "bool", "case", "catch", "char", "const", "default", "delete", "do", "double",
    "enum", "extern", "false", "float", "goto", "inline", "int", "long", "new", "operator",
    "private", "public", "register", "restrict", "short", "signed", "sizeof", "static", "struct",
    "switch", "template", "this", "throw", "true", "typedef", "union", "unsigned", "using",
    "virtual", "void", "volatile", "workspace", "main",
}  # fmt: skip
"""Names that nothing can have: those of C and C++, and that of the workspace."""
CPUS = {
    "x86_64": ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
    "aarch64": ("generic", "neoverse-n1", "neoverse-v1"), "arm64": ("generic", "apple-m1"),
}  # fmt: skip
"""By machine, processors that code may be for; LLVM ends the process at others."""
TEXT = """/* {name}: a graph compiled by staticgrad, for {cpu}.
 *
 * Arrays lie in the order of C, aligned as their types are; results overlap nothing. The workspace
 * is memory of {name}_workspace_bytes, in use during a call; calls at the same time need one each.
 *
{arguments}
 *
 * It returns STATICGRAD_OK, or else results are not to be used: STATICGRAD_GAVE_UP for values that
 * have no code here, such as a singular matrix, an index out of range or the sine of 1e300, and
 * STATICGRAD_NULL for a pointer that is NULL.
 *
 * {links}
 */
#ifndef STATICGRAD_{guard}_H
#define STATICGRAD_{guard}_H

#include <stddef.h>
#include <stdint.h>

#ifndef STATICGRAD_OK
#define STATICGRAD_OK 0
#define STATICGRAD_GAVE_UP 1
#define STATICGRAD_NULL 2
#endif

#define {name}_WORKSPACE_BYTES {workspace}
{sizes}
#ifdef __cplusplus
extern "C" {{
#endif

extern const size_t {name}_workspace_bytes;

int {name}(
    {parameters});

#ifdef __cplusplus
}}
#endif

#endif
"""


def save(
    graph: FrozenGraph, path: str | os.PathLike[str], name: str | None, blas: str | None,
    cpu: str | None,
) -> None:  # fmt: skip
    """Write the object file of a graph, and the header beside it."""
    file = Path(path)
    if name is None:
        name = identifier(file.stem, set(KEYWORDS))
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) or name in KEYWORDS:
        raise refusal(f"{name!r} cannot be the name of a function of C", "")
    if blas is not None and blas not in BLAS:
        raise refusal(f"blas is one of {', '.join(map(repr, BLAS))}, or None, not {blas!r}", "")
    known_cpus = CPUS.get(platform.machine().lower(), ())
    if cpu is not None and cpu not in known_cpus:
        raise refusal(f"cpu is one of {', '.join(map(repr, known_cpus))}, or None, not {cpu!r}", "")
    if file.suffix == ".h":
        raise refusal(f"{path} would be the header's name", "name the object file model.o")
    library = Library(graph, name, blas or "", cpu or "")
    data, header = library.object.data, header_of(library)
    file.write_bytes(data)
    file.with_suffix(".h").write_text(header, encoding="utf-8")


def header_of(library: Library) -> str:
    """The header of an object file."""
    graph, taken = library.graph, set(KEYWORDS)
    inputs = [identifier(e.name, taken) for e in graph.inputs]
    results = [identifier(f"out{i}", taken) for i in range(len(graph.results))]
    pairs = [*zip(inputs, graph.inputs), *zip(results, graph.results)]
    updated = {id(new): f"the new value of {v.name}" for v, new in graph.updates}
    notes = [""] * len(inputs) + [
        updated.get(id(e), e.name) + (f", made at {lines}" if (lines := graph.lines(e)) else "")
        for e in graph.results
    ]
    described = zip(pairs, notes, strict=True)
    return TEXT.format(
        name=library.name, guard=library.name.upper(), workspace=library.workspace,
        cpu=library.cpu_name, links=links(library),
        arguments="\n".join(argument(name, e, note) for (name, e), note in described),
        sizes="".join(f"#define {library.name}_{name}_SIZE {size(e)}\n" for name, e in pairs),
        parameters=",\n    ".join([
            *[f"const {c_type(e)} *{name}" for name, e in zip(inputs, graph.inputs)],
            *[f"{c_type(e)} *{name}" for name, e in zip(results, graph.results)],
            "void *workspace",
        ]),
    )  # fmt: skip


def links(library: Library) -> str:
    """The libraries that a program is linked with."""
    needs = []
    if library.blas_names:
        bits = 64 if library.blas == "ilp64" else 32
        names = ", ".join(library.blas_names)
        needs.append(f"a BLAS with integers of {bits} bits, for {names}")
    if library.functions_of_c:
        needs.append(f"-lm, for {', '.join(library.functions_of_c)}")
    return f"Link with {'; and with '.join(needs)}." if needs else "It needs no library."


def argument(name: str, e: Expr, note: str) -> str:
    """A line of the header about an argument."""
    return comment(f"   {name}: {e.dtype.name}{list(known(e.type))}{f', {note}' if note else ''}")


def comment(text: str) -> str:
    """A line of a comment, which no text of a user ends."""
    return f" * {text}".replace("*/", "* /").replace("\n", " ").replace("\\", "/")


def identifier(name: str, taken: set[str]) -> str:
    """A name of C like that of an expression, which nothing else has."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return unique_name(plain if plain[:1].isalpha() else f"in_{plain}", taken)


def c_type(e: Expr) -> str:
    """The type of C of the entries of a value."""
    return TYPES[f"{e.dtype.kind}{e.dtype.itemsize}"]


def size(e: Expr) -> int:
    """The number of entries of a value, in those of its type of C."""
    count = int(np.prod(known(e.type), dtype=np.int64))
    return 2 * count if e.dtype.kind == "c" else count
