"""Functions that call a body, whose graphs can be kept: see `gradops.transforms.closing`."""

from typing import Any


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
