"""Larger eager workloads, against torch and HIPS autograd; the steps also run traced.

Each returns value and gradients per call. The column `sg.function` is the same tensor program,
run as a graph.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from workloads import Runs, eager_libraries, installed

import dynamicgrad as dg
import staticgrad as sg

rng = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    """Random float32 entries."""
    return rng.standard_normal(shape).astype(np.float32)


def in_each(program: Callable[..., Any], *arrays: Any, traced: bool = True) -> Runs:
    """`program(lib, *tensors)` in each library; tensors in lists require gradients."""
    runs: Runs = {}
    for name, lib in eager_libraries().items():
        args = [tensors(lib, a) for a in arrays]
        runs[name] = lambda lib=lib, args=args: program(lib, *args)
    if traced:
        args = [tensors(dg, a) for a in arrays]
        run = sg.function(lambda *args: program(dg, *args))
        runs["sg.function"] = lambda: run(*args)
    return runs


def tensors(lib: Any, a: Any) -> Any:
    """An array as a tensor; a list of arrays as tensors that require gradients."""
    if isinstance(a, list):
        return [lib.tensor(x, requires_grad=True) for x in a]
    return lib.tensor(a)


def with_hips(runs: Runs, f: Callable[..., Any], *args: Any) -> Runs:
    """Value and gradient of `f(np, *args)` by its first argument in HIPS autograd."""
    if installed("autograd"):
        import autograd
        import autograd.numpy as anp

        pull = autograd.value_and_grad(lambda *args: f(anp, *args))
        runs["HIPS autograd"] = lambda: pull(*args)
    return runs


def recurrent() -> Runs:
    """A tanh RNN over 100 steps, batch 32, hidden 64."""
    xs, params = floats(100, 32, 64), [floats(64, 64) / 8, floats(64, 64) / 8, floats(64)]

    def program(lib: Any, params: Any, xs: Any) -> Any:
        u, w, b = params
        h = lib.zeros(32, 64)
        for x in xs.unbind(0):
            h = lib.tanh(x @ u + h @ w + b)
        loss = (h * h).sum()
        return loss, lib.autograd.grad(loss, params)

    def hips(np: Any, params: Any, xs: Any) -> Any:
        u, w, b = params
        h = np.zeros((32, 64), np.float32)
        for x in xs:
            h = np.tanh(np.dot(x, u) + np.dot(h, w) + b)
        return np.sum(h * h)

    return with_hips(in_each(program, params, xs), hips, params, xs)


def elementwise() -> Runs:
    """An expression on four arrays of a million entries, with all gradients."""
    operands = [floats(1_000_000) for _ in range(4)]

    def program(lib: Any, operands: Any) -> Any:
        a, b, c, d = operands
        loss = (lib.tanh(a * b) + c * lib.exp(-(d * d))).sum()
        return loss, lib.autograd.grad(loss, operands)

    def hips(np: Any, operands: Any) -> Any:
        a, b, c, d = operands
        return np.sum(np.tanh(a * b) + c * np.exp(-(d * d)))

    return with_hips(in_each(program, operands), hips, operands)


def large_mlp() -> Runs:
    """An Adam step on an MLP 784-1024-1024-10, batch 256."""
    x, labels = floats(256, 784), rng.integers(0, 10, 256)
    sizes = [(784, 1024), (1024,), (1024, 1024), (1024,), (1024, 10), (10,)]
    arrays = [floats(*s) / 30 for s in sizes]
    runs: Runs = {}
    for name, lib in eager_libraries().items():
        params = tensors(lib, arrays)
        optimizer = lib.optim.Adam(params)
        data, target = lib.tensor(x), lib.tensor(labels)
        runs[name] = lambda a=(lib, params, optimizer, data, target): adam_step(*a)
    return runs


def adam_step(lib: Any, params: Any, optimizer: Any, data: Any, target: Any) -> Any:
    """Forward, backward and update."""
    w1, b1, w2, b2, w3, b3 = params
    h = lib.relu(data @ w1 + b1)
    h = lib.relu(h @ w2 + b2)
    loss = lib.nn.functional.cross_entropy(h @ w3 + b3, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def logistic() -> Runs:
    """Logistic regression on 100,000 examples of 100 features."""
    x, y, w = floats(100_000, 100), (rng.random(100_000) > 0.5).astype(np.float32), [floats(100)]

    def program(lib: Any, w: Any, x: Any, y: Any) -> Any:
        loss = lib.nn.functional.binary_cross_entropy_with_logits(x @ w[0], y)
        return loss, lib.autograd.grad(loss, w)

    def hips(np: Any, w: Any, x: Any, y: Any) -> Any:
        z = np.dot(x, w[0])
        return np.mean(np.logaddexp(0, z) - z * y)

    return with_hips(in_each(program, w, x, y), hips, w, x, y)


def long_chain() -> Runs:
    """A chain of 10,000 operations on 10 entries."""
    start = [floats(10)]

    def chain(x: Any, sin: Any) -> Any:
        y = x
        for _ in range(2_500):
            y = sin(y * 0.9 + x) - 0.1
        return y

    def program(lib: Any, start: Any) -> Any:
        loss = chain(start[0], lib.sin).sum()
        return loss, lib.autograd.grad(loss, start)

    def hips(np: Any, start: Any) -> Any:
        return np.sum(chain(start[0], np.sin))

    return with_hips(in_each(program, start), hips, start)


LARGER: dict[str, Callable[[], Runs]] = {
    "tanh RNN, T=100, batch 32, hidden 64": recurrent,
    "1e6-element expression, 4 gradients": elementwise,
    "MLP 784-1024-1024-10, batch 256, Adam step": large_mlp,
    "logistic regression 100,000 x 100": logistic,
    "10,000-op chain on 10 elements": long_chain,
}
