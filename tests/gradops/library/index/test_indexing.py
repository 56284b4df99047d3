"""Indices of every form, their errors, and the functions made of them."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.core.dims import UNKNOWN, at_least_zero, eval_terms
from gradops.kernels.index.indexing import FULL
from gradops.library.index.index_keys import index_form
from gradops.library.index.indexing import slice_
from gradops.transforms.saved_operands import Probe

X = np.arange(120.0).reshape(4, 5, 6)
I, J = np.array([2, 0, 2]), np.array([[1], [-1]])
N, M = Dim("n"), Dim("m")

KEYS = [
    -1, np.int64(2), np.array(3), ..., None, (), slice(None, None, -1), (1, 2, 3), range(2),
    (slice(-99, 99), slice(3, 1), slice(4, None, -2)), (1, ..., None, 2), np.array([0, 3], "u1"),
    [0, 2], [], [[0, 1], [1, 3]], ((0, 1), (2, 3)), (I, J), (slice(None), I, J),
    (slice(None), I, None, J), (I, slice(None), J), (0, slice(None), I), (slice(None), 0, I),
    (..., I, 0), (I, 0, ..., J), (slice(None), I, ..., J), (None, I, slice(2)),
    X > 60, (X > 60)[:, :, 0], (slice(None), X[0] > 7), (X[:, 0, 0] > 50, 0), (J, X[0, :, 0] > 6),
    True, np.array(False), (slice(None), True, I),
]  # fmt: skip

WRONG = [
    (4, "index 4 is out of range for axis 0 with size 4"),
    ((0, -6), "index -6 is out of range for axis 1 with size 5"),
    ((0, 0, 0, 0), "too many indices: 4 for 3 axes"),
    ((..., 0, ...), "only one ellipsis"),
    (slice(None, None, 0), "the step of a slice is zero"),
    (1.0, "float64 is not a dtype for an index"),
    ([0.5], "float64 is not a dtype for an index"),
    ("a", "'a' is not an index"),
    (slice(0, 2.5), "a slice has the bound 2.5, which is not an integer"),
    (np.ones(3, bool), "the mask has size 3 where axis 0 has size 4"),
    ((I, [0, 1]), "3 against 2"),
]

UNKNOWN_SIZES = [
    (slice(None), N), (slice(None, None, -1), N), (slice(1, None), at_least_zero(N - 1)),
    (slice(None, -2), at_least_zero(N - 2)),
    (slice(1, -1), at_least_zero(N - 2)), (slice(None, None, 2), (N + 1) // 2),
    (slice(None, N // 2), N // 2),
    (slice(N, 2 * N), N), (slice(None, 3), UNKNOWN), (slice(-3, None), UNKNOWN),
    (slice(None, 2, -1), UNKNOWN),
]  # fmt: skip


def probe(*shape, dtype=np.float64):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, dtype), set())


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_an_index_gives_what_numpy_gives(key):
    want = X[key]
    got = G.index(X, key)
    assert_array_equal(got, want)
    assert got.shape == want.shape


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_the_shape_is_known_but_for_what_masks_count(key):
    inferred = G.index(probe(*X.shape), key).shape
    assert len(inferred) == X[key].ndim
    assert all(m in (n, UNKNOWN) for m, n in zip(inferred, X[key].shape, strict=True))


@pytest.mark.parametrize(("key", "says"), WRONG, ids=repr)
def test_an_index_that_is_not_there_is_an_error_on_arrays_and_on_types(key, says):
    with pytest.raises(G.IndexingError, match=says) as computed:
        G.index(X, key)
    with pytest.raises(IndexError) as inferred:
        G.index(probe(*X.shape), key)
    assert str(inferred.value) == str(computed.value)


def test_an_index_array_out_of_range_is_an_error_that_shows_the_index():
    with pytest.raises(G.IndexingError, match="index -9 is out of range for axis 1 with size 5"):
        G.index(X, (slice(None), [0, -9, 7]))


def test_a_bound_that_is_computed_is_an_error():
    with pytest.raises(G.IndexingError, match="which is not an integer"):
        G.index(X, slice(0, probe(dtype=np.int64)))


@pytest.mark.parametrize(("key", "size"), UNKNOWN_SIZES, ids=repr)
def test_a_slice_of_an_unknown_size_has_a_size_where_arithmetic_tells_it(key, size):
    assert G.index(probe(N, 4), key).shape == (size, 4)


BOUNDS = (None, -3, -1, 0, 1, 2, 4)


@pytest.mark.parametrize("step", [None, 1, 2, 3, -1, -2])
def test_the_size_of_a_slice_is_that_which_it_has_for_every_size(step):
    for start, stop in itertools.product(BOUNDS, repeat=2):
        key = slice(start, stop, step)
        for size in (N, N + 1, 2 * N):
            (found,) = G.index(probe(size), key).shape
            for n in range(6) if found != UNKNOWN else ():
                whole = range(size.evaluate({"n": n}))
                assert eval_terms(found, {"n": n}.get) == len(whole[key]), (key, size, n)


def test_what_is_left_of_what_is_left_is_one_size():
    once = G.index(probe(N), slice(1, None))
    assert G.index(once, slice(1, None)).shape == G.index(probe(N), slice(2, None)).shape
    assert at_least_zero(N - 3).substitute({"n": N + 1}) == at_least_zero(N - 2)
    assert at_least_zero(N - 3).substitute({"n": 2}) == 0
    assert at_least_zero(N - 3).substitute({"n": N + 5}) == N + 2


def test_unknown_sizes_pass_by_the_axes_that_are_indexed():
    assert G.index(probe(N, 4, M), (slice(None), I)).shape == (N, 3, M)
    assert G.index(probe(N, 4), (probe(N, dtype=np.int64), 0)).shape == (N,)
    assert G.index(probe(N, 4), -1).shape == (4,)


@pytest.mark.parametrize("index", [(1,), (0, 0, 0), ("...", 0), (FULL, None)], ids=repr)
def test_a_basic_index_gives_a_view(index):
    assert np.shares_memory(slice_(X, index=index), X)


def test_a_gradient_adds_up_where_an_entry_is_taken_twice(gradient):
    x = np.zeros((3, 2))
    assert_array_equal(gradient(lambda x: x[I, 1], x)[0], [[0, 1], [0, 0], [0, 2]])
    assert_array_equal(gradient(lambda x: x[x[:, 0] < 1, 1:], x)[0], [[0, 1]] * 3)


def test_an_index_array_may_be_an_operand_of_any_kind(gradient):
    x, i = gradient(lambda x, i: x[i, 0] * 2, np.ones((4, 2)), I)
    assert_array_equal(x[:, 0], [2, 0, 4, 0])
    assert not i.any()


def test_examples_share_a_mask_but_do_not_have_one_each():
    mask = X[0] > 7
    assert_array_equal(G.vmap(lambda x: x[mask])(X), X[:, mask])
    with pytest.raises(G.MissingRuleError, match="another number of entries"):
        G.vmap(lambda x, m: x[m])(X, X > 7)


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("indices", [2, -1, [1, 1, 0], [[0, 2], [3, 1]], []], ids=repr)
def test_take_gives_what_numpy_gives(indices, axis):
    want = np.take(X, np.asarray(indices, int), axis)
    assert_array_equal(G.take(X, indices, axis), want)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_taking_along_an_axis_undoes_argsort(axis):
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    order = np.argsort(x, axis)
    assert_array_equal(G.take_along_axis(x, order, axis), np.sort(x, axis))


def test_taking_along_an_axis_broadcasts_the_others():
    for indices, axis in ((np.array([[[3]], [[0]]]), 0), (np.array([7, -1]), None)):
        want = np.take_along_axis(X, indices, axis)
        assert_array_equal(G.take_along_axis(X, indices, axis), want)
    assert G.take_along_axis(probe(N, 4), probe(N, 2, dtype=np.int64), 1).shape == (N, 2)


def test_taking_along_an_axis_needs_as_many_axes():
    with pytest.raises(G.ShapeError, match="the indices have 1 axes, the operand 3"):
        G.take_along_axis(X, I, 0)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_indices_out_of_range_are_taken_as_a_mode_says(mode, axis):
    i = np.array([-7, 2, 5, 130])
    assert_array_equal(G.take(X, i, axis, mode), np.take(X, i, axis, mode=mode))
    with pytest.raises(G.OptionError, match="mode is 'raise', 'wrap' or 'clip', not 'round'"):
        G.take(X, i, axis, "round")


def test_truth_values_are_no_indices_to_take():
    with pytest.raises(G.IndexingError, match="truth values are not indices"):
        G.take(np.ones(2), [True, False], axis=0)


def test_the_cotangent_of_added_axes_is_a_reshape():
    x = np.arange(6.0).reshape(2, 3)
    for key in [(slice(None), None), (None, ...), (..., None, slice(None)), (Ellipsis,)]:
        form, _ = index_form(x, key)
        g = -np.zeros(np.shape(x[key]))
        ct = slice_.vjp[0](g, x[key], x, index=form)
        assert np.signbit(ct).all()  # a scatter would have added to zeros
    form, _ = index_form(x, (slice(None, None, -1),))
    assert_array_equal(slice_.vjp[0](x[::-1], x[::-1], x, index=form), x)


@pytest.mark.parametrize("key", [(slice(None), [3, 3]), (slice(None), np.array([-4]))])
def test_an_index_is_checked_where_there_are_no_entries(key):
    x = np.zeros((0, 3))
    try:
        with pytest.raises(IndexError):
            x[key]
    except DeprecationWarning:
        pytest.skip("this NumPy is too early: it warns")
    with pytest.raises(G.IndexingError, match="is out of range for axis 1 with size 3"):
        G.index(x, key)
