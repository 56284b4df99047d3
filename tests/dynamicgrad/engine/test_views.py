"""Views and in-place writes that follow each other."""

import numpy as np
import pytest

import dynamicgrad as dg

from ..behaviour import Table

table = Table()


@table.gives(([2.0, 40.0, 60.0], [40.0, 60.0], [2.0, 40.0, 40.0], True, True))
def view_inplace(t):
    x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = x * 2
    v = b[1:]
    v.mul_(10)
    (b.sum() + v.sum()).backward()
    return b.tolist(), v.tolist(), x.grad.tolist(), v._base is b, b._base is None


@table.gives(([4.0, 16.0, 36.0], [16.0, 36.0], [0.0, 8.0, 12.0]))
def base_inplace(t):
    x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = x * 2
    v = b[1:]
    b.mul_(b.detach().clone())
    v.sum().backward()
    return b.tolist(), v.tolist(), x.grad.tolist()


@table.gives(
    (
        [0.0, 1.0, 2.0, 3.0, 4.0, 10.0, 6.0, 7.0, 8.0, 19.0, 10.0, 11.0],
        [10.0, 102.0, 194.0, 6.0, 8.0, 20.0, 12.0, 14.0, 16.0, 38.0, 20.0, 22.0],
        True,
    )
)
def chain_of_views(t):
    x = t.arange(12.0).requires_grad_()
    b = x * 1
    v = b.view(3, 4).t()[1]
    v.add_(x[:3] * 5)
    (b * b).sum().backward()
    return b.tolist(), x.grad.tolist(), v._base is b


@table.gives(([3.0, 15.0, 5.0, 1.0], [3.0, 15.0], [15.0, 5.0], [24.0, 120.0, 5.0, 1.0]))
def two_views(t):
    x = t.ones(4, requires_grad=True)
    b = x * 1
    u, v = b[:2], b[1:3]
    u.mul_(3)
    v.mul_(5)
    (u.sum() * 7 + b.sum()).backward()
    return b.tolist(), u.tolist(), v.tolist(), x.grad.tolist()


