"""Batching of solvers, example by example, as each takes its own number of steps."""

from collections.abc import Sequence
from typing import Any

from ...core.errors import MissingRuleError
from ...core.op import Op
from ...core.types import shape_of
from ...typing import Attrs, Flags
from ..index.indexing import index
from ..shape.joining import stack


def no_samples(rng: object) -> list[tuple[Sequence[object], Attrs]]:
    """No samples, as a function is among the attributes. tests/gradops/scipy tests these ops."""
    return []


def each_example(op: Op, stacks: Sequence[Any], batched: Flags, attrs: Attrs) -> Any:
    """The results of an op for one example after another, stacked."""
    size = next(shape_of(x)[0] for x, b in zip(stacks, batched, strict=True) if b)
    if not isinstance(size, int):
        raise MissingRuleError(
            op.name, "batch",
            hint="the number of examples is not known: give it, or write sg.map over the examples",
        )  # fmt: skip
    rows = [[index(x, k) if b else x for x, b in zip(stacks, batched, strict=True)]
            for k in range(size)]  # fmt: skip
    return stack([op(*row, **attrs) for row in rows])
