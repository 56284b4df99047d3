"""Functions that call a body, whose graphs can be kept: see `gradops.transforms.closing`."""

from collections.abc import Iterable
from typing import Any


def require_tangents(f: Any, numbers: Iterable[int]) -> None:
    """Raise TransformError for operands whose tangents a body cannot have: see its method."""
    if hasattr(f, "require_tangents"):  # which a graph has not: it has the tangents of all
        f.require_tangents(numbers)


class Composition:
    """A function of a body and operands; equal ones have equal fields, and a graph keeps theirs."""

    def __init__(self, *fields: Any) -> None:
        self.fields = fields

    def __call__(self, body: Any, *operands: Any) -> tuple[Any, ...]:
        """The outputs for a body and operands."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash((type(self), self.fields))