@table.gives(((True, False, True, False), [[3.0, 6.0], [1.0, 2.0]], [20.0, 40.0]))
def plain_joins(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    b = t.zeros(2, 2)
    v = b[0]
    v.copy_(w * 3)
    b[1] = w
    r = (b.requires_grad, b.is_leaf, v.requires_grad, v.is_leaf)
    (b * b).sum().backward()
    return r, b.tolist(), w.grad.tolist()


@table.gives(([3.0, 3.0, 3.0], [2.0, 2.0, 2.0], 1, 1))
def detach_writes(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    d = y.detach()
    d.add_(1)
    y.sum().backward()
    return y.tolist(), x.grad.tolist(), y._version, d._version


@table.refuses("one of the variables needed for gradient computation has been modified by an inp")
def detach_saved_error(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    z = y * y
    y.detach().add_(1)
    z.sum().backward()


@table.refuses("one of the variables needed for gradient computation has been modified by an inp")
def view_saved_error(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    z = y.exp() * y
    y[0].mul_(2)
    z.sum().backward()


@table.refuses("a view of a leaf Variable that requires grad is being used in an in-place operat")
def leaf_view_error(t):
    x = t.ones(3, requires_grad=True)
    x[0].add_(1)


@table.refuses("a leaf Variable that requires grad is being used in an in-place operation.")
def leaf_error(t):
    x = t.ones(3, requires_grad=True)
    x.add_(1)


@table.refuses("A view was created in no_grad mode and is being modified inplace with grad mode ")
def no_grad_view(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    with t.no_grad():
        v = y[0:2]
    v.add_(1)


@table.refuses(". Such functions do not allow the output views to be modified inplace.")
def unbind_view(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    a = y.unbind(0)
    a[0].mul_(2)


@table.refuses(". Such functions do not allow the output views to be modified inplace.")
def chunk_view(t):
    x = t.ones(4, requires_grad=True)
    y = x * 2
    y.chunk(2)[0].mul_(2)


@table.gives(([50.0, 2.0, 2.0], [2.0, 2.0, 2.0]))
def nograd_inplace_view(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    with t.no_grad():
        y[0] = 50.0
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


@table.gives((6.0, [6.0, 0.0]))
def scalar_view(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    s = y[0]
    y.mul_(2)
    s.backward()
    return s.item(), x.grad.tolist()


@table.gives(([3.0, 24.0], [3.0, 12.0]))
def scalar_view_written(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    s = y[1]
    s.mul_(4)
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


@table.gives(([6.0, 12.0, 18.0], [12.0, 12.0, 12.0]))
def setitem_loop(t):
    w = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    out = t.zeros(3)
    for i in range(3):
        out[i] = w[i] * w.sum()
    out.sum().backward()
    return out.tolist(), w.grad.tolist()


@table.gives(([2.0, 6.0, 12.0], [62.0, 600.0, 0.0]))
def setitem_self(t):
    x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    y[1:] = y[:2].clone() * 3
    (y * t.tensor([1.0, 10.0, 100.0])).sum().backward()
    return y.tolist(), x.grad.tolist()


@table.refuses("Can't detach views in-place. Use detach() instead.")
def detach_view_error(t):
    x = t.ones(3, requires_grad=True)
    y = (x * 2)[1:]
    y.detach_()


@table.gives(([2.0, 6.0, 6.0], [1.0, 1.0, 1.0], None))
def retain_view(t):
    x = t.ones(3, requires_grad=True)
    y = x * 2
    v = y[1:]
    v.retain_grad()
    y.retain_grad()
    v.mul_(3)
    y.sum().backward()
    return x.grad.tolist(), y.grad.tolist(), v.grad if v.grad is None else v.grad.tolist()


@table.gives((True, True, False, True))
def view_of_view_base(t):
    x = t.zeros(4, 4)
    v = x[1:]
    w = v[:, 1]
    return w._base is x, v._base is x, x._is_view(), w._is_view()


@table.gives(([[5.0, 2.0, 2.0], [5.0, 2.0, 2.0]], [[0.0, 2.0, 2.0], [0.0, 2.0, 2.0]]))
def t_inplace(t):
    x = t.ones(2, 3, requires_grad=True)
    y = x * 2
    z = y.t()
    z[0] = 5.0
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


@table.gives([[6.0], [24.0]])
def expand_view(t):
    x = t.ones(2, 1, requires_grad=True)
    y = (x * 2).expand(2, 3)
    (y * t.arange(6.0).view(2, 3)).sum().backward()
    return x.grad.tolist()


@table.gives(([[0.0, 5.0, 0.0]] * 2, [[7.0, 7.0]], True, [4.0, 4.0, 4.0]))
def what_is_expanded_follows_writes(t):
    b, s = t.zeros(1, 3), t.tensor(2.0)
    e, f = b.expand(2, 3), s.expand(1, 2)
    b[0, 1] = 5
    s.fill_(7)
    x = t.ones(3, requires_grad=True)
    y = x * 1
    y.expand(3).mul_(4)  # nothing is repeated, so it may be written to
    y.sum().backward()
    return e.tolist(), f.tolist(), e._base is b, x.grad.tolist()


@table.gives(([18.0], "changed"))
def what_is_expanded_has_the_history_of_its_base(t):
    x = t.ones(1, requires_grad=True)
    y = x * 2
    e = y.expand(3)
    y.mul_(3)
    e.sum().backward()
    y = x * 2
    squares = y.expand(3) ** 2
    y.mul_(3)
    try:
        squares.sum().backward()
    except RuntimeError:
        return x.grad.tolist(), "changed"


@table.gives(([4.0, 5.0], [6.0, 4.0]))
def inplace_double(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y[0].mul_(x[1])
    (g,) = t.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = t.autograd.grad(g.sum(), x)
    return g.tolist(), h.tolist()


@table.gives([1.0, 7.3891])
def exp_inplace_view(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y[1:].exp_()
    y.sum().backward()
    return [round(v, 4) for v in x.grad.tolist()]


@table.gives([0.5403, -0.4161])
def sin_inplace_shared(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    v = y[:]
    y.sin_()
    v.sum().backward()
    return [round(g, 4) for g in x.grad.tolist()]


@table.gives(([0.0, 2.0, 2.0, 2.0], [0.0, 2.0, 2.0, 2.0]))
def masked_fill_view(t):
    x = t.ones(4, requires_grad=True)
    y = x * 2
    v = y[:2]
    v.masked_fill_(t.tensor([True, False]), 0.0)
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


@table.gives((True, False))
def requires_grad_of_view(t):
    x = t.zeros(3)
    v = x[1:]
    v.requires_grad_()
    return v.is_leaf, x.requires_grad


@table.gives(([9.0, 2.0, 2.0], [18.0, 4.0, 4.0], 2))
def nograd_update_view(t):
    w = t.ones(3, requires_grad=True)
    with t.no_grad():
        w[0] = 9.0
        w[1:].mul_(2)
    (w * w).sum().backward()
    return w.tolist(), w.grad.tolist(), w._version


@table.gives([3.0, 9.0, 9.0])
def a_number_shares_memory_with_its_views(t):
    s = t.ones(3).sum()
    before, v, w = s.item(), s.squeeze(), s.t()
    s.mul_(3)
    return [before, v.item(), w.item()]


@table.gives([[0.0, 3.0, 1.0, 4.0, 2.0, 5.0], False, [1.0] * 6])
def what_reshape_copies_is_no_view(t):
    x = t.arange(6.0).requires_grad_()
    y = x.view(2, 3).t().reshape(-1)
    z = y.clone()
    y[0] = 7.0
    (x * 1).sum().backward()
    return [z.tolist(), y._is_view(), x.grad.tolist()]


@table.gives([[7.0, 2.0], [1.0, 2.0]])
def a_copy_of_a_part_is_no_view(t):
    x = t.tensor([2.0, 1.0], requires_grad=True) * 1
    y = x.flip(0)
    x.mul_(7)
    return [[x.tolist()[1], y.tolist()[1]], y.tolist()]


@table.gives(([3.0, 3.0, 3.0, 3.0], True))
def windows_apart_follow_their_base(t):
    x = t.ones(4, requires_grad=True)
    y = x * 1
    u = y.unfold(0, 2, 2)
    y.mul_(3)
    u.sum().backward()
    return x.grad.tolist(), u._base is y


@table.gives(([3.0, 3.0, 6.0, 6.0, 1.0], [3.0, 3.0, 6.0, 6.0, 1.0]))
def windows_apart_are_written_to(t):
    x = t.ones(5, requires_grad=True)
    y = x * 1
    u = y.unfold(0, 2, 2)
    u.mul_(t.tensor([[3.0], [6.0]]))
    y.sum().backward()
    return y.tolist(), x.grad.tolist()


@table.gives([[3.0, 1.0, 1.0, 1.0]] * 4)
def parts_of_tensor_split_are_written_to(t):
    found = []
    for part in (
        lambda y: y.tensor_split([1])[0], lambda y: y.tensor_split(4)[0],
        lambda y: y.hsplit([1])[0], lambda y: y.view(4, 1).vsplit([1])[0],
    ):  # fmt: skip
        x = t.ones(4, requires_grad=True)
        y = x * 1
        part(y).mul_(3)
        y.sum().backward()
        found.append(x.grad.tolist())
    return found


@table.gives([[2.0, 1.0], [2.0, 1.0]])
def parts_of_dsplit_are_written_to(t):
    x = t.ones(1, 1, 2, requires_grad=True)
    y = x * 1
    y.dsplit(2)[0].mul_(2)
    y.sum().backward()
    return y.flatten().tolist(), x.grad.flatten().tolist()


@table.refuses(". Such functions do not allow the output views to be modified inplace.")
def rows_are_views_made_together(t):
    y = t.ones(2, 2, requires_grad=True) * 1
    for row in y:
        row.mul_(2)


@table.gives((True, True))
def a_view_made_before_its_base_requires_gradients_requires_them_too(t):
    x = t.ones(4)
    v = x[:2]
    x.requires_grad_()
    return v.requires_grad, v[:1].requires_grad


@table.refuses("a view of a leaf Variable that requires grad is being used in an in-place operat")
def a_view_made_before_its_base_became_a_leaf_is_not_written_to(t):
    x = t.ones(4)
    v = x[:2]
    x.requires_grad_()
    v.mul_(2)


@table.gives((True, [2.0, 2.0, 0.0, 0.0]))
def a_view_made_before_its_base_became_a_leaf_follows_it(t):
    x = t.ones(4)
    v = x[:2]
    x.requires_grad_()
    with t.no_grad():
        v.mul_(2)
    (v * 2).sum().backward()
    return v.requires_grad, x.grad.tolist()


@table.gives((True, [3.0, 3.0, 0.0, 0.0]))
def a_leaf_that_is_a_view_follows_a_write_to_its_base(t):
    x, w = t.ones(4), t.ones(4, requires_grad=True)
    v = x[:2]
    v.requires_grad_()
    x.mul_(w)
    (v * 3).sum().backward()
    return v.grad_fn is not None, w.grad.tolist()


@table.refuses("output with shape [2] doesn't match the broadcast shape [1, 2]")
def a_copy_has_no_more_dimensions(t):
    t.ones(2).copy_(t.ones(1, 2))


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


def test_a_leaf_that_is_a_view_keeps_the_gradient_it_had():
    x, w = dg.ones(4), dg.ones(3, requires_grad=True)
    v = x[:2]
    v.requires_grad_()
    (v * 2).sum().backward()
    x[1:].mul_(w)
    with pytest.warns(UserWarning, match="not a leaf"):
        assert (v.grad.tolist(), v.is_leaf) == ([2, 2], False)


def test_windows_that_overlap_are_not_written_to():
    y = dg.ones(4, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        y.unfold(0, 2, 1).mul_(2)


def test_a_view_made_before_its_base_requires_gradients_has_its_history_at_once():
    x = dg.ones(4)
    v = x[:2]
    x.requires_grad_()
    (v * 2).sum().backward()  # nothing would get a gradient in PyTorch
    assert x.grad.tolist() == [2, 2, 0, 0]


def test_a_view_made_unrecorded_stays_a_constant():
    x = dg.ones(4)
    with dg.no_grad():
        v = x[:2]
    x.requires_grad_()
    assert not v.requires_grad


WRITES_TO_PARTS = [  # of complex numbers, with what is computed from the same numbers
    lambda y, w: y.real.__setitem__(..., w), lambda y, w: y.imag.__setitem__(..., w),
    lambda y, w: y.real.__setitem__(0, w[1]), lambda y, w: y[1:].imag.__setitem__(0, w[0] * 2),
    lambda y, w: y.imag[::2].__setitem__(0, w[1]), lambda y, w: y[:1].__setitem__(0, w[1] * 1j),
    lambda y, w: y.imag.__imul__(w), lambda y, w: y[::-1].real.__iadd__(w * w),
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES_TO_PARTS)
def test_a_write_to_a_part_of_complex_numbers_leaves_the_other_its_gradient(write):
    def f(x):
        y = x * (1 + 0.5j)
        write(y, x.real * x.imag)
        return np.sum(y.real * [1.0, 2.0] + y.imag * [3.0, -1.0] + abs(y) ** 2)

    x, h = np.array([1 + 2j, 3 - 1j]), 1e-6
    steps = h * np.eye(2)
    expected = [
        (f(x + d) - f(x - d)) / (2 * h) + 1j * (f(x + 1j * d) - f(x - 1j * d)) / (2 * h)
        for d in steps
    ]
    np.testing.assert_allclose(
        dg.grad(f)(x), expected, rtol=1e-7
    )  # of quotients with steps of 1e-6
    along = dg.func.jvp(f, (x,), (np.array([1 - 1j, 2j]),))[1]
    np.testing.assert_allclose(along, np.sum(np.conj(expected) * [1 - 1j, 2j]).real, rtol=1e-7)
    xs = np.stack([x, 2 * x])
    np.testing.assert_allclose(dg.vmap(f)(xs), [f(x), f(2 * x)], rtol=1e-14)  # some roundings
