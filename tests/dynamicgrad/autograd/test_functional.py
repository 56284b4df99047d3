"""The functions of `dg.autograd.functional`, beside PyTorch's."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import TransformError
from gradops.core.tree import leaves_of

A = dg.autograd.functional

# Calls of the library `t`: its functions `A`, vectors `x`, `v` that require no gradient and `w`
# that does, functions `s` to a number, `h` to a vector.
CALLS = """
    A.jacobian(h, x) ; A.jacobian(s, x) ; A.jacobian(s, (x,)) ; A.jacobian(h, x, vectorize=True)
    A.jacobian(h, x, vectorize=True, strategy='forward-mode')
    A.jacobian(lambda a, b: (a * b, a.sum()), (x, v))
    A.jacobian(lambda a, b: (a * b, a.sum()), (x, v), vectorize=True)
    A.jacobian(lambda a, b: (a * b, a.sum()), (x, v), vectorize=True, strategy='forward-mode')
    A.jacobian(h, w) ; A.jacobian(h, w, create_graph=True) ; A.jacobian(lambda a: w, x)
    A.jacobian(lambda a, b: a.sum(), (x, v), strict=True) ; A.jacobian(s, x, strict=True)
    A.jacobian(lambda a: t.ones(2), x) ; A.jacobian(lambda a: t.ones(2), x, strict=True)
    A.jacobian(lambda a: a * 2, x, create_graph=True, strict=True)
    A.jacobian(s, 3.0) ; A.jacobian(s, (x, 3.0)) ; A.jacobian(lambda a: 3.0, x)
    A.jacobian(lambda a: (s(a), 3.0), x) ; A.jacobian(s, t.tensor([1, 2])) ; A.jacobian(s, [x])
    A.jacobian(s, x, strategy='nope')
    A.hessian(s, x) ; A.hessian(lambda a, b: (a * a * b).sum(), (x, v)) ; A.hessian(s, (x,))
    A.hessian(s, x, vectorize=True) ; A.hessian(lambda a: a.sum(), x) ; A.hessian(s, w)
    A.hessian(lambda a: s(a).reshape(1, 1), x) ; A.hessian(lambda a: (a**4).sum(), w, True)
    A.hessian(lambda a: a.sum(), x, strict=True) ; A.hessian(h, x) ; A.hessian(lambda a: (s(a),), x)
    A.hessian(lambda a: t.ones(()), x, strict=True) ; A.hessian(lambda a: 3.0, x)
    A.vjp(h, x, v) ; A.vjp(s, x) ; A.vjp(h, x) ; A.vjp(h, x, x[:2]) ; A.vjp(h, x, (v, v))
    A.vjp(lambda a, b: (a * b, a.sum()), (x, v), (x, t.tensor(2.0, dtype=t.float64)))
    A.vjp(h, w, v, create_graph=True) ; A.vjp(lambda a: t.ones(3), x, v)
    A.vjp(lambda a: t.ones(3), x, v, strict=True) ; A.vjp(lambda a, b: a, (x, v), v, strict=True)
    A.jvp(h, x, v) ; A.jvp(s, x) ; A.jvp(h, x, x[:2]) ; A.jvp(h, x, (v, v)) ; A.jvp(s, x[0])
    A.jvp(lambda a, b: (a * b, a.sum()), (x, v), (v, x)) ; A.jvp(h, w, v, create_graph=True)
    A.jvp(lambda a: t.ones(3, dtype=t.float64), x, v)
    A.jvp(lambda a: t.ones(3), x, v, strict=True)
    A.hvp(s, x, v) ; A.hvp(s, x) ; A.hvp(h, x, v)
    A.hvp(lambda a, b: (a * a * b).sum(), (x, v), (v, x))
    A.hvp(lambda a: a.sum(), x, v) ; A.hvp(lambda a: a.sum(), x, v, strict=True)
    A.vhp(s, x, v) ; A.vhp(s, x, (v, v)) ; A.vhp(lambda a, b: (a * a * b).sum(), (x, v), (v, x))
    A.vhp(lambda a: (a**4).sum(), w, v, create_graph=True) ; A.vhp(s, x[0])
    t.autograd.grad(A.jacobian(h, w, create_graph=True).sum(), w)
    t.autograd.grad(A.jvp(h, w, v, create_graph=True)[1].sum(), w)
    t.autograd.grad(A.hessian(lambda a: (a**4).sum(), w, create_graph=True).sum(), w)
"""
CALLS = [call.strip() for line in CALLS.splitlines() for call in line.split(" ; ") if call.strip()]


def scope_of(t):
    """The names that a call uses."""
    x, v = t.tensor([0.3, -0.7, 1.1], dtype=t.float64), t.tensor([1.0, 2.0, -1.0], dtype=t.float64)
    return {
        "t": t, "A": t.autograd.functional, "x": x, "v": v,
        "w": x.clone().requires_grad_(),
        "s": lambda a: (t.sin(a) * a).sum() ** 2,
        "h": lambda a: t.tanh(a * a.sum()) * a,
    }  # fmt: skip


def outcome(t, call):
    """What a call gives, as its structure and its tensors, or the error."""
    try:
        found = eval(call, scope_of(t))
    except (RuntimeError, TypeError, ValueError, AssertionError) as error:
        return error, []
    return shape_of(found), leaves_of(found)


def shape_of(found):
    """The nesting of tuples."""
    return [shape_of(part) for part in found] if isinstance(found, tuple | list) else None


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # of torch's own parts
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_pytorch_gives(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    (structure, got), (wanted, want) = outcome(dg, call), outcome(torch, call)
    if isinstance(wanted, Exception):
        assert isinstance(structure, Exception), wanted
        return
    assert structure == wanted
    for one, other in zip(got, want, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), 1e-10, 1e-12)


@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "jvp", "hvp", "vhp"])
def test_results_have_no_history_unless_it_is_asked_for(name):
    w, f = dg.ones(2, requires_grad=True), lambda a: (a**4).sum()
    more = () if name in ("jacobian", "hessian", "vjp") else (dg.ones(2),)
    for keep in (False, True):
        found = getattr(A, name)(f, w, *more, create_graph=keep)
        assert [t.requires_grad for t in leaves_of(found)] == [keep] * len(leaves_of(found))


def test_the_inputs_are_left_alone():
    x, w = dg.ones(2), dg.ones(2, requires_grad=True)
    A.hessian(lambda x, w: (x * w).sum() ** 2, (x, w))
    assert (x.requires_grad, w.grad) == (False, None)


def test_forward_mode_goes_with_every_option():
    f, w = lambda a: a**3, dg.ones(2, requires_grad=True)
    found = A.jacobian(f, w, create_graph=True, strategy="forward-mode")
    (g,) = dg.autograd.grad(found.sum(), w)
    assert (found.tolist(), g.tolist()) == ([[3, 0], [0, 3]], [6, 6])
    got = A.hessian(lambda a: (a**3).sum(), w, outer_jacobian_strategy="forward-mode")
    assert (got.tolist(), got.requires_grad) == ([[6, 0], [0, 6]], False)
    with pytest.raises(TransformError, match="strict"):
        A.jacobian(f, w, strict=True, strategy="forward-mode")


def test_works_where_the_caller_does_not_record():
    with dg.no_grad():
        assert A.jacobian(dg.square, dg.ones(2)).tolist() == [[2, 0], [0, 2]]
        assert A.hvp(lambda a: (a**3).sum(), dg.ones(2), dg.ones(2))[1].tolist() == [6, 6]
