"""Transforms in each other, in any order, beside PyTorch and beside the same by hand."""

import gc
import threading

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops.core.tree import leaves_of

# Each is an expression in the library `t`, its transforms `F`, vectors `x` and `v`, a matrix `A`, a
# scalar function `f`, a vector function `h`, and a vector `w` that requires gradients.
PROGRAMS = """
    F.grad(lambda x: F.grad(f)(x).sum())(x)
    F.grad(F.grad(F.grad(lambda x: t.sin(x) * x)))(x[0])
    F.jacfwd(F.jacrev(h))(x)
    F.jacrev(F.jacfwd(h))(x)
    F.jacrev(F.jacrev(h))(x)
    F.jacfwd(F.jacfwd(h))(x)
    F.jacfwd(F.jacfwd(F.jacrev(h)))(x)
    F.hessian(f)(x)
    F.vmap(F.grad(f))(A)
    F.grad(lambda A: F.vmap(f)(A).sum())(A)
    F.vmap(F.hessian(f))(A)
    F.hessian(lambda A: F.vmap(f)(A).sum())(A)
    F.vmap(F.vmap(lambda a, b: a * b, in_dims=(0, None)), in_dims=(None, 0))(x, v)
    F.jvp(F.grad(f), (x,), (v,))
    F.grad(lambda x: F.jvp(f, (x,), (v,))[1])(x)
    F.jvp(lambda x: F.jvp(f, (x,), (v,))[1], (x,), (v,))
    F.jvp(lambda A: F.vmap(f)(A), (A,), (A * 2,))
    F.vmap(lambda a, b: F.jvp(f, (a,), (b,))[1])(A, A)
    F.vjp(lambda x: F.vjp(h, x)[1](v)[0], x)[1](v)
    F.vmap(F.vjp(h, x)[1])(A)
    F.vmap(F.jacrev(h))(A)
    F.vmap(F.jacfwd(h))(A)
    F.linearize(h, x)[1](v)
    F.vmap(lambda w, x, y: t.nn.functional.cross_entropy(w @ x, y), in_dims=(None, 0, 0))(A, A, i)
    F.vmap(F.grad(lambda w, x, y: t.nn.functional.cross_entropy(w @ x, y)), (None, 0, 0))(A, A, i)
    F.vmap(F.grad(lambda w, x: F.grad(lambda u: (u * w * x).sum())(w * w).sum()), (None, 0))(x, A)
    F.jvp(lambda x: F.grad(lambda w: (w * x).sum() ** 2)(v), (x,), (v,))
    F.vmap(lambda a: F.vjp(h, x)[1](a)[0])(A)
    F.vmap(lambda a: F.jvp(lambda w: F.grad(f)(w * a), (x,), (v,)))(A)
    F.grad(lambda x: x * F.grad(lambda y: x + y)(x))(x[0])
    F.grad(lambda x: x * F.grad(lambda y: x * y)(x * x))(x[0])
    F.jvp(lambda x: x * F.jvp(lambda y: x + y, (x,), (v,))[1], (x,), (v,))
    F.grad(lambda x: (x.detach() * x).sum())(x)
    F.jvp(lambda x: (x.detach() * x).sum(), (x,), (v,))
    F.jvp(lambda x: x * 2 if x.sum() > 0 else x, (x,), (v,))
    F.grad(lambda x: f(x) * constant(x))(x)
    F.grad(lambda x: F.grad(lambda y: f(y) * constant(y))(x).sum())(x)
    F.grad(written)(x)
    F.jvp(written, (x,), (v,))
    F.hessian(written)(x)
    F.hessian(lambda a, b: (a * a * b).sum(), argnums=(0, 1))(x, v)
    F.jacrev(lambda p: {'o': p['a'] * p['b'].sum()})({'a': x, 'b': v})
    F.jacfwd(lambda p: {'o': p['a'] * p['b'].sum()})({'a': x, 'b': v})
    F.jacfwd(lambda x: (h(x), x * 2), has_aux=True)(x)
    F.jacrev(lambda x: (h(x), x * 2), has_aux=True, chunk_size=2)(x)
    F.grad(lambda x: F.vjp(lambda y: y + v, v)[1](x)[0].sum())(x)
    F.grad(lambda x: F.grad(lambda y: ((y * y).sum(), x), has_aux=True)(v)[1].sum())(x)
    F.grad(lambda x: F.grad_and_value(lambda y: x.sum())(v)[1])(x)
    F.grad(lambda x: F.jacrev(lambda y: (y * x, x), has_aux=True)(v)[1].sum())(x)
    F.jvp(lambda x: F.vjp(lambda y: {'a': x, 'b': y * x}, v)[0], (x,), (v,))
    F.vmap(lambda x: F.vjp(lambda y: y + v, v)[1](x)[0])(A)
    t.autograd.grad(F.grad(lambda x: (w * x**2).sum())(x).sum(), w)
    t.autograd.grad(F.jvp(lambda x: (w * x).sum() ** 2, (x,), (v,))[1], w)
    t.autograd.grad(F.vmap(lambda a: (a * w).sum() ** 2)(A).sum(), w)
    t.autograd.grad(F.jacrev(lambda x: w * x * x)(x).sum(), w)
    t.autograd.grad(F.jacfwd(lambda x: w * w * x * x)(x).sum(), w)
    t.autograd.grad(F.hessian(lambda x: (w * x**3).sum())(x).sum(), w)
    t.autograd.grad(F.vmap(F.grad(lambda x: (w * w * x**3).sum()))(A).sum(), w)
    t.autograd.grad(F.grad(f)(w * x).sum(), w)
    t.autograd.grad(F.vjp(h, w * x)[1](w)[0].sum(), w)
    t.autograd.grad(F.jvp(h, (w * x,), (w,))[1].sum(), w)
    t.autograd.grad(F.vmap(F.grad(f))(w * A).sum(), w)
    t.autograd.grad(F.hessian(f)(w * x).sum(), w)
"""
PROGRAMS = [line.strip() for line in PROGRAMS.splitlines() if line.strip()]


