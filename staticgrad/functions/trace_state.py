"""The variables that a traced program creates, which keep their values between calls."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..runtime.executable import Executable


class State:
    """The variables of one trace, those of random numbers included, and their values."""

    def __init__(self, executable: Executable, feeds: int) -> None:
        self.executable, self.lock = executable, threading.Lock()
        variables = executable.written.inputs[feeds:]
        numbers = {e: i for i, e in enumerate(variables)}
        self.names = [e.name for e in variables]
        self.values = [e.value for e in variables]
        self.updated = [numbers[v] for v, _ in executable.written.updates]

    def named(self) -> dict[str, np.ndarray]:
        """The values of the variables by name."""
        return dict(zip(self.names, self.values, strict=True))

    def attempt(self, *values: Any) -> Any:
        """The results of the generated code as it is."""
        return self.executable.attempt(values)

    def run(self, feeds: Sequence[Any], convert: bool) -> Any:
        """Run with the values of the variables, and store their new ones.

        Without `convert`, NotImplemented unless all feeds are arrays as the generated code wants.
        """
        run: Callable[..., Any] = self.executable if convert else self.attempt
        if not self.values:
            return run(*feeds)
        with self.lock:
            result = run(*feeds, *self.values)
            if result is NotImplemented:
                return result
            count = len(result) - len(self.updated)
            for i, new in zip(self.updated, result[count:], strict=True):
                self.values[i] = np.asarray(new)
            return result[:count]
