"""Products: NumPy's numbers and shapes, and what does not fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gradops as G
import staticgrad as sg
from gradops import linalg

rng = np.random.default_rng(0)
C = lambda *shape: rng.normal(size=shape) + 1j * rng.normal(size=shape)
R = lambda *shape: rng.normal(size=shape)
SAME = {
    "tensordot": [
        (R(2, 3, 4), R(3, 4, 5)), (R(2, 3), R(3, 4), 1), (R(2), R(3), 0), (C(2, 3), R(2, 3)),
        (R(2, 3, 4), R(4, 5, 2), ([0, -1], [2, 0])), (R(3, 2), R(4, 3), (0, 1)),
        (R(0, 3), R(3, 2), 1),
    ],
    "vecdot": [(R(3), R(3)), (C(2, 3), C(3)), (R(2, 1, 3), R(4, 3)), (C(3), C(3))],
    "outer": [(R(2), R(3)), (R(2, 2), R(3)), (R(0), R(2)), (R(), R(2))],
    "kron": [(R(2), R(3)), (R(2, 3), R(3, 2)), (R(2), R(3, 2)), (R(2, 1, 2), R(2)), (R(), R(2))],
    "cross": [(R(3), R(3)), (R(2, 3), R(3)), (R(4, 1, 3), R(5, 3)), (C(3), R(3))],
    "trace": [(R(3, 3),), (R(2, 3, 4), 1), (R(2, 3, 4), 0, -1, 0), (R(3, 3), -2)],
    "matvec": [(R(2, 3), R(3)), (R(5, 2, 3), R(3)), (C(2, 3), R(4, 3))],
    "vecmat": [(C(2), C(2, 3)), (R(5, 2), R(2, 3))],
}  # fmt: skip
SINCE = {"matvec", "vecmat", "vecdot"}  # a NumPy later than 2.0


@pytest.mark.parametrize("name", SAME)
def test_numbers_are_numpys(name):
    if name in SINCE and not hasattr(np, name):
        pytest.skip("this NumPy is too early")
    for args in SAME[name]:
        got, want = getattr(G, name)(*args), getattr(np, name)(*args)
        assert_allclose(got, want, rtol=1e-14, atol=1e-15)  # sums in another order
        assert np.shape(got) == np.shape(want)
        assert got.dtype == want.dtype


def test_axes_of_vectors_can_be_chosen():
    a, b = R(3, 2), R(3, 2)
    assert_allclose(G.cross(a, b, axis=0), np.cross(a, b, axis=0))
    assert_allclose(G.vecdot(a, b, axis=0), (a * b).sum(0))


def test_matrices_lie_in_the_last_axes_for_linalg():
    x = R(5, 2, 3)
    assert_array_equal(linalg.trace(x, 1), np.trace(x, 1, -2, -1))
    assert_array_equal(linalg.diagonal(x, -1), np.diagonal(x, -1, -2, -1))


@pytest.mark.parametrize(
    "shapes", [[(3, 4), (4, 2)], [(9,), (9, 2), (2, 7), (7,)], [(9, 1), (1, 8), (8, 2), (2, 3)]]
)
def test_many_products_are_numpys(shapes):
    xs = [R(*s) for s in shapes]
    assert_allclose(linalg.multi_dot(xs), np.linalg.multi_dot(xs), rtol=1e-13)


def test_many_products_take_the_cheapest_order():
    x = sg.placeholder("float64", (1000, 2))
    y = linalg.multi_dot([x, np.ones((2, 1000)), np.ones((1000, 3))])
    assert y.inputs[0] is x


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 4, 5, 11])
def test_powers_are_numpys(n):
    x = np.eye(3) + 0.1 * R(2, 3, 3)
    assert_allclose(linalg.matrix_power(x, n), np.linalg.matrix_power(x, n), rtol=1e-13)
    assert linalg.matrix_power(np.eye(2, dtype=int), n).dtype == (float if n < 0 else int)


WRONG = {
    "tensordot of sizes": (lambda: G.tensordot(R(2, 3), R(4, 5), 1), "the sizes 3 and 4"),
    "tensordot of axes": (lambda: G.tensordot(R(2, 3), R(4, 5), ([0, 1], [0])), "are not pairs"),
    "tensordot of ranks": (lambda: G.tensordot(R(2), R(4, 5), 2), "no 2 axes"),
    "vecdot": (lambda: G.vecdot(R(2), R(3)), "differ in size"),
    "cross": (lambda: G.cross(R(2), R(2)), "three entries"),
    "multi_dot": (lambda: linalg.multi_dot([R(2, 2), R(2, 2, 2)]), "two axes, not 3"),
    "matrix_power": (lambda: linalg.matrix_power(R(2, 3), 2), "not square"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_an_error(name):
    call, says = WRONG[name]
    with pytest.raises(G.ShapeError, match=says):
        call()


def test_what_is_no_power_is_an_error():
    with pytest.raises(G.OptionError, match=r"an integer, not 0\.5"):
        linalg.matrix_power(np.eye(2), 0.5)
    with pytest.raises(G.OptionError, match="two matrices or more"):
        linalg.multi_dot([np.eye(2)])
