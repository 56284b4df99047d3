"""Elementwise ops may be computed in the memory of an operand, as generated code does."""

import numpy as np
import pytest

from gradops import OPS, type_of
from gradops.core.traits import Trait
from gradops.testing.cases import Case, cases, same_bits
from gradops.testing.op_properties import evaluate

CASES = [
    pytest.param(case, times, id=f"{case}-{times}")
    for op in OPS.values()
    if Trait.ELEMENTWISE in op.traits
    for case in cases(op)
    for times in ([1] if isinstance(op.kernel, np.ufunc) else [1, 100, 5000])
]


def repeated(x, times, dtype):
    """An operand with its entries repeated along the first axis, in the dtype if it has floats."""
    x = np.concatenate([x] * times) if x.ndim else x
    return x.astype(dtype) if x.dtype == np.float64 else x


@pytest.mark.parametrize(("case", "times"), CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_result_may_overwrite_an_operand(case, dtype, times):
    alike = len({x.shape for x in case.operands if x.ndim}) == 1
    operands = [repeated(x, times if alike else 1, dtype) for x in case.operands]
    with np.errstate(all="ignore"):
        try:
            y = case(*operands)
        except (TypeError, ValueError):  # an op that is not declared for float32
            return
        template = case.op.template([type_of(x) for x in operands], case.attrs)
        for i, x in enumerate(operands):
            if "{out}" in template and np.ndim(y) and type_of(x) == type_of(y):
                copies = [np.array(z) for z in operands]
                evaluate(Case(case.op, 0, [copies], case.attrs), template, copies[i])
                assert same_bits(copies[i], y), template


def test_a_product_in_the_memory_of_zeros_knows_where_they_were():
    v = np.array([0.0, 2.0, 0.0])
    got = OPS["strong_product"].kernel(v, np.array([np.inf, 3.0, np.nan]), out=v.view())
    np.testing.assert_array_equal(got, [0.0, 6.0, 0.0])
