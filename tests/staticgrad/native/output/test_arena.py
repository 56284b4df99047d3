"""The memory in which machine code works."""

import sys
from pathlib import Path

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from staticgrad.native.output.entry_text import ARENA, HUGE_PAGE, SPARE

SMAPS = Path("/proc/self/smaps")


def flags_at(address):
    """The flags of the mapping in which an address lies."""
    inside = False
    for line in SMAPS.read_text().splitlines():
        first = line.split()[0]
        if "-" in first and not first.endswith(":"):
            begin, end = (int(n, 16) for n in first.split("-"))
            inside = begin <= address < end
        elif inside and first == "VmFlags:":
            return line.split()[1:]
    return []


def arena_of(n):
    """The address of the memory that a call left, and its size; with the result, for entries."""
    x = sg.placeholder("float64", [n, n], name="x")
    f = sg.compile(sg.matmul(x, x) @ x, [x], backend="native")
    f(np.eye(n))
    return f, int(f.native.arrays[SPARE // 8]), int(f.native.arrays[ARENA // 8])


@pytest.mark.skipif(not (sys.platform == "linux" and SMAPS.exists()), reason="for Linux")
def test_large_memory_is_of_huge_pages_where_the_system_has_them():
    _kept, address, size = arena_of(800)
    assert size >= 2 * HUGE_PAGE
    assert address % HUGE_PAGE == 0
    flags = flags_at(address)
    if not Path("/sys/kernel/mm/transparent_hugepage").exists():
        pytest.skip("this system has no huge pages")
    assert "hg" in flags


def test_small_memory_is_aligned_for_vectors():
    _kept, address, size = arena_of(20)
    assert 0 < size < HUGE_PAGE
    assert address % 64 == 0
