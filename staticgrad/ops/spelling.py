"""The functions of the table of TensorFlow's names, by the namespace that they are in."""

from collections.abc import Sequence
from typing import Any

import gradops as ops
from gradops.core.op import Op

from ..build.graph import rename
from .tensorflow_names import APPLIED, FORMERLY, TABLE, Function


def with_names(function: Function, name: str, keywords: str = "") -> Function:
    """`function` with TensorFlow's names for it and its parameters, and `name=` for its result."""
    own = parameters(function)
    names = dict(zip(keywords.split() or own, own))
    former = {old: names[new] for old, new in FORMERLY.items() if new in names and old not in names}
    spellings = {**former, **names}
    arity = function.arity or 0 if isinstance(function, Op) else 0

    def call(*args: Any, name: str | None = None, **attrs: Any) -> Any:
        if attrs:
            attrs = {spellings.get(k, k): v for k, v in attrs.items()}
            while len(args) < arity and own[len(args)] in attrs:
                args = (*args, attrs.pop(own[len(args)]))
        result = function(*args, **attrs)
        return result if name is None else with_name(result, name, args)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (function.__doc__ or "").split(">>>")[0].rstrip()
    call.spells = function  # type: ignore[attr-defined]
    return call


def with_name(result: Any, name: str, operands: Sequence[Any]) -> Any:
    """A result, or each of several, under a name; an operand that is returned is copied first."""
    if isinstance(result, tuple | list):
        parts = [with_name(part, name, operands) for part in result]
        return result._make(parts) if hasattr(result, "_make") else type(result)(parts)
    if any(result is x for x in operands):
        result = ops.copy(result)
    return rename(result, name)


def parameters(function: Function) -> list[str]:
    """The names of the parameters; an op's operands have no names and get numbers."""
    if isinstance(function, Op):
        return [*(f"operand {i}" for i in range(function.arity or 0)), *function.params]
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


def namespaces() -> dict[str, dict[str, Function]]:
    """The functions of the table by namespace and name; "" is `sg` itself."""
    spaces: dict[str, dict[str, Function]] = {"": {}, "nn": {}, "linalg": {}, "signal": {}}
    for row in TABLE:
        names = row.names.split()
        function = with_names(row.function, names[0].rpartition(".")[2], row.keywords)
        for full in names:
            space, _, name = full.rpartition(".")
            spaces[space][name] = function
    return spaces


def applications() -> dict[str, str]:
    """The names of functions that apply an op among others, by the op's name."""
    names = dict(APPLIED)
    for row in TABLE:
        if row.applies:
            names[row.applies] = f"{names.get(row.applies, '')} {row.names}"
    return names


NAMESPACES = namespaces()
FUNCTIONS = NAMESPACES[""]
OPS_CALLED: dict[Function, Op] = {
    f: f.spells  # type: ignore[attr-defined]
    for space in NAMESPACES.values()
    for f in space.values()
    if isinstance(f.spells, Op)  # type: ignore[attr-defined]
} | {FUNCTIONS["where"]: ops.where}
"""The op that one of these functions applies, if it applies just one."""
SPELLED = applications()
"""Names of functions that apply an op, by the op's name: for the reference page of ops."""
