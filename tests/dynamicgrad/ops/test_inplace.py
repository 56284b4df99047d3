"""Writing into tensors: what is allowed, counted, recorded and refused."""

import itertools

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import DTypeError, ShapeError, TapeError


def test_every_write_moves_the_version():
    x = dg.zeros(2)
    x += 1
    x.mul_(3).sub_(1).div_(2).add_(dg.ones(2), alpha=2)
    x[0] = 7
    x.zero_()
    x.fill_(3)
    x.copy_(dg.ones(2))
    assert x._version == 9
    assert x.tolist() == [1, 1]


def test_memory_is_shared_by_detach_views_and_numpy_and_so_is_the_version():
    x = dg.zeros(4)
    detached, view, array = x.detach(), x.view(2, 2), x.numpy()
    with dg.no_grad():
        x += 5
    assert detached.tolist() == [5] * 4
    assert view.tolist() == [[5, 5], [5, 5]]
    assert array.tolist() == [5] * 4
    assert x._version == detached._version == view._version == 1
    assert x.clone()._version == 0


def test_a_number_shares_memory_too():
    x = dg.tensor(1.0) * 2
    y = x.detach()
    y += 1
    assert x.item() == 3


def test_a_write_to_a_result_is_recorded():
    x = dg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y *= x
    y += 1
    y.sum().backward()
    assert y.tolist() == [4, 13]
    assert x.grad.tolist() == [6, 12]


def test_a_plain_tensor_joins_the_graph():
    x = dg.ones(2, requires_grad=True)
    y = dg.zeros(2)
    y += x
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_a_saved_value_that_was_changed_names_both_lines():
    x = dg.ones(2, requires_grad=True)
    h = x * 2
    loss = (h * h).sum()
    h += 1  # the write
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        loss.backward()
    text = str(caught.value)
    assert "loss = (h * h).sum()" in text
    assert "h += 1  # the write" in text
    assert "clone()" in text


def test_a_saved_output_that_was_changed_is_noticed():
    x = dg.ones(2, requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    with pytest.raises(TapeError, match="the output float32"):
        y.sum().backward()


def test_no_false_alarm_for_what_is_not_read():
    x = dg.ones(2, requires_grad=True)
    h = x * 1
    y = h + 1
    h += 5
    y.sum().backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.parametrize("write", [
    lambda w: w.add_(1), lambda w: w.zero_(), lambda w: w.copy_(dg.ones(2)),
    lambda w: w.__setitem__(0, 1.0), lambda w: w.__imul__(w),
])  # fmt: skip
def test_a_leaf_that_requires_gradients_is_not_written_to(write):
    w = dg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(TapeError, match="a leaf Variable that requires grad"):
        write(w)
    assert w.tolist() == [1, 2]
    assert w._version == 0


def test_the_target_keeps_its_shape_and_dtype():
    x = dg.ones(2)
    with pytest.raises(ShapeError, match="doesn't match the broadcast shape"):
        x += dg.ones(3, 2)
    k = dg.tensor([1, 2])
    with pytest.raises(DTypeError, match="can't be cast to the desired output type int64"):
        k += 0.5
    assert (x.tolist(), k.tolist()) == ([1, 1], [1, 2])
    x += np.float64(1)
    assert x.dtype == np.float32


def test_a_write_can_need_the_value_it_replaces_or_the_one_it_makes():
    for write, gradient in ((lambda y: y.exp_(), np.exp), (lambda y: y.sin_(), np.cos)):
        x = dg.tensor([0.5, 1.0], dtype="float64", requires_grad=True)
        y = x * 1
        write(y).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), gradient(x.tolist()))


def test_a_change_of_what_a_write_made_is_noticed():
    x = dg.ones(2, requires_grad=True)
    y = (x * 1).exp_()
    with dg.no_grad():
        y.zero_()
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("of", ["x", "y"])
def test_a_recorded_gradient_notices_later_changes_too(of):
    x = dg.ones(2, requires_grad=True)
    y = x.exp() if of == "y" else x**3
    (g,) = dg.autograd.grad(y.sum(), x, create_graph=True)
    with dg.no_grad():
        (y if of == "y" else x).add_(1)
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        g.sum().backward()


@pytest.mark.parametrize("of", ["x", "y"])
def test_a_change_after_the_history_was_dropped_is_noticed(of):
    x = dg.ones(2, requires_grad=True) * 1
    y = x.exp() if of == "y" else x**3
    loss = (y * 2).sum()
    (y if of == "y" else x).detach_().add_(1)
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_change_of_what_was_a_leaf_is_noticed():
    x = dg.ones(2, requires_grad=True)
    loss = (x**3).sum()
    x.requires_grad_(False).add_(1)
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_value_that_was_written_before_it_was_saved_is_as_good_as_any():
    x = dg.zeros(2)
    x += 3
    w = dg.ones(2, requires_grad=True)
    (w * x).sum().backward()
    assert w.grad.tolist() == [3, 3]


