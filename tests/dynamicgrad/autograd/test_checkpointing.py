"""Values that are computed again in backward."""

import gc
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import TapeError, TransformError

checkpoint = dg.autograd.checkpoint


@pytest.fixture
def x():
    return dg.tensor([0.5, 1.0, 1.5], requires_grad=True)


def body(x):
    return dg.exp(dg.sin(x) * x) * dg.tanh(x) / (1 + x * x)


def test_gradients_are_to_the_bit_those_without(x):
    want = dg.autograd.grad(body(body(x)).sum(), x)[0]
    got = dg.autograd.grad(checkpoint(body, checkpoint(body, x)).sum(), x)[0]
    assert got.tolist() == want.tolist()


def test_the_function_runs_once_more_and_only_when_it_is_needed(x):
    runs = []

    def counted(x):
        runs.append(1)
        return body(x)

    y = checkpoint(counted, x)
    assert len(runs) == 1
    y.sum().backward()
    assert len(runs) == 2


def test_what_is_captured_gets_gradients_too(x):
    w, h = dg.ones(3, requires_grad=True), (x * 2).requires_grad_()
    checkpoint(lambda x: (x * w * h).sum(), x).backward()
    assert (w.grad.tolist(), x.grad.tolist()) == ([0.5, 2, 4.5], [2, 4, 6])


def test_second_derivatives_go_through(x):
    def second(f):
        (g,) = dg.autograd.grad(f(x).sum(), x, create_graph=True)
        return dg.autograd.grad((g * g).sum(), x)[0]

    want = second(body)
    for f in (
        lambda x: checkpoint(body, x),
        lambda x: checkpoint(lambda x: checkpoint(body, x), x),
    ):
        np.testing.assert_allclose(second(f).numpy(), want.numpy(), rtol=1e-6)


def test_intermediate_values_are_held_by_nobody_after_forward(x):
    seen = []

    def watched(x):
        for f in (dg.sin, dg.exp, dg.tanh):
            x = f(x) * 2
            seen.append(weakref.ref(x))
            seen.append(weakref.ref(x.value))
        return x.sum()

    gc.disable()
    try:
        y = checkpoint(watched, x)
        assert not any(ref() is not None for ref in seen)
        y.backward(retain_graph=True)
        y.backward()
        assert not any(ref() is not None for ref in seen)
        assert x.grad is not None
    finally:
        gc.enable()


def test_nothing_stays_when_the_output_goes(x):
    gc.disable()
    try:
        y = checkpoint(lambda x: checkpoint(body, x) * 2, x)
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_nested_checkpoints(x):
    want = dg.autograd.grad(body(body(body(x))).sum(), x)[0]

    def inner(x):
        return body(checkpoint(body, x))

    y = checkpoint(lambda x: body(checkpoint(body, checkpoint(body, x))), x)
    assert dg.autograd.grad(y.sum(), x)[0].tolist() == want.tolist()
    y = checkpoint(body, checkpoint(inner, x))
    assert dg.autograd.grad(y.sum(), x)[0].tolist() == want.tolist()


def test_random_numbers_are_the_same_the_second_time(x):
    masks = []

    def dropped(x):
        masks.append(dg.rand(3).tolist())
        return (x * dg.tensor(masks[-1]) * x).sum()

    dg.manual_seed(0)
    y = checkpoint(dropped, x)
    after = dg.rand(2).tolist()
    dg.manual_seed(0)
    dg.rand(3)
    assert dg.rand(2).tolist() == after
    dg.manual_seed(5)
    y.backward()
    assert masks[0] == masks[1]
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.detach().numpy() * masks[0], rtol=1e-6)
    drawn = dg.rand(1).item()
    dg.manual_seed(5)
    assert dg.rand(1).item() == drawn


def test_a_write_to_what_is_saved_inside_is_noticed(x):
    def overwrites(x):
        y = dg.sin(x)
        z = y * y
        y.add_(1)
        return z + y

    with pytest.raises(TapeError, match="modified by an inplace operation"):
        checkpoint(overwrites, x).sum().backward()


