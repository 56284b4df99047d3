"""Every op computes the same bits in each run, and on any number of threads."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import OptionError
from gradops.kernels.threads import LIMIT
from gradops.testing.cases import cases
from gradops.testing.op_properties import NOT_OF_ARRAYS

from .fuzz import bits_of
from .thresholds import low_thresholds

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SHARED = ("threads share all loops", "no loop is written out")
OPS = [op for op in list(gradops.OPS.values()) if not op.traits & NOT_OF_ARRAYS]


@pytest.fixture
def threads():
    """A function that sets the number of threads, more than there are cores if it is told to."""
    before = int(LIMIT[0])

    def set_number(n):
        LIMIT[0] = n

    yield set_number
    LIMIT[0] = before


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_bits_are_the_same_on_any_number_of_threads(op, threads):
    for case in cases(op)[:4]:
        threads(3)
        xs = [sg.placeholder(x.dtype, x.shape) for x in case.operands]
        try:
            with low_thresholds(SHARED):
                native = sg.compile(case(*xs), xs, backend="native")
        except OptionError:
            return
        found = []
        for n in (3, 1, 2, 3):
            threads(n)
            result = native(*case.operands)
            found.append(bits_of(result if isinstance(result, list | tuple) else [result]))
        assert all(bits == found[0] for bits in found), str(case)


def test_small_loops_are_shared_here(threads):
    threads(3)
    x = sg.placeholder("float64", [3, 50])
    with low_thresholds(SHARED):
        native = sg.compile(sg.exp(x), [x], backend="native")
    assert "i64 3)" in native.ir
    np.testing.assert_allclose(native(np.ones((3, 50))), np.exp(np.ones((3, 50))), 1e-15)
