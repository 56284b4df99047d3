"""Convolutions in machine code compute what NumPy's kernels compute."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.nn import convolution as kernels
from gradops.kernels.nn import native_convolution
from gradops.kernels.threads import get_num_threads, set_num_threads

pytest.importorskip("llvmlite")

# operand, filters, strides, pads, dilations, groups
CASES = [
    ((2, 3, 7), (4, 3, 3), (1,), ((0, 0),), (1,), 1),
    ((2, 2, 5, 6), (3, 2, 3, 2), (2, 1), ((1, 0), (0, 2)), (1, 1), 1),
    ((1, 4, 5, 6), (6, 2, 2, 3), (1, 1), ((0, 0), (0, 0)), (1, 2), 2),
    ((1, 2, 3, 4, 3), (2, 2, 2, 1, 3), (1, 1, 1), ((0, 0), (1, -1), (1, 1)), (1, 1, 1), 1),
    ((3, 16, 28, 28), (33, 16, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    ((33, 70, 1, 1), (70, 70, 1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    ((9, 20, 2, 2), (20, 20, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),  # larger than the operand
    ((1, 20, 40, 30), (20, 20, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),  # cut by rows
    ((1, 3, 3000), (40, 3, 7), (1,), ((3, 3),), (1,), 1),  # cut within a row
    ((2, 6, 9, 9), (12, 1, 3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1), 6),  # by channels
]
LAYOUTS = {
    "C order": lambda x: x,
    "channels last": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1),
    "other strides": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x: np.ascontiguousarray(x[:, ::-1, ..., ::-1])[:, ::-1, ..., ::-1],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "unaligned": lambda x: np.frombuffer(b"0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(
        x.shape
    ),
}  # fmt: skip
every_case = pytest.mark.parametrize("case", CASES, ids=str)


def drawn(count):
    """Random cases, small enough to be many."""
    rng = np.random.default_rng(1)
    while count:
        n = int(rng.integers(1, 4))
        groups, inner = (int(m) for m in rng.integers(1, 5, 2))
        outer = int(rng.integers(1, rng.choice([3, 40])))
        x, window = rng.integers(1, 20 // n, n).tolist(), rng.integers(1, 5, n).tolist()
        strides, dilations = (tuple(rng.integers(1, 4, n).tolist()) for _ in range(2))
        pads = tuple((int(a), int(b)) for a, b in rng.integers(-1, 5, (n, 2)))
        axes = zip(x, pads, window, dilations, strict=True)
        if all(m + a + b > d * (k - 1) and m + min(a, 0) + min(b, 0) > 0
               for m, (a, b), k, d in axes):  # fmt: skip
            count -= 1
            shape = int(rng.integers(1, 6)), groups * inner, *x
            yield shape, (groups * outer, inner, *window), strides, pads, dilations, groups


def operands(case, dtype, layout="C order"):
    """Operand, filters and bias."""
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(dtype) for shape in case[:2])
    return LAYOUTS[layout](x), w, rng.standard_normal(len(w)).astype(dtype)


def results(case, x, w, b):
    """The convolution, with a bias, and both of its transposes."""
    options = tuple(case[2:5]), case[5]
    y = kernels.convolve(x, w, *options, b)
    g = np.cos(np.arange(y.size).reshape(y.shape)).astype(y.dtype)
    dx = kernels.operand_gradient(g, w, x.shape[2:], *options)
    return [y, dx, kernels.filter_gradient(x, g, w.shape[2:], *options)]


def by_numpy(case, *given):
    with native_kernels(False):
        return results(case, *given)


def errors(found, exact):
    """The largest errors, relative to the largest numbers."""
    return [np.abs(a - b).max(initial=0) / max(1e-30, np.abs(b).max(initial=0))
            for a, b in zip(found, exact, strict=True)]  # fmt: skip


def steps(x):
    """The strides of axes of several entries."""
    return [s for s, n in zip(x.strides, x.shape, strict=True) if n > 1]


@pytest.fixture
def on_threads():
    usual = get_num_threads()
    yield set_num_threads
    set_num_threads(usual)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_case
def test_results_and_layouts_are_those_of_numpy(case, dtype):
    given = operands(case, dtype)
    found, wanted = results(case, *given), by_numpy(case, *given)
    for a, b in zip(found, wanted, strict=True):
        assert (a.dtype, a.shape, steps(a)) == (b.dtype, b.shape, steps(b))
    assert max(errors(found, wanted)) < 100 * np.finfo(dtype).eps


def test_results_of_random_cases_are_those_of_numpy():
    for case in drawn(150):
        given = operands(case, np.float64)
        assert max(errors(results(case, *given), by_numpy(case, *given))) < 1e-13, case


@pytest.mark.parametrize("layout", LAYOUTS)
@every_case
def test_the_layout_of_the_operand_changes_no_bits(case, layout):
    x, *given = operands(case, np.float32, layout)
    same = np.array(x, order="C")
    for a, b in zip(results(case, x, *given), results(case, same, *given), strict=True):
        if layout == "unaligned":  # which NumPy's kernels compute
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
        else:
            assert np.array_equal(a, b)


@every_case
def test_any_number_of_threads_gives_the_bits_of_one(case, on_threads):
    given = operands(case, np.float32)
    on_threads(1)
    wanted = results(case, *given)
    on_threads(2)
    for _ in range(3):
        for a, b in zip(results(case, *given), wanted, strict=True):
            assert a.tobytes() == b.tobytes()


@every_case
def test_errors_are_those_of_sums_one_by_one_or_less(case):
    given = operands(case, np.float32)
    exact = by_numpy(case, *[x.astype(np.float64) for x in given])
    found, usual = errors(results(case, *given), exact), errors(by_numpy(case, *given), exact)
    terms = np.array([given[1][0].size, given[1][:, 0].size, 1])
    walks = np.finfo(np.float32).eps * np.sqrt(terms)  # of roundings up and down
    for a, b, walk in zip(found, usual, walks, strict=True):
        assert a <= max(2 * b, walk)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@every_case
def test_special_values_go_where_numpy_has_them_go(case, value):
    for place in range(3):
        given = [x.copy() for x in operands(case, np.float32)]
        given[place].flat[given[place].size // 2] = value
        with np.errstate(invalid="ignore"):
            wanted = by_numpy(case, *given)
        for a, b in zip(results(case, *given), wanted, strict=True):
            assert np.array_equal(np.isnan(a), np.isnan(b))
            assert np.array_equal(np.isposinf(a), np.isposinf(b))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_are_written_to_arrays_of_any_layout(layout):
    case = CASES[4]
    x, w, _ = operands(case, np.float32)
    wanted = kernels.convolve(x, w, case[2:5], 1)
    out = LAYOUTS[layout](np.zeros(wanted.shape, np.float32))
    if out.flags.writeable:
        assert kernels.convolve(x, w, case[2:5], 1, None, out) is out
        assert np.array_equal(out, wanted)


def test_other_operands_are_left_to_numpy():
    def takes(x, w):
        return native_convolution.convolve(x, w, ((1,), ((0, 0),), (1,)), 1) is not None

    x, w = np.ones((1, 2, 5)), np.ones((3, 2, 2))
    assert takes(x, w)
    assert not takes(x, w.astype(np.float32))
    assert not takes(x.astype(complex), w.astype(complex))
    assert not takes(x[:0], w)
    with native_kernels(False):
        assert not takes(x, w)


def test_without_llvmlite_numpy_computes(tmp_path):
    (tmp_path / "llvmlite.py").write_text("raise ImportError")
    program = """
import numpy as np
import gradops
x = np.ones((1, 1, 4))
print(gradops.convolution(x, np.ones((1, 1, 3)), padding=1))
"""
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == ["[[[2.", "3.", "3.", "2.]]]"]
