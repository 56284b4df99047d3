"""Scattering, gathering and other updates by place beside PyTorch."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import IndexingError, OptionError, ShapeError, TapeError

from .test_functions import operands, outcome, results, second

# Of a matrix x, a vector v, and indices i.
CALLS = """
    x.scatter(1,t.tensor([[0,2],[3,1]]),x[1:,:2]*2)
    t.scatter(x,0,t.tensor([[0,2,1,1]]),x[:1].exp()) ; x.scatter(1,i[:,None],7.)
    x.scatter(-1,i[:,None],value=7.) ; v.scatter(0,i,v[1:]*v[:3])
    x.detach().scatter(1,t.tensor([[0,0],[3,1]]),x.detach(),reduce='add')
    x.detach().scatter(1,t.tensor([[0,0],[3,1]]),x.detach(),reduce='multiply')
    x.scatter_add(1,t.tensor([[0,0],[3,1]]),x[:2,2:]**2)
    t.scatter_add(v,0,t.tensor([1,1,1,0,3]),v[[0,1,2,3,0]])
    x.detach().scatter_add(0,i[None],x.detach()) ; v.scatter_reduce(0,i,v[:3]*3,'sum')
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'prod')
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'prod',include_self=False)
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'mean')
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'mean',include_self=False)
    v.scatter_reduce(0,t.tensor([0,0,3,3]),v.flip(0),'amax') ; i.scatter_reduce(0,i,i,'mean')
    v.scatter_reduce(0,t.tensor([0,0,3,3]),v.flip(0),'amax',include_self=False)
    v.scatter_reduce(0,t.tensor([0,0,3,3]),v.flip(0),'amin')
    i.scatter_reduce(0,i,i,'amin',include_self=False) ; x.index_add(0,i,x.flip(0))
    t.index_add(x,1,t.tensor([1,1]),x[:,:2],alpha=2) ; x.index_copy(0,i,x.flip(0)*2)
    x.index_fill(1,i,2.) ; t.index_fill(x,0,i[:1],v[0]) ; x.index_reduce(0,i[:2],x[:2],'prod')
    x.index_reduce(1,i,x[:,:3]*2,'amax',include_self=False) ; x.index_put((i,i),v[:3])
    x.index_put((i,i[:1]),v[0],accumulate=True) ; x.index_put((x>0,),v[0])
    x.take(t.tensor([[0,11],[5,-1]])) ; t.take(v,i) ; x.put(i,v[:3])
    x.put(i,v[:3],accumulate=True) ; x.masked_select(x>0) ; t.masked_select(v,x>0)
    x.masked_scatter(x>0,x.exp()) ; v.masked_scatter(v>1,v*v) ; x.select_scatter(v,0,1)
    x.select_scatter(v[:3],1,-1) ; x.slice_scatter(x[:2],0,1) ; x.slice_scatter(x[:,:2],1,0,4,2)
    x.gather(1,t.tensor([[0,0]])) ; (x*1).scatter_(1,i[:,None],7.)
    (x*1).scatter_add_(0,i[None],v[None,:3]) ; (x*1).index_add_(0,i,x)
    (x*1).index_copy_(0,i,x.exp()) ; (x*1).index_fill_(1,i,0.) ; (x*1).masked_scatter_(x>0,x*x)
    (x*1).index_put_((i,),v) ; x.clone().put_(i,v[:3],True)
    (v*1).scatter_reduce_(0,i,v[1:]*3,'amax') ; x.detach().scatter_(1,i[:,None],7.)
    x.detach().clone().index_add_(1,i,x.detach()[:,:3])
"""
CALLS = [call.strip() for line in CALLS.splitlines() for call in line.split(" ; ") if call.strip()]


@pytest.mark.peers
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:.*is in beta:UserWarning")
@pytest.mark.filterwarnings("ignore:The reduce argument:UserWarning")
def test_a_call_gives_pytorchs_values_and_gradients(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    for got, want in zip(outcome(dg, call), outcome(torch, call), strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore:.*is in beta:UserWarning")
@pytest.mark.filterwarnings("ignore:The reduce argument:UserWarning")
def test_a_call_gives_pytorchs_second_derivatives(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    got, want = (second(library, call) for library in (dg, torch))
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_tensors_of_the_type_that_its_node_states(call):
    for y in results(call, operands(dg)):
        assert isinstance(y, dg.Tensor)
        if y.grad_fn is not None:
            assert (y.grad_fn.shape, y.grad_fn.dtype) == (y.shape, y.dtype)


def test_a_tensor_that_is_written_to_stays_the_same_memory():
    x = dg.zeros(4)
    tail = x[2:]
    assert x.scatter_add_(0, dg.tensor([3, 3]), dg.ones(2)) is x
    assert tail.tolist() == [0, 2]
    assert x._version == 1


def test_a_leaf_is_not_written_to_while_recording():
    w = dg.ones(2, requires_grad=True)
    with pytest.raises(TapeError, match="leaf Variable"):
        w.index_fill_(0, dg.tensor([0]), 0.0)
    with dg.no_grad():
        w.index_fill_(0, dg.tensor([0]), 0.0)
    assert w.tolist() == [0, 1]


def test_functional_updates_are_recorded():
    x = dg.ones(3, requires_grad=True)
    y = x.at[1:].multiply(dg.tensor([2.0, 3.0])).at[0].set(0.0)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([0, 2, 3], [0, 2, 3])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: x.scatter(0, dg.tensor([0]), 1.0), ShapeError, "same number of dimensions"),
        (lambda x: x.scatter(2, dg.tensor([[0]]), 1.0), ShapeError, "out of range"),
        (lambda x: x.scatter(0, dg.tensor([[5]]), 1.0), IndexingError, "index 5 is out of range"),
        (lambda x: x.scatter(0, dg.tensor([[0]]), 1.0, reduce="mean"), OptionError, "not 'mean'"),
        (lambda x: x.scatter_reduce(0, dg.tensor([[0]]), x, "max"), OptionError, "not 'max'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(call, error, says):
    with pytest.raises(error, match=says):
        call(dg.ones(2, 2))
