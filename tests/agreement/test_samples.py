"""Every op on every sample: tape, interpreter and generated code agree to the bit."""

import numpy as np
import pytest

import gradops
from gradops.testing import cases

CASES = [pytest.param(case, id=str(case)) for op in gradops.OPS.values() for case in cases(op)]
every_sample = pytest.mark.parametrize("case", CASES)


def agree(found, same_bits):
    for name, values in found.items():
        same_bits(found["tape"], values, name)


@every_sample
def test_all_ways_agree_to_second_order(case, ways, same_bits):
    agree(ways(case, case.operands, order=2), same_bits)


@every_sample
def test_all_ways_agree_in_float32(case, ways, same_bits):
    xs = [x.astype(np.float32) if x.dtype == np.float64 else x for x in case.operands]
    agree(ways(case, xs), same_bits)


@every_sample
def test_all_ways_agree_on_a_size_that_is_not_known(case, ways, same_bits):
    if any(not x.ndim or x.shape[0] != case.operands[0].shape[0] for x in case.operands):
        return  # the operands share no first axis
    sizes = [("n", *x.shape[1:]) for x in case.operands]
    try:
        found = ways(case, case.operands, sizes=sizes)
    except gradops.GradError:
        return  # an attribute of the sample asks for a size of its own
    agree(found, same_bits)
