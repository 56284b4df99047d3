"""Functions and methods under PyTorch's names: what they take, give and refuse."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import OptionError, ShapeError

from .calls import CALLS, operands, results


@pytest.mark.parametrize("f", [dg.sum, dg.mean, dg.amax, dg.amin])
@pytest.mark.parametrize("none", [(), []])
def test_no_dimensions_are_all_dimensions(f, none):
    x = operands(dg)["x"]
    assert dg.equal(f(x, dim=none), f(x))
    assert dg.equal(f(x, none, True), f(x, keepdim=True))
    assert dg.equal(f(x, np.int64(1)), f(x, dim=1))


def test_functions_take_arrays_and_sequences_and_give_tensors():
    a = np.ones((2, 3))
    calls = [
        dg.exp(a), dg.relu([1.0]), dg.sum(a), dg.reshape(a, 6), dg.flip(a, (0,)), dg.add(a, 1.0),
        dg.cat([a, a]), dg.where(a > 0, a, 0.0), dg.einsum("ij->j", a), dg.squeeze(a, 0),
        dg.broadcast_to(a, (2, 2, 3)),
    ]  # fmt: skip
    assert all(isinstance(y, dg.Tensor) for y in calls)


def test_numpy_functions_work_on_tensors():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    x = dg.tensor(a, requires_grad=True)
    np.sum(np.exp(x) * a).backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(a) * a)


def test_the_entries_that_max_gives_know_their_places():
    x = dg.tensor([[1.0, 5.0, 5.0], [4.0, 3.0, 0.0]], requires_grad=True)
    values, indices = x.max(dim=1)
    assert (values.tolist(), indices.tolist()) == ([5, 4], [1, 0])
    assert x.max(np.int64(1)).indices.tolist() == [1, 0]
    values.sum().backward()
    assert x.grad.tolist() == [[0, 1, 0], [1, 0, 0]]  # one of those that tie


def test_tensors_are_compared_as_wholes():
    assert dg.equal(dg.arange(2), dg.arange(2))
    assert not dg.ones(2).equal(dg.ones(3))
    assert dg.allclose(dg.ones(2), dg.ones(2) + 1e-7)
    assert not dg.ones(2).allclose(dg.ones(2) + 1e-3)


@pytest.mark.parametrize(("call", "says"), [
    ("t.mm(v, x)", "mm takes operands with 2 and 2 dimensions"),
    ("t.dot(x, x)", "dot takes operands with 1 and 1 dimensions"),
    ("t.bmm(x, x)", "bmm takes operands with 3 and 3 dimensions"),
    ("t.mv(x, x)", "mv takes operands with 2 and 1 dimensions"),
    ("x[None].t()", r"t\(\) expects a tensor with <= 2 dimensions"),
    ("x.view(5)", "12 entries do not fill the shape"),
    ("x.expand(3, 5)", "4 against 5"),
    ("x.split([1, 1])", "do not add up to 3"),
    ("x.chunk(2, dim=2)", "Dimension out of range"),
    ("x.select(3, 0)", "Dimension out of range"),
    ("x.squeeze(2)", "Dimension out of range"),
    ("x.size(2)", "Dimension out of range"),
    ("x.permute(0)", "do not name each of 2 dimensions"),
    ("t.cat([x, v])", r"concatenate\(float32\[3, 4\], float32\[4\]\)"),
    ("t.stack([x, v])", "the shapes differ"),
    ("x.sum(dim=2)", "axis 2 is out of range for 2 dimensions"),
])  # fmt: skip
def test_what_a_call_cannot_take_is_told(call, says):
    with pytest.raises(ShapeError, match=says):
        eval(call, operands(dg))


def test_an_option_that_does_not_exist_is_told():
    with pytest.raises(OptionError, match="no mode is 'ramp'"):
        dg.nn.functional.pad(dg.ones(2), (1, 1), mode="ramp")
    with pytest.raises(OptionError, match="'mean', 'sum' or 'none', not 'max'"):
        dg.nn.functional.mse_loss(dg.ones(2), dg.ones(2), reduction="max")
    with pytest.raises(TypeError, match="no attribute keepdims_"):
        dg.sum(dg.ones(2), keepdims_=True)


SIZES_DIFFER = ("x[x>0]",)  # from example to example


def along(library, call):
    """What a call gives, and its derivative along a direction in both operands, in float64."""
    scope = operands(library, np.float64)
    primals = scope["x"].detach(), scope["v"].detach()
    rng = np.random.default_rng(2)
    directions = tuple(library.tensor(rng.normal(size=tuple(x.shape))) for x in primals)

    def of_operands(x, v):
        return tuple(results(call, {**scope, "x": x, "v": v}))

    return library.func.jvp(of_operands, primals, directions)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # of torch.func's own imports
@pytest.mark.parametrize("call", CALLS["functions"])
def test_a_call_has_pytorchs_derivative_along_a_direction(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    values, tangents = along(dg, call)
    wanted = along(torch, call)
    for y, t, *want in zip(values, tangents, *wanted, strict=True):
        assert t.dtype == y.dtype  # torch lets float32 have a tangent in float64
        rounding = 1e-6 if y.dtype == "float32" else 1e-9
        for got, one in zip((y, t), want, strict=True):
            np.testing.assert_allclose(got.numpy(), one.numpy(), rtol=rounding, atol=1e-11)


@pytest.mark.parametrize("call", [call for call in CALLS["functions"] if call not in SIZES_DIFFER])
def test_a_call_does_to_a_batch_what_it_does_to_each_example(call):
    scope = operands(dg, np.float64)
    xs = dg.stack([scope["x"].detach() * k for k in (1, -0.5)])
    vs = dg.stack([scope["v"].detach() * k for k in (1, 2)])

    def of_operands(x, v):
        return tuple(results(call, {**scope, "x": x, "v": v}))

    together = dg.vmap(of_operands)(xs, vs)
    apart = [of_operands(x, v) for x, v in zip(xs, vs, strict=True)]
    for got, want in zip(together, zip(*apart, strict=True), strict=True):
        want = dg.stack(list(want))
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-12, atol=1e-13)
