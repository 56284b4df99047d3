"""TensorFlow's functions that read and update entries by their place."""

import numpy as np
import pytest

import gradops
import staticgrad as sg

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4, 2))


def run(f, *xs):
    """What `f` gives in a graph in which no size is known but those of rows of indices."""
    shapes = [
        [None] * (np.ndim(x) - 1) + [np.shape(x)[-1]] if np.asarray(x).dtype.kind == "i" else None
        for x in xs
    ]
    feeds = [
        sg.placeholder(np.asarray(x).dtype, s or [None] * np.ndim(x))
        for x, s in zip(xs, shapes, strict=True)
    ]
    return sg.compile([f(*feeds)], feeds)(*xs)[0]


def test_parts_are_gathered_along_an_axis_after_common_ones():
    i = RNG.integers(0, 4, (3, 5))
    want = np.stack([X[b][i[b]] for b in range(3)])
    np.testing.assert_array_equal(sg.gather(X, i, batch_dims=1), want)
    np.testing.assert_array_equal(run(lambda x, i: sg.gather(x, i, batch_dims=1), X, i), want)
    np.testing.assert_array_equal(sg.batch_gather(X, i), want)
    j = RNG.integers(0, 2, (3, 5))
    want = np.stack([X[b][:, j[b]] for b in range(3)])
    np.testing.assert_array_equal(sg.gather(X, j, axis=2, batch_dims=1), want)
    np.testing.assert_array_equal(sg.gather(X, [1, 0], axis=1), X[:, [1, 0]])
    with pytest.raises(gradops.ShapeError, match="leading axes"):
        sg.gather(X, i[:2], batch_dims=1)


def test_rows_of_indices_name_parts():
    rows = np.array([[[0, 1], [2, 3]], [[1, 1], [0, 0]]])
    np.testing.assert_array_equal(sg.gather_nd(X, rows), X[rows[..., 0], rows[..., 1]])
    np.testing.assert_array_equal(run(sg.gather_nd, X, rows), X[rows[..., 0], rows[..., 1]])
    with pytest.raises(gradops.ShapeError, match="rows of at most 3"):
        sg.gather_nd(X, np.zeros((2, 4), int))
    with pytest.raises(gradops.DTypeError, match="not integers"):
        sg.gather_nd(X, np.zeros((2, 2)))


def test_parts_are_updated_where_rows_of_indices_say():
    rows, v = np.array([[0], [2], [0]]), RNG.normal(size=(3, 4, 2))
    want = np.zeros_like(X)
    np.add.at(want, [0, 2, 0], v)
    np.testing.assert_array_equal(sg.scatter_nd(rows, v, X.shape), want)
    for name, ufunc in (("add", np.add), ("sub", np.subtract), ("max", np.maximum),
                        ("min", np.minimum)):  # fmt: skip
        want = X.copy()
        ufunc.at(want, [0, 2, 0], v)
        f = getattr(sg, f"tensor_scatter_nd_{name}")
        np.testing.assert_allclose(f(X, rows, v), want)
        np.testing.assert_allclose(run(f, X, rows, v), want)
    want = X.copy()
    want[[0, 2, 0]] = v
    np.testing.assert_array_equal(sg.tensor_scatter_nd_update(X, rows, v), want)


def test_segments_are_reduced_and_empty_ones_have_what_changes_nothing():
    x, ids = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 2, 0, 2])
    reduced = {
        "sum": [4, 0, 6], "mean": [2, 0, 3], "prod": [3, 1, 8],
        "max": [3, np.finfo(float).min, 4], "min": [1, np.finfo(float).max, 2],
    }  # fmt: skip
    for what, want in reduced.items():
        f = getattr(sg, f"unsorted_segment_{what}")
        np.testing.assert_array_equal(f(x, ids, 3), want)
        np.testing.assert_array_equal(f(x[:, None], ids, 3)[:, 0], want)
        np.testing.assert_array_equal(run(lambda x, i, f=f: f(x, i, 3), x, ids), want)
    assert sg.unsorted_segment_max(np.array([5]), np.array([1]), 2)[0] == np.iinfo(np.int64).min
    with pytest.raises(gradops.ShapeError, match="leading axes"):
        sg.unsorted_segment_sum(x, ids[:3], 3)


def test_a_segment_sum_has_a_gradient():
    x, i = sg.placeholder("float64", [None]), sg.placeholder("int64", [None])
    y = sg.unsorted_segment_mean(x, i, 2)
    (g,) = sg.gradients(sg.reduce_sum(y * np.array([1.0, 10.0])), x)
    found = sg.compile([g], [x, i])(np.ones(3), np.array([0, 1, 1]))[0]
    np.testing.assert_array_equal(found, [1, 5, 5])


def test_sequences_are_reversed_up_to_their_lengths():
    x, n = np.arange(12).reshape(3, 4), np.array([2, 4, 0])
    want = [[1, 0, 2, 3], [7, 6, 5, 4], [8, 9, 10, 11]]
    np.testing.assert_array_equal(sg.reverse_sequence(x, n, seq_axis=1), want)
    np.testing.assert_array_equal(
        sg.reverse_sequence(x.T, n, seq_axis=0, batch_axis=1), np.transpose(want)
    )
    got = run(lambda x, n: sg.reverse_sequence(x, n, seq_axis=1), x * 1.0, n)
    np.testing.assert_array_equal(got, want)


def test_scatter_add_changes_a_variable_and_nothing_else():
    v, c = sg.Variable([0.0, 0.0, 0.0]), sg.constant([0.0, 0.0, 0.0])
    once, apart = sg.scatter_add(v, [1, 1], [1.0, 2.0]), sg.scatter_add(c, [0], 1.0)
    session = sg.Session()
    assert session.run([once, apart])[0].tolist() == session.run(v).tolist() == [0, 3, 0]
    assert session.run(apart).tolist() == [1, 0, 0]


def test_quotients_by_numbers_keep_the_dtype():
    x = sg.constant([1.0, 2.0], "float32")
    assert [sg.div_no_nan(x, y).dtype for y in (0.0, 0, 2.0)] == ["float32"] * 3
