"""Pooling in machine code computes what NumPy's kernels compute."""

import numpy as np
import pytest

from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.nn import native_pooling
from gradops.kernels.nn import pooling as kernels
from gradops.kernels.threads import get_num_threads, set_num_threads

pytest.importorskip("llvmlite")

BYTE = np.dtype("u1")
EXTREMES = np.array([np.nan, -np.inf, np.inf])
# shape, and windows, strides, pads and dilations
CASES = [
    ((2, 16, 8, 6), ((2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1))),  # side by side
    ((3, 20, 9, 7), ((2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1))),  # with a rest
    ((2, 5, 9, 8), ((3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1))),  # overlapping
    ((2, 5, 9, 8), ((3, 2), (4, 3), ((0, 0), (0, 0)), (1, 1))),  # with gaps
    ((2, 33, 11), ((3,), (1,), ((2, 1),), (2,))),
    ((1, 3, 4, 5, 6), ((2, 1, 3), (1, 1, 2), ((0, 1), (0, 0), (1, 1)), (1, 1, 1))),
    ((64, 16, 28, 28), ((2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1))),  # much work
    ((2, 4, 1, 1), ((1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1))),
    ((2, 3, 2, 2), ((3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1))),  # larger than the operand
]
every_case = pytest.mark.parametrize(("shape", "slide"), CASES, ids=str)


def channels_last(x):
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)


def drawn(count):
    """Random cases, small enough to be many."""
    rng = np.random.default_rng(1)
    while count:
        n = int(rng.integers(1, 4))
        sizes, window = rng.integers(1, 9, n).tolist(), tuple(rng.integers(1, 4, n).tolist())
        strides, dilations = (tuple(rng.integers(1, m, n).tolist()) for m in (4, 3))
        pads = tuple((int(a), int(b)) for a, b in rng.integers(0, 3, (n, 2)))
        axes = zip(sizes, pads, window, dilations, strict=True)
        if all(m + a + b > d * (k - 1) for m, (a, b), k, d in axes):
            count -= 1
            shape = int(rng.integers(1, 4)), int(rng.integers(2, 20)), *sizes
            yield shape, (window, strides, pads, dilations)


def operand(shape, dtype, special):
    """Numbers with ties, and some that are not finite."""
    rng = np.random.default_rng(0)
    x = np.round(rng.standard_normal(shape) * 3) / 2
    if special:
        x.flat[rng.integers(0, x.size, 9)] = rng.choice(EXTREMES, 9)
    return channels_last(x.astype(dtype))


def results(x, slide):
    """What all kernels give."""
    y, chosen = kernels.greatest_and_places(x, BYTE, slide)
    g = channels_last(np.cos(np.arange(y.size).reshape(y.shape)).astype(x.dtype))
    sizes = x.shape[2:]
    return {
        "greatest and its place": y, "place": chosen, "greatest": kernels.greatest(x, slide),
        "sum": kernels.sums(x, slide), "put": kernels.put_at(g, chosen, sizes, slide),
        "spread": kernels.sums_transpose(g, sizes, slide),
        "picked": kernels.taken_at(x, chosen, slide),
    }  # fmt: skip


def by_numpy(x, slide):
    with native_kernels(False):
        return results(x, slide)


def order(x):
    """The axes of several entries, in the order in which they lie."""
    return [i for i in np.argsort([-s for s in x.strides], kind="stable") if x.shape[i] > 1]


@pytest.fixture
def on_threads():
    usual = get_num_threads()
    yield set_num_threads
    set_num_threads(usual)


@pytest.mark.parametrize("special", [False, True], ids=["numbers", "special values"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_case
def test_numbers_and_layouts_are_those_of_numpy(shape, slide, dtype, special):
    x = operand(shape, dtype, special)
    with np.errstate(invalid="ignore"):
        found, wanted = results(x, slide), by_numpy(x, slide)
    for name, b in wanted.items():
        a = found[name]
        assert np.array_equal(a, b, equal_nan=a.dtype != BYTE), name
        assert (a.dtype, order(a)) == (b.dtype, order(b)), name


def test_numbers_of_random_cases_are_those_of_numpy():
    for shape, slide in drawn(150):
        x = operand(shape, np.float32, special=False)
        for (name, a), b in zip(results(x, slide).items(), by_numpy(x, slide).values()):
            assert np.array_equal(a, b), (name, shape, slide)


@every_case
def test_any_number_of_threads_gives_the_bits_of_one(shape, slide, on_threads):
    x = operand(shape, np.float32, special=False)
    on_threads(1)
    wanted = results(x, slide)
    on_threads(2)
    for (name, a), b in zip(results(x, slide).items(), wanted.values(), strict=True):
        assert a.tobytes() == b.tobytes(), name


@every_case
def test_numbers_do_not_depend_on_where_entries_lie(shape, slide):
    x = operand(shape, np.float32, special=False)
    same = np.ascontiguousarray(x)  # of which NumPy takes the maxima
    for (name, a), b in zip(results(x, slide).items(), results(same, slide).values(), strict=True):
        assert np.array_equal(a, b), name


def test_results_are_written_where_they_are_wanted():
    shape, slide = CASES[0]
    x = operand(shape, np.float32, special=False)
    y = kernels.greatest(x, slide)
    for out in (np.empty_like(y), np.empty(y.shape, np.float32)):
        assert kernels.greatest(x, slide, out) is out
        assert np.array_equal(out, y)


def test_other_operands_are_left_to_numpy():
    shape, slide = CASES[0]
    x = operand(shape, np.float32, special=False)
    assert native_pooling.greatest(x, slide) is not None
    assert native_pooling.greatest(np.ascontiguousarray(x), slide) is None
    assert native_pooling.greatest(x.astype(int), slide) is None
    assert native_pooling.greatest(x[:0], slide) is None
    with native_kernels(False):
        assert native_pooling.greatest(x, slide) is None
