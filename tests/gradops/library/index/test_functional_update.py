"""Functional updates do what NumPy does in place, in values and in derivatives, in every mode."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops import ArrayType, Dim
from gradops.transforms.saved_operands import Probe

from .test_indexing import KEYS, I, X

RNG = np.random.default_rng(0)
N, M = Dim("n"), Dim("m")
UFUNCS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "max": np.maximum, "min": np.minimum,
}  # fmt: skip


def probe(*shape, dtype=np.float64):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, dtype), set())


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_an_update_is_what_numpy_does_in_place(key):
    for shape in (X[key].shape, X[key].shape[-1:], ()):
        v = RNG.integers(1, 9, shape) * 1.0  # exact in any order
        want = X.copy()
        want[key] = v
        assert_array_equal(G.at(X)[key].set(v), want)
        for name, ufunc in UFUNCS.items():
            want = X.copy()
            ufunc.at(want, key, v)
            assert_allclose(getattr(G.at(X)[key], name)(v), want, rtol=1e-14)
    assert_array_equal(G.at(X)[key].get(), X[key])


@pytest.mark.parametrize("name", ["set", *UFUNCS, "power"])
@pytest.mark.parametrize("key", [I, ([0, 0, 2], slice(1, 3)), 1, (X > 60)[:3, :3, 0]], ids=repr)
def test_an_update_has_the_same_derivatives_on_tape_and_in_a_graph(name, key):
    x, w = RNG.uniform(0.5, 2, (3, 3)), RNG.normal(size=(3, 3))
    v = RNG.uniform(0.5, 2, x[key].shape)

    def update(x, v):
        return getattr(x.at[key], name)(v)

    tx, tv = dg.tensor(x, requires_grad=True), dg.tensor(v, requires_grad=True)
    (update(tx, tv) * w).sum().backward()
    px, pv = sg.placeholder("float64", (3, 3)), sg.placeholder("float64", v.shape)
    y = update(px, pv)
    found = sg.compile([y, *sg.gradients(sg.reduce_sum(y * w), [px, pv])], [px, pv])(x, v)
    for got, want in zip(found, [update(tx, tv).detach(), tx.grad, tv.grad], strict=True):
        assert_allclose(got, want.numpy(), rtol=1e-12)
    t, u = RNG.normal(size=x.shape), RNG.normal(size=v.shape)
    h = 1e-6
    slope = [
        (np.asarray(getattr(G.at(x + s * t)[key], name)(v + s * u)) * w).sum() for s in (h, -h)
    ]
    want = (tx.grad.numpy() * t).sum() + (tv.grad.numpy() * u).sum()
    assert_allclose((slope[0] - slope[1]) / (2 * h), want, rtol=1e-6)


def test_of_what_is_set_twice_only_the_last_counts(gradient):
    x, v = gradient(lambda x, v: G.at(x)[[0, 0, 2]].set(v) * 2, np.ones(3), np.ones(3))
    assert_array_equal(x, [0, 2, 0])
    assert_array_equal(v, [0, 2, 2])


def test_all_that_is_largest_shares_the_derivative(gradient):
    v = np.array([1.0, 3.0, 3.0])
    x, g = gradient(lambda x, v: G.at(x)[[0, 0, 0]].max(v), np.array([3.0, 5.0]), v)
    assert_allclose(x, [1 / 3, 1])
    assert_allclose(g, [0, 1 / 3, 1 / 3])


def test_a_product_has_exact_derivatives_at_zeros(gradient):
    v = np.array([0.0, 2.0, 3.0, 0.0, 5.0])
    key = [0, 0, 0, 1, 1]
    g = gradient(lambda v: G.at(np.ones(3))[key].multiply(v), v)[0]
    assert_array_equal(g, [6, 0, 0, 5, 0])


def test_values_take_the_dtype_of_the_operand():
    x = np.zeros(3, np.float32)
    for update in (G.at(x)[[0, 0]].add, G.at(x)[0].set, G.at(x)[1:].multiply, G.at(x)[[1]].divide):
        assert update(np.float64(2)).dtype == np.float32
        assert update(2).dtype == np.float32
    for name in ("set", "add", "multiply"):
        with pytest.raises(G.DTypeError, match="float64 values do not fit among int64 entries"):
            getattr(G.at(np.zeros(2, int))[[0]], name)(0.5)
    assert G.at(np.zeros(2, np.uint8))[0].add(5).dtype == np.uint8


def test_a_function_is_applied_once_to_an_entry():
    assert_array_equal(G.at(np.ones(3))[[0, 0]].apply(lambda x: x + 1), [2, 1, 1])


def test_examples_have_updates_of_their_own():
    x, v, i = RNG.normal(size=(5, 4, 3)), RNG.normal(size=(5, 2)), RNG.integers(0, 4, (5, 2))

    def update(x, v, i):
        return G.at(x)[i, 1].add(v)

    for axes in ((0, 0, 0), (None, 0, None), (0, None, 0), (None, None, 0), (0, None, None)):
        xs = [a if k == 0 else a[0] for a, k in zip((x, v, i), axes, strict=True)]
        want = [update(*(a[n] if k == 0 else a for a, k in zip(xs, axes))) for n in range(5)]
        assert_array_equal(G.vmap(update, axes)(*xs), want)


def test_sizes_need_not_be_known():
    assert G.at(probe(N, 4))[1:].set(1.0).shape == (N, 4)
    assert G.at(probe(N, 4))[probe(M, dtype=np.int64)].multiply(np.ones(4)).shape == (N, 4)
    x = sg.placeholder("float64", [None], name="x")
    (y,) = sg.compile([x.at[x > 1].multiply(2.0)], [x])(np.array([1.0, 2.0, 3.0]))
    assert_array_equal(y, [1, 4, 6])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: G.at(X)[9].set(1), G.IndexingError, "index 9 is out of range for axis 0"),
        (lambda: G.at(X)[[9]].set(1), G.IndexingError, "index 9 is out of range for axis 0"),
        (lambda: G.at(X)[[9], 0, 0].add(1), G.IndexingError, "add_at(.*)index 9 is out of range"),
        (lambda: G.at(X)[0].set(np.ones(7)), G.ShapeError, "6 against 7|7 against 6"),
        (lambda: G.at(X)[0].set(np.ones((1, 1, 1))), G.ShapeError, "of type float64"),
        (lambda: G.at(X)[I].multiply(np.ones((4, 1, 1))), G.ShapeError, "3|4"),
    ],
)
def test_what_does_not_fit_is_an_error(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_putting_along_an_axis_is_what_numpy_does_in_place(axis):
    x = RNG.normal(size=(3, 4))
    i = RNG.permuted(np.tile(np.arange(3), (3, 4 if axis == 0 else 1)), axis=axis or 1)
    i = i.T if axis == 0 else i
    i = np.array([[2, 0, 1, 1]]) if axis == 0 else np.array([5, 0, 3]) if axis is None else i
    v = RNG.normal(size=i.shape)
    want = x.copy()
    np.put_along_axis(want, i, v, axis)
    assert_array_equal(G.put_along_axis(x, i, v, axis), want)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_putting_in_a_row_is_what_numpy_does_in_place(mode):
    i = np.array([0, 5, 3]) if mode == "raise" else np.array([-9, 5, 30])
    for v in (7.0, [1.0, 2.0], np.arange(5.0)):
        want = X.copy()
        np.put(want, i, v, mode)
        assert_array_equal(G.put(X, i, v, mode), want)


def test_scatter_add_broadcasts_values_and_keeps_the_dtype():
    x = np.zeros((3, 2), np.float32)
    y = G.scatter_add(x, [0, 2, 2], 1.5)
    assert y.dtype == np.float32
    assert_array_equal(y, [[1.5, 1.5], [0, 0], [3, 3]])
    assert_array_equal(G.scatter_add(x, [0, 2, 2], [1, 2]), [[1, 2], [0, 0], [2, 4]])
    with pytest.raises(G.ShapeError):
        G.scatter_add(x, 0, np.ones(3))
