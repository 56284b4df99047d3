"""Each call of the tables beside PyTorch: values, gradients and second derivatives."""

import numpy as np
import pytest

import dynamicgrad as dg

from .calls import CALLS, operands, outcome, results, second

# Other kernels compute in float32 what adds up and transcends; what only moves entries is exact.
TOLERANCES = {"functions": 2e-5, "arranging": 0, "scattering": 1e-6, "sorting": 0}
EVERY = [(call, TOLERANCES[subject]) for subject, calls in CALLS.items() for call in calls]
every_call = pytest.mark.parametrize(("call", "tolerance"), EVERY, ids=[c for c, _ in EVERY])


@pytest.mark.peers
@every_call
@pytest.mark.filterwarnings("ignore:.*is in beta:UserWarning")
@pytest.mark.filterwarnings("ignore:The reduce argument:UserWarning")
def test_a_call_gives_pytorchs_values_and_gradients(call, tolerance):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    for got, want in zip(outcome(dg, call), outcome(torch, call), strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.peers
@every_call
@pytest.mark.filterwarnings("ignore:.*is in beta:UserWarning")
@pytest.mark.filterwarnings("ignore:The reduce argument:UserWarning")
def test_a_call_gives_pytorchs_second_derivatives(call, tolerance):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    got, want = (second(library, call) for library in (dg, torch))
    np.testing.assert_allclose(got, want, rtol=1e-9 if tolerance else 1e-12, atol=1e-11)


@every_call
def test_a_call_gives_finite_tensors_of_the_type_that_its_node_states(call, tolerance):
    for y in results(call, operands(dg)):
        assert isinstance(y, dg.Tensor)
        assert np.isfinite(y.value).all()
        if y.grad_fn is not None:
            assert (y.node.shape, y.node.dtype) == (y.shape, y.dtype)
