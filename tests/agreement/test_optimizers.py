"""One network trained in both modes: the weights have the same bits after every step."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.nn import optimizer_updates

SIZES, STEPS = (5, 7, 3), 10

# In staticgrad, and in dynamicgrad with what makes the two formulas the same.
CASES = {
    "descent": (lambda: sg.train.GradientDescentOptimizer(0.1), lambda p: dg.optim.SGD(p, 0.1)),
    "momentum": (
        lambda: sg.train.MomentumOptimizer(0.1, 0.9),
        lambda p: dg.optim.SGD(p, 0.1, momentum=0.9),
    ),
    "nesterov": (
        lambda: sg.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        lambda p: dg.optim.SGD(p, 0.1, momentum=0.9, nesterov=True),
    ),
    "adam": (
        lambda: sg.train.AdamOptimizer(0.01, epsilon_hat=False),
        lambda p: dg.optim.Adam(p, 0.01),
    ),
    "adamw": (
        lambda: sg.train.AdamWOptimizer(0.01, weight_decay=0.3, beta1=0.8),
        lambda p: dg.optim.AdamW(p, 0.01, weight_decay=0.3, betas=(0.8, 0.999)),
    ),
    "adagrad": (
        lambda: sg.train.AdagradOptimizer(0.1, 0.3),
        lambda p: dg.optim.Adagrad(p, 0.1, initial_accumulator_value=0.3, eps=0),
    ),
    "rmsprop": (
        lambda: sg.train.Optimizer(optimizer_updates.rmsprop, 0.01, momentum=0.9, centered=True),
        lambda p: dg.optim.RMSprop(p, 0.01, momentum=0.9, centered=True),
    ),
    "amsgrad": (
        lambda: sg.train.Optimizer(optimizer_updates.adam, 0.01, amsgrad=True, weight_decay=0.1),
        lambda p: dg.optim.Adam(p, 0.01, amsgrad=True, weight_decay=0.1),
    ),
}
every_case = pytest.mark.parametrize(("ours", "theirs"), CASES.values(), ids=CASES)


def network(x, labels, params):
    w1, b1, w2, b2 = params
    return gradops.cross_entropy(gradops.tanh(x @ w1 + b1) @ w2 + b2, labels)


def start(dtype):
    rng = np.random.default_rng(0)
    shapes = [(5, 7), (7,), (7, 3), (3,)]
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def batches(dtype):
    rng = np.random.default_rng(1)
    for _ in range(STEPS):
        yield rng.normal(size=(4, 5)).astype(dtype), rng.integers(0, 3, 4)


def eager(make, dtype):
    params = [dg.tensor(p, requires_grad=True) for p in start(dtype)]
    optimizer = make(params)
    for x, labels in batches(dtype):
        optimizer.zero_grad()
        network(dg.tensor(x), dg.tensor(labels), params).backward()
        optimizer.step()
        yield [p.detach().numpy().tobytes() for p in params]


def graph(make, dtype, optimize):
    x, labels = sg.placeholder(dtype, ["n", 5]), sg.placeholder("int64", ["n"])
    params = [sg.Variable(p) for p in start(dtype)]
    train = make().minimize(network(x, labels, params))
    session = sg.Session(optimize=optimize)
    for data, wanted in batches(dtype):
        session.run(train, {x: data, labels: wanted})
        yield [p.tobytes() for p in session.run(params)]


@every_case
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("optimize", [0, 1])
def test_every_step_leaves_the_same_bits(ours, theirs, dtype, optimize):
    with sg.Graph().as_default():
        for got, want in zip(graph(ours, dtype, optimize), eager(theirs, dtype), strict=True):
            assert got == want


def test_a_schedule_in_the_graph_leaves_the_bits_of_a_schedule_beside_it():
    rates = [np.float64(0.1) * np.float64(0.5) ** np.float64(i // 3) for i in range(STEPS)]
    with sg.Graph().as_default():
        step = sg.train.get_or_create_global_step()
        rate = sg.train.exponential_decay(np.float64(0.1), step, 3, 0.5, staircase=True)
        w = sg.Variable([1.0, -2.0])
        loss = sg.reduce_sum(w * w * w)
        train = sg.train.AdamWOptimizer(rate).minimize(loss, global_step=step)
        session = sg.Session()
        v = dg.tensor([1.0, -2.0], requires_grad=True)
        optimizer = dg.optim.AdamW([v])
        for lr in rates:
            session.run(train)
            optimizer.param_groups[0]["lr"] = float(lr)
            optimizer.zero_grad()
            (v * v * v).sum().backward()
            optimizer.step()
            assert session.run(w).tobytes() == v.detach().numpy().tobytes()
