"""Ranges of an arena: what is taken at the same time lies apart."""

import re

import numpy as np
import pytest

from gradops.native.ir.arena import Arena, PartArena
from gradops.native.ir.text import FunctionText


def take_and_release(arena, seed):
    """Take and release at random; after each step no two live ranges overlap."""
    rng, live = np.random.default_rng(seed), {}
    for k in range(300):
        if live and rng.random() < 0.5:
            name = rng.choice(list(live))
            arena.release(name)
            del live[name]
        else:
            size = 64 * int(rng.integers(1, 9))
            live[f"a{k}"] = arena.take(f"a{k}", size), size
        ranges = sorted(live.values())
        ends = [0, *(offset + size for offset, size in ranges)]
        assert all(a <= offset for a, (offset, _) in zip(ends, ranges, strict=False))
        assert ends[-1] <= arena.bytes
    return live


@pytest.mark.parametrize("seed", range(10))
def test_what_is_taken_at_once_lies_apart(seed):
    arena = Arena()
    for name in take_and_release(arena, seed):
        arena.release(name)
    assert arena.free == [(0, arena.bytes)]


@pytest.mark.parametrize("seed", range(10))
def test_threads_of_a_part_have_pieces_of_their_own(seed):
    around, f = Arena(), FunctionText("")
    kept = take_and_release(around, seed)
    f.enter()
    part = PartArena(f)
    take_and_release(part, seed + 100)
    part.ended += list(kept)[:2]
    before = around.taken.copy()
    part.end(f, around, threads=3)
    first = int(re.search(r"add nsw i64 %n\d+, (\d+)", "\n".join(f.frame))[1])
    for offset, size in before.values():  # also what ends with the part
        assert offset + size <= first or first + 3 * part.bytes <= offset
    assert around.taken.keys() == before.keys() - part.ended
