"""The dtype, the shape or the error of every call over all dtypes is torch's, and the value too."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import NoKernelError

from .promotion import departures, table
from .promotion.calls import CALLS, IN_PLACE, OPERATORS
from .promotion.outcomes import agrees, arrays, described, outcome

TORCH = table.read()
EXACT = {*OPERATORS, *IN_PLACE}
ULPS = 4
USUAL = {"f": (1.3e-6, 1e-5), "d": (1e-7, 1e-7)}  # as torch.testing has it
HALF = (4e-3, 1e-5)  # NumPy rounds to half precision after each step, torch in the end
every_call = pytest.mark.parametrize("call", CALLS)


def outcomes(lib, call):
    """The outcomes of a call in a library for each of its operands."""
    code = compile(call, call, "eval")
    return [outcome(lib, code, specs) for specs in CALLS[call]]


@every_call
def test_dtypes_shapes_and_errors_are_torchs(call):
    found = zip(CALLS[call], outcomes(dg, call), TORCH[call], strict=True)
    wrong = [
        f"{specs}: {described(ours)}, not {word} ({ours!r:.150})"
        for specs, ours, word in found
        if not agrees(ours, word) and not departures.reason(call, specs, ours, word)
    ]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(CALLS[call])}", *wrong[:5]])


@pytest.mark.peers
@every_call
def test_values_are_torchs(call):
    torch = pytest.importorskip("torch")
    found = zip(CALLS[call], outcomes(dg, call), outcomes(torch, call), strict=True)
    for specs, ours, theirs in found:
        if described(ours) == described(theirs) and not isinstance(ours, Exception):
            for a, b in zip(arrays(ours), arrays(theirs), strict=True):
                assert near(a, b, call, specs), f"{call} of {specs}: {a}, not {b}"


def near(a, b, call, specs):
    """Whether two arrays have the same entries, but for rounding in the precision of operands."""
    if a.dtype.kind not in "fc":
        return np.array_equal(a, b)
    single = a.dtype.char in "fF" or any("32" in spec or "64[" in spec for spec in specs)
    rtol, atol = USUAL["f" if single else "d"]
    if call in EXACT:
        rtol, atol = ULPS * np.finfo(a.dtype).eps, 0.0
    if a.dtype.char == "e" or any("float16" in spec for spec in specs):
        rtol, atol = HALF
    return np.allclose(a, b, rtol, atol, equal_nan=True)


@pytest.mark.peers
def test_the_table_is_what_torch_says():
    torch = pytest.importorskip("torch")
    wrong = [c for c in CALLS if [described(y) for y in outcomes(torch, c)] != TORCH[c]]
    assert not wrong, "run python -m tests.agreement.promotion"


def test_truth_values_and_complex_numbers_of_numpy_are_numbers_of_their_kind():
    x = dg.tensor([1, 2])
    assert (x + np.True_).dtype == dg.int64
    assert (x * np.complex64(1j)).tolist() == [1j, 2j]


def test_an_error_of_unequal_dtypes_names_both():
    with pytest.raises(RuntimeError, match="float64 and float32 differ"):
        dg.nn.Linear(2, 2)(dg.ones(1, 2, dtype=dg.float64))


def test_a_dtype_without_a_kernel_is_an_error_of_each_kind():
    for kind in (TypeError, RuntimeError, NotImplementedError, NoKernelError):
        with pytest.raises(kind, match="not computed for int64"):
            dg.arange(3).softmax(0)
