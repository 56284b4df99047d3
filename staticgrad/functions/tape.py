"""Gradients of traced programs, from the tape that the program left when it was traced.

The tape is the program's own: gradients stop where the program stopped them, by `detach()`, under
`no_grad()` or with a backward of its own.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from gradops import TransformError
from gradops.core.tracer_protocol import held
from gradops.typing import AnyArray

from ..build.tracing import expression, placeholder_like
from ..freezing.freezer import freeze
from ..ir.expr import Expr
from ..ir.reachability import reachable
from ..runtime.backends.choice import Compiler
from .captures import TraceContext, TracedHolder, resume

T = TypeVar("T")
Value = AnyArray  # an array, or the value of a transform


class Tape:
    """The tape of a traced program: its ends, where gradients arrive, and its outputs."""

    def __init__(
        self, inside: TraceContext, givens: Sequence[TracedHolder], feeds: Sequence[Expr],
        ends: Sequence[object], outputs: Sequence[Any], compiler: Compiler,
    ) -> None:  # fmt: skip
        self.inside, self.givens, self.compiler = inside, givens, compiler
        self.feeds, self.ends, self.outputs = list(feeds), list(ends), list(outputs)
        self.kind: Any = outputs[0].__gradop_kind__ if outputs else None
        self.derivatives: dict[tuple[tuple[int, ...], tuple[int, ...]], Derivative] = {}

    def derivative(self, wanted: Sequence[int], given: Sequence[int]) -> "Derivative":
        """The gradient at some ends for cotangents of some outputs, compiled at its first use."""
        key = tuple(wanted), tuple(given)
        result = self.derivatives.get(key)
        if result is None:
            with resume(self.inside, self.givens):
                result = self.derivatives.get(key) or Derivative(self, wanted, given)
                self.derivatives[key] = result
        return result


class Derivative:
    """The compiled gradient of a traced program, and the tape of that gradient."""

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
        self.executable = tape.compiler(freeze(fetches, feeds))
        self.variables = [e.name for e in self.executable.written.inputs[len(feeds) :]]
        self.recorded = [k for k, g in enumerate(gradients) if kind.vertex(g) is not None]
        self.tape = Tape(
            tape.inside, tape.givens, feeds, [*tape.ends, *map(kind.vertex, seeds)],
            [gradients[k] for k in self.recorded], tape.compiler,
        )  # fmt: skip

    def with_none(self, values: Sequence[T]) -> list[T | None]:
        """The gradients of all ends, None where there is none."""
        remaining = iter(values)
        return [None if k is None else next(remaining) for k in self.found]


class TapedCall:
    """One call of a traced program: the values it ran with, which its gradient reads."""

    def __init__(
        self, name: str, tape: Tape, values: Sequence[Any], variables: dict[str, np.ndarray],
        places: Sequence[int | None],
    ) -> None:  # fmt: skip
        self.name, self.tape, self.values, self.variables = name, tape, values, variables
        self.places = places  # of each input among the values; None for one that may change
        self.kind: Any = tape.kind
        self.number = self.kind.time()

    def needed(self, wanted: Sequence[int], given: Sequence[int]) -> list[int]:
        """The numbers of the inputs that the gradient reads, which must be unchanged."""
        read = set(self.tape.derivative(wanted, given).places)
        return [i for i, k in enumerate(self.places) if k in read]

    def gradients(
        self, wanted: Sequence[int], given: Sequence[int], seeds: Sequence[Value]
    ) -> list[Value | None]:
        """The gradients of inputs for cotangents of outputs, None where there is none."""
        d = self.tape.derivative(wanted, given)
        return self.run(d, self.fed(d), seeds)

    def run(
        self, d: Derivative, fed: Sequence[Value], seeds: Sequence[Value]
    ) -> list[Value | None]:
        """Run a derivative on fed values and cotangents; None where there is no gradient."""
        values = [*fed, *seeds, *(self.variables[name] for name in d.variables)]
        if are_arrays(values):
            return d.with_none(d.executable(*values)[: len(d.found)])
        return d.with_none(d.executable.written(*values))

    def with_histories(self, d: Derivative, inputs: Sequence[object]) -> list[Value]:
        """The values that a derivative reads, inputs among them with their histories.

        Gradients for cotangents of a transform are recorded in the values of the transform.
        """
        fed = self.fed(d)
        for x, k in zip(inputs, self.places, strict=True):
            if k in d.places and self.kind.vertex(x) is not None:
                i = d.places.index(k)
                fed[i] = self.kind.with_history(fed[i], x)
        return fed

    def fed(self, d: Derivative) -> list[Value]:
        """The values of the call that a derivative reads."""
        return [self.kind.read(self.values[k], self.name) for k in d.places]

    def recorded_gradients(
        self, wanted: Sequence[int], given: Sequence[int], seeds: Sequence[Any],
        inputs: Sequence[object],
    ) -> list[Any]:  # fmt: skip
        """The gradients as holders, recorded as functions of `inputs` and the cotangents."""
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
    """A gradient for cotangents of a transform, which cannot be differentiated again."""

    def __init__(self, call: TapedCall) -> None:
        self.name, self.number = call.name, call.kind.time()

    def needed(self, wanted: Sequence[int], given: Sequence[int]) -> list[int]:
        """Raise TransformError."""
        raise TransformError(
            f"the gradient of {self.name}, a compiled function, was taken for cotangents of vmap"
            " or another transform, and cannot be differentiated again\n  hint: call the"
            " function inside the transform, or differentiate the function itself"
        )


def are_arrays(values: Sequence[object]) -> bool:
    """Whether all values are arrays, which compiled code can run on."""
    return all(isinstance(v, np.ndarray | np.generic) for v in values)
