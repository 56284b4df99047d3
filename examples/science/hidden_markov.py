"""A hidden Markov model.

A machine has two states that nobody sees, and a noisy reading. The forward algorithm is a loop over
the readings; `sg.scipy` traces it once, compiles it, and fits means, spreads and transitions.

It prints:

    parameter       estimate  std. error
    means[0]         1.03622      0.0455
    means[1]         2.93885      0.0529
    log_spread[0]  -0.515108      0.0542
    log_spread[1]  -0.610674       0.069
    logits[0]       -2.82514       0.326
    logits[1]       -2.31521       0.332
    errors from the exact Hessian; condition number 1.28
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize

import staticgrad as sg

rng = np.random.default_rng(1)
STEPS = 300


def simulated() -> tuple[Any, Any]:
    """The states, which stay for a while, and the readings."""
    states = [0]
    for u in rng.uniform(size=STEPS - 1):
        states.append(1 - states[-1] if u < (0.05, 0.1)[states[-1]] else states[-1])
    hidden = np.array(states)
    return hidden, np.where(hidden == 1, 3.0, 1.0) + 0.6 * rng.normal(size=STEPS)


HIDDEN, READINGS = simulated()


def emissions(p: Any) -> Any:
    """The density of each reading in each state."""
    z = (READINGS[:, None] - p["means"]) / np.exp(p["log_spread"])
    return np.exp(-0.5 * z**2 - p["log_spread"]) / np.sqrt(2 * np.pi)


def transitions(p: Any) -> Any:
    """The probabilities to go from a state to another."""
    leave = 1 / (1 + np.exp(-p["logits"]))
    return np.stack([np.stack([1 - leave[0], leave[0]]), np.stack([leave[1], 1 - leave[1]])])


def likelihood(p: Any) -> Any:
    """The negative log likelihood, by the forward algorithm with scaled probabilities."""
    density, move = emissions(p), transitions(p)
    alpha, total = np.array([0.5, 0.5]) * density[0], 0.0
    for k in range(1, STEPS):
        scale = np.sum(alpha)
        total = total + np.log(scale)
        alpha = (alpha / scale) @ move * density[k]
    return -total - np.log(np.sum(alpha))


def run() -> dict[str, Any]:
    """The fit, with standard errors."""
    start = {"means": np.array([0.5, 2.5]), "log_spread": np.zeros(2), "logits": np.full(2, -2.0)}
    problem = sg.scipy(likelihood, start)
    result = minimize(**problem)
    return {"p": problem.unflatten(result.x), "summary": sg.scipy.fit_summary(result, problem)}


def probabilities(p: Any) -> Any:
    """The probability of the second state at each time, from the readings up to then."""
    density, move = emissions(p), transitions(p)
    alpha, found = np.array([0.5, 0.5]), []
    for each in density:
        alpha = alpha @ move * each
        alpha = alpha / alpha.sum()
        found.append(alpha[1])
    return np.array(found)


def draw(plot: Any) -> None:
    """The readings, the states, and what the model thinks of them."""
    plot.plot(READINGS, "k.", markersize=3, label="readings")
    plot.plot(HIDDEN, drawstyle="steps", label="state")
    plot.plot(probabilities(run()["p"]), label="probability")
    plot.legend(loc="upper right")


if __name__ == "__main__":
    print(run()["summary"])
