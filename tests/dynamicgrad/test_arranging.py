"""Arranging entries anew beside PyTorch, and what is a view there."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import ShapeError

from .test_functions import operands, outcome, results, second

# Of a matrix x, a vector v, and indices i.
CALLS = """
    t.roll(x,1) ; x.roll((1,-2),(0,1)) ; t.roll(x,5,1) ; t.roll(x,shifts=(3,),dims=(0,)) ; v.roll(2)
    t.tile(x,(2,)) ; x.tile(2,1,3) ; v.tile((2,2)) ; x.repeat(2,3) ; v.repeat(2,1,2)
    x.repeat_interleave(2) ; t.repeat_interleave(x,2,dim=1) ; t.repeat_interleave(v,i.repeat(2)[:4])
    x.repeat_interleave(i,0) ; t.repeat_interleave(i) ; t.rot90(x) ; x.rot90(2,[0,1])
    t.rot90(x,-1,(1,0)) ; t.rot90(x,4) ; t.fliplr(x) ; x.flipud() ; x.diagonal() ; x.diagonal(1)
    t.diagonal(x,-2,1,0) ; x.expand(2,3,4).diagonal(dim1=-1,dim2=0) ; t.diag(v) ; t.diag(v,-1)
    x.diag() ; x.diag(2) ; t.diag_embed(x) ; t.diag_embed(x,1,0,2) ; t.diagflat(x,1)
    x.diagonal_scatter(v[:3]) ; t.diagonal_scatter(x,v[:2],2) ; x.tril() ; t.tril(x,1) ; x.triu(-1)
    x.expand(2,3,4).triu(2) ; t.tril_indices(3,4) ; t.triu_indices(3,4,1) ; v.unfold(0,2,1)
    x.unfold(1,3,1) ; x.unfold(-2,2,2) ; x.unflatten(1,(2,-1)) ; t.unflatten(x,-1,(1,4))
    t.tensor_split(x,3,1) ; x.tensor_split((1,3),dim=1) ; t.hsplit(x,2) ; x.vsplit([1])
    v.hsplit(2) ; x.expand(2,3,4).dsplit(2) ; t.hstack([x,x]) ; t.hstack((v,v)) ; t.vstack([x,v])
    t.dstack([x,x]) ; t.row_stack([v,v]) ; t.column_stack([v[:3],x])
    t.atleast_1d(v[0]) ; t.atleast_2d(v) ; t.atleast_3d(v) ; t.atleast_3d(x)
    t.atleast_2d(v,x) ; t.broadcast_tensors(x,v[None],v[0])
    t.meshgrid(v,v[:2],indexing='ij') ; t.meshgrid(v,v[:2],v,indexing='xy') ; t.cartesian_prod(v,v)
    t.cartesian_prod(v) ; t.block_diag(x,v,v[0]) ; t.adjoint(x) ; x.adjoint() ; x.ravel()
    t.movedim(x,(0,1),(1,0)) ; x.movedim(0,-1) ; F.pad(x,(1,-1))
    F.pad(x[None],(2,1),mode='reflect') ; F.pad(x[None],(3,1),'replicate') ; x.unbind(1)
    F.pad(x[None],(1,2),'circular') ; (x*1).tril_() ; x.detach().clone().triu_(1)
    (x*1).fill_diagonal_(7.)
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


@pytest.mark.peers
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_a_view_where_pytorch_does(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    views = []
    for library in (dg, torch):
        scope = operands(library)
        with library.no_grad():
            found = results(call, scope)
            memory = [scope[name].detach().numpy() for name in "xv"]
            views.append(
                [any(np.shares_memory(y.numpy(), m) for m in memory) for y in found if y.numel()]
            )
    assert views[0] == views[1]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_tensors_of_the_type_that_its_node_states(call):
    for y in results(call, operands(dg)):
        assert isinstance(y, dg.Tensor)
        if y.grad_fn is not None:
            assert (y.grad_fn.shape, y.grad_fn.dtype) == (y.shape, y.dtype)


def test_writing_to_a_diagonal_is_recorded():
    x = dg.zeros(2, 2, requires_grad=True)
    y = x * 1
    y.diagonal().mul_(3.0)
    y.sum().backward()
    assert x.grad.tolist() == [[3, 1], [1, 3]]


def test_repeating_needs_a_number_for_each_dimension():
    with pytest.raises(ShapeError, match="fewer numbers"):
        dg.zeros(2, 2).repeat(2)