def test_a_retained_gradient_is_that_of_the_value_after_the_write():
    x = dg.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    (y * 3).sum().backward()
    assert (y.retains_grad, y.grad.tolist(), x.grad.tolist()) == (True, [3, 3], [30, 30])


@pytest.mark.parametrize(("write", "value", "grad"), [
    (lambda y, w: y.zero_(), [0, 0, 0], [0, 0, 0]),
    (lambda y, w: y.fill_(2.0), [2, 2, 2], [0, 0, 0]),
    (lambda y, w: y.copy_(w), [7, 7, 7], [0, 0, 0]),
    (lambda y, w: y.clamp_(max=2.0), [1, 2, 2], [1, 1, 0]),
    (lambda y, w: y.masked_fill_(y > 1, 0.0), [1, 0, 0], [1, 0, 0]),
    (lambda y, w: y.__setitem__(1, 5.0), [1, 5, 3], [1, 0, 1]),
    (lambda y, w: y.__setitem__(slice(0, 2), w[0] * w[1]), [49, 49, 3], [0, 0, 1]),
    (lambda y, w: y.__setitem__(dg.tensor([0, 0]), dg.tensor([8.0, 9.0])), [9, 2, 3], [0, 1, 1]),
    (lambda y, w: y.__setitem__([], w[:0]), [1, 2, 3], [1, 1, 1]),
])  # fmt: skip
def test_what_is_overwritten_gets_no_gradient(write, value, grad):
    x, w = dg.tensor([1.0, 2.0, 3.0], requires_grad=True), dg.full((3,), 7.0, requires_grad=True)
    y = x * 1
    write(y, w)
    assert y.tolist() == value
    y.sum().backward()
    assert x.grad.tolist() == grad


@pytest.mark.parametrize(("key", "shape"), [
    (1, (3,)), ((slice(None), 0), (2,)), ((0, 1), ()), (..., (2, 3)), (..., (1, 1, 3)),
    ((None, 0), (3,)), ([1, 0], (2, 3)), (([0, 1], [2, 2]), (2,)), (slice(None, None, 2), (3,)),
])  # fmt: skip
def test_an_assignment_to_a_part_is_recorded(key, shape):
    rng = np.random.default_rng(0)
    x, v, c = rng.normal(size=(2, 3)), rng.normal(size=shape), rng.normal(size=(2, 3))
    x, v = dg.tensor(x, requires_grad=True), dg.tensor(v, requires_grad=True)
    y = x * 1
    y[key] = v * 2
    want = x.detach().clone()
    want[key] = v.detach() * 2
    np.testing.assert_array_equal(y.detach().numpy(), want.numpy())
    (y * c).sum().backward()
    kept, taken = np.array(c), np.zeros((2, 3))
    kept[key] = 0
    np.testing.assert_array_equal(x.grad.numpy(), kept)
    taken[key] = 1
    np.testing.assert_allclose(v.grad.numpy().sum(), 2 * (taken * c).sum())


def test_a_plain_tensor_is_filled_row_by_row():
    w = dg.tensor([1.0, 2.0], requires_grad=True)
    y = dg.zeros(2, 2)
    for i in range(2):
        y[i] = w * (i + 1)
    (y * y).sum().backward()
    assert y.tolist() == [[1, 2], [2, 4]]
    assert w.grad.tolist() == [10, 20]


def test_a_value_that_does_not_fit_its_places_changes_nothing():
    w = dg.ones(3, requires_grad=True)
    for x in (dg.zeros(2), w[:2] * 0):
        for value in (dg.ones(3), w):
            with pytest.raises(ShapeError, match=r"setitem\(float32\[2\], float32\[3\]\)"):
                x[:] = value
            with pytest.raises(ShapeError, match=r"copy_.*does not broadcast to the shape"):
                x.copy_(value)
        with pytest.raises(IndexError):
            x[5] = 1.0
        assert (x.tolist(), x._version) == ([0, 0], 0)


def test_what_expand_gives_is_not_written_to():
    for n in (2, 5000):  # a copy, and a view
        x = dg.ones(1).expand(n)
        for write in (
            lambda x: x.add_(1), lambda x: x.zero_(), lambda x: x.__setitem__(0, 1.0),
            lambda x: x.add_(dg.ones_like(x)), lambda x: x.mul_(dg.ones(1, requires_grad=True)),
        ):  # fmt: skip
            for mode in (dg.no_grad(), dg.enable_grad()):
                with mode, pytest.raises(TapeError, match=r"single memory(?s:.*)clone\(\)"):
                    write(x)


def test_a_view_shares_memory_or_is_refused():
    x = dg.arange(6).view(2, 3)
    x.t()[0, 1] = 9
    assert x.tolist() == [[0, 1, 2], [9, 4, 5]]
    with pytest.raises(RuntimeError, match=r"view size is not compatible.*Use .reshape\(...\)"):
        x.t().view(6)
    assert x.t().reshape(6).tolist() == [0, 9, 1, 4, 2, 5]
    assert x.t().contiguous().view(6).tolist() == [0, 9, 1, 4, 2, 5]


def test_a_result_without_axes_shares_memory_with_its_views():
    x = dg.tensor(2.0) * 2
    v = x.view(1)
    v += 1
    assert (x.item(), v.item()) == (5, 5)


