"""Every workload computes in other libraries what it computes in dynamicgrad."""

import warnings

import pytest

from benchmarks.columns import LIBRARIES, OURS
from benchmarks.measure.check import error
from benchmarks.rows import WORKLOADS

pytestmark = pytest.mark.peers
COMPILES_FOR_LONG = ("torch.compile", "PyTensor")
NAMED = {lib.name: lib for lib in LIBRARIES}
EAGER = NAMED["dynamicgrad"]
PEERS = [lib for lib in LIBRARIES if lib.name not in (*OURS, *COMPILES_FOR_LONG, "CasADi")]
FEW = ("bce", "rnn", "hvp", "kalman")
SCALAR = ("scalar", "bce", "chain", "lotka", "lotka-hessian", "kalman", "hmm", "cameras", "hand")


def rows(keys):
    """The workloads with these keys."""
    return [w for w in WORKLOADS if w.key in keys]


def compared(workload, library):
    """The error of a library on small inputs."""
    pytest.importorskip(library.package, reason="a peer, installed by `make peers`")
    inputs = workload.inputs(workload.small, "float64")
    with warnings.catch_warnings(action="ignore"):
        found = library.arrays(workload, library.build(workload, *inputs)())
    return error(found, EAGER.arrays(workload, EAGER.build(workload, *inputs)()))


def pairs():
    """Workloads with the peers that compile them in seconds; all results are checked when timed."""
    for w in WORKLOADS:
        for lib in PEERS:
            if lib.name not in w.slow:
                yield pytest.param(w, lib, id=f"{w.key}-{lib.name}")


@pytest.mark.parametrize(("workload", "library"), list(pairs()))
def test_peers_agree(workload, library):
    assert compared(workload, library) < 1e-6


@pytest.mark.parametrize("workload", rows(SCALAR), ids=lambda workload: workload.key)
def test_casadi_agrees_on_rows_of_scalars(workload):
    assert compared(workload, NAMED["CasADi"]) < 1e-6


@pytest.mark.parametrize("name", COMPILES_FOR_LONG)
@pytest.mark.parametrize("workload", rows(FEW), ids=lambda w: w.key)
def test_peers_that_compile_for_long_agree_on_a_few_rows(workload, name):
    assert compared(workload, NAMED[name]) < 1e-6
