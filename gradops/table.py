"""The op table as rows of text: what `python -m gradops` prints and the reference page shows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from .core.op import OPS, Op
from .core.rules import ANY_NUMBER, Rules

OPERANDS = "xyzuvw"


class Row(NamedTuple):
    """A row of the op table, as text."""

    name: str
    family: str
    gradient: str  # the operands that have one
    jvp: str
    batch: str
    native: str  # how it becomes machine code
    dynamicgrad: str
    staticgrad: str


def with_rule(rules: Rules) -> str:
    """The operands that have a rule."""
    if len(rules) == ANY_NUMBER:
        return "every" if rules[0] is not None else "-"
    found = [i for i in range(len(rules)) if rules[i] is not None]
    return " ".join(OPERANDS[i] if i < len(OPERANDS) else str(i) for i in found) or "-"


def op_of(function: object) -> Op | None:
    """The op that a function applies under a name of its own, if it applies just one."""
    found = getattr(function, "spells", function)
    return found if isinstance(found, Op) else OPS.get(getattr(found, "__name__", ""))


def spellings(offered: Iterable[tuple[str, Any]]) -> dict[Op, list[str]]:
    """The names under which functions are offered, by the op that they apply."""
    found: dict[Op, list[str]] = {}
    for name, function in offered:
        if callable(function) and (op := op_of(function)) is not None:
            found.setdefault(op, []).append(name)
    return found


def names_in(package: ModuleType, parts: Iterable[str]) -> dict[Op, list[str]]:
    """The names of ops in a package and in some of its modules, as in `nn.functional.relu`."""
    offered = [(name, getattr(package, name)) for name in package.__all__]
    for part in parts:
        module: Any = package
        for step in part.split("."):
            module = getattr(module, step)
        offered += [(f"{part}.{name}", getattr(module, name)) for name in module.__all__]
    return spellings(offered)


def rows(
    eager: Mapping[Op, list[str]], graph: Mapping[Op, list[str]], lowering: Callable[[Op], str]
) -> list[Row]:
    """A row per op, by name, with its spellings in both packages, and its way to machine code."""
    return [
        Row(
            op.name, op.family, with_rule(op.vjp), with_rule(op.jvp), "yes" if op.batch else "-",
            lowering(op), ", ".join(eager.get(op, [])) or "-", ", ".join(graph.get(op, [])) or "-",
        )
        for op in sorted(OPS.values(), key=lambda op: op.name)
    ]  # fmt: skip


def format_rows(table: Sequence[Row]) -> str:
    """The table as text: titles and rows in columns."""
    lines = [tuple(name for name in Row._fields), *table]
    widths = [max(len(line[i]) for line in lines) for i in range(len(Row._fields))]
    padded = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    return "\n".join(padded)
