"""Captures of a function from tapes and transforms, as operands of the op whose function it is.

Note [Layers]. A function that a solver calls may read tensors that it is not given, or values with
tangents, or batches. Nothing is replaced in what it reads: one call shows in its result what it
reads of each tape and of each transform, and each of these layers becomes operands:

* of a tape, the recorded vertices from before the call, from which the result was computed;
* of a forward transform, one number e = 0 with the tangent 1. The result is p + t e, with its
  primal p and its tangent t;
* of a batch, the numbers of the examples. The result is the example of that number.

In a call of the function for operands of lower levels, `peel` takes the layers off the result, the
outermost first. So each layer is handled by the transform that it belongs to, where the op is
applied, and the function runs as the program has written it, whatever it reads and from where.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.errors import TransformError
from ..core.levels import Carrier
from ..core.op import OPS
from ..core.tracer_protocol import Tape, held, is_holder
from ..core.types import shape_of
from ..library.families import zeros_like
from ..library.index.indexing import index
from .batching import Batched
from .forward import Dual
from .recording import Recorded

REFUSED = (
    "a function that a solver calls reads a value of {kind}, which can be no operand of the solver"
    "\n  hint: give it to the function as an argument, or differentiate with jvp"
)


class TangentLayer:
    """The tangents of one `jvp` that a function captures."""

    def __init__(self, level: float) -> None:
        self.level, self.operands = level, [Dual(np.float64(0.0), np.float64(1.0), level)]

    def is_given(self, operands: Sequence[Any]) -> bool:
        """True if the operands are those of the capture, so that results keep the layer."""
        return held(operands[0]) is self.operands[0]

    def peel(self, y: Any, operands: Sequence[Any]) -> Any:
        """A result as a value of lower levels."""
        e = operands[0]
        primal, tangent = split(y, self.level)
        if tangent is None or (type(e) in (float, np.float64) and e == 0):
            return primal
        return OPS["add"](primal, OPS["mul"](tangent, e))


class BatchLayer:
    """The examples of one `vmap` that a function captures."""

    def __init__(self, level: float, size: Any) -> None:
        self.level, self.operands = level, [Batched(np.arange(size), level)]

    def is_given(self, operands: Sequence[Any]) -> bool:
        """True if the operands are those of the capture, so that results keep the layer."""
        return held(operands[0]) is self.operands[0]

    def peel(self, y: Any, operands: Sequence[Any]) -> Any:
        """The example of a result whose number is given."""
        return example(y, self.level, operands[0])


class TapeLayer:
    """The captures of a function from one tape: vertices that are older than the call."""

    def __init__(self, tape: Tape, level: float, operands: Sequence[Any]) -> None:
        self.tape, self.level, self.operands = tape, level, list(operands)
        self.vertices = [tape.vertex(x) for x in operands]

    def is_given(self, operands: Sequence[Any]) -> bool:
        """True if an operand has the history of the capture, so that results keep theirs."""
        tape = self.tape
        return any(
            getattr(x, "__gradop_tape__", None) is tape and tape.vertex(x) is v
            for x, v in zip(operands, self.vertices, strict=True)
        )

    def peel(self, y: Any, operands: Sequence[Any]) -> Any:
        """A result without its history on this tape."""
        return without_tape(y, self.tape, self.level)


Layer = TangentLayer | BatchLayer | TapeLayer


def layers_in(outputs: Sequence[Any], began: int) -> list[Layer]:
    """The layers of the results of a call that began at a time, the outermost first."""
    found: dict[tuple[float, Any], list[Any]] = {}
    for y in outputs:
        for level, key, x in seen_in(y):
            found.setdefault((level, key), []).append(x)
    result: list[Layer] = []
    for (level, key), xs in sorted(found.items(), key=lambda each: -each[0][0]):
        if key is Dual:
            result.append(TangentLayer(level))
        elif key is Batched:
            result.append(BatchLayer(level, shape_of(xs[0].stack)[0]))
        elif operands := key.before(xs, began):
            result.append(TapeLayer(key, level, operands))
    return result


def seen_in(y: Any) -> Iterator[tuple[float, Any, Any]]:
    """The levels, transforms and operands that a result is composed of."""
    tape: Tape | None = getattr(y, "__gradop_tape__", None)
    if tape is not None:
        if tape.vertex(y) is not None:
            yield y.gradop_level, tape, y
        yield from seen_in(tape.value(y))
    elif isinstance(y, Dual | Batched):
        yield y.gradop_level, type(y), y
        for part in y.parts:
            yield from seen_in(part)
    elif isinstance(y, Carrier):
        raise TransformError(REFUSED.format(kind=type(y).__name__))


def split(y: Any, level: float) -> tuple[Any, Any]:
    """The primal of a value and its tangent of a level; None where it has none."""
    if is_holder(y):
        return split(held(y), level) if getattr(held(y), "gradop_level", -1) >= level else (y, None)
    if not isinstance(y, Carrier) or getattr(y, "gradop_level", -1.0) < level:
        return y, None
    if isinstance(y, Dual) and y.gradop_level == level:
        return y.primal, y.tangent
    refuse_recorded(y)
    pairs = [split(part, level) for part in y.parts]
    tangents = [zeros_like(p) if t is None else t for p, t in pairs]
    without = all(t is None for _, t in pairs)
    return y.with_parts([p for p, _ in pairs]), None if without else y.with_parts(tangents)


def example(y: Any, level: float, number: Any) -> Any:
    """The example of a number, of a value with a batch of a level."""
    if is_holder(y) and getattr(held(y), "gradop_level", -1.0) >= level:
        return example(held(y), level, number)
    if not isinstance(y, Carrier) or y.gradop_level < level:  # type: ignore[attr-defined]
        return y
    if isinstance(y, Batched) and y.gradop_level == level:
        return index(y.stack, number)
    refuse_recorded(y)
    return y.with_parts([example(part, level, number) for part in y.parts])


def refuse_recorded(y: Any) -> None:
    """Raise TransformError for a history that has to be read inside of a transform's value."""
    if isinstance(y, Recorded):
        raise TransformError(REFUSED.format(kind="another transform, recorded for its gradient"))


