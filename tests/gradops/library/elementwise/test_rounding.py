"""Integers stay integers, and operators give quotients and remainders."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dynamicgrad as dg
import gradops as G
import staticgrad as sg


@pytest.mark.parametrize("op", [G.floor, G.ceil, G.trunc, G.round])
def test_integers_are_round_already(op):
    if np.floor(np.array([1])).dtype.kind == "f":
        pytest.skip("this NumPy is too early: it makes floats of them")
    for dtype in (np.int8, np.int64, np.uint16):
        x = np.array([1, 2, 3], dtype)
        assert op(x).dtype == dtype
        assert_array_equal(op(x), x)
        assert sg.compile(op(sg.constant(x)), [])()[0].dtype == dtype


def test_halves_are_rounded_to_even():
    assert_array_equal(G.round(np.array([0.5, 1.5, -0.5, 2.5])), [0.0, 2.0, -0.0, 2.0])
    assert_array_equal(np.rint(dg.tensor([0.5, 1.5])).numpy(), [0, 2])


def test_divmod_gives_quotient_and_remainder():
    x = dg.tensor([7.0, -7.0], requires_grad=True)
    q, r = divmod(x, 4)
    assert (q.tolist(), r.tolist()) == ([1, -2], [3, 1])
    assert [t.tolist() for t in divmod(9, dg.tensor([4, 5]))] == [[2, 1], [1, 4]]
    r.sum().backward()
    assert x.grad.tolist() == [1, 1]
    with pytest.raises(TypeError):
        divmod(x, "4")
    with pytest.raises(TypeError):
        divmod("4", x)


def test_shifts_are_operators():
    x = dg.tensor([1, 2, 3])
    assert (x << 2).tolist() == [4, 8, 12]
    assert (1 << x).tolist() == [2, 4, 8]
    assert (x >> 1).tolist() == [0, 1, 1]
    assert (16 >> x).tolist() == [8, 4, 2]
    x <<= 1
    x >>= dg.tensor([0, 1, 1])
    assert x.tolist() == [2, 2, 3]
    with pytest.raises(G.DTypeError, match="bitwise_left_shift"):
        dg.tensor([1.0]) << 1


def test_nan_to_num_of_complex_numbers_goes_part_by_part():
    z = np.array([1 + 2j, np.nan + 1j, complex(2, np.inf)])
    assert_array_equal(G.nan_to_num(z, posinf=9.0), [1 + 2j, 1j, 2 + 9j])
    t = dg.tensor(z, requires_grad=True)
    (dg.nan_to_num(t) * (1 + 1j)).real.sum().backward()
    assert_array_equal(t.grad.numpy(), [1 - 1j, -1j, 1])


def test_truth_values_are_clipped_as_numbers_are():
    found = G.clip(np.array([True, False]), None, 0)
    assert found.tolist() == [0, 0]
    assert found.dtype == np.int64
