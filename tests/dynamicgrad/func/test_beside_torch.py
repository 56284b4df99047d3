"""What each transform gives and refuses, beside PyTorch."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops.core.tree import leaves_of

# Calls with the library `t`, its transforms `F`, a vector `x`, a scalar function `s`.
CALLS = """
    F.vjp(t.sin, x)[1](x) ; F.vjp(lambda a, b: a * b, x, x)[1](x) ; F.vjp(s, x)[1]()
    F.vjp(lambda a: (a, a), x)[1](x) ; F.vjp(t.sin, x)[1](x[:2]) ; F.vjp(lambda a: None, x)
    F.vjp(lambda a: a * 2, i) ; F.vjp(lambda a: (a, {'k': a * a}), x, has_aux=True)[2]
    F.vjp(s, x)[0] ; F.vjp(lambda p: {'q': p['a']}, {'a': x})[1]({'q': x}) ; F.vjp(3.0, x)
    F.grad(t.sin)(x) ; F.grad(lambda x: x.sum().reshape(1))(x) ; F.grad(lambda x: None)(x)
    F.grad(lambda x: 3.0)(x) ; F.grad(lambda x: x.sum())(i) ; F.grad(lambda x: t.ones(()))(x)
    F.grad(s)('x') ; F.grad(s, argnums=1)(x) ; F.grad(lambda a, b: (a * b).sum(), (0, 0))(x, x)
    F.grad(lambda a, b: (a * b).sum(), ())(x, x) ; F.grad(s, argnums=1.5)(x) ; F.grad(s)()
    F.grad(lambda a, b: (a * b).sum(), (1,))(x, x)
    F.grad(lambda a, b: (a * b).sum(), -1)(x, 2 * x)
    F.grad(lambda a, b: (a * b).sum(), (1, 0))(x, 2 * x) ; F.grad(s, has_aux=True)(x)
    F.grad(lambda x: (s(x), {'a': x}), has_aux=True)(x) ; F.grad(lambda x: [s(x)])(x)
    F.grad_and_value(lambda x: (s(x), x), has_aux=True)(x) ; F.grad_and_value(s)(x)
    F.grad(lambda p: (p['a'] * p['b'][0]).sum())({'a': x, 'b': [x, x]})
    F.grad(lambda x, k: s(x) * k)(x, k=3) ; F.grad(lambda x: x.mul_(2).sum())(x.clone())
    F.jvp(t.sin, (x,), (x,)) ; F.jvp(t.sin, x, x) ; F.jvp(t.sin, [x], [x])
    F.jvp(t.sin, (x,), (x, x)) ; F.jvp(t.sin, (x,), (x[:2],)) ; F.jvp(lambda a: a * 2, (i,), (i,))
    F.jvp(lambda: x, (), ()) ; F.jvp(lambda a: None, (x,), (x,))
    F.jvp(lambda a: t.ones(2), (x,), (x,)) ; F.jvp(lambda a: t.ones(2), (x,), (x,), strict=True)
    F.jvp(lambda a: 3.0, (x,), (x,)) ; F.jvp(lambda a: (a * 2, a), (x,), (x,), has_aux=True)
    F.jvp(s, (x,), (x,), has_aux=True) ; F.vmap(lambda a: None)(x) ; F.vmap(lambda a: 3.0)(x)
    F.vmap(lambda a, b: a, in_dims=(0,))(x, x) ; F.vmap(lambda a, b: a, in_dims=(0, 1))(x, x)
    F.vmap(lambda a: a, in_dims=[0])(x) ; F.vmap(lambda a: a, in_dims='a')(x)
    F.vmap(lambda a: a, in_dims=None)(x) ; F.vmap(lambda a: a, in_dims=(None,))(x)
    F.vmap(lambda a, b: a + b)(x, x[:2]) ; F.vmap(lambda a, b: a + b)(x, 2)
    F.vmap(lambda a, b: a + b, (0, None))(x, 2) ; F.vmap(lambda a: a)(x[0]) ; F.vmap(lambda: x)()
    F.vmap(lambda a: (a, a), out_dims=(0,))(x) ; F.vmap(lambda a: (a, a), out_dims=0)(x)
    F.vmap(lambda a: a, out_dims=None)(x) ; F.vmap(lambda a: t.ones(2), out_dims=None)(x)
    F.vmap(lambda a: a, out_dims=2)(x) ; F.vmap(lambda a: a, out_dims='a')(x)
    F.vmap(lambda a: a if a > 0 else -a)(x) ; F.vmap(lambda a: a.item())(x)
    F.vmap(lambda a: a + t.rand(2))(x) ; F.vmap(t.sin, chunk_size=2)(x)
    F.vmap(t.sin, chunk_size=0)(x)
    F.vmap(lambda a: {'k': (a, a * 2)}, out_dims={'k': (0, 0)})(x)
    F.vmap(lambda d: d['a'] * 2, in_dims=({'a': 0},))({'a': x})
    F.vmap(lambda a: a[a > 0])(x[None]) ; F.vmap(lambda a: t.stack([a, a]), out_dims=1)(x)
    F.vmap(lambda a: t.stack([a, a]), out_dims=-1)(x) ; F.jacrev(lambda a: {'o': a * 2})(x)
    F.jacrev(lambda a: None)(x) ; F.jacrev(lambda a: 3.0)(x) ; F.jacrev(lambda a: a * 2)(i)
    F.jacfwd(lambda a: a * 2)(i) ; F.jacfwd(lambda a: None)(x)
    F.jacrev(lambda a, b: (a.sum(), b), argnums=(0, 1))(x, x) ; F.jacrev(s, argnums=3)(x)
    F.jacfwd(lambda a, b: (a.sum(), b), argnums=(0, 1))(x, x) ; F.jacrev(t.sin, argnums=(0,))(x)
    F.jacrev(lambda a: t.ones(0) * a.sum())(x) ; F.jacfwd(lambda a: a.sum())(x[:0])
    F.hessian(s)(x) ; F.linearize(t.sin, x)[1](x) ; F.linearize(t.sin, x)[1](x, x)
    F.linearize(t.sin, x)[1](x[:2])
"""
CALLS = [call.strip() for line in CALLS.splitlines() for call in line.split(" ; ") if call.strip()]


def outcome(t, call):
    """The tensors that a call gives, or the error."""
    x = t.tensor([1.0, 2.0, 3.0])
    scope = {"t": t, "F": t.func, "x": x, "i": t.tensor([1, 2]), "s": lambda x: (x * x).sum()}
    try:
        return leaves_of(eval(call, scope))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return error


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # of torch's own parts, which it imports late
@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_or_refuses_what_pytorch_does(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    got, want = outcome(dg, call), outcome(torch, call)
    if isinstance(got, Exception) or isinstance(want, Exception):
        assert isinstance(got, Exception) and isinstance(want, Exception), (got, want)  # noqa: PT018
        return
    for one, other in zip(got, want, strict=True):
        assert one.shape == other.shape
        assert str(one.dtype) == str(other.dtype).removeprefix("torch.")
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6)
