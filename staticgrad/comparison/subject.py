"""The function that is compared, its arguments, and by which of them it is differentiated."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradops import NotDifferentiableError, OptionError, flatten, leaves_of, type_of
from gradops.core.tracer_protocol import held, is_holder
from gradops.core.types import is_inexact

from ..build.tracing import name_of, parameters

Arrays = list[np.ndarray]
ARRAYS = np.ndarray | np.generic
Wrt = int | str | Sequence[int | str] | None


@dataclass(frozen=True)
class Subject:
    """A function, its arguments, and the positions of those to differentiate by.

    The leaves of the arguments that are arrays or tensors are operands. Others, such as a number
    of steps, are settings: the function gets them as they are.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]

    @cached_property
    def name(self) -> str:
        """The name of the function."""
        return name_of(self.function)

    @cached_property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return parameters(self.function, len(self.args))

    @cached_property
    def labels(self) -> list[str]:
        """A name for each leaf: that of its argument, numbered if that has several."""
        result = []
        for name, arg in zip(self.names, self.args, strict=True):
            count = len(leaves_of(arg))
            result += [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
        return result

    @cached_property
    def leaves(self) -> list[Any]:
        """The leaves of all arguments."""
        return leaves_of(self.args)

    @cached_property
    def active(self) -> list[int]:
        """The numbers of the leaves to differentiate by."""
        result, start = [], 0
        for i, arg in enumerate(self.args):
            leaves = leaves_of(arg)
            if i in self.wrt:
                result += [start + k for k, x in enumerate(leaves) if is_float_operand(x)]
            start += len(leaves)
        return result

    @property
    def takes_tensors(self) -> bool:
        """True if an argument is, or has in it, a tensor."""
        return any(map(is_holder, self.leaves))

    def arguments(self, leaves: Iterable[Any]) -> tuple[Any, ...]:
        """The arguments with other leaves."""
        result: tuple[Any, ...] = flatten(self.args)[1](leaves)
        return result

    def arrays(self) -> list[Any]:
        """A copy of each leaf, as an array if it is an operand."""
        return [np.array(held(x))[()] if is_operand(x) else x for x in self.leaves]

    def __str__(self) -> str:
        shown = [
            f"{name}: {type_of(held(x)) if is_operand(x) else repr(x)}"
            for name, x in zip(self.labels, self.leaves, strict=True)
        ]
        more = f", and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
        return f"{self.name}({', '.join(shown[:SHOWN])}{more})"


SHOWN = 6  # leaves in the title


def subject_of(function: object, args: Sequence[Any], wrt: Wrt) -> Subject:
    """The subject of a comparison; raises OptionError, or NotDifferentiableError for integers."""
    if not callable(function):
        raise OptionError("compare", [], f"it takes a function first, not {function!r}")
    if not any(is_operand(x) for x in leaves_of(args)):
        args = [np.float64(x) if type(x) is float else x for x in args]
    names = parameters(function, len(args))
    asked = [position(w, names) for w in wanted(wrt)]
    args = [named(arg) if i in asked else arg for i, arg in enumerate(args)]
    subject = Subject(function, tuple(args), tuple(asked or range(len(args))))
    for i in asked:
        if not any(map(is_float_operand, leaves_of(args[i]))):
            given = ", ".join(str(type_of(held(x))) for x in leaves_of(args[i]) if is_operand(x))
            raise NotDifferentiableError(
                f"compare: {subject.name} cannot be differentiated by {names[i]}, which is"
                f" {given or repr(args[i])}\n  hint: give floats, or leave it out of wrt"
            )
    if not subject.active:
        raise OptionError(
            "compare", [], f"no argument of {subject} is an array of floats",
            hint="give arrays of floats to differentiate by: np.array([2.0]), not [2.0] or 2",
        )  # fmt: skip
    return subject


def wanted(wrt: Wrt) -> list[int | str]:
    """The arguments that `wrt` names."""
    if wrt is None:
        return []
    return [wrt] if isinstance(wrt, int | str) else list(wrt)


def position(asked: object, names: Sequence[str]) -> int:
    """The position of an argument given by it or by its name; raises OptionError."""
    if isinstance(asked, str) and asked in names:
        return names.index(asked)
    if type(asked) is int and -len(names) <= asked < len(names):
        return asked % len(names)
    given = ", ".join(names) or "none"
    raise OptionError(
        "compare", [], f"wrt={asked!r} is none of the {len(names)} arguments: {given}",
        hint="wrt is a position, a name, or several of them",
    )  # fmt: skip


def named(arg: Any) -> Any:
    """An argument that `wrt` names, of which numbers count as operands too."""
    return np.float64(arg) if type(arg) is float else arg


def is_operand(x: object) -> bool:
    """True for an array, a scalar of NumPy's, or a tensor."""
    return isinstance(x, ARRAYS) or is_holder(x)


def is_float_operand(x: object) -> bool:
    """True for an operand that has derivatives."""
    return is_operand(x) and bool(is_inexact(type_of(held(x)).dtype))
