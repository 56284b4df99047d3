"""Every workload in every library, under pytest-benchmark."""

import pytest
from larger import LARGER
from workloads import WORKLOADS

CASES = [
    pytest.param(run, id=f"{title}-{name}")
    for title, workload in (WORKLOADS | LARGER).items()
    for name, run in workload().items()
]


@pytest.mark.parametrize("run", CASES)
def test_speed(benchmark, run):
    benchmark.group = None
    benchmark(run)
