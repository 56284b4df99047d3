"""Clipping by norms: TensorFlow's numbers, also where they are extreme."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError

from ..beside import Programs

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=5)

clipping = Programs()


@clipping.given(x=X)
@clipping.given(x=X / 100)
@clipping.given(x=0 * X)
def by_its_norm(t, x):
    return t.clip_by_norm(x, 1.5)


@clipping.given(x=X)
def by_the_norm_of_each_row(t, x):
    return t.clip_by_norm(x, 1.0, axes=[1])


@clipping.given(x=X, n=0.7)
def by_a_norm_that_is_fed(t, x, n):
    return t.clip_by_norm(x, n)


@clipping.given(x=X, y=Y)
def the_norm_of_several(t, x, y):
    return t.global_norm([x, None, y])


@clipping.given(x=X, y=Y)
@clipping.given(x=X / 100, y=Y / 100)
def by_the_norm_of_several(t, x, y):
    (a, none, b), norm = t.clip_by_global_norm([x, None, y], 2.0)
    assert none is None
    return [a, b, norm]


@clipping.given(x=X, y=Y)
def by_a_norm_that_is_known(t, x, y):
    (a, b), norm = t.clip_by_global_norm([x, y], 2.0, use_norm=t.reduce_sum(y * y))
    return [a, b, norm]


@clipping.given(x=X, y=np.array([1.0, np.inf]), order=0)
@clipping.given(x=X, y=np.array([1.0, np.nan]), order=0)
def what_is_not_finite_spoils_everything(t, x, y):
    (a, b), norm = t.clip_by_global_norm([x, y], 2.0)
    return [a, b, norm]


test_clipping_has_tensorflows_numbers_and_derivatives = clipping.derivatives_test()


def test_what_is_short_stays_as_it_is_and_what_is_long_gets_the_norm():
    x = sg.placeholder("float64", [None])
    run = sg.compile(sg.clip_by_norm(x, 2.0), [x])
    np.testing.assert_array_equal(run([0.5, -1.0]), [0.5, -1.0])
    np.testing.assert_allclose(run([3.0, -4.0]), [1.2, -1.6])
    np.testing.assert_array_equal(run([0.0, 0.0]), [0.0, 0.0])


def test_everything_keeps_its_dtype():
    given = [sg.constant([3.0], dtype) for dtype in ("float32", "float64", "float16")]
    clipped, norm = sg.clip_by_global_norm(given, 1.0)
    assert [c.dtype for c in clipped] == ["float32", "float64", "float16"]
    np.testing.assert_allclose(sg.Session().run(norm), np.sqrt(27))


def test_nothing_has_no_norm():
    with pytest.raises(OptionError, match="nothing to take the norm of"):
        sg.global_norm([None, None])


def test_to_clip_to_no_length_gives_zeros():
    clipped, _ = sg.clip_by_global_norm([sg.constant([3.0, 4.0])], 0.0)
    assert sg.Session().run(clipped)[0].tolist() == [0, 0]
