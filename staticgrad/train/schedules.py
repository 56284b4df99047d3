"""Learning-rate schedules as expressions of the number of steps, with TensorFlow 1's formulas.

They are computed in the dtype of the rate, which for a Python number is the default one: float32
unless set otherwise. A program of float64 may give `np.float64(0.1)`.
"""

import math
from collections.abc import Sequence

from gradops import OptionError, astype, ceil, cos, equal, exp, floor, minimum, power, where
from gradops.typing import Operand

from ..build.graph import get_default_graph
from ..build.inputs import as_expression
from ..ir.expr import Expr


def exponential_decay(
    learning_rate: Operand,
    global_step: Operand,
    decay_steps: Operand,
    decay_rate: Operand,
    staircase: bool = False,
    name: str = "exponential_decay",
) -> Expr:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`; in whole steps if `staircase`.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.exponential_decay(0.5, step, 10, 0.25), [step])(5)
    np.float32(0.25)
    """
    with get_default_graph().name_scope(name):
        rate, p = progress(learning_rate, global_step, decay_steps, staircase)
        return rate * power(in_dtype(decay_rate, rate), p)


def natural_exp_decay(
    learning_rate: Operand,
    global_step: Operand,
    decay_steps: Operand,
    decay_rate: Operand,
    staircase: bool = False,
    name: str = "natural_exp_decay",
) -> Expr:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.natural_exp_decay(0.5, step, 10, 0.25), [step])(0)
    np.float32(0.5)
    """
    with get_default_graph().name_scope(name):
        rate, p = progress(learning_rate, global_step, decay_steps, staircase)
        return rate * exp(-in_dtype(decay_rate, rate) * p)


def inverse_time_decay(
    learning_rate: Operand,
    global_step: Operand,
    decay_steps: Operand,
    decay_rate: Operand,
    staircase: bool = False,
    name: str = "inverse_time_decay",
) -> Expr:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.inverse_time_decay(0.5, step, 10, 2.0), [step])(5)
    np.float32(0.25)
    """
    with get_default_graph().name_scope(name):
        rate, p = progress(learning_rate, global_step, decay_steps, staircase)
        return rate / (1 + in_dtype(decay_rate, rate) * p)


def polynomial_decay(
    learning_rate: Operand,
    global_step: Operand,
    decay_steps: Operand,
    end_learning_rate: Operand = 0.0001,
    power: Operand = 1.0,
    cycle: bool = False,
    name: str = "polynomial_decay",
) -> Expr:
    """Decay from `learning_rate` to `end_learning_rate` in `decay_steps`, by a power.

    After that the rate is constant, or with `cycle` the decay starts again with twice the steps,
    three times the steps, and so on.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.polynomial_decay(0.5, step, 10, 0.25), [step])(20)
    np.float32(0.25)
    """
    with get_default_graph().name_scope(name):
        rate, step, total = in_one_dtype(learning_rate, global_step, decay_steps)
        end = in_dtype(end_learning_rate, rate)
        if cycle:
            total = total * where(equal(step, 0), in_dtype(1, rate), ceil(step / total))
        else:
            step = minimum(step, total)
        left = 1 - step / total
        return (rate - end) * left ** in_dtype(power, rate) + end


def cosine_decay(
    learning_rate: Operand,
    global_step: Operand,
    decay_steps: Operand,
    alpha: float = 0.0,
    name: str = "cosine_decay",
) -> Expr:
    """Decay from `learning_rate` to `alpha` times that, along half a period of the cosine.

    >>> step = sg.placeholder("int64", [])
    >>> sg.compile(sg.train.cosine_decay(0.5, step, 10, alpha=0.5), [step])(10)
    np.float32(0.25)
    """
    with get_default_graph().name_scope(name):
        rate, step, total = in_one_dtype(learning_rate, global_step, decay_steps)
        share = 0.5 * (1 + cos(math.pi * (minimum(step, total) / total)))
        return rate * ((1 - alpha) * share + alpha)


def piecewise_constant(
    x: Operand,
    boundaries: Sequence[Operand],
    values: Sequence[Operand],
    name: str = "piecewise_constant",
) -> Expr:
    """The first of `values` up to and including the first of `boundaries`, and so on.

    `x` is the number of steps. Raises OptionError unless there is one value more than boundaries.

    >>> step = sg.placeholder("int64", [])
    >>> rate = sg.compile(sg.train.piecewise_constant(step, [10, 20], [0.5, 0.25, 0.125]), [step])
    >>> rate(10), rate(11), rate(99)
    (np.float32(0.5), np.float32(0.25), np.float32(0.125))
    """
    if len(values) != len(boundaries) + 1:
        raise OptionError(
            name, [], f"{len(boundaries)} boundaries separate {len(boundaries) + 1} values, not"
            f" {len(values)}",
        )  # fmt: skip
    with get_default_graph().name_scope(name):
        last = as_rate if any(isinstance(v, float) for v in values) else as_expression
        step, result = as_expression(x), last(values[-1])
        for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
            result = where(step <= boundary, in_dtype(value, result), result)
        return result


def progress(
    rate: Operand, step: Operand, decay_steps: Operand, staircase: bool
) -> tuple[Expr, Expr]:
    """The rate, and the number of decay periods so far, rounded down if `staircase`."""
    start, count, total = in_one_dtype(rate, step, decay_steps)
    p = count / total
    return start, floor(p) if staircase else p


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
