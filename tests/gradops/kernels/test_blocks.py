"""Groups in blocks: all rows are computed once, and sums are added in the order of the rows."""

import numpy as np
import pytest

from gradops.kernels import blocks
from gradops.kernels.blocks import THREADED, block_rows, in_blocks, threads_for


def compute(x, bias, y):
    np.add(x, bias, out=y)
    return (y.sum(axis=0),)


@pytest.mark.parametrize("rows", [1, 7, 64, 65])
@pytest.mark.parametrize("step", [1, 3, 64, 100])
def test_rows_are_computed_once(rows, step):
    x, bias, y = np.arange(2.0 * rows).reshape(rows, 2), np.ones(2), np.zeros((rows, 2))
    same, total = in_blocks(compute, step, (x, bias), (True, False), (y,))
    assert same is y
    assert (y == x + 1).all()
    assert (total == y.sum(axis=0)).all()


def test_sums_are_the_same_on_any_number_of_threads(monkeypatch):
    x = np.random.default_rng(0).normal(size=(1000, 2))
    results = set()
    for cores in (1, 2, 5):
        monkeypatch.setattr(blocks, "cores", lambda n=cores: n)
        monkeypatch.setattr("gradops.kernels.threads.cores", lambda n=cores: n)
        for _ in range(5):
            y = np.empty_like(x)
            results.add(in_blocks(compute, 10, (x, np.ones(2)), (True, False), (y,))[1].tobytes())
    assert len(results) == 1


def test_an_error_in_a_block_is_raised():
    def fail(x, y):
        if x[0] == 70:
            raise ValueError("in block 7")
        return ()

    x = np.arange(100.0)
    with pytest.raises(ValueError, match="in block 7"):
        in_blocks(fail, 10, (x,), (True,), (np.empty(100),))


def test_blocks_are_of_nearly_equal_sizes_and_fit_the_cache():
    for rows, size in [(1, 8), (10**6, 4), (10**6 + 1, 4), (300, 10**6), (5, 0)]:
        step = block_rows(rows, size)
        assert 1 <= step <= max(1, rows)
        assert step == 1 or step * size <= blocks.BLOCK
        assert rows - step * (-(-rows // step) - 1) > 0


def test_few_blocks_are_not_worth_threads(monkeypatch):
    monkeypatch.setattr(blocks, "cores", lambda: 4)
    assert threads_for(THREADED - 1, 1) == 1
    assert threads_for(THREADED, 1) == 4
