"""The tape: what nodes save, how they are linked, what they are called."""

import gc
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.engine.record import saved_by
from dynamicgrad.engine.tensor import Tensor
from gradops import OPS


@pytest.mark.parametrize(("name", "active", "output", "operands"), [
    ("add", (True, True), False, (False, False)),
    ("sub", (True, True), False, (False, False)),
    ("neg", (True,), False, (False,)),
    ("exp", (True,), True, (False,)),
    ("tanh", (True,), True, (False,)),
    ("sin", (True,), False, (True,)),
    ("relu", (True,), True, (False,)),
    ("mul", (True, True), False, (True, True)),
    ("mul", (True, False), False, (False, True)),
    ("mul", (False, True), False, (True, False)),
    ("matmul", (True, False), False, (False, True)),
    ("sum", (True,), False, (False,)),
    ("reshape", (True,), False, (False,)),
    ("where", (False, True, True), False, (True, False, False)),
])  # fmt: skip
def test_a_node_saves_what_its_rules_read(name, active, output, operands):
    assert saved_by(OPS[name], active, real=True) == (output, operands)


def test_indexing_and_joining_keep_no_operand_alive():
    x = dg.ones(3, requires_grad=True) * 2
    for y in (x[dg.tensor([0, 0])], x[1:], dg.cat([x] * 7), dg.stack([x, x])):
        assert not any(v is x for v in y.grad_fn.operands)


def test_a_sum_keeps_no_operand_alive():
    x = dg.ones(3, requires_grad=True)
    y = (x * 2) + (x * 3)
    assert not any(isinstance(v, Tensor) for v in y.grad_fn.operands)
    assert y.grad_fn.output is None


def test_nodes_are_linked_and_have_one_identity():
    x = dg.ones(2, requires_grad=True)
    y = x * 2
    z = y + x
    assert z.grad_fn is z.grad_fn
    assert z.grad_fn.next_functions[0] == (y.grad_fn, 0)
    assert y.grad_fn.next_functions[1] == (None, 0)
    leaf = z.grad_fn.next_functions[1][0]
    assert leaf.name() == "AccumulateGrad"
    assert leaf.variable is x
    assert leaf.next_functions == ()


CALLS = {
    "AddBackward0": lambda t, x, a: x + x, "SubBackward0": lambda t, x, a: x - x,
    "RsubBackward1": lambda t, x, a: 1 - x, "MulBackward0": lambda t, x, a: x * 2,
    "DivBackward0": lambda t, x, a: x / x, "NegBackward0": lambda t, x, a: -x,
    "PowBackward0": lambda t, x, a: x**2, "PowBackward1": lambda t, x, a: x**x,
    "ExpBackward0": lambda t, x, a: x.exp(), "LogBackward0": lambda t, x, a: x.log(),
    "Log1PBackward0": lambda t, x, a: x.log1p(), "Expm1Backward0": lambda t, x, a: x.expm1(),
    "SqrtBackward0": lambda t, x, a: x.sqrt(), "TanhBackward0": lambda t, x, a: t.tanh(x),
    "SigmoidBackward0": lambda t, x, a: t.sigmoid(x), "ReluBackward0": lambda t, x, a: t.relu(x),
    "AbsBackward0": lambda t, x, a: x.abs(), "SinBackward0": lambda t, x, a: x.sin(),
    "SumBackward0": lambda t, x, a: x.sum(), "SumBackward1": lambda t, x, a: x.sum(0),
    "MeanBackward0": lambda t, x, a: x.mean(), "MeanBackward1": lambda t, x, a: x.mean(0),
    "AmaxBackward0": lambda t, x, a: x.amax(0), "MaxBackward1": lambda t, x, a: x.max(),
    "MmBackward0": lambda t, x, a: x @ x, "MvBackward0": lambda t, x, a: x @ a,
    "DotBackward0": lambda t, x, a: x[0] @ a, "TBackward0": lambda t, x, a: x.t(),
    "ViewBackward0": lambda t, x, a: x.reshape(-1), "ExpandBackward0":
    lambda t, x, a: a.requires_grad_().expand(3, 3), "UnsqueezeBackward0":
    lambda t, x, a: x.unsqueeze(0), "CatBackward0": lambda t, x, a: t.cat([x, x]),
    "StackBackward0": lambda t, x, a: t.stack([x, x]), "CloneBackward0": lambda t, x, a: x.clone(),
    "WhereBackward0": lambda t, x, a: t.where(x > 0, x, x), "ProdBackward0":
    lambda t, x, a: x.prod(), "SoftmaxBackward0": lambda t, x, a: t.softmax(x, 0),
    "LogSoftmaxBackward0": lambda t, x, a: t.log_softmax(x, 0), "LogsumexpBackward0":
    lambda t, x, a: x.logsumexp(0), "MaximumBackward0": lambda t, x, a: t.maximum(x, x),
    "IndexBackward0": lambda t, x, a: x[t.tensor([0, 0])], "SelectBackward0":
    lambda t, x, a: x[0], "SliceBackward0": lambda t, x, a: x[1:], "FlipBackward0":
    lambda t, x, a: x.flip(0), "GeluBackward0": lambda t, x, a: t.nn.functional.gelu(x),
    "SiluBackward0": lambda t, x, a: t.nn.functional.silu(x), "SoftplusBackward0":
    lambda t, x, a: t.nn.functional.softplus(x), "ErfBackward0": lambda t, x, a: x.erf(),
    "ClampBackward1": lambda t, x, a: x.clamp(-1, 1), "FloorBackward0": lambda t, x, a: x.floor(),
}  # fmt: skip


