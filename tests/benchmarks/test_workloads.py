"""Every workload computes in our packages, and by hand, what differences of its values say."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.columns import LIBRARIES
from benchmarks.libraries.namespace import NumpyNamespace
from benchmarks.measure.check import error
from benchmarks.rows import BY_KEY, ORDER, WORKLOADS
from benchmarks.workload import ADAM, RATE, directions

OURS = [lib for lib in LIBRARIES if lib.package in ("numpy", "staticgrad")]
EAGER = next(lib for lib in LIBRARIES if lib.name == "dynamicgrad")
STEP = 1e-5  # of central differences, which then err by about 1e-9
TOLERANCES = {"float32": 1e-4, "float64": 1e-6}
CASES = [
    pytest.param(w, lib, dtype, id=f"{w.key}-{lib.name}-{dtype}")
    for w in WORKLOADS for lib in OURS for dtype in sorted({w.dtype, "float64"})
    if lib.name not in w.without and (w.by_hand or lib.name != "NumPy by hand")
]  # fmt: skip


def of_request(*requests):
    """The workloads that compute one of these."""
    found = [w for w in WORKLOADS if w.request in requests]
    return pytest.mark.parametrize("workload", found, ids=lambda w: w.key)


def results(workload, library=EAGER, dtype="float64", params=None):
    """The results on small inputs."""
    at_start, data = workload.inputs(workload.small, dtype)
    return library.arrays(workload, library.build(workload, params or at_start, data)())


def value(workload, params, data):
    """The program's output in NumPy."""
    return workload.program(NumpyNamespace(), params, data)


def difference(f, params, vectors):
    """The central difference of `f` at `params` along `vectors`."""
    moved = lambda t: [p + t * v for p, v in zip(params, vectors, strict=True)]
    above, below = f(moved(STEP)), f(moved(-STEP))
    return [(a - b) / (2 * STEP) for a, b in zip(above, below, strict=True)]


def test_rows_are_the_workloads():
    assert len(ORDER) == len(BY_KEY) == len(set(ORDER))


@of_request("gradient", "sgd", "adam", "hvp", "hessian")
def test_gradients_are_differences_of_values(workload):
    params, data = workload.inputs(workload.small, "float64")
    vectors = directions(params)
    loss, *grads = results(replace(workload, request="gradient"))
    (slope,) = difference(lambda ps: [value(workload, ps, data)], params, vectors)
    np.testing.assert_allclose(loss, value(workload, params, data), rtol=1e-10)
    along = sum(np.vdot(g, v) for g, v in zip(grads, vectors, strict=True))
    np.testing.assert_allclose(along, slope, rtol=1e-5, atol=1e-8)


@of_request("hvp", "hessian")
def test_second_derivatives_are_differences_of_gradients(workload):
    params, _ = workload.inputs(workload.small, "float64")
    vectors = directions(params)
    if workload.request == "hessian":
        vectors = [vectors[0], *[np.zeros_like(p) for p in params[1:]]]
    gradient = replace(workload, request="gradient")
    products = difference(lambda ps: results(gradient, params=ps)[1:], params, vectors)
    found = results(workload)
    if workload.request == "hessian":
        products, found = products[:1], [found[0] @ vectors[0]]
    assert error(found, products) < 1e-6


@of_request("jacobian")
def test_jacobians_are_differences_of_values(workload):
    params, data = workload.inputs(workload.small, "float64")
    y, *blocks = results(workload)
    np.testing.assert_allclose(y, value(workload, params, data))
    for k, (p, block) in enumerate(zip(params, blocks, strict=True)):
        for j in range(len(p)):
            vectors = [np.zeros_like(p) for p in params]
            vectors[k][j] = 1
            f = lambda ps: [value(workload, ps, data)]
            np.testing.assert_allclose(block[:, j], difference(f, params, vectors)[0], atol=1e-6)


@of_request("sgd", "adam")
def test_steps_follow_the_gradient(workload):
    params, _ = workload.inputs(workload.small, "float64")
    _, *grads = results(replace(workload, request="gradient"))
    first = lambda g: ADAM["rate"] * g / (np.abs(g) + ADAM["eps"])
    move = first if workload.request == "adam" else partial(np.multiply, RATE)
    new = [p - move(g) for p, g in zip(params, grads, strict=True)]
    assert error(results(workload)[1:], new) < 1e-6


@pytest.mark.parametrize(("workload", "library", "dtype"), CASES)
def test_libraries_agree(workload, library, dtype):
    assert error(results(workload, library, dtype), results(workload)) < TOLERANCES[dtype]


@pytest.mark.parametrize(
    "workload",
    [w for w in WORKLOADS if w.by_hand and w.request not in ("sgd", "adam")],
    ids=lambda w: w.key,
)
def test_a_second_call_by_hand_computes_as_the_first_does(workload):
    run = workload.by_hand(*workload.inputs(workload.small))
    first = [np.array(a) for a in run()]
    assert all(np.array_equal(a, b) for a, b in zip(first, run(), strict=True))
