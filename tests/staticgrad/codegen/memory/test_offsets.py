"""Blocks in use at one time never overlap, and little more memory is taken than is in use."""

import numpy as np
import pytest

from staticgrad.codegen.memory.offsets import ALIGNMENT, place

MANY = range(30)


def blocks(seed, count):
    rng = np.random.default_rng(seed)
    sizes = rng.choice([0, 8, 64, 100, 4096, 5000, 1 << 16, 1 << 20], count)
    first = np.arange(count)
    last = first + rng.geometric(0.1, count)
    return sizes.tolist(), [((a, b),) for a, b in zip(first.tolist(), last.tolist(), strict=True)]


def require_disjoint(sizes, lives, offsets):
    """Fail if two blocks that are in use at one time share a byte."""
    taken = {}
    for i, intervals in enumerate(lives):
        for first, last in intervals:
            for position in range(first, last + 1):
                for j in taken.setdefault(position, []):
                    a, b = offsets[i], offsets[j]
                    assert a + sizes[i] <= b or b + sizes[j] <= a or not sizes[i] * sizes[j]
                taken[position].append(i)


@pytest.mark.parametrize("count", [0, 1, 7, 60, 500])
@pytest.mark.parametrize("seed", MANY)
def test_blocks_in_use_at_one_time_do_not_overlap(count, seed):
    sizes, lives = blocks(seed, count)
    placement = place(sizes, lives)
    require_disjoint(sizes, lives, placement.offsets)
    assert all(at % ALIGNMENT == 0 for at in placement.offsets)
    assert placement.bound <= placement.bytes <= sum(sizes) + count * ALIGNMENT


@pytest.mark.parametrize("seed", MANY)
def test_blocks_used_again_after_a_while_do_not_overlap(seed):
    sizes, lives = blocks(seed, 40)
    lives = [((a, b), (b + 3, b + 5)) for ((a, b),) in lives]
    placement = place(sizes, lives)
    require_disjoint(sizes, lives, placement.offsets)


@pytest.mark.parametrize("seed", MANY)
def test_the_place_is_near_the_bound(seed):
    placement = place(*blocks(seed, 60))
    assert placement.bytes <= 1.15 * placement.bound
