"""Every op that has machine code computes what NumPy does, on all samples of it."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.testing.op_properties import NOT_OF_ARRAYS, cases

pytest.importorskip("llvmlite")

TOLERANCE = {np.dtype("f4"): 1e-5, np.dtype("f8"): 1e-12}
CASES = [
    pytest.param(case, id=str(case))
    for op in gradops.OPS.values() if not op.traits & NOT_OF_ARRAYS
    for case in cases(op)
]  # fmt: skip


def compiled(case, operands, backend):
    """The op as an executable of placeholders."""
    xs = [sg.placeholder(x.dtype, x.shape) for x in operands]
    return sg.compile(case(*xs), xs, backend=backend)


@pytest.mark.parametrize("single", [False, True], ids=["as it is", "float32"])
@pytest.mark.parametrize("case", CASES)
def test_machine_code_computes_what_numpy_does(case, single):
    for example in case.examples:
        operands = [single_precision(x) if single else x for x in example]
        try:
            fast = compiled(case, operands, "native")
        except gradops.GradError:
            return
        want = sg.compile(*written(case, operands))(*operands)
        got = fast(*operands)
        assert np.asarray(got).dtype == np.asarray(want).dtype
        scale = np.abs(np.where(np.isfinite(want), want, 0)).max(initial=1)
        tolerance = TOLERANCE.get(np.asarray(want).dtype, 0)
        np.testing.assert_allclose(got, want, tolerance, tolerance * scale)


def written(case, operands):
    """The op on placeholders, and these."""
    xs = [sg.placeholder(x.dtype, x.shape) for x in operands]
    return case(*xs), xs


def single_precision(x):
    """An array in single precision, if it has floats."""
    return x.astype(np.float32) if x.dtype == np.float64 else x
