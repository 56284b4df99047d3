"""Programs that call the methods of arrays run on what stands for arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gradops
import staticgrad as sg

PROGRAMS = {
    "reductions": lambda x: x.sum() + x.mean(axis=0).prod() + x.max(axis=1).min() * 2,
    "shapes": lambda x: (x.reshape(2, -1).T @ x.reshape((2, 6))).ravel() + x.transpose(1, 0).sum(),
    "entries": lambda x: x.clip(-0.5, 0.5).round() + x.astype(np.float64).copy() * x.conj().real,
    "choices": lambda x: x.take([0, 2], axis=0).dot(x.T) * (x > 0).any() * x.argmax(),
    "statistics": lambda x: x.std(ddof=1) + x.var(axis=0, keepdims=True) * x.mean(axis=1)[:, None],
    "running": lambda x: x.cumsum() + x.cumsum(axis=1).ravel() * x.T.cumprod(axis=0).ravel(),
    "diagonals": lambda x: x[:, :3].trace() * x.diagonal(1) + x[:3, :3].mT.swapaxes(0, 1)[0],
    "order": lambda x: x.repeat(2, axis=1).compress([True, False], axis=0) + x.ravel("F").sum(),
    "places": lambda x: x.argsort(axis=1) + x,
    "masks": lambda x: x.sum(where=x > 0, initial=2.0) + x.max(axis=0, initial=0.1).sum() * x,
    "rounded": lambda x: x.round(2) + sum(x.flat) + x.std(axis=1, mean=x.mean(1)[:, None]).sum(),
    "axes": lambda x: x[:, None].squeeze(1).flatten() * (x > -9).all() * x.argmin(axis=0).sum(),
}
X = np.random.default_rng(0).normal(size=(3, 4))
every_program = pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)


@every_program
def test_a_graph_computes_what_arrays_do(f):
    x = sg.ArrayType((3, 4), "float64")
    assert_allclose(sg.compile(sg.trace(f, [x]))(X)[0], f(X), rtol=1e-14)


@every_program
def test_duals_carry_tangents_and_batches_examples(f):
    y, t = gradops.jvp(f, [X], [np.ones_like(X)])
    assert_allclose(y, f(X), rtol=1e-14)
    assert np.shape(t) == np.shape(y)
    stack = np.stack([X, X[::-1]])
    assert_allclose(gradops.vmap(f)(stack), [f(x) for x in stack], rtol=1e-14)