def test_a_copy_in_pytorch_is_a_copy_here():
    x = dg.arange(3)
    for copied in (x.flip(0), x.clone(), x[[0, 1, 2]], x.to(dg.float32)):
        copied.zero_()
    assert (x.tolist(), x._version) == ([0, 1, 2], 0)


def test_data_is_the_same_memory_and_can_be_replaced():
    w = dg.ones(2, requires_grad=True)
    w.data -= 0.5
    assert (w.tolist(), w.is_leaf, w.requires_grad) == ([0.5, 0.5], True, True)
    new = dg.zeros(2)
    w.data = new
    new += 4
    assert w.tolist() == [4, 4]
    with pytest.raises(TapeError, match=r"can be set to a float32\[2\], not float32\[3\]"):
        w.data = dg.zeros(3)
    with pytest.raises(TypeError, match="data is set to a tensor"):
        w.data = 1.0


def test_replaced_data_are_noticed_by_what_saved_them():
    w = dg.ones(2, requires_grad=True)
    loss = (w * w).sum()
    w.data = dg.zeros(2)
    with pytest.raises(TapeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_result_is_cut_off_in_place():
    x = dg.ones(2, requires_grad=True)
    y = x * 2
    assert y.detach_() is y
    assert (y.requires_grad, y.is_leaf, y.grad_fn) == (False, True, None)
    x.sum().backward()
    assert x.detach_().grad.tolist() == [1, 1]


def test_a_number_keeps_its_dtype_under_writes():
    x = dg.tensor(1.0) * 1
    x += dg.tensor(1.0, dtype="float64")
    assert (x.dtype, x.item()) == (np.float32, 2)


@pytest.mark.parametrize("other", [None, "a", [[1.0]] * 3])
def test_a_write_of_what_does_not_fit_is_an_error_and_changes_nothing(other):
    x = dg.ones(2)
    with pytest.raises((TypeError, ValueError)):
        x += other
    assert (x.tolist(), x._version) == ([1, 1], 0)


OUTPUTS = """
    x+x ; x*x ; x/2 ; 2/x ; x/x ; x-x ; -x ; x**2 ; x**3.0 ; 2**x ; x**x ; x.abs() ; x.square()
    x.sqrt() ; x.reciprocal() ; x.exp() ; t.expm1(x) ; x.log() ; t.log1p(x) ; x.sin() ; x.cos()
    x.tan() ; x.tanh() ; x.sigmoid() ; x.relu() ; t.erf(x) ; x.clamp(0,1) ; t.maximum(x,x*2)
    F.silu(x) ; F.gelu(x) ; F.softplus(x) ; F.softmax(x,0) ; F.log_softmax(x,0) ; t.where(x>1,x,2*x)
    t.logsumexp(x,0) ; x.sum(0) ; x.mean(0) ; x.amax(0) ; x.prod(0) ; x@x ; t.cat([x,x]) ; x.clone()
"""


@pytest.mark.peers
@pytest.mark.parametrize(
    "call", [c.strip() for c in OUTPUTS.replace("\n", ";").split(";") if c.strip()]
)
def test_outputs_may_be_written_to_where_pytorchs_may(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    found = [after_a_write(t, call) for t in (torch, dg)]
    if found[0] is not None:
        np.testing.assert_allclose(found[1], found[0], rtol=1e-5)


def after_a_write(t, call):
    """The gradient through an output that was written to; None where that is refused."""
    x = t.full((2, 2), 1.5, requires_grad=True)
    y = eval(call, {"t": t, "F": t.nn.functional, "x": x})
    y.mul_(3)
    try:
        y.sum().backward()
    except RuntimeError:
        return None
    return x.grad.tolist()


RECORDED = {
    "add_": lambda a, b: a + b, "sub_": lambda a, b: a - b, "mul_": lambda a, b: a * b,
    "div_": lambda a, b: a / b,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "other"),
    [*itertools.product(RECORDED, ["tensor", "history", "number", "wider"]),
     *itertools.product(["add_", "sub_"], ["itself", "view"])],  # others save what is written
)  # fmt: skip
def test_recorded_writes_have_the_gradients_of_the_op(name, other):
    found = []
    for writes in (True, False):
        x = dg.tensor([1.5, -2.0, 3.0], requires_grad=True)
        y = x * 2
        b = {"tensor": dg.tensor([2.0, 4.0, 0.5]), "history": x.exp(), "itself": y, "number": 2.0,
             "wider": dg.tensor([2.0], dtype=dg.float64), "view": y[:]}[other]  # fmt: skip
        kept = y + 1
        if writes:
            version = y._version
            assert getattr(y, name)(b) is y
            assert y._version == version + 1
        else:
            y = RECORDED[name](y, b).to(dg.float32)
        (y.sum() + kept.sum()).backward()
        found.append((y.tolist(), x.grad.tolist()))
    assert found[0] == found[1]


def test_a_recorded_write_is_noticed_by_what_saved_the_value():
    x = dg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y += 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
