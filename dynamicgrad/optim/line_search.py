"""A line search for the strong Wolfe conditions: enough decrease, and a slope that has flattened.

Nocedal and Wright, "Numerical Optimization", algorithms 3.5 and 3.6, with cubic interpolation and
the safeguards that PyTorch's LBFGS has.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

DECREASE, CURVATURE = 1e-4, 0.9  # the constants c1 and c2 of the conditions


@dataclass(frozen=True, slots=True)
class Point:
    """A step length, the loss there, its gradient, and its slope along the direction."""

    t: float
    loss: float
    grad: np.ndarray
    slope: float


Evaluate = Callable[[float], Point]


def cubic_minimum(a: Point, b: Point, low: float, high: float) -> float:
    """The minimizer, within bounds, of the cubic through two points with their slopes."""
    if a.t > b.t:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    scale = b.slope - a.slope + 2 * d2
    if scale == 0:
        return (low + high) / 2
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / scale), low), high)


def strong_wolfe(evaluate: Evaluate, start: Point, t: float, width: float, budget: int) -> Point:
    """A point that meets the conditions, or else the best one.

    `start` is the point at 0, `t` the length to try first, `width` the length of a bracket that
    is not narrowed and `budget` how many trials there may be.
    """
    before, point = start, evaluate(t)
    for trials in range(budget):
        if fails_decrease(point, start) or (trials > 1 and point.loss >= before.loss):
            return zoom(evaluate, start, before, point, width, budget - trials)
        if flat_enough(point, start):
            return point
        if point.slope >= 0:
            return zoom(evaluate, start, before, point, width, budget - trials)
        low, high = point.t + 0.01 * (point.t - before.t), point.t * 10
        before, point = point, evaluate(cubic_minimum(before, point, low, high))
    return start if start.loss <= point.loss else point


def fails_decrease(point: Point, start: Point) -> bool:
    """True if the loss is too high for the length of the step."""
    return point.loss > start.loss + DECREASE * point.t * start.slope


def flat_enough(point: Point, start: Point) -> bool:
    """True if the slope is small enough compared with that at the start."""
    return abs(point.slope) <= -CURVATURE * start.slope


def zoom(evaluate: Evaluate, start: Point, a: Point, b: Point, width: float, budget: int) -> Point:
    """Narrow the bracket between two points, and return the better end."""
    low, high = (a, b) if a.loss <= b.loss else (b, a)
    stuck = False
    for _ in range(budget):
        if not abs(high.t - low.t) >= width:
            break
        t, stuck = next_length(low, high, stuck)
        point = evaluate(t)
        if fails_decrease(point, start) or point.loss >= low.loss:
            low, high = (point, low) if low.loss > point.loss else (low, point)
        elif flat_enough(point, start):
            return point
        else:
            low, high = point, low if point.slope * (high.t - low.t) >= 0 else high
    return low


def next_length(low: Point, high: Point, stuck: bool) -> tuple[float, bool]:
    """The length to try next: not twice in a row close to an end of the bracket."""
    left, right = sorted((low.t, high.t))
    t = cubic_minimum(low, high, left, right)
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if stuck or t >= right or t <= left:
        near_right = abs(t - right) < abs(t - left)
        return (right - margin if near_right else left + margin), False
    return t, True


def greatest(x: np.ndarray) -> float:
    """The greatest absolute value of the entries."""
    return float(np.max(np.abs(x), initial=0.0))
