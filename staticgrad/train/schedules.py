"""Learning-rate schedules as expressions of the number of steps, with TensorFlow 1's formulas.

They are computed in the dtype of the rate, which for a Python number is the default one: float32
unless set otherwise. A program of float64 may give `np.float64(0.1)`.
"""

import math
from collections.abc import Callable, Sequence

from gradops import OptionError, astype, ceil, cos, equal, exp, floor, minimum, power, where
from gradops.typing import Operand

from ..build.graph import name_scope
from ..build.inputs import as_expression
from ..ir.expr import Expr
from ..ops.declarations import implemented_by

Operands = Sequence[Operand]


def decay(name: str, formula: Callable[..., Expr]) -> Callable[..., Expr]:
    """The schedule `formula(rate, decay_rate, periods)`, with whole periods if `staircase`."""

    def schedule(
        learning_rate: Operand, global_step: Operand, decay_steps: Operand, decay_rate: Operand,
        staircase: bool = False, name: str = name,
    ) -> Expr:  # fmt: skip
        with name_scope(name):
            rate, step, period = in_one_dtype(learning_rate, global_step, decay_steps)
            p = floor(step / period) if staircase else step / period
            return formula(rate, in_dtype(decay_rate, rate), p)

    return schedule


@implemented_by(decay("exponential_decay", lambda rate, k, p: rate * power(k, p)))
def exponential_decay() -> None:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`; in whole steps if `staircase`.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.exponential_decay(0.5, step, 10, 0.25), [step])(5)
    np.float32(0.25)
    """


@implemented_by(decay("natural_exp_decay", lambda rate, k, p: rate * exp(-k * p)))
def natural_exp_decay() -> None:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.natural_exp_decay(0.5, step, 10, 0.25), [step])(0)
    np.float32(0.5)
    """


@implemented_by(decay("inverse_time_decay", lambda rate, k, p: rate / (1 + k * p)))
def inverse_time_decay() -> None:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.inverse_time_decay(0.5, step, 10, 2.0), [step])(5)
    np.float32(0.25)
    """


def polynomial_decay(
    learning_rate: Operand, global_step: Operand, decay_steps: Operand,
    end_learning_rate: Operand = 0.0001, power: Operand = 1.0, cycle: bool = False,
    name: str = "polynomial_decay",
) -> Expr:  # fmt: skip
    """Decay from `learning_rate` to `end_learning_rate` in `decay_steps`, by a power.

    After that the rate is constant, or with `cycle` the decay starts again with twice the steps,
    three times the steps, and so on.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.polynomial_decay(0.5, step, 10, 0.25), [step])(20)
    np.float32(0.25)
    """
    with name_scope(name):
        rate, step, total = in_one_dtype(learning_rate, global_step, decay_steps)
        end = in_dtype(end_learning_rate, rate)
        if cycle:
            total = total * where(equal(step, 0), in_dtype(1, rate), ceil(step / total))
        else:
            step = minimum(step, total)
        left = 1 - step / total
        return (rate - end) * left ** in_dtype(power, rate) + end


def cosine_decay(
    learning_rate: Operand, global_step: Operand, decay_steps: Operand, alpha: float = 0.0,
    name: str = "cosine_decay",
) -> Expr:  # fmt: skip
    """Decay from `learning_rate` to `alpha` times that, along half a period of the cosine.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.cosine_decay(0.5, step, 10, alpha=0.5), [step])(10)
    np.float32(0.25)
    """
    with name_scope(name):
        rate, step, total = in_one_dtype(learning_rate, global_step, decay_steps)
        share = 0.5 * (1 + cos(math.pi * (minimum(step, total) / total)))
        return rate * ((1 - alpha) * share + alpha)


def piecewise_constant(
    x: Operand, boundaries: Operands, values: Operands, name: str = "piecewise_constant"
) -> Expr:
    """The first of `values` up to and including the first of `boundaries`, and so on.

    `x` is the number of steps. Raises OptionError unless there is one value more than boundaries.

    >>> step = sg.placeholder("int64", [])
    >>> rate = sg.compile(sg.train.piecewise_constant(step, [10, 20], [0.5, 0.25, 0.125]), [step])
    >>> rate(10), rate(11), rate(99)
    (np.float32(0.5), np.float32(0.25), np.float32(0.125))
    """
    if len(values) != len(boundaries) + 1:
        n, count = len(boundaries), len(values)
        raise OptionError(name, [], f"{n} boundaries separate {n + 1} values, not {count}")
    with name_scope(name):
        last = as_rate if any(isinstance(v, float) for v in values) else as_expression
        step, result = as_expression(x), last(values[-1])
        for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
            result = where(step <= boundary, in_dtype(value, result), result)
        return result


def in_one_dtype(rate: Operand, step: Operand, decay_steps: Operand) -> tuple[Expr, Expr, Expr]:
    """A rate as an expression, and steps in its dtype."""
    start = as_rate(rate)
    return start, in_dtype(step, start), in_dtype(decay_steps, start)


def as_rate(x: Operand) -> Expr:
    """A rate as an expression; an int counts as a float."""
    return as_expression(float(x) if isinstance(x, int) else x)


def in_dtype(x: Operand, like: Expr) -> Expr:
    """`x` as an expression of the dtype of another one."""
    e = as_expression(x, like.names, like)
    return e if e.dtype == like.dtype else astype(e, dtype=like.dtype)
