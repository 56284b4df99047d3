"""Every exception the three packages raise on purpose, in one tree.

* GradError
  - ShapeError            operand shapes an op cannot take            (also Value-, RuntimeError)
    - AxisError             an axis that an operand does not have        (also an IndexError)
  - DTypeError            operand dtypes an op cannot take            (also Type-, RuntimeError)
    - NoKernelError         a dtype that an op does not compute          (also NotImplementedError)
  - OptionError           an attribute that an op does not know      (also Value-, RuntimeError)
  - DivisionError         an integer to be divided by zero   (also ZeroDivision-, RuntimeError)
  - LinAlgError           a matrix that an op cannot take             (also np.linalg.LinAlgError)
  - IndexingError         an index an operand does not have           (also Index-, RuntimeError)
  - MixedOperandsError    operands that belong to different worlds    (also a TypeError)
  - MissingRuleError      an op lacks the rule a transformation needs (also NotImplementedError)
    - NumPyCallError        NumPy was called in a way that is not here   (also a TypeError)
  - TapeError             define-by-run: freed, changed in place, ... (also a RuntimeError)
    - NotDifferentiableError  gradients were asked of integers           (also a TypeError)
    - TransformError          a function that cannot be transformed so   (also a ValueError)
  - MissingExtraError     a library that comes with an extra is absent (also an ImportError)
  - StateError            a saved state that belongs to something else (also a RuntimeError)
    - StateFormatError        a file that is not a saved state           (also a ValueError)
  - GradcheckError        a derivative that differences do not confirm   (also a RuntimeError)
  - GraphError            define-then-run                             (also a RuntimeError)
    - FeedError           a feed is missing, unknown or of another type (also a ValueError)
    - FetchError          a fetch that is not in the graph              (also a ValueError)
    - ValueUnknownError   Python asked an expression for its value      (also a TypeError)
    - NotFiniteError      a checked value is infinite or no number    (also FloatingPoint-)
    - CheckError          an Assert of the program does not hold        (also an AssertionError)
    - GraphFormatError    a text or file that is not a graph            (also a ValueError)
    - PassError           a pass or rule changes what a graph computes
    - EngineError         workers of a cluster that are lost, or do not answer

and warnings:

* ConvergenceWarning      a solver did not converge, or its result is differentiated
* DetachWarning           a value was taken out of what is being differentiated
* GrowthWarning           a graph grows although it has been run
* UnreachedWarning        a check or a print of what is computed is not run
* UnverifiedWarning       nothing was compared, as a graph raises for random feeds

A message has parts, each on its line: the call with types and the reason with values; the words by
which users of another library know the error, and search for it; a hint.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .source_location import called_package, note_of_call

__all__ = [
    "AxisError", "CheckError", "ConvergenceWarning", "DTypeError", "DetachWarning",
    "DivisionError", "EngineError", "FeedError", "FetchError", "GradError", "GradcheckError",
    "GraphError", "GraphFormatError", "GrowthWarning", "IndexingError", "LinAlgError",
    "MissingExtraError", "MissingRuleError", "MixedOperandsError", "NoKernelError",
    "NotDifferentiableError", "NotFiniteError", "NumPyCallError", "OperandError", "OptionError",
    "ShapeError", "StateError", "StateFormatError", "StructureError", "TapeError", "TransformError",
    "UnreachedWarning", "UnverifiedWarning", "ValueUnknownError",
]  # fmt: skip


BY_HAND = (
    "write it with functions of NumPy and gradops, or give it a derivative: autograd.Function of"
    " dynamicgrad, custom_gradient of staticgrad"
)
"""The way out where a function has no counterpart that takes traced values."""


class GradError(Exception):
    """Base of every error the three packages raise on purpose.

    Raised below a function of NumPy, SciPy or Python's library, it notes the line that calls that.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        if "\n  at " not in str(args[0] if args else "") and (note := note_of_call()):
            self.add_note(note)


class OperandError(GradError):
    """Operands that an op cannot take."""

    def __init__(
        self, op: object, operands: Iterable[Any], reason: str, hint: str | None = None,
        known_as: str | None = None,
    ) -> None:  # fmt: skip
        self.op, self.operands, self.reason = str(op), tuple(operands), reason
        self.hint, self.known_as = hint, known_as or words_of_caller(self)
        super().__init__(self.message())

    def message(self) -> str:
        """The whole text."""
        call = f"{self.op}({', '.join(map(str, self.operands))})"
        lines = [f"{call}: {self.reason}"]
        lines += [f"  known as: {self.known_as}"] if self.known_as else []
        lines += [f"  hint: {self.hint}"] if self.hint else []
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.op, self.operands, self.reason, self.hint, self.known_as)


def words_of_caller(error: OperandError) -> str | None:
    """The error text of the package that the user called, such as PyTorch's.

    A package has them if it has a function `__gradop_words__` of an error.
    """
    words = getattr(called_package(), "__gradop_words__", None)
    return words and words(error)


