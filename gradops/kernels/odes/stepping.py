"""Steps of explicit schemes, whose size follows the error, as in SciPy's solvers.

Note [Controlled entries]. The sizes of steps follow the error of the first entries of the state
alone, as many as the problem has that was asked for. What stands after them are tangents: these
take the steps that the problem takes, so that they are the derivative of what was computed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .tableaus import Tableau

SAFETY, SMALLEST, LARGEST = 0.9, 0.2, 10.0  # of the change of a step's size

TOO_SMALL = "Required step size is less than spacing between numbers."


class Control(NamedTuple):
    """What the sizes of steps follow: tolerances, limits, and how many entries count."""

    entries: int
    rtol: float = 1e-3
    atol: Any = 1e-6
    max_step: float = np.inf
    first_step: float | None = None
    step: float | None = None  # of schemes with fixed steps

    def scale(self, *ys: np.ndarray) -> np.ndarray:
        """The error that is allowed in each entry that counts."""
        sizes = [np.abs(y[: self.entries]) for y in ys]
        largest = sizes[0] if len(sizes) == 1 else np.maximum(*sizes)
        scale: np.ndarray = np.asarray(self.atol) + largest * self.rtol
        return scale


class Step(NamedTuple):
    """An accepted step: from time `t` by `h` to `last`."""

    t: float
    h: float
    last: float

    @property
    def during(self) -> np.ndarray:
        """The time and the size, as a step of a scheme takes them."""
        return np.array([self.t, self.h])


class Taken(NamedTuple):
    """What a step computed: from the state `y` the stages and the state after it."""

    step: Step
    y: np.ndarray
    stages: np.ndarray
    new: np.ndarray


class Failed(Exception):
    """A step could not be made as small as the error asks for."""


Advance = Callable[[np.ndarray, np.ndarray], Sequence[np.ndarray]]  # of y and [t, h]
Slope = Callable[[np.ndarray, float], np.ndarray]


def steps(
    f: Slope, advance: Advance, span: np.ndarray, y: np.ndarray, scheme: Tableau,
    control: Control,
) -> Iterator[Taken]:  # fmt: skip
    """The steps from one end of a span to the other, none if one is NaN; raises Failed."""
    if np.isnan(span).any():
        return
    if control.step is not None:
        yield from fixed_steps(advance, span, y, control.step)
        return
    t, end = map(float, span)
    direction = 1.0 if end >= t else -1.0
    size = control.first_step or first_size(f, span, y, direction, scheme.order, control)
    while direction * (t - end) < 0:
        taken, size = accepted(advance, t, end, y, size, direction, scheme, control)
        yield taken
        t, y = taken.step.last, taken.new


def accepted(
    advance: Advance, t: float, end: float, y: np.ndarray, size: float, direction: float,
    scheme: Tableau, control: Control,
) -> tuple[Taken, float]:  # fmt: skip
    """The next step whose error is small enough, and the size to try after it."""
    smallest = 10 * abs(np.nextafter(t, direction * np.inf) - t)
    size = min(size if size > smallest else smallest, control.max_step)
    largest = LARGEST
    while size >= smallest:
        last = end if direction * (t + direction * size - end) > 0 else t + direction * size
        step = Step(t, h := float(last - t), float(last))
        new, stages = advance(y, step.during)
        error = error_of(stages, h, scheme, control.scale(y, new), control.entries)
        if error < 1:
            return Taken(step, y, stages, new), abs(h) * grown(error, scheme.order, largest)
        size, largest = abs(h) * max(SMALLEST, shrunk(error, scheme.order)), 1.0
    reason = "" if np.isfinite(stages).all() else " The derivative is not finite there."
    raise Failed(TOO_SMALL + reason)


def grown(error: float, order: int, largest: float) -> float:
    """The factor of a step's size after an accepted one."""
    return largest if error == 0 else min(largest, SAFETY * error ** (-1 / (order + 1)))


def shrunk(error: float, order: int) -> float:
    """The factor of a step's size after a rejected one; 0 for an error that is no number."""
    return SAFETY * error ** (-1 / (order + 1)) if error < np.inf else 0.0


def error_of(
    stages: np.ndarray, h: float, scheme: Tableau, scale: np.ndarray, entries: int
) -> float:
    """The error of a step relative to what is allowed; NaN where the derivative is no number."""
    norms = [np.linalg.norm(e @ stages[: len(e), :entries] / scale) for e in scheme.errors]
    size = float(abs(h) / max(entries, 1) ** 0.5)
    if len(norms) == 1 or norms[0] == 0:
        return float(norms[0]) * size
    return float(norms[0] ** 2 / np.hypot(norms[0], 0.1 * norms[1])) * size


def first_size(
    f: Slope, span: np.ndarray, y: np.ndarray, direction: float, order: int, control: Control
) -> float:
    """The size of the first step.

    E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, section II.4.
    """
    t, end = map(float, span)
    most = abs(end - t)
    if y.size == 0 or most == 0:
        return np.inf
    n, scale = control.entries, control.scale(y)

    def norm(v: np.ndarray) -> float:
        return float(np.linalg.norm(v[:n] / scale)) / float(n**0.5)

    slope = f(y, t)
    d0, d1 = norm(y), norm(slope)
    h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, most)
    d2 = norm(f(y + h0 * direction * slope, t + h0 * direction) - slope) / h0
    if d1 <= 1e-15 and d2 <= 1e-15:
        h1 = max(1e-6, h0 * 1e-3)
    else:
        h1 = (0.01 / max(d1, d2)) ** (1 / (order + 1))
    return float(min(100 * h0, h1, most, control.max_step))


def fixed_steps(advance: Advance, span: np.ndarray, y: np.ndarray, size: float) -> Iterator[Taken]:
    """Steps of one size, but for the last."""
    for step in fixed_spans(span, size):
        new, stages = advance(y, step.during)
        yield Taken(step, y, stages, new)
        y = new


def fixed_spans(span: np.ndarray, size: float) -> Iterator[Step]:
    """From where to where steps of one size go; the last is cut at the end of the span."""
    start, end = map(float, span)
    count = int(np.ceil(abs(end - start) / size - 1e-9))
    h = float(np.copysign(size, end - start))
    for k in range(count):
        t = start + k * h  # a step begins where the one before ends, to the last bit
        yield Step(t, h, start + (k + 1) * h) if k < count - 1 else Step(t, end - t, end)
