"""Likelihoods: a Kalman filter, a hidden Markov model, a mixture of Gaussians."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..by_hand import probability as by_hand
from ..workload import Arrays, Workload

Rng = np.random.Generator


def tracking(rng: Rng, steps: int, states: int) -> tuple[Arrays, Arrays]:
    """Transitions, logarithms of variances, first state; observations of half the states."""
    seen = states // 2
    transition = np.eye(states) * 0.95 + rng.standard_normal((states, states)) / 20
    params = [transition, np.full(states, -2.0), np.full(seen, -1.0), rng.standard_normal(states)]
    return params, [
        rng.standard_normal((steps, seen)),
        np.eye(seen, states),
        np.eye(states),
        np.eye(seen),
    ]


def kalman(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The negative log likelihood of a linear Gaussian model, up to a constant."""
    (a, log_q, log_r, x), (ys, h, p, unit) = params, data
    q, r = p * xp.exp(log_q), unit * xp.exp(log_r)
    at, ht = xp.matrix_transpose(a), xp.matrix_transpose(h)

    def step(state: tuple, entry: tuple) -> tuple:
        (x, p, loss), (y,) = state, entry
        x, p = xp.matvec(a, x), a @ p @ at + q
        l = xp.cholesky(h @ p @ ht + r)
        v = xp.solve_triangular(l, (y - xp.matvec(h, x))[:, None])
        g = xp.solve_triangular(l, h @ p)
        gt = xp.matrix_transpose(g)
        loss = loss + 0.5 * xp.sum(v * v) + xp.sum(xp.log(xp.diagonal(l)))
        return x + (gt @ v)[:, 0], p - gt @ g, loss

    return xp.fold(step, (x, p, xp.zeros((), x.dtype)), (ys,))[2]


def symbols(rng: Rng, steps: int, states: int, symbols: int) -> tuple[Arrays, Arrays]:
    """Logits of the first state, of transitions and of symbols; the observed symbols."""
    shapes = [(states,), (states, states), (states, symbols)]
    return [rng.standard_normal(s) for s in shapes], [rng.integers(0, symbols, steps)]


def hmm(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The negative log likelihood by the forward algorithm, in logarithms."""
    start, transitions, emissions = map(xp.log_softmax, params)
    scores = xp.take(xp.matrix_transpose(emissions), data[0], 0)

    def step(state: tuple, entry: tuple) -> tuple:
        (alpha,), (score,) = state, entry
        return (xp.logsumexp(alpha[:, None] + transitions, 0) + score,)

    (alpha,) = xp.fold(step, (start + scores[0],), (scores[1:],))
    return -xp.logsumexp(alpha, 0)


def clusters(rng: Rng, points: int, size: int, components: int) -> tuple[Arrays, Arrays]:
    """Logits, means, and factors of covariances; points as columns, and the unit matrix."""
    factors = rng.standard_normal((components, size, size)) / np.sqrt(size)
    params = [rng.standard_normal(components), rng.standard_normal((components, size)), factors]
    return params, [rng.standard_normal((size, points)), np.eye(size)]


def mixture(xp: Any, params: Sequence[Any], data: Sequence[Any]) -> Any:
    """The negative log likelihood of a mixture of Gaussians, up to a constant."""
    (logits, means, f), (x, unit) = params, data
    l = xp.cholesky(f @ xp.matrix_transpose(f) + unit)
    z = xp.solve_triangular(l, x - means[:, :, None])
    scores = xp.log_softmax(logits) - xp.sum(xp.log(xp.diagonal(l)), -1)
    return -xp.sum(xp.logsumexp(scores[:, None] - 0.5 * xp.sum(z * z, 1), 0))


WORKLOADS = [
    Workload(
        "kalman", "Kalman filter likelihood, T=200, n=4", tracking, kalman, dtype="float64",
        sizes={"steps": 200, "states": 4}, small={"steps": 3, "states": 4},
        by_hand=by_hand.kalman, slow=("torch.compile",),
    ),
    Workload(
        "hmm", "HMM forward algorithm, T=500, 8 states", symbols, hmm, dtype="float64",
        sizes={"steps": 500, "states": 8, "symbols": 16},
        small={"steps": 4, "states": 3, "symbols": 5},
        by_hand=by_hand.hmm, slow=("torch.compile",),
    ),
    Workload(
        "mixture", "Gaussian mixture, 1,000 x 64, 25 components", clusters, mixture,
        dtype="float64", sizes={"points": 1_000, "size": 64, "components": 25},
        small={"points": 5, "size": 3, "components": 2}, by_hand=by_hand.mixture, threads=(1, 2),
    ),
]  # fmt: skip
