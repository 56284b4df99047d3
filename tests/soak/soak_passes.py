"""The random graphs that tests/staticgrad/passes/test_fuzz.py leaves out. Run by `make soak`."""

import pytest

from tests.staticgrad.passes.test_fuzz import EACH, GRAPHS, LARGE, failure_of, large_program

TOTAL = 10_000


@pytest.mark.filterwarnings("ignore::gradops.core.errors.GrowthWarning")
@pytest.mark.parametrize("first", range(GRAPHS, TOTAL, 10 * EACH))
def test_random_graphs_give_what_the_interpreter_gives(first):
    failures = [failure_of(seed) for seed in range(first, first + 10 * EACH)]
    assert not any(failures), "\n\n".join(filter(None, failures))


@pytest.mark.filterwarnings("ignore::gradops.core.errors.GrowthWarning")
@pytest.mark.parametrize("first", range(LARGE, TOTAL, 10 * EACH))
def test_large_programs_give_what_the_interpreter_gives(first):
    failures = [failure_of(seed, large_program) for seed in range(first, first + 10 * EACH)]
    assert not any(failures), "\n\n".join(filter(None, failures))
