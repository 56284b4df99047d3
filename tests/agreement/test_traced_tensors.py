"""Programs of tensors that are traced give the bits that they give by themselves."""

import threading

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import ValueUnknownError

F = dg.nn.functional
rng = np.random.default_rng(0)


def tensors(*shapes, requires_grad=True):
    local = np.random.default_rng(1)
    made = [local.standard_normal(s).astype(np.float32) / 4 for s in shapes]
    return [dg.tensor(a, requires_grad=requires_grad) for a in made]


def mlp(params, x, labels):
    w, b, v, c = params
    h = dg.relu(x @ w + b)
    loss = F.cross_entropy(h @ v + c, labels)
    for p in params:
        p.grad = None
    loss.backward()
    with dg.no_grad():
        for p in params:
            p -= 0.1 * p.grad
    return loss


def rnn(params, xs, target):
    u, w, b = params
    h = dg.zeros(4, 5)
    for i in range(len(xs)):
        h = dg.tanh(xs[i] @ u + h @ w + b)
    loss = ((h - target) ** 2).mean()
    gs = dg.autograd.grad(loss, params)
    with dg.no_grad():
        for p, g in zip(params, gs, strict=True):
            p.sub_(g, alpha=0.5)
    return loss, gs


def penalized(params, x):
    (w,) = params
    y = dg.tanh(x @ w).sum()
    (g,) = dg.autograd.grad(y, w, create_graph=True)
    loss = (g * g).sum() + y
    loss.backward()
    return loss


LABELS = dg.tensor(rng.integers(0, 3, 6))
ROWS = dg.tensor(rng.standard_normal((6, 8))).float()
SERIES = dg.tensor(rng.standard_normal((4, 4, 3))).float()
STEPS = {
    "mlp": (mlp, [(8, 7), (7,), (7, 3), (3,)], [ROWS, LABELS]),
    "rnn": (rnn, [(3, 5), (5, 5), (5,)], [SERIES, dg.zeros(4, 5)]),
    "double backward": (penalized, [(8, 7)], [ROWS]),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("optimize", [0, 1])
def test_a_training_step_is_the_same_traced(name, optimize):
    step, shapes, data = STEPS[name]
    by_itself, traced = tensors(*shapes), tensors(*shapes)
    run = sg.function(step, optimize=optimize)
    for _ in range(3):
        want, got = step(by_itself, *data), run(traced, *data)
        want, got = (x[0] if isinstance(x, tuple) else x for x in (want, got))
        assert want.item() == got.item()
        assert got.requires_grad == want.requires_grad
        for p, q in zip(by_itself, traced, strict=True):
            np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())
            assert (p.grad is None) == (q.grad is None)
            if p.grad is not None:
                np.testing.assert_array_equal(p.grad.numpy(), q.grad.numpy())
    assert run.traces <= 2  # with gradients from before, and without


def test_the_graph_of_a_backward_can_be_had():
    def gradient(w, x):
        (w * dg.sin(x)).sum().backward()
        return w.grad

    w, x = dg.ones(3, requires_grad=True), dg.arange(3.0)
    graph = sg.trace(gradient, [w, x])
    assert [e.name for e in graph.inputs] == ["w", "x"]
    (got,) = sg.compile(graph)(np.ones(3, np.float32), np.arange(3, dtype=np.float32))
    np.testing.assert_array_equal(got, np.sin(np.arange(3, dtype=np.float32)))
    assert w.grad is None


def test_gradients_add_up_across_calls():
    @sg.function
    def accumulate(w):
        (w * w).sum().backward()

    w = dg.ones(2, requires_grad=True)
    for _ in range(3):
        accumulate(w)
    assert w.grad.tolist() == [6, 6]


def test_views_of_a_changed_argument_see_the_change():
    x = dg.zeros(4)
    tail, array = x[2:], x.numpy()

    @sg.function
    def fill(x):
        x[1:3] = 5.0

    fill(x)
    assert (x.tolist(), tail.tolist(), array.tolist()) == ([0, 5, 5, 0], [5, 0], [0, 5, 5, 0])
    assert x._version == 1


def test_one_tensor_given_twice_is_one_tensor():
    @sg.function
    def f(x, y):
        with dg.no_grad():
            x += 1
        return y * 1

    x = dg.zeros(2)
    assert f(x, x).tolist() == [1, 1]
    assert f(x, dg.zeros(2)).tolist() == [0, 0]
    assert f.traces == 2


def test_structures_keywords_methods_and_numbers():
    class Model:
        @sg.function
        def __call__(self, batch, *, scale=1):
            return {"y": [batch["x"] * scale, scale], "shape": batch["x"].shape}

    model = Model()
    got = model.__call__({"x": np.ones(2)}, scale=3)
    assert (got["y"][0].tolist(), got["y"][1], got["shape"]) == ([3, 3], 3, (2,))
    assert isinstance(got["y"][0], np.ndarray)


def test_a_trace_is_kept_for_each_kind_of_arguments():
    f = sg.function(lambda x, n: x * n)
    for x in (np.ones(2), np.zeros(2), np.ones(3), np.ones(2, np.float32), dg.ones(2)):
        f(x, 2)
    assert f.traces == 4
    f(np.ones(2), 3)
    assert f.traces == 5
    f(np.ones(2), 4)
    f(np.ones(2), 5)
    with pytest.warns(UserWarning, match="traced 8 times"):
        f(np.ones(2), 6)


def test_what_is_run_can_be_looked_at():
    f = sg.function(lambda x: sg.exp(x) + 1)
    x = np.zeros(2, np.float32)
    assert "np.exp" in f.source(x)
    assert f.graph(x).outputs[0].type == sg.ArrayType((2,), "float32")
    assert f.traces == 1
    assert "traced 1 times" in repr(f)


@pytest.mark.parametrize("asks", [
    lambda x: x if x.sum() > 0 else -x, lambda x: x.sum().item(), lambda x: float(x.sum()),
    lambda x: x.numpy(), lambda x: x.tolist(), lambda x: int(x[0]), lambda x: np.asarray(x),
])  # fmt: skip
def test_a_value_that_is_not_known_while_tracing_is_refused(asks):
    with pytest.raises(ValueUnknownError, match=r"known only when the graph runs(?s:.*)hint"):
        sg.function(asks)(dg.ones(3))


def test_a_failed_run_changes_nothing():
    @sg.function
    def step(w, i):
        with dg.no_grad():
            w -= w[i]

    w = dg.arange(4.0)
    step(w, dg.tensor([0, 0, 1, 1]))
    before = w.tolist()
    with pytest.raises(IndexError):
        step(w, dg.tensor([0, 0, 1, 9]))
    assert w.tolist() == before


def test_threads_share_the_traces():
    f = sg.function(lambda x: x * 2)
    results = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(f(np.full(n % 3 + 1, 1.0)).sum()))
        for n in range(12)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == sorted([2.0, 4.0, 6.0] * 4)
    assert f.traces == 3


def test_sizes_that_data_tell_have_gradients():
    def step(w):
        loss = (w[w > 1] * 2).sum() + dg.unique(w).sum()
        loss.backward()
        return w.grad

    for function in (step, sg.function(step)):
        w = dg.tensor([1.0, 2.0, 3.0, 2.0], requires_grad=True)
        assert function(w).tolist() == [1, 3, 3, 2]


def test_a_cotangent_of_one_is_a_constant():
    def gradient(x):
        x.exp().sum().backward()
        return x.grad

    graph = sg.trace(gradient, [dg.ones(3, requires_grad=True)])
    assert "full_like" not in sg.compile(graph).source
