"""Random graphs give in machine code what the interpreter gives, or its errors."""

import sys

import pytest

from .fuzz import outcomes
from .random_programs import random_program

pytest.importorskip("llvmlite")

GRAPHS, EACH = 300, 50  # tests/soak runs others


@pytest.mark.parametrize("first", range(0, GRAPHS, EACH))
def test_random_graphs_give_what_the_interpreter_gives(first):
    found = outcomes(range(first, first + EACH))
    assert found.count(False) < EACH / 5  # have no machine code
    assert not any(found), "\n\n".join(filter(None, found))


CRASHES = """
import os, sys
first, count = map(int, sys.argv[1:])
for seed in range(first, first + count):
    os.abort() if seed == 3 else print("outcome: null", flush=True)
"""


def test_graphs_that_end_the_process_are_printed():
    found = outcomes(range(2, 6), [sys.executable, "-c", CRASHES])
    assert found[:1] + found[2:] == [None] * 3
    assert found[1].startswith("the process ended with -6")
    assert str(random_program(3)) in found[1]