def scope_of(t):
    """The names that a program uses."""
    x, v = t.tensor([0.3, -0.7, 1.1], dtype=t.float64), t.tensor([1.0, 2.0, -1.0], dtype=t.float64)
    A = t.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0], [0.1, 0.2, 0.3]], dtype=t.float64)

    def constant(x):
        with t.no_grad():
            return (x * x).sum()

    def written(x):
        y = t.zeros(3, dtype=t.float64)
        y[0] = x[0] * x[1]
        y[1:] = x[1:] ** 2
        return (y * v).sum()

    return {
        "t": t, "F": t.func, "x": x, "v": v, "A": A, "i": t.tensor([0, 2, 1]),
        "f": lambda x: (t.sin(x) * t.exp(x * 0.5)).sum() ** 2,
        "h": lambda x: t.tanh(A @ x) * x,
        "w": t.tensor([1.0, 2.0, 3.0], dtype=t.float64, requires_grad=True),
        "constant": constant, "written": written,
    }  # fmt: skip


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # of torch's own parts, which it imports late
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_gives_pytorchs_numbers(program):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    got, want = (leaves_of(eval(program, scope_of(t))) for t in (dg, torch))
    for one, other in zip(got, want, strict=True):
        assert one.requires_grad == other.requires_grad
        assert (one.shape, str(one.dtype)) == (other.shape, str(other.dtype).removeprefix("torch."))
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), 1e-10, 1e-12)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_comes_out_is_a_tensor_on_an_array(program):
    for t in leaves_of(eval(program, scope_of(dg))):
        assert isinstance(t, dg.Tensor)
        assert isinstance(t.value, np.ndarray | np.generic)


def test_nested_derivatives_do_not_meet():
    one = dg.tensor(1.0)
    assert dg.grad(lambda x: x * dg.grad(lambda y: x + y)(one))(one).item() == 1
    assert dg.grad(lambda x: x * dg.func.jvp(lambda y: x + y, (one,), (one,))[1])(one).item() == 1


def test_transforms_of_plain_operands_go_around_those_of_tensors():
    rows, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])
    inner = lambda x: dg.grad(lambda w: np.sum(w * w * x))(v)
    np.testing.assert_array_equal(gradops.vmap(inner)(rows), 2 * v * rows)
    y, t = gradops.jvp(inner, [rows[0]], [rows[1]])
    np.testing.assert_array_equal([y, t], 2 * v * rows)
    assert gradops.jvp(dg.grad(np.square), [v[0]], [v[1]]) == (10, 12)


def test_a_derivative_of_high_order():
    f = lambda x: x**7
    for _ in range(5):
        f = dg.grad(f)
    assert f(np.float64(1.0)) == 7 * 6 * 5 * 4 * 3


def test_forward_and_reverse_mode_agree_on_third_derivatives():
    scope = scope_of(dg)
    x, h, F = scope["x"], scope["h"], dg.func
    want = F.jacrev(F.jacrev(F.jacrev(h)))(x).numpy()
    for third in (F.jacfwd(F.jacrev(F.jacfwd(h))), F.jacrev(F.jacfwd(F.jacfwd(h)))):
        np.testing.assert_allclose(third(x).numpy(), want, 1e-10, 1e-12)


def test_transforms_leave_no_reference_cycles():
    programs = [p for p in PROGRAMS if "autograd" not in p]
    scope = scope_of(dg)
    for program in programs:  # the first calls of kernels load machine code, for which ctypes makes
        eval(program, scope)  # classes, which are cycles
    gc.collect()
    gc.disable()
    try:
        for program in programs:
            eval(program, scope)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_threads_transform_at_the_same_time():
    def work(k):
        x = dg.arange(3.0, dtype="float64") + k
        found[k] = dg.hessian(lambda x: dg.vmap(dg.grad(lambda y: (y**3).sum()))(x[None]).sum())(x)

    found = {}
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        assert found[k].tolist() == np.diag(np.full(3, 6.0)).tolist()
