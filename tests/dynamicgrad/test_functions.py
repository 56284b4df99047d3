"""Functions, methods and operators under PyTorch's names."""

import operator

import numpy as np
import pytest

import dynamicgrad as dg

BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
    operator.floordiv, operator.mod, operator.lt, operator.le, operator.gt, operator.ge,
    operator.eq, operator.ne,
]  # fmt: skip
A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 1.0], [0.5, 3.0]])


@pytest.mark.parametrize("f", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("other", [dg.tensor, lambda b: b, lambda b: 2.0, lambda b: np.float64(2)])
def test_operators_take_tensors_arrays_and_numbers_on_either_side(f, other):
    b = other(B)
    if f is operator.matmul and np.ndim(getattr(b, "value", b)) == 0:
        pytest.skip("a number has no matrix product")
    plain = b.value if isinstance(b, dg.Tensor) else b
    for got, want in ((f(dg.tensor(A), b), f(A, plain)), (f(b, dg.tensor(A)), f(plain, A))):
        assert isinstance(got, dg.Tensor)
        np.testing.assert_array_equal(got.numpy(), want)


def test_what_is_no_operand_is_left_to_python():
    for other in (None, "a", {}):
        with pytest.raises(TypeError):
            dg.ones(2) * other
        with pytest.raises(TypeError):
            other - dg.ones(2)


def test_numpy_functions_work_on_tensors():
    x = dg.tensor(A, requires_grad=True)
    y = np.sum(np.exp(x) * A)
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(A) * A)


def test_python_asks_for_values():
    assert float(dg.tensor(2.5)) == 2.5
    assert [1, 2, 3][dg.tensor(1)] == 2
    assert len(dg.zeros(3, 2)) == 3
    assert [t.item() for t in dg.arange(3)] == [0, 1, 2]
    with pytest.raises(TypeError, match="0-d"):
        len(dg.tensor(1.0))
    with pytest.raises(TypeError, match="0-d"):
        iter(dg.tensor(1.0))
    with pytest.raises(
        RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"
    ):
        dg.ones(2).item()
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
        dg.ones(2, requires_grad=True).numpy()


def test_a_wrong_shape_is_told_in_types():
    with pytest.raises(ValueError, match=r"matmul\(float32\[2, 3\], float32\[2, 3\]\): the inner"):
        dg.ones(2, 3) @ dg.ones(2, 3)
    with pytest.raises(ValueError, match="do not broadcast: 2 against 3"):
        dg.ones(2) + dg.ones(3)


CALLS = {
    "sum dim": lambda t, x: x.sum(dim=1, keepdim=True),
    "mean dims": lambda t, x: x.mean(dim=(0, 1)),
    "max": lambda t, x: x.max(),
    "max dim": lambda t, x: t.max(x, dim=1).values,
    "min dim keepdim": lambda t, x: x.min(1, keepdim=True)[0],
    "amax": lambda t, x: x.amax(dim=0),
    "argmax": lambda t, x: x.argmax(dim=1),
    "maximum": lambda t, x: t.maximum(x, 1 - x),
    "max of two": lambda t, x: t.max(x, -x),
    "prod": lambda t, x: x.prod(dim=0),
    "logsumexp": lambda t, x: x.logsumexp(dim=1),
    "softmax": lambda t, x: t.softmax(x, dim=-1),
    "log_softmax": lambda t, x: x.log_softmax(dim=0),
    "reshape": lambda t, x: x.reshape(2, -1) * 2,
    "reshape tuple": lambda t, x: x.reshape((4, 3)),
    "view": lambda t, x: x.view(-1).exp(),
    "permute": lambda t, x: x.permute(1, 0) * 3,
    "transpose": lambda t, x: x.transpose(0, 1),
    "flatten": lambda t, x: x[None].flatten(1),
    "squeeze": lambda t, x: x[None].squeeze(0),
    "unsqueeze": lambda t, x: x.unsqueeze(-1),
    "expand": lambda t, x: x[:1].expand(5, -1),
    "split": lambda t, x: x.split(2, dim=1)[1] * x.split([1, 3], dim=1)[0],
    "chunk": lambda t, x: x.chunk(3, dim=1)[-1],
    "cat": lambda t, x: t.cat([x, x * 2], dim=1),
    "stack": lambda t, x: t.stack([x, x * 2], dim=-1),
    "flip": lambda t, x: x.flip(0) * x,
    "clamp": lambda t, x: x.clamp(min=0.0) + x.clamp(max=0.5),
    "clamp both": lambda t, x: t.clamp(x, -0.5, 0.5),
    "where": lambda t, x: t.where(x > 0, x * x, x),
    "einsum": lambda t, x: t.einsum("ij,kj->ik", x, x),
    "index": lambda t, x: x[t.tensor([0, 2, 0]), 1:],
    "mask": lambda t, x: x[x > 0],
    "select": lambda t, x: x[1, ::2] * x[-1, 1],
    "pow": lambda t, x: x.abs() ** 1.5 + 2**x,
    "matvec": lambda t, x: x @ x[0],
    "vecmat": lambda t, x: x[:, 0] @ x,
    "bmm": lambda t, x: x.reshape(3, 2, 2) @ x.reshape(3, 2, 2),
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "gelu tanh": lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
    "silu": lambda t, x: t.nn.functional.silu(x),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
    "linear": lambda t, x: t.nn.functional.linear(x, x, x[:, 0]),
    "mse": lambda t, x: t.nn.functional.mse_loss(x, x * 2, reduction="sum"),
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 2)),
    "bce": lambda t, x: t.nn.functional.binary_cross_entropy_with_logits(x, t.ones_like(x) / 3),
    "cross_entropy": lambda t, x: t.nn.functional.cross_entropy(x, t.tensor([0, 3, 1])),
    "norm of relu": lambda t, x: (t.relu(x) ** 2).sum().sqrt(),
    "double": lambda t, x: x.double().exp(),
    "erf": lambda t, x: x.erf() + x.expm1() - x.abs().log1p() + x.tan() * x.cos(),
    "floor": lambda t, x: x.floor() * x + x.sign() + x.round(),
    "remainder": lambda t, x: t.remainder(x, 0.3),
}


def outcome(library, call):
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    x = library.tensor(x, requires_grad=True)
    y = call(library, x)
    if y.requires_grad:
        y.sum().backward()
    return y.detach().numpy(), None if x.grad is None else x.grad.numpy()


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_a_value_and_a_gradient(name):
    value, gradient = outcome(dg, CALLS[name])
    assert np.isfinite(value).all()
    assert (gradient is None) == (name == "argmax")


@pytest.mark.peers
@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_pytorchs(name):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    for got, want in zip(outcome(dg, CALLS[name]), outcome(torch, CALLS[name]), strict=True):
        if want is None:
            assert got is None
            continue
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)  # float32, other kernels
