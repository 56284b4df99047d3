"""A hundred workers of a cluster are killed: the same bits, and nothing is lost."""

import pytest

from tests.staticgrad.distributed.test_dask import check_kills, client, wanted

__all__ = ["client", "wanted"]  # fixtures
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_bits_are_the_same_after_fifty_kills(client, wanted, resident):
    check_kills(client, wanted, resident, 50)
