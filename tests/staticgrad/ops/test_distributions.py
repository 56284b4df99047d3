"""Random numbers with parameters in graphs: other ones in each run, reproducible by seeds."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import ShapeError

N = 5000


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default():
        sg.set_random_seed(5)
        yield


def test_gamma_numbers_have_the_shape_then_that_of_the_parameters():
    alpha = sg.placeholder("float32", [2], name="alpha")
    x = sg.random_gamma([N], alpha, beta=2.0)
    (g,) = sg.gradients(sg.reduce_mean(x), alpha)
    found, slope = sg.Session().run([x, g], {alpha: [1.0, 6.0]})
    assert (found.shape, found.dtype) == ((N, 2), np.float32)
    np.testing.assert_allclose(found.mean(axis=0), [0.5, 3], rtol=0.1)
    np.testing.assert_allclose(slope, [0.25, 0.25], rtol=0.1)
    assert sg.random_gamma([], 3.0, dtype="float64").type == sg.ArrayType((), "float64")


def test_counts_have_the_dtype_that_is_asked_for():
    x = sg.random_poisson([1.0, 40.0], [N])
    found = sg.Session().run(x)
    assert (found.shape, found.dtype) == ((N, 2), np.float32)
    np.testing.assert_allclose(found.mean(axis=0), [1, 40], rtol=0.1)
    assert sg.random_poisson(2.0, [3], dtype="int32").dtype == np.int32


def test_indices_have_the_probabilities_of_softmax():
    x = sg.multinomial(np.log([[0.25, 0.75], [0.5, 0.5]]), N, output_dtype="int32")
    found = sg.Session().run(x)
    assert (found.shape, found.dtype) == ((2, N), np.int32)
    np.testing.assert_allclose(found.mean(axis=1), [0.75, 0.5], atol=0.05)


def test_a_crop_is_a_part_and_another_one_in_each_run():
    value = np.arange(400).reshape(20, 20)
    x, session = sg.random_crop(value, [3, 5]), sg.Session()
    first, second = session.run(x), session.run(x)
    for part in (first, second):
        at = np.argwhere(value == part[0, 0])[0]
        assert np.array_equal(part, value[at[0] : at[0] + 3, at[1] : at[1] + 5])
    assert not np.array_equal(first, second)
    assert np.array_equal(sg.Session().run(x), first)
    assert np.array_equal(sg.Session().run(sg.random_crop(value, [20, 20])), value)


def test_shapes_that_do_not_fit_are_refused():
    for wrong in (lambda: sg.random_crop(np.ones(3), [4]), lambda: sg.random_crop(np.ones(3), []),
                  lambda: sg.multinomial(np.ones(3), 2)):  # fmt: skip
        with pytest.raises(ShapeError):
            wrong()
