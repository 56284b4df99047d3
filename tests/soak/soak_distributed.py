"""A hundred workers of a cluster are killed: the same bits, and nothing is lost."""

import pytest

from staticgrad.distributed.planning.measuring import measured
from tests.staticgrad.distributed.test_dask import check_kills, client, wanted

__all__ = ["client", "wanted"]  # fixtures
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_bits_are_the_same_after_fifty_kills(client, wanted, resident):
    check_kills(client, wanted, resident, 50)


def test_the_costs_of_this_machine_are_measured():
    costs = measured()
    assert costs.source == "this machine"
    assert 1e8 < costs.flops < 1e13
    assert 0 < costs.task <= costs.round_trip < 1
    for link in (costs.dask, costs.resident, costs.mpi):
        assert 0 <= link.latency < 1
        assert 0 < link.per_byte < 1e-6
