"""Every workload in our packages and by hand, under pytest-benchmark."""

import pytest

from benchmarks.columns import LIBRARIES
from benchmarks.libraries.interface import Refusal
from benchmarks.rows import WORKLOADS

OURS = ("numpy", "dynamicgrad", "staticgrad")


@pytest.mark.parametrize("library", [lib for lib in LIBRARIES if lib.package in OURS],
                         ids=lambda library: library.name)  # fmt: skip
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.key)
def test_speed(benchmark, workload, library):
    benchmark.group = None
    try:
        run = library.build(workload, *workload.inputs(workload.sizes))
    except Refusal as reason:
        pytest.skip(str(reason))
    benchmark(run)