def name_in(library, call):
    x = library.tensor(np.full((3, 3), 0.5, np.float32)).requires_grad_()
    return call(library, x, library.ones(3)).grad_fn.name()


@pytest.mark.parametrize(("name", "call"), CALLS.items(), ids=CALLS)
def test_nodes_have_pytorchs_names(name, call):
    assert name_in(dg, call) == name


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_node_keeps_its_name_when_it_is_freed(call):
    x = dg.tensor(np.full((3, 3), 0.5, np.float32), requires_grad=True)
    y = call(dg, x, dg.ones(3))
    before = repr(y.grad_fn)
    y.sum().backward()
    assert repr(y.grad_fn) == before


@pytest.mark.parametrize(("m", "n", "name"), [
    (1, 1, "Dot"), (2, 1, "Mv"), (1, 2, "Squeeze"), (2, 2, "Mm"), (3, 3, "Bmm"), (3, 1, "Bmm"),
    (1, 3, "Bmm"), (3, 2, "Bmm"), (2, 3, "Bmm"),
])  # fmt: skip
@pytest.mark.parametrize("first", [True, False])
def test_a_product_keeps_its_name_when_one_operand_is_constant(m, n, name, first):
    a, b = dg.ones(*[2] * m, requires_grad=first), dg.ones(*[2] * n, requires_grad=not first)
    y = a @ b
    before = y.grad_fn.name()
    y.sum().backward()
    assert before == y.grad_fn.name()
    assert before[:-9] == name


@pytest.mark.peers
def test_these_are_pytorchs_names():
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    wrong = {name: name_in(torch, call) for name, call in CALLS.items()}
    assert {k: v for k, v in wrong.items() if k != v} == {}


@pytest.mark.parametrize("build", [
    lambda x: (x * x).exp().sum(), lambda x: x.view(3, 1).squeeze(1)[1:].sum(),
    lambda x: dg.cat([x, x * 2]).max(dim=0).values, lambda x: (x * 2).add_(1).mul_(x).sum(),
    lambda x: dg.nn.functional.cross_entropy(x[None], dg.tensor([1])),
    lambda x: dg.autograd.grad((x * x).sum(), x, create_graph=True)[0].sum(),
])  # fmt: skip
def test_dropping_the_output_frees_every_node_by_reference_counting(build):
    x = dg.ones(3, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = build(x)
        nodes, seen = [y.grad_fn], []
        while nodes:
            node = nodes.pop()
            seen.append(weakref.ref(node))
            nodes += [n for n in node.inputs if n is not None and n.op is not None]
        del node, nodes, y
        assert [ref() for ref in seen] == [None] * len(seen)
    finally:
        gc.enable()


def test_values_are_let_go_by_backward():
    x = dg.ones(3, requires_grad=True)
    h = x.exp()
    y = (h * h).sum()
    saved = weakref.ref(h)
    y.backward()
    del h
    assert saved() is None
    assert y.grad_fn is not None
