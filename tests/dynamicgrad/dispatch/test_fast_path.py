"""The specialised functions of ops without attributes."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad.dispatch.fast_path import binary, unary
from dynamicgrad.engine import record


@pytest.mark.parametrize(
    ("make", "op"), [(unary, gradops.tanh), (binary, gradops.mul)], ids=["unary", "binary"]
)
def test_threads_may_learn_at_once_what_an_op_saves(make, op, monkeypatch):
    f, barrier, plans = make(op), Barrier(2), dict(record.PLANS)

    class Slow(dict):
        def __missing__(self, key):
            barrier.wait(5)  # until both threads ask
            return plans.get(key) or record.Plans(real=True)[key]

    monkeypatch.setattr("dynamicgrad.dispatch.fast_path.PLANS", Slow())

    def gradient(_):
        x = dg.ones(2, requires_grad=True)
        f(*[x] * op.arity).sum().backward()
        return x.grad.tolist()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(gradient, range(2))
    assert first == second == gradient(None)