def test_an_output_that_is_written_to_is_computed_again(x):
    y = checkpoint(lambda x: dg.sin(dg.exp(x)), x)
    y.add_(1)
    y.sum().backward()
    want = np.cos(np.exp(x.detach().numpy())) * np.exp(x.detach().numpy())
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-5)


def test_trees_and_keywords(x):
    f = lambda p, *, scale: {"y": (dg.exp(p["x"]) * scale, 3)}
    y, three = checkpoint(f, {"x": x}, scale=2.0)["y"]
    y.sum().backward()
    assert three == 3
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp(x.detach().numpy()), rtol=1e-6)


def test_the_second_run_ends_where_the_last_value_that_is_needed_is_there(x):
    steps = []

    def f(x):
        steps.append("exp")
        y = dg.exp(x)
        steps.append("rest")
        return y + 1

    checkpoint(f, x).sum().backward()
    assert steps == ["exp", "rest", "exp"]
    np.testing.assert_allclose(x.grad.numpy(), np.exp(x.detach().numpy()), rtol=1e-6)


def test_a_function_that_does_less_the_second_time_is_found(x):
    state = {"less": False}

    def fickle(x):
        return dg.sin(x) if state["less"] else dg.exp(dg.exp(dg.exp(x)))

    y = checkpoint(fickle, x)
    state["less"] = True
    with pytest.raises(TapeError, match=r"(?s)different number.*forward: 3.*recomputation: 1"):
        y.sum().backward()


def test_a_function_that_does_something_else_the_second_time_is_found(x):
    state = {"more": False, "shape": 3}

    def fickle(x):
        y = dg.exp(x)
        return (dg.exp(dg.exp(y)) if state["more"] else dg.exp(y)) * dg.ones(state["shape"])

    y = checkpoint(fickle, x)
    state["more"] = True
    with pytest.raises(TapeError, match=r"(?s)different metadata.*mul.*fickle"):
        y.sum().backward()
    state["more"] = False
    y = checkpoint(fickle, x)
    state["shape"] = (2, 3)
    with pytest.raises(TapeError, match="different metadata"):
        y.sum().backward()


def test_where_nothing_is_recorded_it_is_the_function_itself(x):
    with dg.no_grad():
        assert not checkpoint(body, x).requires_grad
    assert checkpoint(body, x.detach()).tolist() == body(x).tolist()


def test_transforms_go_through(x):
    f = lambda x: checkpoint(body, x).sum()
    plain, a = lambda x: body(x).sum(), x.detach()
    for transform in (dg.grad, dg.hessian, dg.func.jacrev):
        got, want = transform(f)(a), transform(plain)(a)
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)
    rows = dg.stack([a, a * 2])
    np.testing.assert_allclose(
        dg.vmap(dg.grad(f))(rows).numpy(), dg.vmap(dg.grad(plain))(rows).numpy()
    )


def test_functions_in_turn(x):
    layers = [dg.sin, dg.exp, dg.tanh, body, dg.square]
    y = x
    for f in layers:
        y = f(y)
    want = dg.autograd.grad(y.sum(), x)[0].tolist()
    for segments in range(1, 6):
        y = dg.autograd.checkpoint_sequential(layers, segments, x)
        assert dg.autograd.grad(y.sum(), x)[0].tolist() == want
    for segments in (0, 6):
        with pytest.raises(TransformError, match="segments"):
            dg.autograd.checkpoint_sequential(layers, segments, x)


def test_options_that_there_are_not_are_refused(x):
    with pytest.raises(TransformError, match="reentrant"):
        checkpoint(body, x, use_reentrant=True)
    with pytest.raises(TransformError, match="determinism_check"):
        checkpoint(body, x, determinism_check="some")


def test_a_deep_program_in_checkpoints(x):
    y = x
    for _ in range(50):
        y = checkpoint(lambda y: dg.sin(dg.sin(y)) + y * 0.1, y)
    z = x
    for _ in range(50):
        z = dg.sin(dg.sin(z)) + z * 0.1
    (got,), (want,) = dg.autograd.grad(y.sum(), x), dg.autograd.grad(z.sum(), x)
    assert got.tolist() == want.tolist()
