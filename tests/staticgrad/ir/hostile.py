"""Texts and manifests that ask for much more work than their length, by kind, of any length."""

import json
from collections.abc import Callable, Iterator

from gradops import OPS

HEADER = "graph(x: float32[n, 3], k: int64[])\n"


def filled(size: int, pattern: str, head: str = "", tail: str = "") -> str:
    """`pattern`, with `{i}` counted up, as often as it fits between a head and a tail."""
    room = size - len(head) - len(tail)
    if not pattern:
        return head + tail
    if "{i}" not in pattern:
        return head + pattern * (room // len(pattern)) + tail
    parts: list[str] = []
    i = 0
    while room > 0:
        parts.append(pattern.replace("{i}", str(i)))
        room, i = room - len(parts[-1]), i + 1
    return head + "".join(parts[:-1]) + tail


def line(size: int, pattern: str, head: str, tail: str = "") -> str:
    """A graph with one long line."""
    return filled(size, pattern, HEADER + "  " + head, tail + "\n  return x\n")


def lines(size: int, pattern: str, head: str = HEADER, tail: str = "  return x\n") -> str:
    """A graph with many lines."""
    return filled(size, pattern, head, tail)


SUM = "+".join(f"a{i}" for i in range(30))
FACTORS = "*".join(f"(a{i}+b{i}+1)" for i in range(6))
AXES = ", ".join(["1"] * 64)
WIDE = f"graph(x: float32[{', '.join(f'a{i}+b{i}' for i in range(64))}])\n"
HEAVY = f"graph(x: float32[{FACTORS}, {FACTORS}])\n"
ROUND = "graph f(x: float32[n])\n  return x\n\n"
MANY = "graph f({})\n  return {}\n\n".format(
    ", ".join(f"x{i}: float32[]" for i in range(500)), ", ".join(f"x{i}" for i in range(500))
)
HALF = "*".join(f"(a{i}+b{i}+1)" for i in range(3))
SAME = "+".join(["n"] * 500)
PASSED = ", ".join(["x"] * 500)

TEXTS: dict[str, Callable[[int], str]] = {
    "nothing": lambda n: " " * n,
    "empty lines": lambda n: lines(n, "\n"),
    "comments": lambda n: lines(n, "#\n"),
    "comments at the end": lambda n: filled(n, "#\n", HEADER + "  return x\n"),
    "spaces": lambda n: line(n, " ", "y: float32[] =", "sum(x)"),
    "short lines": lambda n: lines(n, "a\n"),
    "short right lines": lambda n: lines(n, "a{i}: int64[] = neg(k)\n"),
    "lines with quotes": lambda n: lines(n, '"{i}": int64[] = neg(k)\n'),
    "constants": lambda n: lines(n, "c{i}: int64[] = constant({i})\n"),
    "lines of one type each": lambda n: lines(n, "c{i}: int64[{i}] = repeated(k, size={i})\n"),
    "updates": lambda n: filled(n, "update v = v\n", "graph(variable v: int8[])\n", "return v"),
    "measures": lambda n: lines(n, "measure x\n"),
    "sections": lambda n: filled(n, "graph g{i}()\nreturn\n", "", HEADER + "  return x\n"),
    "headers": lambda n: filled(n, "graph()\n"),
    "inputs": lambda n: filled(n, "a{i}:int8[],", "graph(", ")\n  return a0"),
    "variables": lambda n: filled(n, "state a{i}:int8[],", "graph(", ")\n  return a0"),
    "outputs": lambda n: filled(n, "x,", HEADER + "  return ", "x"),
    "operands": lambda n: line(n, "x, ", "y: float32[n, 3] = concatenate(", "x, axis=0)"),
    "unplain operands": lambda n: line(n, "x,", "y: float32[n, 3] = concatenate(", "x,axis=0)"),
    "lines of many operands": lambda n: lines(
        n, f"y{{i}}: float32[{SAME}, 3] = concatenate({PASSED}, axis=0)\n"
    ),
    "entries": lambda n: line(n, "1,", f"y: int64[{n // 2}] = constant([", "1])"),
    "spaced entries": lambda n: line(n, "1, ", f"y: int64[{n // 3}] = constant([", "1])"),
    "long entries": lambda n: line(n, "0.1e-5, ", f"y: float64[{n // 8}] = constant([", "0.0])"),
    "truth values": lambda n: line(n, "True, ", f"y: bool[{n // 6}] = constant([", "True])"),
    "complex entries": lambda n: line(
        n, "complex(0.0, 1.0), ", "y: complex64[1] = constant([", "])"
    ),
    "rows": lambda n: line(n, "[1], ", f"y: int64[{n // 5}, 1] = constant([", "[1]])"),
    "empty rows": lambda n: line(n, "[], ", "y: int64[0] = constant([", "[]])"),
    "deep rows": lambda n: line(n, "[[]], ", "y: int64[0] = constant([", "[]])"),
    "deep brackets": lambda n: line(n, "[", "y: int64[0] = constant("),
    "deep tuples": lambda n: line(n, "(", "y: float32[] = reshape(x, shape="),
    "deep types": lambda n: line(n, "(", "y: "),
    "deep lists": lambda n: line(n, "list(n, ", "y: "),
    "deep sizes": lambda n: line(n, "(", "y: float32["),
    "many parts": lambda n: line(n, "int8[], ", "y: (", ") = call(x)"),
    "many sizes": lambda n: line(n, "1,", "y: float32[", "1] = neg(x)"),
    "many names": lambda n: line(n, "a{i},", "y: float32[", "1] = neg(x)"),
    "a long shape": lambda n: line(n, "1,", "y: float32[3] = reshape(x, shape=(", "1))"),
    "a long axis": lambda n: line(n, "0,", "y: float32[3] = sum(x, axis=(", "0), keepdims=False)"),
    "attributes": lambda n: line(n, "a{i}=1,", "y: float32[3] = sum(x,", ")"),
    "one attribute": lambda n: line(n, "axis=1,", "y: float32[3] = sum(x,", ")"),
    "a long name": lambda n: line(n, "y", "", ": float32[n, 3] = neg(x)"),
    "a name of parts": lambda n: line(n, "y-", "", "y: float32[n, 3] = neg(x)"),
    "a long string": lambda n: line(n, "y", '"', '": float32[n, 3] = neg(x)'),
    "a string of escapes": lambda n: line(n, "\\n", '"', '": float32[n, 3] = neg(x)'),
    "an endless string": lambda n: line(n, "y", 'y: float32[n, 3] = neg("'),
    "wide characters": lambda n: line(n, "\U0001d538", "", ": float32[n, 3] = neg(x)"),
    "a wide comment": lambda n: line(n, "x", "y: float32[n, 3] = neg(x) # \U0001d538"),
    "a long number": lambda n: line(n, "1", "y: float32[] = constant(", ".5)"),
    "a long integer": lambda n: line(n, "1", "y: float32[] = constant(", ")"),
    "a long exponent": lambda n: line(n, "1", "y: float32[] = constant(1e", ")"),
    "a long size": lambda n: line(n, "1", "y: float32[", "] = neg(x)"),
    "marks": lambda n: line(n, "=", ""),
    "letters": lambda n: line(n, "$", ""),
    "sums": lambda n: filled(n, f"x{{i}}: int8[{SUM}+c{{i}}],", "graph(", ")\n  return x0"),
    "a sum": lambda n: line(n, "a{i}+", "y: float32[", "1] = neg(x)"),
    "a product": lambda n: line(n, "a{i}*", "y: float32[", "1] = neg(x)"),
    "products of sums": lambda n: filled(
        n, f"x{{i}}: int8[{FACTORS}*(c{{i}}+1)],", "graph(", ")\n  return x0"
    ),
    "sums of products of sums": lambda n: filled(
        n, f"x{{i}}: int8[{'+'.join([FACTORS] * 20)}+c{{i}}],", "graph(", ")\n  return x0"
    ),
    "floors of products": lambda n: filled(
        n, f"x{{i}}: int8[(({FACTORS})//7+1)*(({FACTORS})//5+c{{i}})],", "graph(", ")\n return x0"
    ),
    "nested floors": lambda n: filled(
        n, f"x{{i}}: int8[{nested_floors(8)}+c{{i}}],", "graph(", ")"
    ),
    "broadcasts": lambda n: filled(
        n, f"x{{i}}: int8[broadcast({SUM.replace('+', ',')},c{{i}})],", "graph(", ")\n return x0"
    ),
    "a broadcast": lambda n: line(n, "a{i},", "y: float32[broadcast(", "1)] = neg(x)"),
    "a quotient": lambda n: line(n, "//7", "y: float32[a", "] = neg(x)"),
    "shapes worked out again and again": lambda n: lines(
        n, "y{i}: float32[] = vector_norm(x, axis=None, keepdims=False, ord={i})\n", WIDE
    ),
    "wide reductions": lambda n: lines(
        n, f"y{{i}}: float32[{AXES}] = vector_norm(x, axis=None, keepdims=True, ord={{i}})\n", WIDE
    ),
    "heavy sums": lambda n: lines(
        n, "y{i}: float32[] = vector_norm(x, axis=None, keepdims=False, ord={i})\n", HEAVY
    ),
    "heavy elements": lambda n: lines(
        n, f"y{{i}}: float32[{FACTORS}, {FACTORS}] = nan_to_num(x, nan={{i}}.0)\n", HEAVY
    ),
    "heavy products": lambda n: lines(
        n, f"y{{i}}: float32[{HALF}, {HALF}, 1] = reshape(x, shape=({{{HALF}}}, {{{HALF}}}, 1))\n",
        f"graph(x: float32[{HALF}, {HALF}])\n",
    ),
    "calls": lambda n: lines(n, "y{i}: (float32[n],) = call(x, function=@f)\n",
                             ROUND + "graph(x: float32[n])\n"),
    "parts": lambda n: lines(
        n, "p{i}: float32[] = part(y, index=7)\n", MANY + "graph(x: float32[])\n"
        f"  y: ({'float32[], ' * 500}) = call({PASSED}, function=@f)\n",
    ),
    "calls with many operands": lambda n: lines(
        n, f"y{{i}}: ({'float32[], ' * 500}) = call({PASSED}, function=@f)\n",
        MANY + "graph(x: float32[])\n",
    ),
    "many branches": lambda n: filled(
        n, "@f, ", MANY + f"graph(x: float32[], k: int64[])\n  y: ({'float32[], ' * 500})"
        f" = case(k, {PASSED}, branches=(", "))\n  return x",
    ),
    "lines of many branches": lambda n: lines(
        n, f"y{{i}}: ({'float32[], ' * 500}) = case(k, {PASSED}, branches=({'@f, ' * 50}))\n",
        MANY + "graph(x: float32[], k: int64[])\n",
    ),
    "graphs within graphs": lambda n: "".join(
        lines(n // 32, f"y{{i}}: (float32[],) = call(x, function=@g{d - 1})\n" if d else "",
              f"graph g{d}(x: float32[])\n" if d < 31 else "graph(x: float32[])\n")
        for d in range(32)
    ),
    "deep lists of steps": lambda n: lines(
        n, "y{i}: float32[] = nothing(shape=(1,), dtype=dtype(float32), depth=99999999999)\n"
    ),
}  # fmt: skip
"""Texts of about `n` characters by kind. Some are graphs, most are not."""


def nested_floors(depth: int) -> str:
    """A size whose text doubles with each level when it is written as a sum of products."""
    size = "a"
    for i in range(depth):
        size = f"(({size})+b{i})*(({size})+c{i})//7" if i < 3 else f"({size}+b{i})//7"
    return size


VALUES = {
    "an integer": "99999999999", "a negative one": "-99999999999", "a float": "1e300",
    "a string": '"{text}"', "a tuple": "({ones})", "pairs": "({pairs})", "a size": "{n*n*n}",
    "slices": '"{slices}"', "letters": '"{letters}"',
}  # fmt: skip


def of_ops(size: int) -> Iterator[tuple[str, str]]:
    """Lines in which each op has an attribute of an unusual value: names, and texts."""
    room = max(size, 200)
    fill = {
        "text": "a" * room, "ones": "1, " * (room // 3), "pairs": "(1, 1), " * (room // 8),
        "slices": ", ".join([":"] * (room // 3)), "letters": ",".join(["ab"] * (room // 3)) + "->",
    }  # fmt: skip
    for op in OPS.values():
        operands = ", ".join(["x"] * (op.arity if op.arity is not None else 2))
        for name in op.params:
            for kind, value in VALUES.items():
                for word in fill:
                    value = value.replace(f"{{{word}}}", fill[word])
                yield (
                    f"{op} {name} {kind}",
                    (f"{HEADER}  y: float32[] = {op}({operands}, {name}={value})\n  return x"),
                )


MANIFESTS: dict[str, Callable[[int], str]] = {
    "places": lambda n: manifest(places=filled(n, '["",{i},""],', "[", '["",0,""]]')),
    "lines": lambda n: manifest(lines=filled(n, "0,", '{"":{"x":[', "0]}}")),
    "names with lines": lambda n: manifest(lines=filled(n, '"{i}":0,', '{"":{', '"x":0}}')),
    "sections with lines": lambda n: manifest(lines=filled(n, '"{i}":{},', "{", '"x":{}}')),
    "variables": lambda n: manifest(variables=filled(n, '"{i}":0,', "{", '"x":0}')),
    "lists": lambda n: manifest(rest=filled(n, "[],", "[", "[]]")),
    "deep lists": lambda n: manifest(rest=filled(n, "[")),
    "lists of lists": lambda n: manifest(rest=filled(n, "[[]],", "[", "[]]")),
    "objects": lambda n: manifest(rest=filled(n, '{"":0},', "[", "0]")),
    "floats": lambda n: manifest(rest=filled(n, "1e5,", "[", "0]")),
    "integers": lambda n: manifest(rest=filled(n, "9999,", "[", "0]")),
    "long integers": lambda n: manifest(rest=filled(n, "9" * 4000 + ",", "[", "0]")),
    "strings": lambda n: manifest(rest=filled(n, '"ab{i}",', "[", "0]")),
    "wide text": lambda n: manifest(rest=filled(n, "a", '"\U0001d538', '"')),
}
"""Manifests of files of graphs of about `n` bytes."""


def manifest(**parts: str) -> str:
    """A manifest with some parts replaced by JSON that need not be any."""
    graph = json.dumps("graph(x: float32[])\n  return x")
    fields = {"format": '"staticgrad graph"', "version": "3", "graph": graph, "variables": "{}",
              "places": "[]", "lines": "{}", **parts}  # fmt: skip
    return "{" + ", ".join(f'"{key}": {value}' for key, value in fields.items()) + "}"
