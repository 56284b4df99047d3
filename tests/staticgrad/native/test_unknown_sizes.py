"""Graphs of unknown sizes in machine code: a version for each of the sizes they run with."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import FeedError, OptionError
from staticgrad.runtime.backends.native_for_sizes import MOST

pytest.importorskip("llvmlite")


@pytest.fixture
def layer():
    """A loss and its gradients for batches of any size, by machine code and by NumPy."""
    x, w = sg.placeholder("float64", ["n", 3], name="x"), sg.placeholder("float64", [3, "m"])
    loss = sg.reduce_mean(sg.square(sg.tanh(x @ w)))
    fetches = [loss, *sg.gradients(loss, [x, w])]
    return [sg.compile(fetches, [x, w], backend=b) for b in ("native", "numpy")]


def feeds(n, m, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.normal(size=(3, m))


def check(pair, args):
    for got, want in zip(pair[0](*args), pair[1](*args), strict=True):
        assert type(got) is type(want)
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, 1e-13, 1e-13)


def test_each_size_has_its_code(layer):
    for n, m in [(4, 2), (1, 1), (4, 2), (50, 7), (4, 2), (0, 2)]:
        check(layer, feeds(n, m))
    assert "x double>" in layer[0].ir or "fmul double" in layer[0].ir
    assert "body:" in layer[0].assembly


def test_of_many_sizes_numpy_runs_the_last(layer):
    for n in range(1, MOST + 4):
        check(layer, feeds(n, 1))
    assert len(layer[0].versions) == MOST
    with pytest.raises(FeedError, match=r"NumPy ran .* that came last"):
        _ = layer[0].ir


def test_object_files_are_of_the_sizes_of_the_last_run(layer, tmp_path):
    sizes = []
    for n in (5, 7, 5):
        layer[0](*feeds(n, 2))
        layer[0].save_object(tmp_path / "model.o")
        sizes.append(f" {3 * n}" in (tmp_path / "model.h").read_text())
        assert f"[{n}, 3]" in (tmp_path / "model.h").read_text()
    assert all(sizes)


def test_feeds_are_checked_for_each_size(layer):
    x, w = feeds(4, 2)
    check(layer, (x.tolist(), w))
    check(layer, (x[::-1], np.asfortranarray(w)))
    for args in [(x[:, :2], w), (x.astype("f4"), w), (x[0], w), (x, None), (x[:, :, None], w)]:
        messages = []
        for executable in layer:
            with pytest.raises(FeedError) as caught:
                executable(*args)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


def test_sizes_must_agree():
    x, y = (sg.placeholder("float64", ["n"], name=name) for name in "xy")
    for backend in ("native", "numpy"):
        executable = sg.compile(x * y, [x, y], backend=backend)
        with pytest.raises(FeedError, match=r"n is 3 in x: .*, but 4 in y"):
            executable(np.ones(3), np.ones(4))


def test_code_is_not_shown_before_a_run():
    x = sg.placeholder("float64", ["n"], name="x")
    executable = sg.compile(sg.exp(x), [x], backend="native")
    for name in ("ir", "assembly"):
        with pytest.raises(FeedError, match="run it"):
            getattr(executable, name)


def test_sizes_that_depend_on_data_are_numpys():
    x = sg.placeholder("float64", ["n"], name="x")
    executable = sg.compile(sg.boolean_mask(x, x > 0.0) * 2.0, [x], backend="native")
    np.testing.assert_array_equal(executable(np.array([1.0, -1.0, 3.0])), [2.0, 6.0])


def test_sessions_take_batches_of_any_size():
    x = sg.placeholder("float64", [None, 2], name="x")
    w = sg.Variable(np.ones((2, 1)))
    loss = sg.reduce_mean(sg.square(x @ w))
    train = sg.train.GradientDescentOptimizer(0.1).minimize(loss)
    values = []
    for backend in ("numpy", "native"):
        with sg.Session(backend=backend) as session:
            session.run(sg.global_variables_initializer())
            for n in (4, 4, 2):
                session.run(train, {x: np.ones((n, 2))})
            values.append(session.run(w))
    np.testing.assert_allclose(values[0], values[1], 1e-14)


def test_functions_are_compiled_for_a_backend():
    w = dg.tensor(np.full(3, 0.5), requires_grad=True)
    f = sg.function(lambda x: (w * x).tanh().sum(), backend="native")
    for n in (2, 5):
        x = np.linspace(-1.0, 1.0, 3 * n).reshape(n, 3)
        w.grad = None
        f(dg.tensor(x)).backward()
        want = ((1.0 - np.tanh(0.5 * x) ** 2) * x).sum(0)
        np.testing.assert_allclose(w.grad.numpy(), want, 1e-13, 1e-13)
    assert "@body(" in f.executable(dg.tensor(x)).ir
    with pytest.raises(OptionError, match="function"):
        sg.function(backend="fast")
