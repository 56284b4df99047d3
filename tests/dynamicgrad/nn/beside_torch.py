"""Modules beside PyTorch's: its weights, loaded by name, give its values and gradients."""

import numpy as np
import pytest

import dynamicgrad as dg


def parts(x):
    """Tensors in what a module returns, in order; None is left out."""
    if isinstance(x, tuple | list):
        return [t for part in x for t in parts(part)]
    return [] if x is None else [x]


def loss_of(outputs):
    """A scalar that depends on every entry in its own way."""
    total = 0.0
    for k, t in enumerate(outputs):
        total = total + (t * t * (k + 1.5)).sum() + t.sum()
    return total


def agree_with_torch(name, options, arrays, call=None, tolerance=1e-9, train=True):
    """Assert that a module has PyTorch's state, outputs and gradients, all in float64.

    `call(module, *tensors)` says how it is called; arrays of floats require gradients.
    """
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(**options).double()
    for p in theirs.parameters():  # some begin with zeros or ones, which show little
        with torch.no_grad():
            p += 0.1 * torch.randn_like(p)
    ours = getattr(dg.nn, name)(**options).double()
    state = {k: dg.tensor(v.numpy()) for k, v in theirs.state_dict().items()}
    assert [*ours.state_dict()] == [*state]
    ours.load_state_dict(state)
    found = []
    for lib, module in ((dg, ours), (torch, theirs)):
        module.train(train)
        xs = [lib.tensor(a, requires_grad=a.dtype.kind == "f") for a in arrays]
        outputs = parts(module(*xs) if call is None else call(lib, module, *xs))
        loss_of(outputs).backward()
        leaves = [*(x for x in xs if x.requires_grad), *module.parameters()]
        after = [*module.buffers()]
        found.append([t.detach().numpy() for t in outputs])
        found[-1] += [None if t.grad is None else t.grad.numpy() for t in leaves]
        found[-1] += [np.asarray(b) for b in after]
    assert len(found[0]) == len(found[1])
    for a, b in zip(*found, strict=True):
        a = np.zeros(b.shape) if a is None and b is not None else a
        b = np.zeros(a.shape) if b is None and a is not None else b
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
