"""Random graphs in machine code, for as long as SOAK_SECONDS says. Run by `make soak`."""

import os
import time

import pytest

from tests.staticgrad.native.fuzz import outcomes
from tests.staticgrad.native.test_fuzz import GRAPHS

SECONDS = float(os.environ.get("SOAK_SECONDS", "60"))
EACH = 100  # graphs of a process


def test_random_graphs_give_what_the_interpreter_gives(capsys):
    pytest.importorskip("llvmlite")
    end, first = time.monotonic() + SECONDS, GRAPHS + time.time_ns() // 1000 % 10**9
    count, failures = 0, []
    while time.monotonic() < end:
        failures += filter(None, outcomes(range(first + count, first + count + EACH)))
        count += EACH
    with capsys.disabled():
        print(f"{count} graphs from seed {first} on, {len(failures)} failures")
    assert not failures, "\n\n".join(failures)
