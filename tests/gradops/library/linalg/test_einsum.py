"""Einstein's notation: what subscripts stand for, and the transposes of unusual ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G
from gradops import ArrayType, Dim
from gradops.library.linalg.einsum import explicit_subscripts
from gradops.transforms.saved_operands import Probe

CASES = [
    ("ij,jk", [(2, 3), (3, 4)]), ("ba", [(2, 3)]), ("ii", [(3, 3)]), (" i j -> j i ", [(2, 3)]),
    ("", [()]), (",", [(), ()]), (",i", [(), (3,)]), ("i,j", [(2,), (3,)]), ("ij->", [(0, 3)]),
    ("...i->...", [(4, 3)]), ("...i,...i->...", [(2, 1, 3), (5, 3)]), ("...,...", [(3, 1), (4,)]),
    ("a...b,b->...a", [(2, 5, 3), (3,)]), ("ij...,jk...->ik...", [(2, 3, 4), (3, 2, 1)]),
    ("...ii->...i", [(2, 3, 3)]), ("iij->j", [(3, 3, 2)]), ("iii->i", [(3, 3, 3)]),
    ("iijj->ij", [(2, 2, 3, 3)]), ("ii,i->", [(3, 3), (3,)]), ("ij,k->k", [(2, 3), (4,)]),
    ("ij,j->j", [(3, 1), (4,)]), ("ij,j->i", [(3, 4), (1,)]), ("ij,j->i", [(3, 1), (4,)]),
    ("ij,ij->", [(1, 4), (3, 4)]), ("iij,i->j", [(3, 3, 2), (1,)]), ("i,i,i->", [(3,), (1,), (3,)]),
    ("i,ij,jk,k", [(2,), (2, 3), (3, 4), (4,)]), ("bhqd,bhkd->bhqk", [(2, 4, 16, 8)] * 2),
]  # fmt: skip

WRONG = [
    ("ij,jk", [(2, 3)], "names 2 operands of 1"),
    ("ijk->i", [(2, 3)], "'ijk' in 'ijk->i' does not name 2 axes"),
    ("ij->i->j", [(2, 3)], "'-' is not an index"),
    ("i1->i", [(2, 3)], "'1' is not an index"),
    ("ij->ijj", [(2, 3)], "the output has the index 'j' twice"),
    ("ij->k", [(2, 3)], "no operand has the index 'k' of the output"),
    ("ii", [(2, 3)], "'i' has the sizes 2 and 3"),
    ("ij,jk", [(2, 3), (4, 5)], "'j' has the sizes 3 and 4"),
]


def drawn(shapes):
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.parametrize(("subscripts", "shapes"), CASES, ids=repr)
def test_subscripts_mean_what_they_mean_to_numpy(subscripts, shapes):
    xs = drawn(shapes)
    got, want = G.einsum(subscripts, *xs), np.einsum(subscripts, *xs)
    assert_allclose(got, want, rtol=1e-12, atol=1e-12)  # the same products, added in another order
    assert G.einsum(subscripts, *(probe(*s) for s in shapes)).shape == want.shape


@pytest.mark.parametrize(("subscripts", "shapes"), CASES, ids=repr)
def test_the_transpose_is_that_of_the_tangent(subscripts, shapes, gradient):
    xs, ts = drawn(shapes), [x + 1 for x in drawn(shapes)]
    g = np.cos(np.arange(np.size(G.einsum(subscripts, *xs))) + 1.0)
    weighted = lambda *xs: G.reshape(G.einsum(subscripts, *xs), shape=(-1,)) * g
    found = gradient(weighted, *xs)
    assert [ct.shape for ct in found] == shapes
    total = sum(np.sum(ct * t) for ct, t in zip(found, ts, strict=True))
    assert_allclose(G.jvp(weighted, xs, ts)[1].sum(), total, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("subscripts", "shapes", "says"), WRONG, ids=repr)
def test_subscripts_that_do_not_fit_are_an_error(subscripts, shapes, says):
    with pytest.raises(G.ShapeError, match=says):
        G.einsum(subscripts, *drawn(shapes))


def test_the_subscripts_come_first():
    with pytest.raises(TypeError, match="its subscripts first"):
        G.einsum(np.ones((2, 2)), "ij->ji")


def test_what_is_implied_is_written_out():
    assert explicit_subscripts("ba", (2,)) == "ba->ab"
    assert explicit_subscripts("x...,...", (2, 3)) == "xc,abc->abcx"


@pytest.mark.parametrize("subscripts", ["ij->ij", "ij->ji", "ii->i"])
def test_the_result_is_never_a_view(subscripts):
    x = np.ones((3, 3))
    assert not np.shares_memory(G.einsum(subscripts, x), x)


@pytest.mark.parametrize("n", [5, 40])
def test_the_sums_do_not_depend_on_the_layout_of_operands(n):
    a, b = drawn([(n, n), (n, n)])
    want = G.einsum("ij,jk->ik", a, b)
    for x in (np.asfortranarray(b), np.repeat(b, 2, axis=1)[:, ::2]):
        assert_array_equal(G.einsum("ij,jk->ik", np.asfortranarray(a), x), want)


def test_an_infinite_cotangent_of_a_diagonal_does_not_leak_off_it(gradient):
    found = gradient(lambda x: G.einsum("ii->i", x) * np.array([np.inf, 1]), np.ones((2, 2)))[0]
    assert_array_equal(found, [[np.inf, 0], [0, 1]])


def test_a_number_is_as_weak_as_in_arithmetic():
    assert G.einsum(",i->i", 2.0, np.ones(3, np.float32)).dtype == np.float32


def test_sizes_may_be_unknown():
    n, m = Dim("n"), Dim("m")
    assert G.einsum("ij,jk->ik", probe(n, 3), probe(3, m)).shape == (n, m)
    assert G.einsum("...i,i", probe(n, 2, 3), probe(3)).shape == (n, 2)
    assert G.einsum("ii->i", probe(n, n)).shape == (n,)


def probe(*shape):
    """An operand of which only the type is known."""
    return Probe(ArrayType(shape, np.float64), set())
