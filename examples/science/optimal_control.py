"""Optimal control.

A pendulum is swung up with little effort. Direct collocation makes a large problem of few entries:
states and controls at all times are unknowns, the equations of motion constraints. SciPy's trust-
constr gets sparse Jacobians and Hessians of both.

It prints:

    effort 3.56, largest defect below 1e-6: True
"""

from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint, minimize

import staticgrad as sg

N, DURATION = 40, 4.0
STEP = DURATION / (N - 1)


def parts(v: Any) -> tuple[Any, Any, Any]:
    """Angles, speeds and torques at all times."""
    return v[:N], v[N : 2 * N], v[2 * N :]


def effort(v: Any) -> Any:
    """The integral of the squared torque."""
    _, _, u = parts(v)
    return STEP * np.sum(u**2)


def defects(v: Any) -> Any:
    """What the trapezoidal rule leaves of the equations of motion, and of both ends."""
    angle, speed, u = parts(v)
    force = u - np.sin(angle) - 0.1 * speed
    moves = angle[1:] - angle[:-1] - 0.5 * STEP * (speed[1:] + speed[:-1])
    turns = speed[1:] - speed[:-1] - 0.5 * STEP * (force[1:] + force[:-1])
    ends = np.stack([angle[0], speed[0], angle[-1] - np.pi, speed[-1]])
    return np.concatenate([moves, turns, ends])


def run() -> dict[str, Any]:
    """The motion from hanging down to standing."""
    start = np.concatenate([np.linspace(0, np.pi, N), np.full(N, np.pi / DURATION), np.zeros(N)])
    motion = NonlinearConstraint(**sg.scipy.NonlinearConstraint(defects, start, 0, 0, sparse=True))
    problem = sg.scipy(effort, start, sparse=True, constraints=[motion])
    result = minimize(**problem, options={"maxiter": 300, "gtol": 1e-6, "xtol": 1e-9})
    return {"v": result.x, "effort": result.fun, "violation": result.constr_violation}


def draw(plot: Any) -> None:
    """Angle, speed and torque over time."""
    t = np.linspace(0, DURATION, N)
    for curve, name in zip(parts(run()["v"]), ("angle", "speed", "torque"), strict=True):
        plot.plot(t, curve, label=name)
    plot.legend()


if __name__ == "__main__":
    found = run()
    print(f"effort {found['effort']:.2f}, largest defect below 1e-6: {found['violation'] < 1e-6}")
