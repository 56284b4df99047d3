"""Second derivatives of functions that are linear piece by piece: zeros where PyTorch has them."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad.engine.piecewise import KINKED

from ..behaviour import Table
from ..calls import CALLS, operands, results

table = Table()


@table.gives(([1.0, 0.0], [0.0, 0.0]))
def relu_twice(t):
    x = t.tensor([1.0, -2.0], requires_grad=True)
    (g,) = t.autograd.grad(x.relu().sum(), x, create_graph=True)
    return g.tolist(), t.autograd.grad(g.sum(), x)[0].tolist()


@table.gives(([[0.0, 0.0], [1.0, 0.0]], [0.0, 0.0], [0.0]))
def every_leaf_of_a_gradient_penalty_has_a_gradient(t):
    x = t.tensor([1.0, -2.0], requires_grad=True)
    w, b = t.tensor([3.0, 1.0], requires_grad=True), t.ones(1, requires_grad=True)
    y = (x * w + b).relu().sum()
    (g,) = t.autograd.grad(y, x, create_graph=True)
    g.sum().backward()
    return [x.grad.tolist(), w.grad.tolist()], x.grad.tolist(), b.grad.tolist()


@table.gives([0.0, 0.0])
def relu_with_a_hook_on_its_node(t):
    x = t.tensor([1.0, -2.0], requires_grad=True)
    y = x.relu()
    y.grad_fn.register_hook(lambda gi, go: None)
    (g,) = t.autograd.grad(y.sum(), x, create_graph=True)
    return t.autograd.grad(g.sum(), x)[0].tolist()


@table.gives((False, False, False))
def linear_functions_have_constant_gradients(t):
    x = t.tensor([1.0, -2.0], requires_grad=True)
    ys = (x * 3).sum(), x.sum(), x.clamp(0, 1).sum()
    return [t.autograd.grad(y, x, create_graph=True)[0].requires_grad for y in ys]


@table.gives(
    ["LeakyReluBackward0", "HardtanhBackward0", "ThresholdBackward0", "HardshrinkBackward0",
     "SoftshrinkBackward0", "HardtanhBackward0", "HardsigmoidBackward0"]
)  # fmt: skip
def names_of_piecewise_linear_functions(t):
    x, F = t.tensor([1.0, -2.0], requires_grad=True), t.nn.functional
    ys = (F.leaky_relu(x), F.hardtanh(x), F.threshold(x, 0.5, 0.0), F.hardshrink(x),
          F.softshrink(x), F.relu6(x), F.hardsigmoid(x))  # fmt: skip
    return [y.grad_fn.name() for y in ys]


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()

MORE = """
    F.relu6(x) ; F.hardtanh(x) ; F.leaky_relu(x) ; F.threshold(x,0.1,0.2) ; F.hardswish(x)
    F.hardshrink(x) ; F.softshrink(x) ; F.elu(x) ; F.prelu(x,v[:1]) ; F.max_pool1d(x[None],2)
    F.max_pool2d(x[None,None],2) ; F.avg_pool1d(x[None],2) ; F.avg_pool2d(x[None,None],2)
    F.adaptive_max_pool1d(x[None],2) ; F.adaptive_avg_pool1d(x[None],2) ; F.l1_loss(x,x*0.5+1)
    F.hinge_embedding_loss(x,t.ones_like(x)) ; F.smooth_l1_loss(x,x.detach()*0) ; F.relu(x)*v
    F.relu(x*v) ; (F.relu(x)*3).exp() ; F.relu(F.relu(x)) ; F.nll_loss(x,i)
    F.leaky_relu(x*1,inplace=True) ; x.sgn() ; x.frac() ; t.lerp(x,v,0.5) ; x[0].abs()+v.relu()
    F.pad(x[None],(2,1),mode='reflect') ; F.interpolate(x[None],scale_factor=2) ; F.dropout(x,0.0)
"""
EVERY = [c for calls in CALLS.values() for c in calls]
EVERY += [c.strip() for line in MORE.strip().split("\n") for c in line.split(";")]


def second_derivatives(t, call):
    """The second derivatives of a call by x and v, each as "none", "zero" or "other"."""
    scope = operands(t, np.float64)
    leaves = [scope["x"], scope["v"]]
    ys = [y for y in results(call, scope) if y.requires_grad and not y.is_complex()]
    if not ys:
        return []
    firsts = t.autograd.grad(ys[0].sum(), leaves, create_graph=True, allow_unused=True)
    firsts = [g for g in firsts if g is not None and g.requires_grad]
    return [kinds(t.autograd.grad(g.sum(), leaves, **AGAIN)) for g in firsts]


AGAIN = {"retain_graph": True, "allow_unused": True}


def kinds(found):
    return ["none" if h is None else "zero" if not h.abs().sum() else "other" for h in found]


@pytest.mark.peers
@pytest.mark.parametrize("call", EVERY)
@pytest.mark.filterwarnings("ignore")
def test_a_gradient_has_zeros_for_derivatives_where_pytorchs_has(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    ours, theirs = second_derivatives(dg, call), second_derivatives(torch, call)
    wanted = [(i, j) for i, row in enumerate(theirs) for j, h in enumerate(row) if h == "zero"]
    if len(ours) == len(theirs):
        assert all(ours[i][j] != "none" for i, j in wanted)
    else:
        assert len(ours) > len(theirs)


@pytest.mark.parametrize("op", [op for op in gradops.OPS.values() if KINKED in op.traits], ids=str)
def test_recorded_gradients_of_ops_with_kinks_have_the_slope_zero(op):
    for xs, attrs in op.samples(np.random.default_rng(0)):
        x = dg.tensor(np.array(xs[0]))
        if x.dtype.kind != "f":
            continue
        y = op(x.requires_grad_(), **attrs)
        (g,) = dg.autograd.grad(y, x, dg.ones_like(y), create_graph=True)
        (h,) = dg.autograd.grad(g, x, dg.ones_like(g))
        assert h.tolist() == np.zeros(x.shape).tolist()
