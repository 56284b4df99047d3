"""Products of matrices: tiles give the numbers of one product, in both modes."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops.kernels.linalg import matmul

THIN = [(64, 1568, 10), (10, 64, 1568), (1568, 64, 8), (61, 1600, 8), (0, 4, 3)]


@pytest.mark.parametrize("sizes", THIN)
@pytest.mark.parametrize("turned", [False, True])
def test_tiles_give_the_product(sizes, turned):
    rng, (m, k, n) = np.random.default_rng(0), sizes
    a = rng.standard_normal((k, m)).T if turned else rng.standard_normal((m, k))
    b = rng.standard_normal((n, k)).T if turned else rng.standard_normal((k, n))
    out = np.empty((m, n))
    assert matmul.multiply(a, b, out) is out
    np.testing.assert_allclose(matmul.multiply(a, b), a @ b, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(out, a @ b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("rows", [64, None])
def test_a_thin_product_has_the_same_bits_in_both_modes(rows):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((64, 1568)), rng.standard_normal((1568, 10))
    with sg.Graph().as_default():
        x = sg.placeholder("float64", (rows, 1568))
        got = sg.Session(optimize=0).run(sg.matmul(x, b), {x: a})
    assert np.array_equal(got, (dg.tensor(a) @ dg.tensor(b)).numpy())


@pytest.mark.parametrize("lay_out", [np.asarray, np.asfortranarray, lambda x: x[::-1]])
@pytest.mark.parametrize("b", [(4,), (4, 5)])
def test_a_stack_times_one_vector_or_matrix_is_a_product_of_all_rows(b, lay_out):
    rng = np.random.default_rng(0)
    x, y = lay_out(rng.normal(size=(6, 3, 4))), rng.normal(size=b)
    out = np.empty((6, 3, *b[1:]))
    np.testing.assert_allclose(G.matmul(x, y), np.matmul(x, y), rtol=1e-14)
    assert G.matmul.kernel(x, y, out=out) is out
    np.testing.assert_array_equal(out, G.matmul(x, y))
    assert G.matmul(x[:, :0], y).shape == (6, 0, *b[1:])
