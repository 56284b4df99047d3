"""Every op that has machine code computes what NumPy does, on all samples of it."""

from contextlib import suppress
from itertools import chain

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import OptionError
from gradops.testing.cases import cases
from gradops.testing.op_properties import NOT_OF_ARRAYS

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


@pytest.mark.parametrize("case", CASES)
def test_machine_code_computes_what_numpy_does(case):
    """All examples, in double precision and in single, are one program: a compilation for all."""
    every = [[f(x) for x in example] for example in case.examples for f in (np.asarray, in_single)]
    try:
        require_equal_runs(case, every)
    except OptionError:  # of one of them
        for operands in every:
            with suppress(OptionError):
                require_equal_runs(case, [operands])


def require_equal_runs(case, every):
    """Assert that an op has the same results in machine code and in NumPy's, for all operands."""
    xs = [[sg.placeholder(x.dtype, x.shape) for x in operands] for operands in every]
    fast, slow = (
        sg.compile([case(*x) for x in xs], list(chain(*xs)), backend=backend)
        for backend in ("native", "numpy")
    )
    require_close(fast(*chain(*every)), slow(*chain(*every)))


def in_single(x):
    """An array in single precision, if it has floats."""
    return x.astype(np.float32) if x.dtype == np.float64 else x


def require_close(got, want):
    """Assert that results have the same types, and differ by rounding alone."""
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for x, y in zip(got, want, strict=True):
            require_close(x, y)
        return
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    scale = np.abs(np.where(np.isfinite(want), want, 0)).max(initial=1)
    tolerance = TOLERANCE.get(want.dtype, 0)
    np.testing.assert_allclose(got, want, tolerance, tolerance * scale)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of means of nothing
@pytest.mark.parametrize("case", CASES)
def test_machine_code_computes_what_numpy_does_of_nothing(case):
    for size in sizes_of(case.operands):
        operands = [without(x, size) for x in case.operands]
        want = outcome(lambda operands=operands: compiled(case, operands, "numpy")(*operands))
        got = outcome(lambda operands=operands: compiled(case, operands, "native")(*operands))
        if isinstance(want, Exception):
            assert (type(got), str(got)) == (type(want), str(want))
        elif not isinstance(got, OptionError):
            require_close(got, want)


def sizes_of(operands):
    """The sizes of the first and of the last axis of an op's operands."""
    return {x.shape[axis] for x in operands if x.shape for axis in (0, -1)}


def without(x, size):
    """An array of which the axes of a size have no entries."""
    return x[tuple([slice(0 if n == size else n) for n in x.shape])].copy()


def outcome(run):
    """The result of a run, or its error."""
    try:
        return run()
    except Exception as error:
        return error
