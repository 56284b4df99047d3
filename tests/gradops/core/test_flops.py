"""The number of floating-point operations of an op, where a formula is known by heart."""

import numpy as np
import pytest

import gradops
from gradops import OPS, Dim
from gradops.core.flops import flops_of
from gradops.core.types import type_of

N = 12


def count(name, *shapes, **attrs):
    op = OPS[name]
    operands, attrs = op.bind([np.ones(shape) for shape in shapes], attrs)
    types = [type_of(x) for x in operands]
    return flops_of(op, op.type_for(types, attrs), types, attrs)


@pytest.mark.parametrize(
    ("wanted", "name", "shapes", "attrs"),
    [
        (12, "add", [(3, 4), (4,)], {}),
        (12, "exp", [(3, 4)], {}),
        (12, "sum", [(3, 4)], {"axis": 0}),
        (0, "transpose", [(3, 4)], {}),
        (0, "concatenate", [(3, 4), (2, 4)], {"axis": 0}),
        (2 * 3 * 4 * 5, "matmul", [(3, 4), (4, 5)], {}),
        (2 * 7 * 3 * 4 * 5, "matmul", [(7, 3, 4), (4, 5)], {}),
        (2 * 4, "matmul", [(4,), (4,)], {}),
        (2 * 3 * 4 * 5, "einsum", [(3, 4), (4, 5)], {"subscripts": "ij,jk->ik"}),
        (3 * 4, "einsum", [(3,), (4,)], {"subscripts": "i,j->ij"}),
        (2 * 2 * 6 * 5 * 3 * 3, "conv", [(2, 3, 7), (6, 3, 3)],
         {"strides": (1,), "pads": ((0, 0),), "dilations": (1,), "groups": 1}),
        (N**3 // 3, "cholesky", [(N, N)], {}),
        (2 * N**3 // 3 + 2 * N**2 * 5, "solve", [(N, N), (N, 5)], {}),
        (N**2 * 5, "solve_triangular", [(N, N), (N, 5)], {"lower": True}),
        (2 * N**3, "inv", [(N, N)], {}),
    ],
)  # fmt: skip
def test_operations_are_those_of_the_textbook(wanted, name, shapes, attrs):
    assert count(name, *shapes, **attrs) == wanted


def test_a_convolution_and_its_transposes_take_the_same_operations():
    attrs = {"strides": (2,), "pads": ((1, 0),), "dilations": (1,), "groups": 1}
    x, w = np.ones((2, 3, 8)), np.ones((4, 3, 3))
    y = OPS["conv"](x, w, **attrs)
    wanted = count("conv", x.shape, w.shape, **attrs)
    assert count("conv_operand", y.shape, w.shape, shape=(8,), **attrs) == wanted
    assert count("conv_filters", x.shape, y.shape, shape=(3,), **attrs) == wanted


def test_the_count_of_unknown_sizes_is_a_dimension():
    n = Dim("n")
    a, b = gradops.ArrayType((n, 4), "float64"), gradops.ArrayType((4, 5), "float64")
    y = gradops.ArrayType((n, 5), "float64")
    assert flops_of(OPS["matmul"], y, [a, b], {}) == 40 * n
