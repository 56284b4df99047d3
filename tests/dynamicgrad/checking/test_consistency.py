"""gradcheck looks at more than derivatives: missing cotangents, batches of tangents."""

import pytest

import dynamicgrad as dg

from ..behaviour import Table

table = Table()


def doubled(t, backward, outputs=1):
    """A function that doubles, and triples if it has two outputs, with a backward of one's own."""

    class F(t.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.set_materialize_grads(False)
            return (a * 2, a * 3) if outputs == 2 else a * 2

        @staticmethod
        def backward(ctx, *grads):
            return backward(*grads)

    return F.apply


def point(t):
    return t.ones(2, dtype=t.float64, requires_grad=True)


@table.gives(True)
def a_backward_that_passes_none_on(t):
    return t.autograd.gradcheck(doubled(t, lambda g: None if g is None else g * 2), point(t))


@table.refuses("NoneType")
def a_backward_that_does_not_expect_none(t):
    t.autograd.gradcheck(doubled(t, lambda g: g * 2), point(t))


@table.gives(True)
def a_backward_that_does_not_expect_none_unchecked(t):
    f = doubled(t, lambda g: g * 2)
    return t.autograd.gradcheck(f, point(t), check_undefined_grad=False)


@table.refuses("Expected all input grads to be undefined or zero when all output grads are undefi")
def a_backward_that_makes_something_of_none(t):
    f = doubled(t, lambda g: point(t).detach() if g is None else g * 2)
    t.autograd.gradcheck(f, point(t))


@table.refuses("NoneType")
def a_backward_that_does_not_expect_one_none_of_two(t):
    f = doubled(t, lambda g, h: None if g is None and h is None else g * 2 + h * 3, outputs=2)
    t.autograd.gradcheck(f, point(t))


@table.refuses("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
def batches_of_tangents_without_tangents(t):
    t.autograd.gradcheck(lambda a: a * 2, point(t), check_batched_forward_grad=True)


@table.gives([True] * 8)
def inputs_that_need_no_gradient(t):
    check, twice, p = t.autograd.gradcheck, t.autograd.gradgradcheck, point(t)
    constants = t.ones(2, dtype=t.float64), t.tensor([1, 2]), 3, t.ones(2)
    found = [check(lambda a, b: a * a * b, (p, c)) for c in constants]
    every = {"check_forward_ad": True, "check_batched_grad": True,
             "check_batched_forward_grad": True}  # fmt: skip
    found.append(check(lambda a, b: (a.sin() * b, b * 2), (p, constants[0]), **every))
    found.append(check(lambda a, b: a * b, (p, constants[0]), fast_mode=True))
    found.append(twice(lambda a, b: a * a * b, (p, constants[0]), check_undefined_grad=True))
    found.append(twice(lambda a, b: a * a * b, (p, constants[1]), check_fwd_over_rev=True))
    return found


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


def test_a_batch_of_tangents_that_differs_is_found():
    """The `vmap` of a custom function decides what forward mode gives of a batch."""

    class F(dg.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def jvp(ctx, tangent):
            return Wrong.apply(tangent)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Wrong(dg.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def vmap(info, in_dims, a):
            return a * 5, 0

    x = point(dg)
    assert dg.autograd.gradcheck(F.apply, x, check_forward_ad=True)
    with pytest.raises(RuntimeError, match="batched forward-mode gradients, for out"):
        dg.autograd.gradcheck(F.apply, x, check_forward_ad=True, check_batched_forward_grad=True)
