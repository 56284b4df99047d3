"""Which operation of a program has a derivative that differences do not confirm."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import Op, Operators, type_of
from gradops.core.levels import levels
from gradops.core.source_location import here
from gradops.testing.blame import Call, first_wrong

from ..engine.grad_mode import is_recording
from ..engine.handle import Handle, hold


class Witness(Operators):
    """A value whose operations are noted."""

    __slots__ = ("calls", "gradop_level", "value")

    def __init__(self, value: Any, level: float, calls: list[Call]) -> None:
        self.value, self.gradop_level, self.calls = value, level, calls

    @property
    def type(self) -> Any:
        """The type of the value."""
        return type_of(self.value)

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        traced = [isinstance(a, Witness) for a in args]
        values = [a.value if isinstance(a, Witness) else a for a in args]
        one = args[traced.index(True)]
        arrays = [np.array(v) for v in values]
        one.calls.append(Call(op, arrays, traced, attrs, here(), bool(is_recording())))
        return Witness(op(*values, **attrs), one.gradop_level, one.calls)

    def item(self) -> Any:
        """The one entry, as a Python number."""
        return self.value.item()

    def tolist(self) -> Any:
        """The entries as nested lists."""
        return self.value.tolist()

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __repr__(self) -> str:
        return f"Witness({self.value!r})"


def culprit(func: Callable[..., Any], inputs: Sequence[Any], kind: str) -> str:
    """What to say of the operations of `func`, of which one has a wrong `kind`: a vjp or a jvp."""
    level = next(levels)
    calls: list[Call] = []
    stand_ins = [
        hold(type(x), Witness(x.value, level, calls), x.node) if isinstance(x, Handle) else x
        for x in inputs
    ]
    try:
        func(*stand_ins)
    except Exception as error:  # code that looks into arrays; the mismatch stands without this
        return f"its operations could not be traced: {type(error).__name__}: {error}"
    return first_wrong(calls, kind)
