"""Gradients of traced programs, by the tape that the program left when it was traced.

What a program cut, by `detach()`, under `no_grad()` or with a backward of its own, is cut in the
gradient, since it is the program's own tape that is gone back along.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import TransformError
from gradops.core.tracer_protocol import held

from ..build.tracing import expression, placeholder_like
from ..freezing.freezer import freeze
from ..ir.expr import Expr
from ..ir.reachability import reachable
from ..runtime.executable import Executable
from .capturing import Given, Inside, again


class Tape:
    """The tape of a traced program: where gradients arrive, and the outputs they come from."""

    def __init__(
        self,
        inside: Inside,
        givens: Sequence[Given],
        feeds: Sequence[Expr],
        ends: Sequence[Any],
        outputs: Sequence[Any],
        optimize: int,
    ) -> None:
        self.inside, self.givens, self.optimize = inside, givens, optimize
        self.feeds, self.ends, self.outputs = list(feeds), list(ends), list(outputs)
        self.kind: Any = outputs[0].__gradop_kind__ if outputs else None
        self.derivatives: dict[Any, Derivative] = {}

    def derivative(self, wanted: Sequence[int], given: Sequence[int]) -> "Derivative":
        """The gradient at some ends for cotangents of some outputs, built at its first use."""
        key = tuple(wanted), tuple(given)
        result = self.derivatives.get(key)
        if result is None:
            with again(self.inside, self.givens):
                result = self.derivatives.get(key) or Derivative(self, wanted, given)
                self.derivatives[key] = result
        return result


class Derivative:
    """The compiled gradient of a traced program, and its tape for the next one."""

    def __init__(self, tape: Tape, wanted: Sequence[int], given: Sequence[int]) -> None:
        kind: Any = tape.kind
        outputs = [tape.outputs[k] for k in given]
        seeds = [kind.leaf(placeholder_like(y, "cotangent")) for y in outputs]
        result = kind.pull(outputs, [tape.ends[i] for i in wanted], seeds)
        self.found = [None if g is None else k for k, g in enumerate(result)]
        gradients = [g for g in result if g is not None]
        fetches = [expression(g) for g in gradients]
        needed = reachable(fetches)
        self.places = [k for k, e in enumerate(tape.feeds) if e in needed]
        feeds = [tape.feeds[k] for k in self.places] + [held(s) for s in seeds]
        self.executable = Executable(freeze(fetches, feeds), tape.optimize)
        self.variables = [e.name for e in self.executable.written.inputs[len(feeds) :]]
        self.recorded = [k for k, g in enumerate(gradients) if kind.vertex(g) is not None]
        self.tape = Tape(
            tape.inside, tape.givens, feeds, [*tape.ends, *map(kind.vertex, seeds)],
            [gradients[k] for k in self.recorded], tape.optimize,
        )  # fmt: skip

    def placed(self, found: Sequence[Any]) -> list[Any]:
        """Gradients where there are some, None elsewhere."""
        given = iter(found)
        return [None if k is None else next(given) for k in self.found]


class TapedCall:
    """One call of a traced program: the values that it ran with, from which gradients are had."""

    def __init__(
        self,
        name: str,
        tape: Tape,
        values: Sequence[Any],
        variables: dict[str, Any],
        places: Sequence[int | None],
    ) -> None:
        self.name, self.tape, self.values, self.variables = name, tape, values, variables
        self.places = places  # of each input among the values; None for one that may change
        self.kind: Any = tape.kind
        self.number = self.kind.time()

    def needed(self, wanted: Sequence[int], given: Sequence[int]) -> list[int]:
        """The inputs that must be as they were."""
        read = set(self.tape.derivative(wanted, given).places)
        return [i for i, k in enumerate(self.places) if k in read]

    def gradients(self, wanted: Sequence[int], given: Sequence[int], seeds: Any) -> list[Any]:
        """The gradients of inputs for the cotangents of outputs, None where there is none."""
        d = self.tape.derivative(wanted, given)
        return self.run(d, self.fed(d), seeds)

    def run(self, d: Derivative, fed: Sequence[Any], seeds: Sequence[Any]) -> list[Any]:
        """The gradients for what is fed and cotangents, None where there is none."""
        values = [*fed, *seeds, *(self.variables[name] for name in d.variables)]
        if are_arrays(values):
            return d.placed(d.executable(*values)[: len(d.found)])
        return d.placed(d.executable.written(*values))

    def with_histories(self, d: Derivative, inputs: Sequence[Any]) -> list[Any]:
        """The values that a derivative reads, those of inputs with their histories.

        Gradients for cotangents that a transform carries are recorded inside of what it carries.
        """
        fed = self.fed(d)
        for x, k in zip(inputs, self.places, strict=True):
            if k in d.places and self.kind.vertex(x) is not None:
                i = d.places.index(k)
                fed[i] = self.kind.with_history(fed[i], x)
        return fed

    def fed(self, d: Derivative) -> list[Any]:
        """The values of the call that a derivative reads."""
        return [self.kind.read(self.values[k], self.name) for k in d.places]

    def recorded_gradients(
        self, wanted: Sequence[int], given: Sequence[int], seeds: Any, inputs: Sequence[Any]
    ) -> list[Any]:
        """The gradients as holders whose history leads to `inputs` and the cotangents."""
        values = [held(s) for s in seeds]
        d = self.tape.derivative(wanted, given)
        carried = not are_arrays(values)
        fed = self.with_histories(d, inputs) if carried else self.fed(d)
        result = self.run(d, fed, values)
        made = [None if g is None else self.kind.holder(g) for g in result]
        gradients = [g for g in made if g is not None]
        outputs = [gradients[k] for k in d.recorded]
        if carried:
            self.kind.record_call(seeds, outputs, OnceOnly(self))
            return made
        places = [None if k not in d.places else d.places.index(k) for k in self.places]
        start = len(d.places)
        call = TapedCall(
            self.name, d.tape, [*self.fed(d), *values], self.variables,
            [*places, *range(start, start + len(values))],
        )  # fmt: skip
        if outputs:
            self.kind.record_call([*inputs, *seeds], outputs, call)
        return made


class OnceOnly:
    """A gradient for cotangents that a transform carries, which is not differentiated in turn."""

    def __init__(self, call: TapedCall) -> None:
        self.name, self.number = call.name, call.kind.time()

    def needed(self, wanted: Sequence[int], given: Sequence[int]) -> list[int]:
        """Refuse."""
        raise TransformError(
            f"the gradient of {self.name}, a compiled function, was taken for cotangents that vmap"
            " or another transform carries, and cannot be differentiated again\n  hint: call the"
            " function inside the transform, or differentiate the function itself"
        )


def are_arrays(values: Sequence[Any]) -> bool:
    """Whether compiled code can run on values."""
    return all(isinstance(v, np.ndarray | np.generic) for v in values)
