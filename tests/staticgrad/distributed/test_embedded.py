"""Blocks in memory and in files, on threads of this process."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import dynamicgrad as dg
import staticgrad as sg
from gradops import FeedError, OptionError, ShapeError

rng = np.random.default_rng(1)
X, Y = rng.normal(size=(500, 4)), rng.normal(size=500)
P, Q = {"w": np.zeros(4), "b": 0.0}, {"w": rng.normal(size=4), "b": 0.5}


def loss(p, x, y):
    return np.mean(np.tanh(x @ p["w"] + p["b"] - y) ** 2)


def bits(result):
    value, gradient = result
    return [np.asarray(a).tobytes() for a in (value, *gradient.values())]


def files(folder, array, name):
    """Blocks of an array in files, cut anywhere."""
    result = []
    for i, block in enumerate(np.split(array, [70, 71, 300])):
        np.save(folder / f"{name}{i}.npy", block)
        result.append(folder / f"{name}{i}.npy")
    return result


@pytest.mark.parametrize("workers", [2, 3, 64])
def test_bits_do_not_depend_on_the_number_of_threads(workers):
    one, several = [
        sg.distributed.value_and_grad(loss, P, (X, Y), block_rows=7, engine=n) for n in (1, workers)
    ]
    assert bits(one(Q)) == bits(several(Q))
    vector = {"w": np.ones(4), "b": 1.0}
    assert bits((0, one.hvp(Q, vector))) == bits((0, several.hvp(Q, vector)))


def test_columns_come_as_arrays_files_or_lists_of_either(tmp_path):
    x, y = files(tmp_path, X, "x"), files(tmp_path, Y, "y")
    np.save(tmp_path / "x.npy", X)
    cut = [np.load(path) for path in y]
    results = [
        bits(sg.distributed.value_and_grad(loss, P, data)(Q))
        for data in ((x, y), (x, cut), (list(map(str, x)), y), (tmp_path / "x.npy", cut), (x, Y))
    ]
    assert results.count(results[0]) == len(results)


def test_the_data_is_read_block_by_block(tmp_path):
    """Out of core: the blocks that are alive at once are as many as threads await."""
    alive, most = [0], [0]

    class Source:
        shape, dtype = (1000, 2), np.dtype(float)

        def __len__(self):
            return 1000

        def __getitem__(self, rows):
            alive[0] += 1
            most[0] = max(most[0], alive[0])
            return np.ones((rows.stop - rows.start, 2))

    def done(w, x):
        return np.sum(x @ w)

    f = sg.distributed.value_and_grad(done, np.zeros(2), Source(), block_rows=10, engine=1)
    run = f.engine.pool.submit
    f.engine.pool.submit = lambda *a: (run(*a), alive.__setitem__(0, 0))[0]
    assert f(np.ones(2))[0] == 2000
    assert most[0] <= 2


def test_blocks_without_rows_count_for_nothing():
    empty = [X[:0], X[:10], X[10:10], X[10:]], [Y[:0], Y[:10], Y[10:10], Y[10:]]
    full = [X[:10], X[10:]], [Y[:10], Y[10:]]
    a, b = [sg.distributed.value_and_grad(loss, P, data)(Q) for data in (empty, full)]
    assert bits(a) == bits(b)


def test_data_without_rows_is_an_error():
    with pytest.raises(ShapeError, match="no rows"):
        sg.distributed.value_and_grad(loss, P, ([X[:0]], [Y[:0]]), reduction="mean")(Q)


def test_a_loss_may_be_an_expression_of_placeholders():
    x = sg.placeholder("float64", [None, 4], name="x")
    y = sg.placeholder("float64", [None], name="y")
    w, b = sg.Variable(np.zeros(4), name="w"), sg.placeholder("float64", [], name="b")
    expression = sg.reduce_mean(sg.tanh(sg.linalg.matvec(x, w) + b - y) ** 2)
    f = sg.distributed.value_and_grad(expression, {"w": w, "b": b}, {x: X, y: Y}, block_rows=100)
    g = sg.distributed.value_and_grad(loss, P, (X, Y), block_rows=100)
    np.testing.assert_allclose(f(Q)[0], g(Q)[0], rtol=1e-14)
    np.testing.assert_allclose(f(Q)[1]["w"], g(Q)[1]["w"], rtol=1e-12)


def test_an_expression_that_reads_other_variables_is_refused():
    x, w = sg.placeholder("float64", [None], name="x"), sg.placeholder("float64", [], name="w")
    other = sg.Variable(1.0, name="other", dtype="float64")
    with pytest.raises(FeedError, match="other"):
        sg.distributed.value_and_grad(sg.reduce_sum(x * w * other), w, {x: Y})


@pytest.mark.parametrize("method", ["L-BFGS-B", "trust-ncg", "trust-exact", "Nelder-Mead"])
@pytest.mark.parametrize("scipy", [sg.scipy, dg.scipy])
def test_it_is_an_objective_of_scipy(scipy, method):
    f = sg.distributed.value_and_grad(loss, P, (X, Y), block_rows=100)
    options = {"options": {"maxiter": 60}} if method == "Nelder-Mead" else {}
    problem, direct = (
        scipy(f, P, method=method, **options),
        sg.scipy(lambda p: loss(p, X, Y), P, method=method, **options),
    )
    ours, theirs = minimize(**problem), minimize(**direct)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-5)  # of the solver's own tolerance
    assert set(problem.unflatten(ours.x)) == {"w", "b"}
    np.testing.assert_allclose(problem.hessian(ours.x), direct.hessian(ours.x), atol=1e-9)


def test_products_with_the_hessian_come_alone():
    times = sg.distributed.hvp(loss, P, (X, Y), block_rows=100)
    f = sg.distributed.value_and_grad(loss, P, (X, Y), block_rows=100)
    vector = {"w": np.ones(4), "b": 1.0}
    assert bits((0, times(Q, vector))) == bits((0, f.hvp(Q, vector)))


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ((X, Y[:-1]), ShapeError, "has 500 rows"),
        (([X, X], [Y]), ShapeError, "2 and 1 blocks"),
        ((), OptionError, "no columns"),
        ((3.0, 4.0), OptionError, "neither an array"),
        (([], []), ShapeError, "no blocks"),
        (([X[:5]], [Y[:6]]), ShapeError, "numbers of rows"),
    ],
)  # fmt: skip
def test_data_that_does_not_fit_is_an_error(data, error, words):
    with pytest.raises(error, match=words):
        sg.distributed.value_and_grad(loss, P, data)(Q)


def test_a_loss_that_draws_is_an_error():
    def noisy(w, x, y):
        return np.mean((x @ w - y + sg.random_normal(y.shape)) ** 2)

    with pytest.raises(OptionError, match="draws random numbers"):
        sg.distributed.value_and_grad(noisy, np.zeros(4), (X, Y))


def test_parameters_that_do_not_fit_are_an_error():
    f = sg.distributed.value_and_grad(loss, P, (X, Y))
    with pytest.raises(FeedError, match="2 parameters, not 1"):
        f({"w": np.zeros(4)})
    with pytest.raises(FeedError, match="shape"):
        f({"w": np.zeros(5), "b": 0.0})


def test_files_are_never_unpickled(tmp_path):
    path = Path(tmp_path / "x.npy")
    np.save(path, np.array([{}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="objects in dtype"):
        sg.distributed.value_and_grad(lambda w, x: np.sum(x * w), 0.0, [path])
