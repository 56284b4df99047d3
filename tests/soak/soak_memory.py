"""A long training, without the garbage collector: memory does not grow. Run by `make soak`."""

import gc
import os

import numpy as np
import pytest

import dynamicgrad as dg

STEPS, WARM_UP = 100_000, 5_000
MEGABYTE = 2**20


def resident():
    """Bytes of memory that the process holds."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def network():
    model = dg.nn.Sequential(dg.nn.Linear(4, 8), dg.nn.Tanh(), dg.nn.Linear(8, 1))
    return model, dg.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)


def first_order():
    """A step of training."""
    model, optimizer = network()
    x = dg.tensor(np.linspace(-1, 1, 12).reshape(3, 4).astype(np.float32))

    def step():
        optimizer.zero_grad()
        (model(x) ** 2).mean().backward()
        optimizer.step()

    return step


def second_order():
    """A step whose loss holds a gradient: made with create_graph."""
    model, optimizer = network()
    x = dg.tensor(np.linspace(-1, 1, 12).reshape(3, 4).astype(np.float32), requires_grad=True)

    def step():
        optimizer.zero_grad()
        (g,) = dg.autograd.grad(model(x).sum(), x, create_graph=True)
        (g**2).sum().backward()
        optimizer.step()

    return step


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads Linux's /proc")
@pytest.mark.parametrize("make", [first_order, second_order])
def test_a_hundred_thousand_steps_grow_memory_by_less_than_a_megabyte(make):
    step = make()
    gc.collect()
    gc.disable()
    try:
        for _ in range(WARM_UP):
            step()
        before = resident()
        for _ in range(STEPS):
            step()
        assert resident() - before < MEGABYTE
    finally:
        gc.enable()