def without_tape(y: Any, tape: Tape, level: float) -> Any:
    """A value without what is recorded of it on a tape."""
    if getattr(y, "__gradop_tape__", None) is tape and y.gradop_level <= level:
        return without_tape(tape.value(y), tape, level)
    if is_holder(y):
        inner = held(y)
        new = without_tape(inner, tape, level)
        return y if new is inner else new
    return y.mapped(lambda part: without_tape(part, tape, level)) if isinstance(y, Carrier) else y


def bare(y: Any) -> Any:
    """A result without holders that have no history, also within the values of transforms."""
    tape = getattr(y, "__gradop_tape__", None)
    if is_holder(y):
        return bare(held(y)) if tape is None or tape.vertex(y) is None else tape.plain(y)
    return y.mapped(bare) if isinstance(y, Carrier) else y


def sample(x: Any) -> Any:
    """A value like `x` without history, tangents and batches: the first example of a batch."""
    if is_holder(x):
        inner = sample(held(x))
        return x.__gradop_tape__.alike(x, inner)
    if isinstance(x, Batched):
        return sample(index(x.stack, 0))
    return sample(x.parts[0]) if isinstance(x, Carrier) else x


def constant(x: Any) -> Any:
    """An operand without history and tangents, for a part of an op that has no derivative."""
    if (tape := getattr(x, "__gradop_tape__", None)) is not None:
        return constant(tape.value(x))
    if isinstance(x, Batched):
        return x.with_parts([constant(x.stack)])
    return constant(x.parts[0]) if isinstance(x, Carrier) else x


def with_zeros(like: Any, dtype: Any, axes: int = 0) -> Any:
    """A zero of the level of `like`."""
    if isinstance(like, Carrier):
        more = axes + isinstance(like, Batched)
        return like.with_parts([with_zeros(part, dtype, more) for part in like.parts])
    return np.zeros(shape_of(like)[:axes], dtype)
