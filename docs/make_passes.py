"""Writes docs/reference/passes.md from the passes and levels of the compiler."""

import inspect
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any

from staticgrad import passes
from staticgrad.passes import LEVELS, Pass
from staticgrad.passes.interface import snake_case

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "passes.md"
HEADER = """\
# Passes

Made from the passes by `make docs`; do not edit.

`sg.compile(..., optimize=)` and `sg.Session(optimize=)` choose a level: 0 computes what was
written, 1 adds passes that are exact, 2, the default, those that state a bound, and `"stabilize"`
also `Stabilize`. A bound of n says that a result differs by at most n times the rounding error of
the graph itself. `without=` leaves passes out and `passes=` replaces those of the level; passes
are given by name, class or object:

```python
>>> import staticgrad as sg
>>> x = sg.placeholder("float64", ["n"], name="x")
>>> f = sg.compile(sg.reduce_mean(x * 2.0), [x], without=["collect_factors", sg.passes.Fold])
>>> [p for p in f.pass_reports if p.name == "fold"]
[]

```

Options are fields: `sg.passes.FuseElementwise(threshold=2**20)`.
[How a graph becomes code](../explanation/how-a-graph-becomes-code.md) shows what passes do, and
[add a rewrite rule](../how-to/add-a-rewrite-rule.md) how to write one.

| pass | name | level | bound | |
|---|---|---|--:|---|
"""


def page() -> str:
    """The text of the page: a row for each pass, in the order in which they run first."""
    used = [*dict.fromkeys(type(p) for level in LEVELS for p in LEVELS[level])]
    others = [p for p in (getattr(passes, n) for n in dir(passes)) if is_pass(p) and p not in used]
    return HEADER + "".join(map(row, [*used, *others]))


def is_pass(x: Any) -> bool:
    """True for a class of passes."""
    return inspect.isclass(x) and issubclass(x, Pass) and x is not Pass


def row(cls: type[Pass]) -> str:
    """A row of the table: class and options, name, first level, bound, and the first line."""
    options = ", ".join(map(option, fields(cls) if is_dataclass(cls) else ()))
    levels = [str(k) for k, listed in LEVELS.items() if any(type(p) is cls for p in listed)]
    first = (inspect.getdoc(cls) or "").splitlines()[0].partition(" See Note")[0]
    bound = f"{cls.bound or 'exact'}" if isinstance(cls.bound, float) else "of the rules"
    shown = f"{cls.__name__}({options})"
    name, level = snake_case(cls.__name__), levels[0] if levels else ""
    return f"| `{shown}` | `{name}` | {level} | {bound} | {first} |\n"


def option(f: Field[Any]) -> str:
    """An option with its default, if it has one."""
    return f.name if f.default is MISSING else f"{f.name}={f.default!r}"


if __name__ == "__main__":
    PAGE.write_text(page())
