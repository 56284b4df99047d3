"""Colours: columns of one colour share no row, and there are not many."""

import numpy as np
import pytest

from staticgrad.sparse.coloring import (
    by_networkx,
    by_priorities,
    color_columns,
    color_symmetric,
    conflicts,
    readable,
)

sparse = pytest.importorskip("scipy.sparse")

rng = np.random.default_rng(0)


def csr(a):
    found = sparse.csr_array(a, dtype=np.int8)
    found.data[:] = 1
    return found


def band(n, *offsets):
    return csr(sparse.diags_array([np.ones(n - abs(k)) for k in offsets], offsets=offsets))


def arrow(n):
    a = np.eye(n)
    a[0], a[:, 0] = 1, 1
    return csr(a)


def stencil(n):
    line = band(n, -1, 0, 1)
    eye = sparse.eye_array(n)
    return csr(sparse.kron(eye, line) + sparse.kron(line, eye))


PATTERNS = {
    "band": (band(50, -2, 0, 1), 4), "tridiagonal": (band(5000, -1, 0, 1), 3),
    "stencil": (stencil(20), 7), "large stencil": (stencil(50), 7),
    "diagonal": (csr(np.eye(4)), 1), "empty": (csr(np.zeros((3, 4))), 1),
    "dense": (csr(np.ones((3, 5))), 5), "arrow": (arrow(30), 30),
    "random": (csr(sparse.random_array((300, 200), density=0.02, rng=rng)), 20),
    "large random": (csr(sparse.random_array((3000, 3000), density=0.001, rng=rng)), 20),
}  # fmt: skip


def is_right(pattern, colors):
    """Whether no two entries of a row have columns of one colour."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    places = rows * (colors.max(initial=0) + 1) + colors[pattern.indices]
    return len(np.unique(places)) == pattern.nnz


@pytest.mark.parametrize("name", PATTERNS)
def test_columns_of_one_colour_share_no_row(name):
    pattern, most = PATTERNS[name]
    colors = color_columns(pattern)
    assert colors.shape == (pattern.shape[1],)
    assert is_right(pattern, colors)
    assert colors.max() + 1 <= most


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("way", ["networkx", "priorities"])
def test_each_way_is_right(name, way):
    pattern, _ = PATTERNS[name]
    colors = by_networkx(pattern) if way == "networkx" else by_priorities(conflicts(pattern))
    assert is_right(pattern, colors)


def test_more_colours_than_the_bits_of_an_integer():
    pattern = csr(np.ones((2, 300)))
    assert sorted(by_priorities(conflicts(pattern))) == [*range(300)]


SYMMETRIC = {
    "tridiagonal": (band(500, -1, 0, 1), 3), "arrow": (arrow(300), 2), "stencil": (stencil(20), 7),
    "diagonal": (csr(np.eye(4)), 1), "dense": (csr(np.ones((4, 4))), 4),
    "empty": (csr(np.zeros((4, 4))), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SYMMETRIC)
def test_every_entry_of_a_symmetric_pattern_can_be_read(name):
    pattern, most = SYMMETRIC[name]
    colors = color_symmetric(pattern)
    assert readable(pattern, colors).all()
    assert colors.max() + 1 <= most


def test_random_symmetric_patterns():
    for n in (10, 60, 300):
        a = csr(sparse.random_array((n, n), density=3 / n, rng=rng))
        pattern = csr(a + a.T + sparse.eye_array(n))
        assert readable(pattern, color_symmetric(pattern)).all()