class ShapeError(OperandError, ValueError, RuntimeError):
    """Operand shapes that an op cannot take, also a ValueError and a RuntimeError."""


class AxisError(ShapeError, IndexError):
    """An axis that an operand does not have."""


class DTypeError(OperandError, TypeError, RuntimeError):
    """Operand dtypes that an op cannot take, also a TypeError and a RuntimeError."""


class IndexingError(OperandError, IndexError, RuntimeError):
    """An index that an operand does not have, also an IndexError and a RuntimeError."""


class NoKernelError(DTypeError, NotImplementedError):
    """A dtype that an op has no kernel for, such as the sign of booleans."""


class OptionError(OperandError, ValueError, RuntimeError):
    """An attribute whose value an op does not know, also a ValueError and a RuntimeError."""


class DivisionError(OperandError, ZeroDivisionError, RuntimeError):
    """An integer divided by zero, for which NumPy warns and gives 0."""


class LinAlgError(OperandError, np.linalg.LinAlgError, RuntimeError):
    """A matrix that an op cannot take: singular, not positive definite, not finite."""


class MixedOperandsError(OperandError, TypeError):
    """Operands that do not go together: a tensor and an expression, another graph's expression."""


class MissingRuleError(GradError, NotImplementedError):
    """A rule that a transformation needs and an op does not have."""

    def __init__(self, op: object, rule: str, hint: str | None = None) -> None:
        self.op, self.rule, self.hint = str(op), rule, hint
        super().__init__(f"{op} has no {rule} rule" + (f"\n  hint: {hint}" if hint else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.op, self.rule, self.hint)


class MissingExtraError(GradError, ImportError):
    """A library that a function needs, that an extra brings, and that is not installed."""

    def __init__(self, function: object, library: str, extra: str) -> None:
        self.function, self.library, self.extra = str(function), library, extra
        super().__init__(
            f"{function} needs {library}, which is not installed"
            f"\n  hint: pip install 'staticgrad[{extra}]'"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.function, self.library, self.extra)


class NumPyCallError(MissingRuleError, TypeError):
    """A function of NumPy, or a keyword of one, that tensors and expressions do not take."""

    def __init__(self, call: str, reason: str, hint: str) -> None:
        self.op, self.rule, self.hint = call, reason, hint
        GradError.__init__(self, f"{call}: {reason}\n  hint: {hint}")


class TapeError(GradError, RuntimeError):
    """The tape cannot run backward: it was freed, detached or changed."""


class NotDifferentiableError(TapeError, TypeError):
    """Gradients of something that has none, such as integers."""


class StateError(GradError, RuntimeError):
    """A saved state that does not fit the object that loads it."""


class StateFormatError(StateError, ValueError):
    """A file that is not a saved state, or is damaged."""


class TransformError(TapeError, ValueError):
    """A function, argument or result that a transformation does not take."""


class GradcheckError(GradError, RuntimeError):
    """A derivative that differs from finite differences."""


class GraphError(GradError, RuntimeError):
    """Base of the errors of graphs."""


class StructureError(GraphError, TypeError, ValueError):
    """Structures of loops or branches that differ, also a TypeError and a ValueError."""


class FeedError(GraphError, ValueError, TypeError):
    """A feed that is missing, unknown, or of another type than its placeholder."""


class FetchError(GraphError, ValueError, TypeError, KeyError):
    """A fetch that is not an expression of the graph."""

    __str__ = Exception.__str__  # KeyError would put the message in quotes


class ValueUnknownError(GraphError, TypeError):
    """A use of an expression's value, which exists only when the graph runs."""


class CheckError(GraphError, AssertionError):
    """A condition that the program asserts and that does not hold."""


class NotFiniteError(GraphError, FloatingPointError):
    """A checked value that is infinite or NaN."""


class ConvergenceWarning(UserWarning):
    """A solver did not converge, or the result of one that did not is differentiated."""


class DetachWarning(UserWarning):
    """A value was detached from a computation that is being differentiated."""


class GrowthWarning(UserWarning):
    """A graph grows although it has been run."""


class UnreachedWarning(UserWarning):
    """A check or print in the graph does not run."""


class UnverifiedWarning(UserWarning):
    """Verification compared nothing, as the graph raises for random feeds."""


class PassError(GraphError):
    """A pass or a rewrite rule changed a type or a value that it must keep."""


class EngineError(GraphError):
    """Workers of a cluster that are lost and cannot be replaced, or that do not answer."""


class GraphFormatError(GraphError, ValueError):
    """A text or file that does not describe a graph."""


for _error in list(vars().values()):
    if isinstance(_error, type) and _error.__module__ == __name__:
        _error.__module__ = "gradops"  # tracebacks show the name that users import
del _error
