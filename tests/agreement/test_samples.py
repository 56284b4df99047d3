"""Every op on every sample: tape, interpreter and generated code agree to the bit."""

import numpy as np
import pytest

import gradops
from gradops.testing.cases import cases

CASES = [pytest.param(case, id=str(case)) for op in gradops.OPS.values() for case in cases(op)]
every_sample = pytest.mark.parametrize("case", CASES)

TIED = {  # ops whose samples have attributes that tell the size of the first axis, or that need it
    "broadcast_to", "lu", "prod", "prod_others", "qr", "recursive_filter", "reshape", "scatter",
    "squeeze", "sum_to", "svd", "svdvals",
}  # fmt: skip


def agree(found, same_bits):
    for name, values in found.items():
        same_bits(found["tape"], values, name)


def unknown_first(x):
    """The shape of an operand, its first size a name; sizes that are equal have equal names."""
    return tuple(f"n{n}" if i == 0 and n != 1 else n for i, n in enumerate(x.shape))


@every_sample
def test_all_ways_agree_to_second_order(case, ways, same_bits):
    agree(ways(case, case.operands, order=2), same_bits)


@every_sample
def test_all_ways_agree_in_float32(case, ways, same_bits):
    xs = [x.astype(np.float32) if x.dtype == np.float64 else x for x in case.operands]
    agree(ways(case, xs, order=2), same_bits)


@every_sample
def test_all_ways_agree_on_a_size_that_is_not_known(case, ways, same_bits):
    sizes = [unknown_first(x) for x in case.operands]
    try:
        found = ways(case, case.operands, order=2, sizes=sizes)
    except gradops.GradError:
        assert case.op.name in TIED
        return
    agree(found, same_bits)
