"""Concatenating, stacking and splitting as NumPy does, and where it does not."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.transforms.saved_operands import Probe

X = np.arange(12.0).reshape(6, 2)
N = Dim("n")


def probe(*shape):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, np.float64), set())


@pytest.mark.parametrize("axis", [0, -2, None])
def test_concatenate_gives_what_numpy_gives(axis):
    xs = [X, np.zeros((0, 2)), np.ones((1, 2), int)]
    got, want = G.concatenate(xs, axis), np.concatenate(xs, axis)
    assert_array_equal(got, want)
    assert got.dtype == want.dtype


def test_what_is_joined_may_come_from_an_iterator():
    assert_array_equal(G.concatenate(row for row in X), X.reshape(-1))
    assert_array_equal(G.stack(row for row in X), X)


def test_numbers_are_stacked_in_the_dtype_of_the_others():
    assert G.stack([np.float32(1), 2.0]).dtype == np.float32
    assert_array_equal(G.stack([1, 2.5]), [1, 2.5])


@pytest.mark.parametrize("join", [G.concatenate, G.stack])
def test_joining_nothing_is_an_error(join):
    with pytest.raises(G.ShapeError, match="it needs"):
        join([])


def test_unknown_sizes_add_up():
    assert G.concatenate([probe(N, 2), probe(3, 2), probe(N, 2)]).shape == (2 * N + 3, 2)
    assert G.stack([probe(N), probe(N)], axis=1).shape == (N, 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_examples_repeat_what_they_share(axis):
    a, b = np.ones((5, 2, 2)), np.zeros((2, 2))
    for join in (G.concatenate, G.stack):
        for xs, in_axes in (([a, b], (0, None)), ([b, a], (None, 0))):
            got = G.vmap(lambda *xs, join=join: join(xs, axis), in_axes)(*xs)
            loop = [join([x if x is b else x[i] for x in xs], axis) for i in range(5)]
            assert_array_equal(got, loop)


@pytest.mark.parametrize("parts", [1, 3, [2], [1, 1, 5], [4, 2], [-1], [0, 9], [], np.array([3])])
def test_split_gives_what_numpy_gives(parts):
    for got, want in zip(G.split(X, parts), np.split(X, parts), strict=True):
        assert_array_equal(got, want)
        assert np.shares_memory(got, X) or not got.size


def test_an_empty_axis_is_split_into_empty_parts():
    assert [p.shape for p in G.split(np.zeros((0, 2)), 3)] == [(0, 2)] * 3


@pytest.mark.parametrize("sections", [4, 0, -1])
def test_unequal_sections_are_an_error(sections):
    with pytest.raises(G.ShapeError, match=f"axis 0 of size 6 has no {sections} equal parts"):
        G.split(X, sections)


def test_an_unknown_size_is_split_where_it_is_sure_to_divide():
    assert [p.shape for p in G.split(probe(3 * N, 2), 3)] == [(N, 2)] * 3
    assert [p.shape for p in G.split(probe(3 * N, 2), [N])] == [(N, 2), (2 * N, 2)]
    with pytest.raises(G.ShapeError, match=r"of size 3\*n has no 2 equal parts"):
        G.split(probe(3 * N, 2), 2)


@pytest.mark.parametrize("n", [0, 1, 7, 256, 257])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool", "int8"])
def test_columns_have_numpys_bits_and_layout(n, dtype):
    x = np.arange(3 * n).astype(dtype)
    xs = [x[::3], x[n - 1 :: -1][:n], np.broadcast_to(x[:1].sum(dtype=x.dtype), n)]
    for axis in (1, -1):
        y, want = G.stack(xs, axis=axis), np.stack(xs, axis=axis)
        assert (y.dtype, y.shape, y.strides) == (want.dtype, want.shape, want.strides)
        assert y.tobytes() == want.tobytes()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_stack_is_numpys(axis):
    xs = [np.ones(3, "f4"), np.arange(3), np.arange(6.0)[::2]]
    y, want = G.stack(xs, axis=axis), np.stack(xs, axis=axis)
    assert y.dtype == want.dtype
    assert y.flags.c_contiguous
    np.testing.assert_array_equal(y, want)
    with pytest.raises(ValueError, match="shape"):
        G.OPS["stack"].kernel(np.ones(2), np.ones(3), axis=axis)
