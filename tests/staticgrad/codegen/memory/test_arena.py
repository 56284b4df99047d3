"""Arenas: arrays are aligned, threads do not share them, and results keep their bits."""

import threading

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.codegen.memory.arena import SIZES_KEPT, Arena, Slot, pools_of
from staticgrad.codegen.memory.offsets import ALIGNMENT

from .. import random_graphs

MANY = range(30)


def test_arrays_begin_at_cache_lines():
    types = [sg.ArrayType((3, sg.Dim("n")), "float32"), sg.ArrayType((5,), "bool")]
    arena = Arena("", "", [Slot(t, ((0, 1),)) for t in types], ("n",))
    for n in (0, 1, 7):
        a, b = arena.views((n,))
        assert (a.shape, a.dtype, b.shape) == ((3, n), np.float32, (5,))
        assert a.ctypes.data % ALIGNMENT == b.ctypes.data % ALIGNMENT == 0
        assert not np.shares_memory(a, b)


def test_big_arenas_for_other_sizes_are_let_go():
    arena = Arena("", "", [Slot(sg.ArrayType((sg.Dim("n"),), "uint8"), ((0, 1),))], ("n",))
    pools, allocate = pools_of(arena)
    for megabytes in range(20, 60):
        size = (megabytes << 20,)
        pools[size].append(allocate(*size))
    assert sum(size[0] for size in pools) < 200 << 20
    assert len(pools) <= SIZES_KEPT


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize("size", ["n", random_graphs.ROWS])
def test_results_are_those_of_the_interpreter_to_the_bit(seed, size):
    rng = np.random.default_rng(seed)
    xs, results = random_graphs.program(rng, size)
    f = sg.compile(results, xs, optimize=1)
    graph = sg.freeze(results, xs)
    for rows in (24, 7, 0, 1, 24) if size == "n" else (random_graphs.ROWS,) * 2:
        feeds = random_graphs.feeds(rng, rows)
        before = [x.copy() for x in feeds]
        wanted = sg.interpret(graph, feeds)
        kept = f(*feeds)
        assert random_graphs.same(kept, wanted)
        f(*(x + 1 for x in feeds))
        assert random_graphs.same(kept, wanted), "a result changed with the next call"
        assert random_graphs.same(feeds, before), "a feed was overwritten"


@pytest.mark.parametrize("seed", range(10))
def test_feeds_in_any_layout_give_the_bits_of_the_interpreter(seed):
    rng = np.random.default_rng(seed)
    xs, results = random_graphs.program(rng)
    f = sg.compile(results, xs, optimize=1)
    graph = sg.freeze(results, xs)
    a, b = random_graphs.feeds(rng)
    strided, read_only = np.repeat(a, 2, axis=1)[:, ::2], b.copy()
    read_only.flags.writeable = False
    for feeds in ([a, a], [a, a[::-1]], [strided, read_only], [np.asfortranarray(a), b]):
        assert random_graphs.same(f(*feeds), sg.interpret(graph, feeds))


def test_threads_have_arenas_of_their_own():
    rng = np.random.default_rng(0)
    xs, results = random_graphs.program(rng, steps=40)
    f = sg.compile(results, xs, optimize=1)
    cases = [random_graphs.feeds(rng, rows) for rows in (24, 24, 24, 9, 9, 40)]
    wanted = [f(*feeds) for feeds in cases]
    wrong = []

    def work(k):
        for _ in range(50):
            if not random_graphs.same(f(*cases[k]), wanted[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=[k]) for k in range(len(cases))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
