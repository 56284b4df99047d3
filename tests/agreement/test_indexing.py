"""Keys drawn at random take, and their gradients give back, what NumPy says: in every mode."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

SHAPES = [(), (4,), (3, 4), (2, 3, 4), (3, 1, 0, 2), (2, 3, 2, 3)]


def some_slice(rng, n):
    """A slice that need not fit an axis, in either direction."""
    bounds = [None, *range(-n - 2, n + 3)]
    step = [None, 1, 2, -1, -3][rng.integers(5)]
    return slice(bounds[rng.integers(len(bounds))], bounds[rng.integers(len(bounds))], step)


def some_array(rng, n, several):
    """Indices of an axis in a shape that broadcasts with `several`."""
    shape = tuple(1 if rng.random() < 0.3 else m for m in several[rng.integers(len(several) + 1) :])
    array = rng.integers(-n, n, shape)
    return array.tolist() if rng.random() < 0.2 else array


def some_key(rng, shape):
    """A key with entries of every kind that fits a shape."""
    key, axis, several = [], 0, (2, 3)[: rng.integers(3)]
    masks = 0
    dots = rng.random() < 0.3
    while axis < len(shape):
        kind, n = rng.random(), shape[axis]
        if rng.random() < 0.15:
            key.append(None)
        if dots and rng.random() < 0.4:
            key.append(...)
            dots, axis = False, min(len(shape), axis + rng.integers(3))
        elif kind < 0.2 and n:
            key.append(int(rng.integers(-n, n)))
            axis += 1
        elif kind < 0.5 and n:
            key.append(some_array(rng, n, several))
            axis += 1
        elif kind < 0.6 and not several and not masks:
            many = rng.integers(1, len(shape) - axis + 1)
            key.append(rng.random(shape[axis : axis + many]) < 0.5)
            axis, masks = axis + many, 1
        elif kind < 0.65 and rng.random() < 0.3:
            key.append(bool(rng.random() < 0.7))
        elif kind < 0.7:
            break
        else:
            key.append(some_slice(rng, n))
            axis += 1
    return tuple(key)


def keys():
    """Arrays, keys that fit them, and what NumPy takes."""
    rng = np.random.default_rng(0)
    found = []
    while len(found) < 200:
        x = rng.normal(size=SHAPES[rng.integers(len(SHAPES))])
        key = some_key(rng, x.shape)
        try:
            x[key]
        except IndexError:  # masks and arrays that do not broadcast
            continue
        found.append((x, key))
    return found


KEYS = keys()
each = pytest.mark.parametrize(("x", "key"), KEYS, ids=[f"{x.shape}-{k}" for x, k in KEYS])


def wanted(x, key):
    """The entries at a key, weights for them, and the gradient of their weighted sum."""
    y, g = x[key], np.zeros_like(x)
    w = np.random.default_rng(1).integers(1, 9, y.shape) * 1.0  # adds up exactly in any order
    np.add.at(g, key, w)
    return y, w, g


@each
def test_arrays_and_tensors_are_indexed_as_numpy_does(x, key):
    y, w, g = wanted(x, key)
    np.testing.assert_array_equal(gradops.index(x, key), y)
    t = dg.tensor(x, requires_grad=True)
    found = gradops.index(t, key)
    np.testing.assert_array_equal(found.detach().numpy(), y)
    assert found.shape == y.shape
    found.backward(dg.tensor(w))
    np.testing.assert_array_equal(t.grad.numpy(), g)


def reaches_beyond(found, x, y):
    """Whether a slice of unknown sizes is one that they were taken to be large enough for."""
    sizes = {f"n{i}": n for i, n in enumerate(x.shape)}
    told = [n for n in found.shape if isinstance(n, int) or n.names() <= sizes.keys()]
    if len(told) < y.ndim:
        return any(isinstance(n, gradops.Dim) and n.evaluate(sizes) < 0 for n in told)
    return tuple(n if isinstance(n, int) else n.evaluate(sizes) for n in told) != y.shape


@each
@pytest.mark.parametrize("known", [True, False])
def test_expressions_are_indexed_as_numpy_does(x, key, known):
    y, w, g = wanted(x, key)
    with sg.Graph().as_default():
        p = sg.placeholder("float64", x.shape if known else [f"n{i}" for i in range(x.ndim)])
        found = p[key]
        if not known and reaches_beyond(found, x, y):
            pytest.skip("in unknown sizes, a slice lies within its axis")
        v = sg.placeholder("float64", [None] * y.ndim)
        (grad,) = sg.gradients(sg.reduce_sum(found * v), p)
        got = sg.compile([found, grad], [p, v])(x, w)
    np.testing.assert_array_equal(got[0], y)
    np.testing.assert_array_equal(got[1], g)


@each
def test_a_stack_is_indexed_as_its_examples_are(x, key):
    y = x[key]
    stack = np.stack([x, x + 1])
    np.testing.assert_array_equal(gradops.vmap(lambda x: x[key])(stack), [y, y + 1])
