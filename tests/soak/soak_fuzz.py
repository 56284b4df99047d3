"""The random PyTorch programs that tests/agreement/test_fuzz.py leaves out. Run by `make soak`."""

import pytest

from tests.agreement.fuzz.programs import disagreement_of

FIRST, PROGRAMS, EACH = 500, 20_000, 250


@pytest.mark.parametrize("first", range(FIRST, PROGRAMS, EACH))
def test_random_programs_agree_with_torch(first):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    found = [disagreement_of(torch, seed) for seed in range(first, first + EACH)]
    assert not any(found), "\n".join(filter(None, found))
