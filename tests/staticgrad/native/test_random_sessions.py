"""Random programs that update variables do in machine code what they do in NumPy."""

import warnings

import numpy as np
import pytest

import gradops
import staticgrad as sg
from staticgrad.runtime.checking.verification import error_scale, perturbed

from ..passes.random_graphs import REFUSED, looped, one_of, recent
from .fuzz import BOUND
from .random_programs import nested, stopped

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SHAPES = ((3,), (2, 3), (), (40, 50), (0, 3))
RUNS = 3


def smooth(rng, pool):
    """A function that errors do not grow in: what updates begin with, later ones read."""
    a, b = recent(rng, pool), recent(rng, pool)
    return one_of(rng, [sg.sin(a), sg.tanh(a), sg.sigmoid(a), sg.abs(a), a + b, a - b, a * b,
                        sg.maximum(a, b), sg.cast(a, "float64")])  # fmt: skip


STEPS = (smooth, smooth, smooth, looped, nested, stopped)


def program(seed):
    """Variables, what is fetched, and updates, in the present graph."""
    rng = np.random.default_rng(seed)
    variables = [sg.Variable(rng.normal(size=one_of(rng, SHAPES))) for _ in range(3)]
    pool = [v + 0 for v in variables]
    for _ in range(int(rng.integers(4, 12))):
        try:
            made = one_of(rng, STEPS)(rng, pool)
        except REFUSED:
            continue
        several = made if isinstance(made, list | tuple) else [made]
        pool += [e for e in several if isinstance(e, sg.Expr)]
    pool = [e for e in pool if type(e.type) is gradops.ArrayType]
    updates = []
    for v in variables:
        alike = [e for e in pool if e.shape == v.shape]
        updates.append(v.assign(sg.tanh(sg.cast(one_of(rng, alike), v.dtype))))
    return variables, [recent(rng, pool) for _ in range(2)], updates


def results_of(seed, backend, change=None):
    """What a program fetches in some runs, and the variables' values after them."""
    rng = np.random.default_rng(seed)
    with sg.Graph().as_default(), sg.Session(backend=backend) as session:
        variables, fetches, updates = program(seed)
        session.run(sg.global_variables_initializer())
        if change is not None:
            session.run([v.assign(perturbed(x, rng)) for v, x in zip(
                variables, session.run(variables), strict=True
            )])  # fmt: skip
        found = []
        for _ in range(RUNS):
            found += session.run([*fetches, *updates])[:2]
        return [np.asarray(x) for x in [*found, *session.run(variables)]]


def kind_of(x):
    """For each entry, if it is finite, infinite or NaN, and its sign if it is infinite."""
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(x), 0, np.where(np.isnan(x), 2, np.where(x.real > 0, 1, -1)))


@pytest.mark.parametrize("seed", range(40))
def test_sessions_update_variables_as_in_numpy(seed):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want, got, again = (results_of(seed, b) for b in ("numpy", "native", "native"))
        spreads = [results_of(seed, "numpy", change) for change in range(4)]
        for i, (x, y) in enumerate(zip(want, got, strict=True)):
            assert (x.dtype, x.shape) == (y.dtype, y.shape)
            assert y.tobytes() == again[i].tobytes()
            if x.dtype.kind not in "fc":
                continue
            allowed = np.max([error_scale(x, s[i]) for s in spreads], axis=0)
            fine = np.abs(x.astype("c16") - y) <= BOUND * allowed
            assert np.all(fine | (kind_of(x) != 0) & (kind_of(x) == kind_of(y)))
