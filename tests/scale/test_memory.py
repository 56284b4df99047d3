"""Memory without the garbage collector: what is dropped is freed, and training does not grow."""

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from dynamicgrad.engine.node import Node

F = dg.nn.functional


class Cube(dg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x * x
        ctx.save_for_backward(x, y)
        ctx.kept = y  # an output that is kept does not keep its own node
        return y, x + 0

    @staticmethod
    def backward(ctx, g, h):
        x, _ = ctx.saved_tensors
        return g * 3 * x * x + h


def by_hand(w):
    w.grad = None
    (dg.tanh(w) * w).sum().backward()
    with dg.no_grad():
        w -= 1e-3 * w.grad


def with_second_derivatives(w):
    (g,) = dg.autograd.grad((dg.tanh(w) * w).sum(), w, create_graph=True)
    w.grad = None
    ((g * g).sum() + w.sum()).backward()
    with dg.no_grad():
        w -= 1e-3 * w.grad


def with_hooks_and_views(w):
    w.grad = None
    y = w * 2
    y.register_hook(lambda g: g * 0.5)
    y.grad_fn.register_hook(lambda gi, go: None)
    v = y[1:]
    v.mul_(3)
    y[0] = v.sum()
    y.sum().backward()


def with_a_function(w):
    w.grad = None
    a, b = Cube.apply(w)
    (a + b).sum().backward()


def with_saved_tensor_hooks(w):
    w.grad = None
    with dg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), dg.from_numpy):
        y = (w.exp() * w).sum()
    y.backward()


def with_checkpoint(w):
    w.grad = None
    dg.checkpoint(lambda w: dg.tanh(w * w), w, use_reentrant=False).sum().backward()


STEPS = [
    by_hand, with_second_derivatives, with_hooks_and_views, with_a_function,
    with_saved_tensor_hooks, with_checkpoint,
]  # fmt: skip


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def growth(step, count=1000):
    """Bytes by which `count` steps grow memory, once CPython has its lists of free tuples."""
    tracemalloc.start()
    for _ in range(2500):
        step()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        step()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return grown


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
def test_steps_leave_nothing_behind(step, no_collector):
    w = dg.tensor(np.linspace(0.1, 0.9, 50), requires_grad=True)
    assert growth(lambda: step(w)) < 5_000


def test_an_optimizer_step_leaves_nothing_behind(no_collector):
    model = dg.nn.Sequential(dg.nn.Linear(3, 8), dg.nn.Tanh(), dg.nn.Linear(8, 1))
    optimizer = dg.optim.Adam(model.parameters())

    def step():
        optimizer.zero_grad()
        model(dg.ones(4, 3)).sum().backward()
        optimizer.step()

    assert growth(step, 500) < 5_000


LAYERS = {
    "conv": (lambda: nn.Conv2d(2, 3, 3), (2, 2, 6, 6)),
    "conv transposed": (lambda: nn.ConvTranspose1d(2, 3, 3), (2, 2, 6)),
    "pool": (lambda: nn.Sequential(nn.Conv2d(2, 3, 3), nn.MaxPool2d(2)), (2, 2, 6, 6)),
    "batch norm": (lambda: nn.BatchNorm1d(3), (4, 3)),
    "layer norm": (lambda: nn.LayerNorm(3), (4, 3)),
    "group norm": (lambda: nn.GroupNorm(2, 4), (3, 4)),
    "lstm": (lambda: nn.LSTM(3, 2, num_layers=2, bidirectional=True), (4, 2, 3)),
    "gru": (lambda: nn.GRU(3, 2), (4, 2, 3)),
    "attention": (lambda: nn.TransformerEncoderLayer(4, 2, 5), (3, 2, 4)),
}


@pytest.mark.parametrize("make", LAYERS)
def test_training_a_layer_leaves_nothing_behind(make, no_collector):
    layer, shape = LAYERS[make][0](), LAYERS[make][1]
    optimizer = dg.optim.Adam(layer.parameters())

    def step():
        optimizer.zero_grad()
        y = layer(dg.ones(*shape))
        (y[0] if isinstance(y, tuple) else y).pow(2).sum().backward()
        optimizer.step()

    def living():
        return sum(isinstance(x, dg.Tensor | Node) for x in gc.get_objects())

    for _ in range(3):
        step()
    before = living()
    for _ in range(10):
        step()
    assert living() == before


def test_a_dropped_output_frees_what_it_was_made_from(no_collector):
    w = dg.ones(3, requires_grad=True)
    y, z = Cube.apply(w * 2)
    v = (y * z)[1:]
    v.mul_(2)
    v.register_hook(lambda g: g)
    nodes = [weakref.ref(n) for n in (y.grad_fn, v.grad_fn)]
    del y, z, v
    assert [ref() for ref in nodes] == [None, None]


def test_paths_are_not_counted():
    x = dg.ones(2, requires_grad=True)
    y = x
    for _ in range(60):  # 2**60 paths
        y = y + y
    y.sum().backward()
    assert x.grad.tolist() == [2.0**60] * 2


def in_threads(count, work):
    errors = []

    def run(i):
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []


def test_sixteen_threads_train_each_for_itself():
    results = {}

    def train(i):
        w = dg.tensor([0.1, 0.2], requires_grad=True)
        optimizer = dg.optim.SGD([w], lr=0.1, momentum=0.9)
        for _ in range(30):
            optimizer.zero_grad()
            with dg.no_grad():
                assert not dg.is_grad_enabled()
            ((w - i) ** 2).sum().backward()
            optimizer.step()
        results[i] = w.tolist()

    in_threads(16, train)
    again = dict(results)
    train(7)
    assert results[7] == again[7]


def test_sixteen_threads_add_to_one_leaf_and_lose_nothing():
    w = dg.zeros(4, requires_grad=True)

    def add(i):
        for _ in range(50):
            (w * 1.0).sum().backward()

    in_threads(16, add)
    assert w.grad.tolist() == [800.0] * 4
