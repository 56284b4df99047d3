"""Clipping of gradients, and parameters as one vector."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad.nn import utils


def with_grads(lib, scale=1.0):
    rng = np.random.default_rng(0)
    params = []
    for shape in ((3, 4), (4,), ()):
        p = lib.tensor(np.zeros(shape), requires_grad=True)
        p.grad = lib.tensor(rng.normal(size=shape) * scale)
        params.append(p)
    return [*params, lib.tensor(1.0, requires_grad=True)]


@pytest.mark.peers
@pytest.mark.parametrize("norm_type", [1, 2, 3.5, float("inf")])
@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_a_clipped_norm_is_pytorchs(norm_type, max_norm):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    ours, theirs = with_grads(dg), with_grads(torch)
    norm = utils.clip_grad_norm_(ours, max_norm, norm_type)
    want = torch.nn.utils.clip_grad_norm_(theirs, max_norm, norm_type)
    assert norm.item() == pytest.approx(want.item(), rel=1e-9)
    for p, q in zip(ours[:-1], theirs[:-1], strict=True):
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-9)


@pytest.mark.peers
def test_clipped_values_are_pytorchs():
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    ours, theirs = with_grads(dg), with_grads(torch)
    utils.clip_grad_value_(ours, 0.3)
    torch.nn.utils.clip_grad_value_(theirs, 0.3)
    for p, q in zip(ours[:-1], theirs[:-1], strict=True):
        np.testing.assert_array_equal(p.grad.numpy(), q.grad.numpy())


def test_a_norm_that_is_no_number_is_refused_if_asked_and_changes_nothing():
    params = with_grads(dg)
    params[0].grad[0, 0] = float("nan")
    before = params[1].grad.clone()
    with pytest.raises(ValueError, match="non-finite"):
        utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    assert dg.equal(params[1].grad, before)
    assert np.isnan(utils.clip_grad_norm_(params, 1.0).item())


def test_without_gradients_the_norm_is_zero():
    assert utils.clip_grad_norm_([dg.ones(2, requires_grad=True)], 1.0).item() == 0


def test_parameters_go_into_a_vector_and_back():
    params = with_grads(dg)
    vector = utils.parameters_to_vector(params)
    assert vector.shape == (18,)
    vector.sum().backward(inputs=[params[3]])
    assert params[3].grad.item() == 1
    utils.vector_to_parameters(dg.arange(18, dtype="float64"), params)
    assert params[1].tolist() == [12, 13, 14, 15]
    assert params[3].item() == 17
    assert params[0].is_leaf


def test_a_vector_of_another_length_is_refused_and_changes_nothing():
    params = with_grads(dg)
    with pytest.raises(ValueError, match="the parameters have 18 entries"):
        utils.vector_to_parameters(dg.ones(17), params)
    with pytest.raises(TypeError, match="expected a Tensor, but got list"):
        utils.vector_to_parameters([1.0], params)
    assert not params[0].any()


@pytest.mark.parametrize("norm_type", [1, 2, 3.5, float("inf")])
@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_clipping_is_compiled_with_equal_bits(norm_type, max_norm):
    def step(x):
        for p in params:
            p.grad = None
        sum((p * x * (i + 1)).sum() for i, p in enumerate(params)).backward()
        return utils.clip_grad_norm_(params, max_norm, norm_type)

    x = dg.tensor([0.3, -1.7, 2.9])
    params = [dg.ones(3, requires_grad=True), dg.ones(2, 3, requires_grad=True)]
    eager = step(x), *[p.grad.clone() for p in params]
    compiled = sg.function(step, optimize=1)
    for _ in range(3):
        got = compiled(x), *[p.grad for p in params]
        for a, b in zip(got, eager, strict=True):
            assert a.dtype == b.dtype
            assert a.numpy().tobytes() == b.numpy().tobytes()


def test_the_norm_of_empty_gradients_counts_for_nothing():
    params = [dg.ones(0, requires_grad=True), dg.ones(2, requires_grad=True)]
    for p in params:
        p.grad = dg.ones(*p.shape)
    assert utils.clip_grad_norm_(params, 10.0, float("inf")).item() == 1
