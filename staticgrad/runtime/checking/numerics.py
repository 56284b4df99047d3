"""Checked runs: the first value that is not finite raises an error that names it.

Note [Checked runs]. The generated code runs with checks that notice a value that is not finite, see
Note [Finite checks], and stops there. Then the graph, as it was written, is run again node by node:
that names the first such value, with its operands and its line. A graph is a pure function of its
inputs, among which are the state of variables and of random numbers, so nothing happens twice. Only
a graph with effects, a print or a check, is run node by node from the beginning.
"""

from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any

import numpy as np

from gradops.core.float_errors import HANDLING
from gradops.core.traits import Trait

from ...codegen.instrumented.finite_checks import Alarms, with_finite_checks
from ...codegen.load import load
from ...codegen.source import Source
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph, all_expressions
from ..backends.interpreter import in_form
from .debugging import run_watched

Run = Callable[..., Any]


class NotFinite(Exception):
    """Stops a checked run; `number` is that of the check."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Checked:
    """Runs generated code with checks, and node by node if one fails. See Note [Checked runs].

    It is called, and gives results, as generated code does; `form` says how. `written` is the graph
    before optimisation, `emitted` writes the source of `graph`.
    """

    def __init__(
        self, written: FrozenGraph, graph: FrozenGraph, form: str, emitted: Callable[[], Source]
    ) -> None:
        self.written, self.graph, self.form, self.emitted = written, graph, form, emitted
        self.noisy: frozenset[Expr] = frozenset()
        self.version = CheckedCode(self) if is_pure(graph) else None

    def __call__(self, *args: Any) -> Any:
        version = self.version
        if version is None or version.run is None:
            return self.node_by_node(args)
        try:
            if FLAGS is None:
                return heeding_flags(version.run, args)
            token = FLAGS[0].set(FLAGS[2])
            try:
                return version.run(*args)
            finally:
                FLAGS[0].reset(token)
        except Exception as error:
            result = self.node_by_node(args)  # raises, unless the alarm was a false one
            e = version.cause(error)
        if e is None or e in self.noisy:
            return result
        self.noisy |= {e}
        self.version = CheckedCode(self)
        return self(*args)

    def node_by_node(self, args: Sequence[Any]) -> Any:
        """The results of the interpreter, which raises NotFiniteError."""
        if any(type(x) is not np.ndarray for x in args):
            return NotImplemented
        return in_form(run_watched(self.written, args, check_numerics=True), self.form)


class CheckedCode:
    """The generated code with checks, for the expressions that are noisy so far."""

    def __init__(self, checked: Checked) -> None:
        alarms = Alarms(ignore_flags, heed_flags, alarm)
        made = with_finite_checks(checked.emitted(), checked.graph, checked.noisy, alarms)
        self.run: Run | None = None
        if made is not None:
            self.source, self.expressions = made
            self.run = load(self.source)

    def cause(self, error: Exception) -> Expr | None:
        """The expression at which a run stopped, if it was an alarm."""
        if isinstance(error, NotFinite):
            return self.expressions[error.number]
        if self.run is None or not isinstance(error, FloatingPointError):
            return None
        result, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.run.__code__.co_filename:
                result = self.source.owners[trace.tb_lineno - 1]
            trace = trace.tb_next
        return result


def is_pure(graph: FrozenGraph) -> bool:
    """True if running a graph twice is running it once: it has no prints and no checks."""
    return not any(e.op and Trait.EFFECT in e.op.traits for e in all_expressions(graph))


def alarm(number: int) -> None:
    """Stop a run at a check."""
    raise NotFinite(number)


def raising() -> Any:
    """The value of NumPy's context variable in which floating point errors raise."""
    assert HANDLING is not None
    context = copy_context()

    def value() -> Any:
        np.seterr(divide="raise", over="raise", invalid="raise", under="ignore")
        return HANDLING[0].get()

    return context.run(value)


FLAGS = None if HANDLING is None else (HANDLING[0], HANDLING[1], raising())


def ignore_flags() -> None:
    """Let NumPy ignore floating point flags."""
    if FLAGS is None:
        np.seterr(all="ignore")
    else:
        FLAGS[0].set(FLAGS[1])


def heed_flags() -> None:
    """Let NumPy raise at floating point flags other than underflow."""
    if FLAGS is None:
        np.seterr(divide="raise", over="raise", invalid="raise", under="ignore")
    else:
        FLAGS[0].set(FLAGS[2])


def heeding_flags(run: Run, args: Sequence[Any]) -> Any:
    """The result of `run`, in which NumPy raises at floating point flags."""
    with np.errstate():
        heed_flags()
        return run(*args)
