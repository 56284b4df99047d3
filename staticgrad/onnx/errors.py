"""Errors of reading and writing ONNX models."""

from collections.abc import Iterable, Sequence

from gradops import GraphError

from ..ir.expr import Expr

SHOWN = 20  # the needs that a message lists


class UnsupportedOperator(GraphError, NotImplementedError):
    """What a model or a graph needs and the other side lacks: `needs` says what and where."""

    def __init__(self, needs: Iterable[tuple[str, str]], intro: str = "the model needs") -> None:
        self.needs, self.intro = tuple(needs), intro
        lines = [f"{what}, {where}" for what, where in self.needs[:SHOWN]]
        if len(self.needs) > SHOWN:
            lines.append(f"and {len(self.needs) - SHOWN} more")
        super().__init__("\n  ".join([f"{intro} what is not supported:", *lines]))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.needs, self.intro)


class Unsupported(Exception):
    """An attribute, type or option of the operator that is being read is not supported."""


class NeedsValue(Exception):
    """The graph can be built only if the value of `e` is known."""

    def __init__(self, e: Expr) -> None:
        super().__init__(e)
        self.e = e


def listed(names: Sequence[object]) -> str:
    """Names in quotes, for a message."""
    return ", ".join(repr(str(name)) for name in names)
