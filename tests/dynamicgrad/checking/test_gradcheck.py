"""Derivatives checked against differences, and the operation that is to blame."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops import GradcheckError, TransformError, elementwise, reals
from gradops.core.op import OPS
from gradops.core.rules import pullback

gradcheck, gradgradcheck = dg.autograd.gradcheck, dg.autograd.gradgradcheck


@pytest.fixture
def x():
    return dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)


@pytest.fixture
def declared():
    """A function that declares an op, which is forgotten after the test."""
    names = []

    def declare(name, kernel, **facets):
        names.append(name)
        samples = facets.pop("samples", reals((3,)))
        return elementwise(name, kernel, samples=samples, doc="Of a test.", **facets)

    yield declare
    for name in names:
        del OPS[name]


def fixed(x):
    """A function of which all derivatives are right."""
    return dg.sin(x) * dg.exp(x).sum()


def test_right_derivatives_pass_every_check(x):
    assert gradcheck(fixed, x)
    assert gradcheck(fixed, (x,), fast_mode=True)
    assert gradcheck(fixed, x, check_forward_ad=True, check_batched_grad=True)
    assert gradcheck(fixed, x, check_forward_ad=True, check_backward_ad=False, fast_mode=True)
    assert gradgradcheck(fixed, x)
    assert gradgradcheck(fixed, x, check_fwd_over_rev=True, fast_mode=True)


def test_several_inputs_and_outputs(x):
    A = dg.rand(3, 2, dtype="float64").requires_grad_()
    f = lambda x, n, A, c: (A @ x * n, (x * c).sum(), x > 0)
    assert gradcheck(f, (x, 3, A, dg.ones(2)))
    assert gradgradcheck(f, (x, 3, A, dg.ones(2)))
    assert x.grad is None


def test_a_wrong_vjp_is_found_with_its_op_line_and_numbers(x, declared):
    wrong = declared("wrong_square", np.square, d=[lambda y, x: 3 * x])

    def loss(x):
        inner = dg.sin(x)
        squared = wrong(inner)  # the guilty line
        return dg.exp(squared)

    with pytest.raises(GradcheckError) as caught:
        gradcheck(loss, x)
    said = str(caught.value)
    assert "Jacobian mismatch for output 0 with respect to input 0" in said
    assert "the vjp of `wrong_square`, called at test_gradcheck.py:" in said
    assert "squared = wrong(inner)  # the guilty line" in said
    assert "operand 0 of wrong_square(float64[2])" in said
    analytical, numerical = (float(said.split(f"{k} ")[1].split(",")[0]) for k in KINDS)
    assert analytical == pytest.approx(1.5 * numerical, rel=1e-5)


KINDS = ("gives analytical", "give numerical")


@pytest.mark.parametrize("fast", [False, True])
def test_a_wrong_jvp_is_found(x, declared, fast):
    wrong = declared("wrong_jvp", np.square, d=[lambda y, x: 2 * x], jvp=[lambda t, y, x: t])
    f = lambda x: wrong(x).sum()
    assert gradcheck(f, x, fast_mode=fast)
    with pytest.raises(GradcheckError, match=r"(?s)forward mode mismatch.*jvp of `wrong_jvp`"):
        gradcheck(f, x, check_forward_ad=True, fast_mode=fast)


def test_a_wrong_second_derivative_is_found(x, declared):
    slope = declared("wrong_slope", lambda x: 2 * x, d=[lambda y, x: 0 * x + 5], source="2 * {0}")
    square = declared("square_by_slope", np.square, d=[lambda y, x: slope(x)])
    assert gradcheck(square, x)
    with pytest.raises(GradcheckError, match="the vjp of `wrong_slope`"):
        gradgradcheck(square, x)


def test_what_cuts_the_graph_is_named(x):
    def detached(x):
        return x.detach() * x

    def unrecorded(x):
        with dg.no_grad():
            y = x * 2
        return y * x

    for f, says in ((detached, "stop_gradient.* has no vjp"), (unrecorded, r"under no_grad\(\)")):
        with pytest.raises(GradcheckError, match=rf"(?s){says}"):
            gradcheck(f, x)


def test_an_error_outside_of_operations_is_said_to_be_there(x):
    with pytest.raises(GradcheckError, match=r"could not be traced|outside of operations"):
        gradcheck(lambda x: dg.tensor(np.sin(x.detach().numpy())) + 0 * x, x)


def test_false_in_place_of_an_error(x, declared):
    wrong = declared("wrong_cube", lambda x: x**3, d=[lambda y, x: x], source="{0} ** 3")
    assert gradcheck(wrong, x, raise_exception=False) is False
    assert gradcheck(wrong, x, raise_exception=False, fast_mode=True) is False


def test_a_backward_that_differs_from_run_to_run_is_found(x, declared):
    noise = iter(np.linspace(0, 1e-7, 50))
    shaky = declared("shaky", np.square, d=[lambda y, x: 2 * x + next(noise)])
    with pytest.raises(GradcheckError, match="not reentrant"):
        gradcheck(shaky, x)
    assert gradcheck(shaky, x, nondet_tol=1e-3)


def test_a_batch_rule_that_is_wrong_is_found(x, declared):
    def reversed_batch(op, stacks, batched, attrs):
        return op(stacks[0][::-1])

    right = declared("right_double", lambda x: 2 * x, d=[lambda y, x: 2 + 0 * x], source="2*{0}")
    object.__setattr__(right, "vjp", [lambda g, y, x: right(g)])
    object.__setattr__(right, "pull", pullback(right))
    object.__setattr__(right, "batch", reversed_batch)
    assert gradcheck(right, x)
    with pytest.raises(GradcheckError, match="testing batched gradients"):
        gradcheck(right, x, check_batched_grad=True)


def test_what_cannot_be_checked_is_refused(x):
    with pytest.raises(TransformError, match="at least one input tensor to require gradient"):
        gradcheck(dg.sin, x.detach())
    with pytest.raises(TransformError, match="at least one of check_forward_ad"):
        gradcheck(dg.sin, x, check_backward_ad=False)
    with pytest.raises(TypeError, match="return tensors"):
        gradcheck(lambda x: 3.0, x)
    with pytest.raises(TransformError, match="stride 0"):
        gradcheck(dg.sin, dg.from_numpy(np.broadcast_to(np.ones(1), (3,))).requires_grad_())


def test_float32_is_warned_of():
    x = dg.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="not a double precision"):
        assert gradcheck(dg.sin, x, eps=1e-2, atol=1e-2)
    with (
        pytest.warns(UserWarning, match="double"),
        pytest.raises(GradcheckError, match="have few digits"),
    ):
        gradcheck(dg.sin, x, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("name", ["tanh", "softmax", "logsumexp", "prod", "sigmoid", "log1p"])
def test_the_librarys_own_ops_pass(x, name):
    op = getattr(gradops, name)
    assert gradcheck(op, x, check_forward_ad=True)
    assert gradgradcheck(op, x, check_fwd_over_rev=True)


def cube(share, through_numpy):
    """x**3 as a custom function, whose backward gives a share of the gradient."""

    class Cube(dg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return dg.from_numpy(x.detach().numpy() ** 3) if through_numpy else x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * share * x * x

    return Cube


@pytest.mark.parametrize("through_numpy", [True, False])
def test_a_custom_function_with_a_wrong_backward_is_named(x, through_numpy):
    right, wrong = cube(1, through_numpy), cube(2, through_numpy)
    assert gradcheck(lambda x: dg.sin(right.apply(x)), x)
    with pytest.raises(GradcheckError, match=r"custom function `Cube`.*# the one"):
        gradcheck(lambda x: dg.sin(right.apply(x)) * wrong.apply(x * 2), x)  # the one
