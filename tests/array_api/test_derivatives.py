"""A function written for the standard is differentiated, batched and built as it is."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

from .comparing import ORACLE, applied
from .left_out import LEFT_OUT
from .standard import found_in, strict
from .test_conformance import CALLS

X = np.array([-1.5, 0.5, 2.0, 3.25])


def is_float64(x):
    """Whether an argument is an array of which there are gradients."""
    return isinstance(x, np.ndarray) and x.dtype == np.float64


def is_defined(name, call):
    """Whether the standard says what a call gives."""
    try:
        applied(ORACLE[name], call, strict.asarray, strict)
    except TypeError:
        return False
    return True


def flat(args):
    """Arguments, those in lists by themselves."""
    return [a for arg in args for a in (arg if isinstance(arg, list | tuple) else [arg])]


def loss(x):
    """Something of everything, in the words of the standard alone."""
    xp = x.__array_namespace__(api_version="2025.12")
    weights = xp.arange(1, x.shape[0] + 1, dtype=x.dtype) / 7
    bent = xp.where(x > 0, xp.exp(-x), xp.square(x)) * weights
    parts = xp.stack([bent, xp.clip(x, -1.0, 1.0), xp.roll(xp.sin(x), 1)])
    products = xp.matmul(parts, xp.matrix_transpose(parts)) + xp.eye(3, dtype=x.dtype)
    return xp.mean(products) + xp.max(parts) - xp.sum(xp.prod(parts, axis=0) * xp.zeros_like(x))


def gradient(x):
    """The gradient by differences."""
    h = 1e-6
    steps = h * np.eye(x.size)
    value = lambda a: float(loss(dg.tensor(a)))
    return np.array([(value(x + s) - value(x - s)) / (2 * h) for s in steps])


def test_on_tensors():
    x = dg.tensor(X, requires_grad=True)
    loss(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), gradient(X), rtol=1e-6, atol=1e-9)


def test_on_expressions_to_the_bit():
    tensor = dg.tensor(X, requires_grad=True)
    loss(tensor).backward()
    with sg.Graph().as_default():
        x = sg.placeholder("float64", X.shape)
        y = loss(x)
        value, found = sg.compile([y, *sg.gradients(y, x)], [x], optimize=0)(X)
    assert value == loss(dg.tensor(X)).item()
    assert found.tobytes() == tensor.grad.numpy().tobytes()


def test_in_forward_mode():
    t = np.array([1.0, -2.0, 0.5, 3.0])
    _, found = gradops.jvp(loss, [X], [t])
    np.testing.assert_allclose(found, gradient(X) @ t, rtol=1e-6)


def test_on_a_stack_of_examples():
    rows = np.stack([X, X[::-1] / 2])
    found = gradops.vmap(loss)(rows)
    np.testing.assert_allclose(found, [loss(dg.tensor(r)).item() for r in rows], rtol=1e-14)


def test_traced_while_it_works_on_tensors():
    run = sg.function(loss)
    assert run(dg.tensor(X)).item() == pytest.approx(loss(dg.tensor(X)).item())


def test_size_is_a_number_that_can_be_called():
    x = dg.zeros(2, 3)
    assert (x.size, x.size(), x.size(-1), x.size * 2) == (6, (2, 3), 3, 12)
    assert isinstance(x.size, int)


def test_a_value_that_is_not_known_is_said_to_be_so():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [])
        for call in (bool, int, float, complex):
            with pytest.raises(gradops.ValueUnknownError, match="hint"):
                call(x)


NEW = {"zeros_like", "ones_like", "full_like", "empty_like"}  # constants, whatever x is
FUNCTIONS = [n for n in CALLS if n not in NEW | set(LEFT_OUT) and not n.startswith("array.")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_comes_of_tensors_that_require_gradients_has_gradients(name):
    given = []

    def tensor(x):
        given.append(dg.tensor(x, requires_grad=is_float64(x)))
        return given[-1]

    for call in CALLS[name]:
        if any(is_float64(a) for a in flat(call.args)) and is_defined(name, call):
            found = applied(found_in(dg.array_api, name), call, tensor, dg.array_api)
            break
    else:
        return  # it is no function of floats
    floats = [y for y in found if isinstance(y, dg.Tensor) and y.dtype.kind in "fc"]
    if floats:
        with np.errstate(all="ignore"):
            total = sum(gradops.sum(abs(y) if y.dtype.kind == "c" else y) for y in floats)
            leaves = [x for x in given if x.requires_grad]
            grads = dg.autograd.grad(total, leaves, allow_unused=True)
        assert any(g is not None for g in grads)
