"""Sorting, searching and sets beside PyTorch."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import OptionError, ShapeError

from .test_functions import operands, outcome, results, second

# Of a matrix x, a vector v, and indices i.
CALLS = """
    t.sort(x) ; x.sort(0) ; x.sort(dim=1,descending=True) ; t.sort(x,stable=True) ; v[0].sort()
    x.argsort() ; t.argsort(x,0,True) ; x.msort() ; t.topk(x,2) ; x.topk(1,0,largest=False)
    v.topk(4) ; x.topk(0) ; t.kthvalue(x,3) ; x.kthvalue(1,0,keepdim=True) ; t.mode(i) ; v[0].mode()
    t.mode(t.tensor([[3,1,3,1,2]]),1,True) ; t.searchsorted(v,x) ; t.searchsorted(v,x,right=True)
    t.searchsorted(x.sort().values,x,side='right') ; t.searchsorted(v,t.tensor(1.,dtype=v.dtype))
    t.searchsorted(x,x,sorter=x.argsort()) ; t.bucketize(x,v) ; t.bucketize(x,v,right=True)
    t.bucketize(x,v,out_int32=True) ; t.nonzero(x>0) ; i.nonzero() ; t.nonzero(x>0,as_tuple=True)
    x.argwhere() ; t.where(x>0) ; t.count_nonzero(x>0) ; t.count_nonzero(x>0,dim=1)
    t.isin(i,t.tensor([0,1])) ; t.isin(i,t.tensor([0,1]),invert=True) ; t.isin(i,1)
    t.unique(i) ; i.repeat(2).unique(return_inverse=True,return_counts=True)
    t.unique_consecutive(t.tensor([1,1,2,1])) ; t.nonzero(v[0],as_tuple=True)
    t.unique_consecutive(t.tensor([[1,1],[2,2]]),return_inverse=True,return_counts=True)
"""
CALLS = [call.strip() for line in CALLS.splitlines() for call in line.split(" ; ") if call.strip()]


@pytest.mark.peers
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_pytorchs_values_and_gradients(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    for got, want in zip(outcome(dg, call), outcome(torch, call), strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            np.testing.assert_array_equal(got, want)


@pytest.mark.peers
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_pytorchs_second_derivatives(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    got, want = (second(library, call) for library in (dg, torch))
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_tensors_of_the_type_that_its_node_states(call):
    for y in results(call, operands(dg)):
        assert isinstance(y, dg.Tensor)
        if y.grad_fn is not None:
            assert (y.grad_fn.shape, y.grad_fn.dtype) == (y.shape, y.dtype)


def test_what_was_sorted_has_names():
    x = dg.tensor([3.0, 1.0], requires_grad=True)
    for found in (x.sort(), x.topk(2), x.kthvalue(1), x.mode()):
        assert found.values is found[0]
        assert not found.indices.requires_grad
    (x.topk(1).values * 2).sum().backward()
    assert x.grad.tolist() == [2, 0]


def test_the_gradient_of_distinct_entries_goes_to_the_first_of_them():
    x = dg.tensor([3.0, 1.0, 3.0], requires_grad=True)
    (x.unique() * dg.tensor([1.0, 2.0])).sum().backward()
    assert x.grad.tolist() == [2, 1, 0]


def test_what_there_is_not_is_told():
    with pytest.raises(OptionError, match="dim="):
        dg.ones(2, 2).unique(dim=0)
    with pytest.raises(ShapeError, match="selected index k out of range"):
        dg.ones(2).topk(3)
