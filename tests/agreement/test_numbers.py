"""Python numbers beside float32 operands: rules keep them weak, and the bits are a graph's."""

import numpy as np
import pytest

import gradops
from gradops import (
    add,
    div,
    floor_divide,
    maximum,
    minimum,
    mul,
    power,
    remainder,
    strong_product,
    sub,
)

OPS = [
    add, sub, mul, div, power, floor_divide, remainder, maximum, minimum, strong_product,
]  # fmt: skip
NUMBERS = [0, 1, 2, 3, -1, -2, 0.3, 0.5, 1.1, 0.1, -0.7, True]
X = np.array([0.0, 1.0, -1.0, 0.37, -2.6, 1e-3, 777.7, np.inf, np.nan], np.float32)

some_op = pytest.mark.parametrize("op", OPS, ids=str)
some_number = pytest.mark.parametrize("number", NUMBERS, ids=repr)


@some_op
@some_number
def test_a_number_has_the_same_bits_in_every_way(op, number, ways, same_bits):
    for f in (lambda x: op(x, number), lambda x: op(number, x)):
        found = ways(f, [X], order=2)
        for name, values in found.items():
            same_bits(found["tape"], values, name)


@some_op
@some_number
def test_rules_compute_in_float32_beside_a_number(op, number):
    with np.errstate(all="ignore"):
        for i, operands in enumerate([(X, number), (number, X)]):
            y = op(*operands)
            assert y.dtype == np.float32
            assert op.vjp[i](np.ones_like(y), y, *operands).dtype == np.float32


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, 0.5])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_a_power_of_any_order(exponent, order):
    def derivative(f):
        return lambda x: gradops.jvp(f, [x], [np.ones_like(x)])[1]

    f, want, n = (lambda x: x**exponent), 1.0, exponent
    for _ in range(order):
        f, want, n = derivative(f), want * n, n - 1
    x = np.array([-1.5, -1.0, 0.4, 2.0], np.float32)
    with np.errstate(invalid="ignore"):
        expected = want * x.astype(float) ** n if want else np.zeros(4)
        np.testing.assert_allclose(f(x), expected, rtol=1e-6)
        assert f(x).dtype == np.float32
