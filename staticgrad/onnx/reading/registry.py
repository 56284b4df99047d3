"""The table of operators: how an operator of ai.onnx is built, for each version of it.

A builder is a function of the operator's inputs, and of its attributes by keyword, under ONNX's own
names and with ONNX's defaults; an input that is left out is None. It returns one value or a tuple.
With a parameter `wanted` it is told which outputs the model uses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any

from gradops import OPS, Op

MODULES = (
    "control", "convolution", "creation", "elementwise", "indexing", "logic", "movement",
    "normalization", "pooling", "products", "random", "recurrent", "reduction",
    "resizing", "sampling", "selection", "signal",
)  # fmt: skip
OPERATORS: dict[str, list["Operator"]] = {}
"""The versions of each operator, the newest first."""


@dataclass(frozen=True)
class Operator:
    """How versions of an operator are built, from opset `since` on."""

    name: str
    since: int
    build: Callable[..., Any]
    attributes: frozenset[str]
    wants: bool


def operator(name: str, since: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function into the table as the builder of an operator, from opset `since` on."""

    def enter(build: Callable[..., Any]) -> Callable[..., Any]:
        register(name, since, build)
        return build

    return enter


def register(name: str, since: int, build: Callable[..., Any]) -> None:
    """Enter a builder into the table."""
    keywords = {p.name for p in signature(build).parameters.values() if p.kind is p.KEYWORD_ONLY}
    versions = OPERATORS.setdefault(name, [])
    attributes = frozenset(keywords - {"wanted"})
    versions.insert(0, Operator(name, since, build, attributes, "wanted" in keywords))
    versions.sort(key=lambda row: -row.since)


@cache
def load_operators() -> None:
    """Fill the table: the modules of builders, and the ops that say which operator they are."""
    for module in MODULES:
        import_module(f"..operators.{module}", __package__)
    for op in OPS.values():
        if op.onnx:
            register_op(op.onnx, 1, broadcasting_by_attributes(op))
            register_op(op.onnx, 7, operands_of(op))


def register_op(name: str, since: int, build: Callable[..., Any]) -> None:
    """Enter an op as the builder of an operator, unless the operator has one of its own."""
    if all(row.since != since for row in OPERATORS.get(name, ())):
        register(name, since, build)


def operands_of(op: Op) -> Callable[..., Any]:
    """An op as a builder: its operands are the operator's inputs."""
    return lambda *inputs: op(*inputs)


def broadcasting_by_attributes(op: Op) -> Callable[..., Any]:
    """An op as it was before opset 7: `axis` says which axes the second operand has."""

    def build(
        *inputs: Any, axis: int | None = None, broadcast: int = 0, consumed_inputs: Any = None
    ) -> Any:
        if len(inputs) == 2 and broadcast and axis is not None:
            a, b = inputs
            missing = len(a.shape) - axis % max(len(a.shape), 1) - len(b.shape)
            return op(a, OPS["reshape"](b, shape=(*b.shape, *(1,) * missing)))
        return op(*inputs)

    return build


@cache
def find(name: str, opset: int) -> Operator | None:
    """The version of an operator that a model of this opset means."""
    load_operators()
    return next((row for row in OPERATORS.get(name, ()) if row.since <= opset), None)
